/* What a replay tells the filter of the capture that comes next. */
#ifndef FILTERS_FILTER_H
#define FILTERS_FILTER_H

#include <binprof/filter.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct filters_source {
    const binprof_profile *profile; /* that the ids of the runs are of; may be the target */
    uint32_t capture;
    uint64_t start_us;
    uint64_t from_us, to_us; /* since the start: what the choice's moments are in this capture */
} filters_source;

binprof_status filters_begin_capture(binprof_collector *collector, const filters_source *source,
                                     binprof_error *error);

const binprof_filter_options *filters_options(const binprof_collector *collector);

/* Whether stacks or threads become others, so that they need a profile of their own. */
bool filters_changes_profile(const binprof_choice *choice);

/* The time since the start; 0 for times before it. */
static inline uint64_t filters_since(uint64_t time_us, uint64_t start_us)
{
    uint64_t passed = time_us - start_us;
    return passed > (uint64_t)INT64_MAX ? 0 : passed;
}

#endif
