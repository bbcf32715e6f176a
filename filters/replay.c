/* Captures on their way through a filter. */
#include "base/error.h"
#include "filters/filter.h"

/* A collector that looks at times alone. */
typedef struct latest_time {
    binprof_collector base;
    uint64_t start_us;
    uint64_t latest_us; /* since the start */
} latest_time;

static binprof_status latest_time_collect(binprof_collector *base, const binprof_run *run,
                                          binprof_error *error)
{
    (void)error;
    latest_time *latest = (latest_time *)base;
    for (size_t i = 0; i < run->count; i++) {
        uint64_t time_us = filters_since(run->timestamps_us[i], latest->start_us);
        if (time_us > latest->latest_us)
            latest->latest_us = time_us;
    }
    return BINPROF_OK;
}

/* Finds the time between a capture's start and its latest sample, which nothing but its samples
 * tells. */
static binprof_status measure_duration(binprof_reader *reader, uint64_t *duration_us,
                                       binprof_error *error)
{
    static const binprof_collector_operations operations = {.collect = latest_time_collect};
    latest_time latest = {.base = {&operations},
                          .start_us = binprof_reader_info(reader)->facts.start_us};
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    if (profile == NULL)
        return error_set_memory(error);
    binprof_status status = binprof_reader_replay(reader, profile, &latest.base, NULL, error);
    *duration_us = latest.latest_us;
    binprof_profile_free(profile);
    return status;
}

static uint64_t resolve_moment(const binprof_moment *moment, uint64_t duration_us)
{
    if (!moment->is_percent)
        return moment->us;
    if (moment->percent >= 100)
        return UINT64_MAX; /* past the last sample too */
    return (uint64_t)((double)duration_us * moment->percent / 100);
}

/* Finds what the choice's moments are in this capture. */
static binprof_status resolve_times(const binprof_choice *choice, binprof_reader *reader,
                                    filters_source *source, binprof_error *error)
{
    uint64_t duration_us = 0;
    source->from_us = 0;
    source->to_us = UINT64_MAX;
    if ((choice->has_from && choice->from.is_percent) ||
        (choice->has_to && choice->to.is_percent)) {
        binprof_status status = measure_duration(reader, &duration_us, error);
        if (status != BINPROF_OK)
            return status;
    }
    if (choice->has_from)
        source->from_us = resolve_moment(&choice->from, duration_us);
    if (choice->has_to)
        source->to_us = resolve_moment(&choice->to, duration_us);
    return BINPROF_OK;
}

binprof_status binprof_filter_replay(binprof_collector *filter, binprof_reader *reader,
                                     uint32_t capture, const binprof_replay_options *options,
                                     binprof_error *error)
{
    const binprof_filter_options *filter_options = filters_options(filter);
    filters_source source = {.capture = capture,
                             .start_us = binprof_reader_info(reader)->facts.start_us};
    binprof_status status = resolve_times(filter_options->choice, reader, &source, error);
    if (status != BINPROF_OK)
        return status;

    binprof_profile *own = NULL;
    if (filter_options->capture_count > 1 || filters_changes_profile(filter_options->choice)) {
        own = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
        if (own == NULL)
            return error_set_memory(error);
    }
    binprof_profile *profile = own != NULL ? own : filter_options->profile;
    source.profile = profile;
    status = filters_begin_capture(filter, &source, error);
    if (status == BINPROF_OK)
        status = binprof_reader_replay(reader, profile, filter, options, error);
    binprof_profile_free(own);
    return status;
}
