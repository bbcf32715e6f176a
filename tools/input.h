/* The capture that a tool is given on its command line. */
#ifndef TOOLS_INPUT_H
#define TOOLS_INPUT_H

#include <binprof/reader.h>

/* What messages call a capture's name: "-" is standard input. */
const char *input_name(const char *path);

/* Opens the capture; "-" is standard input. */
binprof_status input_open(const char *path, binprof_reader **reader, binprof_error *error);

#endif
