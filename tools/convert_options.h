/* The command line of binprof-convert. */
#ifndef TOOLS_CONVERT_OPTIONS_H
#define TOOLS_CONVERT_OPTIONS_H

#include <binprof/formats.h>
#include <stdbool.h>

typedef struct convert_options {
    const char *input;  /* "-" for stdin */
    const char *output; /* "-" for stdout */
    const binprof_format *format;
    bool gzip;
    bool quiet;
    binprof_compression compression;
    int level; /* 0: the default */
} convert_options;

/* Reads the command line. Returns true when there is something to convert; else the program is to
 * end with *exit_status, and everything is said. */
bool convert_options_parse(int argc, char **argv, convert_options *options, int *exit_status);

#endif
