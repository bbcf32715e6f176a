/* Regular expressions that frames are chosen by. */
#ifndef FILTERS_PATTERN_H
#define FILTERS_PATTERN_H

#include <binprof/error.h>
#include <locale.h>
#include <regex.h>
#include <stdbool.h>

typedef struct filters_pattern {
    bool is_given;
    regex_t regex;
    locale_t locale; /* in which characters are UTF-8, whatever the program's is */
} filters_pattern;

/* The names of a frame as patterns see them. */
typedef struct filters_names {
    const char *file;
    const char *function;
    const char *both; /* "file:function" */
} filters_names;

/* text: NULL for no pattern; role: what a message calls it. Fails with BINPROF_ERROR_ARGUMENT or
 * BINPROF_ERROR_MEMORY. */
binprof_status filters_pattern_compile(filters_pattern *pattern, const char *text, const char *role,
                                       binprof_error *error);
void filters_pattern_free(filters_pattern *pattern);

/* False where no pattern is given. */
bool filters_pattern_matches(const filters_pattern *pattern, const filters_names *names);

#endif
