/* Replay into a collector, as binprof-convert does it. */
#include "bench/bench.h"

typedef struct conversion {
    binprof_reader *reader;
    binprof_profile *profile;
    binprof_collector *collector;
} conversion;

static binprof_status begin(conversion *at, const char *path, binprof_error *error)
{
    *at = (conversion){.reader = NULL};
    binprof_status status = binprof_reader_open(path, &at->reader, error);
    if (status != BINPROF_OK)
        return status;
    at->profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    return at->profile == NULL ? BINPROF_ERROR_MEMORY : BINPROF_OK;
}

static void end(conversion *at)
{
    binprof_collector_close(at->collector);
    binprof_profile_free(at->profile);
    binprof_reader_close(at->reader);
}

static void note_counts(const conversion *at, bench_result *result)
{
    binprof_counts counts = binprof_counting_collector_counts(at->collector);
    result->threads = counts.thread_count;
    result->stack_nodes = binprof_profile_stack_count(at->profile) - 1;
    result->shown_samples = 0;
    result->without_frames = 0;
    for (uint32_t i = 0; i < counts.thread_count; i++) {
        const binprof_thread_counts *thread = &counts.threads[i];
        result->without_frames += thread->without_frames;
        if (thread->samples > thread->without_frames)
            result->shown_samples += thread->samples;
    }
}

void bench_replay_run(bench_job *job, bench_result *result)
{
    binprof_error error = {.message = "out of memory"};
    conversion at;
    binprof_status status = begin(&at, job->input->path, &error);
    if (status == BINPROF_OK)
        status = binprof_counting_collector_open(&at.collector, &error);
    if (status == BINPROF_OK)
        status = binprof_reader_replay(at.reader, at.profile, at.collector, NULL, &error);
    if (status == BINPROF_OK) {
        result->samples = binprof_collector_total_samples(at.collector);
        note_counts(&at, result);
    } else {
        bench_fail(result, "%s", error.message);
    }
    end(&at);
}

static void convert(const bench_job *job, const char *format, binprof_compression compression,
                    bench_result *result)
{
    binprof_error error = {.message = "out of memory"};
    conversion at;
    binprof_status status = begin(&at, job->input->path, &error);
    if (status == BINPROF_OK) {
        binprof_output output = {.path = job->output};
        binprof_collector_options options = {.profile = at.profile,
                                             .facts = &binprof_reader_info(at.reader)->facts,
                                             .output = &output,
                                             .compression = compression};
        status =
            binprof_format_open(binprof_format_by_name(format), &options, &at.collector, &error);
    }
    if (status == BINPROF_OK)
        status = binprof_reader_replay(at.reader, at.profile, at.collector, NULL, &error);
    if (status == BINPROF_OK) {
        result->samples = binprof_collector_total_samples(at.collector);
        status = binprof_collector_export(at.collector, &error);
    }
    if (status != BINPROF_OK)
        bench_fail(result, "%s", error.message);
    end(&at);
}

/* Replays through a filter into the collector. */
static binprof_status replay_chosen(conversion *at, const binprof_choice *choice,
                                    binprof_error *error)
{
    binprof_filter_options options = {
        .choice = choice, .profile = at->profile, .next = at->collector};
    binprof_collector *filter;
    binprof_status status = binprof_filter_open(&options, &filter, error);
    if (status != BINPROF_OK)
        return status;
    status = binprof_filter_replay(filter, at->reader, 0, NULL, error);
    if (status == BINPROF_OK)
        status = binprof_collector_export(filter, error);
    binprof_collector_close(filter);
    return status;
}

/* A choice that looks at every sample and every stack, and passes them all: no status has its
 * highest bit. */
void bench_filter_run(bench_job *job, bench_result *result)
{
    static const binprof_choice choice = {.has_from = true, .status_clear = 0x80, .focus = "."};
    binprof_error error = {.message = "out of memory"};
    conversion at;
    binprof_status status = begin(&at, job->input->path, &error);
    if (status == BINPROF_OK)
        status = binprof_counting_collector_open(&at.collector, &error);
    if (status == BINPROF_OK)
        status = replay_chosen(&at, &choice, &error);
    if (status == BINPROF_OK)
        result->samples = binprof_collector_total_samples(at.collector);
    else
        bench_fail(result, "%s", error.message);
    end(&at);
}

void bench_top_run(bench_job *job, bench_result *result)
{
    static const binprof_choice choice = {.by = BINPROF_BY_FUNCTION};
    binprof_error error = {.message = "out of memory"};
    conversion at;
    binprof_status status = begin(&at, job->input->path, &error);
    if (status == BINPROF_OK)
        status = binprof_tally_open(at.profile, NULL, 0, &at.collector, &error);
    if (status == BINPROF_OK)
        status = replay_chosen(&at, &choice, &error);
    if (status == BINPROF_OK)
        result->samples = binprof_tally_get(at.collector).nodes[0].count.total.now;
    else
        bench_fail(result, "%s", error.message);
    end(&at);
}

void bench_flamegraph_run(bench_job *job, bench_result *result)
{
    convert(job, "flamegraph", BINPROF_COMPRESSION_AUTO, result);
}

void bench_collapsed_run(bench_job *job, bench_result *result)
{
    convert(job, "collapsed", BINPROF_COMPRESSION_AUTO, result);
}

void bench_gecko_run(bench_job *job, bench_result *result)
{
    convert(job, "gecko", BINPROF_COMPRESSION_AUTO, result);
}

void bench_recode_plain_run(bench_job *job, bench_result *result)
{
    convert(job, "binary", BINPROF_COMPRESSION_NONE, result);
}

void bench_recode_zstd_run(bench_job *job, bench_result *result)
{
    convert(job, "binary", BINPROF_COMPRESSION_ZSTD, result);
}
