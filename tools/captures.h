/* The captures that a tool is given on its command line: one, several that are brought together,
 * and one that they are compared with. */
#ifndef TOOLS_CAPTURES_H
#define TOOLS_CAPTURES_H

#include <binprof/filter.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct capture_set {
    size_t count; /* the base included, which comes last */
    const char **paths;
    binprof_reader **readers;
    binprof_capture *captures;
    char **names;        /* of the captures */
    binprof_facts facts; /* of all but the base */
} capture_set;

typedef struct capture_set_request {
    char *const *inputs;
    size_t input_count;
    const char *base;     /* NULL for none */
    bool mixed_intervals; /* also captures with different intervals are brought together */
} capture_set_request;

/* Opens the captures and checks that they go together. Returns 0, or the exit status of a
 * complaint. To be closed in any case. */
int captures_open(capture_set *set, const capture_set_request *request);
void captures_close(capture_set *set);

/* Replays them all through a filter. */
binprof_status captures_replay(const capture_set *set, binprof_collector *filter, bool quiet,
                               binprof_error *error);

/* What messages call them. */
const char *captures_name(const capture_set *set);

/* Says on stderr when nothing was chosen, or when an option had no effect, and why. */
void captures_note_choice(const capture_set *set, const binprof_choice *choice,
                          binprof_filter_counts counts);

/* Says on stderr when the captures were not recorded alike. */
void captures_note_difference(const capture_set *set);

#endif
