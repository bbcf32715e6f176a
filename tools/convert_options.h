/* The command line of binprof-convert. */
#ifndef TOOLS_CONVERT_OPTIONS_H
#define TOOLS_CONVERT_OPTIONS_H

#include "tools/choice_options.h"

#include <binprof/formats.h>
#include <stdbool.h>

typedef struct convert_options {
    char *const *inputs; /* "-" for stdin */
    size_t input_count;
    const char *base;   /* NULL for no comparison */
    const char *output; /* "-" for stdout */
    const binprof_format *format;
    bool gzip;
    bool quiet;
    bool mixed_intervals;
    binprof_compression compression;
    int level; /* 0: the default */
    choice_options choice;
} convert_options;

/* Reads the command line. Returns true when there is something to convert; else the program is to
 * end with *exit_status, and everything is said. To be freed in any case. */
bool convert_options_parse(int argc, char **argv, convert_options *options, int *exit_status);
void convert_options_free(convert_options *options);

#endif
