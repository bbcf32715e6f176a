/* A flame graph as one HTML page that needs nothing else. */
#include "collectors/flamegraph/flamegraph.h"

#include "base/error.h"
#include "collectors/collectors.h"
#include "collectors/flamegraph/page.h"

#include <math.h>
#include <stdlib.h>

/* Initial buckets are as wide as this many in the whole capture, where its duration is known: some
 * fewer than there may be, so that a duration that is a little short makes no difference. */
#define FIRST_BUCKETS 240

/* Longer intervals, eleven days, are nobody's wish. */
#define INTERVAL_MAX UINT64_C(1000000000000)

static uint64_t first_bucket_us(const binprof_collector_options *options)
{
    double longest_s = 0;
    for (size_t i = 0; i < options->capture_count; i++) {
        const binprof_statistics *statistics = &options->captures[i].facts->statistics;
        if (statistics->present && statistics->duration_s > longest_s)
            longest_s = statistics->duration_s;
    }
    const binprof_statistics *statistics = &options->facts->statistics;
    if (options->capture_count == 0 && statistics->present)
        longest_s = statistics->duration_s;
    uint64_t interval_us =
        options->facts->interval_us < INTERVAL_MAX ? options->facts->interval_us : INTERVAL_MAX;
    double bucket_us = ceil(longest_s * 1e6 / FIRST_BUCKETS);
    if (!(bucket_us > (double)interval_us) || bucket_us > (double)INTERVAL_MAX)
        return interval_us;
    return (uint64_t)bucket_us;
}

static binprof_status flamegraph_collect(binprof_collector *base, const binprof_run *run,
                                         binprof_error *error)
{
    flamegraph_collector *flamegraph = (flamegraph_collector *)base;
    uint32_t stack_count = binprof_profile_stack_count(flamegraph->profile);
    if (flamegraph_cells_add(&flamegraph->cells, run, stack_count) != BINPROF_OK)
        return error_set_memory(error);
    flamegraph->samples += run->count;
    return BINPROF_OK;
}

static binprof_status flamegraph_export(binprof_collector *base, binprof_error *error)
{
    flamegraph_collector *flamegraph = (flamegraph_collector *)base;
    output_text *text = &flamegraph->text;
    output_text_append(text, (const char *)flamegraph_page_head, flamegraph_page_head_size);
    binprof_status status = flamegraph_write_data(flamegraph);
    if (status == BINPROF_ERROR_MEMORY)
        return error_set_memory(error);
    if (status != BINPROF_OK)
        return error_set(error, status, BINPROF_NO_OFFSET, "more stacks than can be numbered");
    output_text_append(text, (const char *)flamegraph_page_tail, flamegraph_page_tail_size);
    return output_text_finish(text, error);
}

static void flamegraph_close(binprof_collector *base)
{
    flamegraph_collector *flamegraph = (flamegraph_collector *)base;
    output_text_discard(&flamegraph->text);
    flamegraph_cells_free(&flamegraph->cells);
    free(flamegraph->source);
    free(flamegraph);
}

static uint64_t flamegraph_total_samples(const binprof_collector *base)
{
    return ((const flamegraph_collector *)base)->samples;
}

static const binprof_collector_operations flamegraph_operations = {
    .collect = flamegraph_collect,
    .export_output = flamegraph_export,
    .close = flamegraph_close,
    .total_samples = flamegraph_total_samples,
};

/* The captures that the page tells of: those of the options, or one of the options' name. */
static bool set_captures(flamegraph_collector *flamegraph, const binprof_collector_options *options)
{
    flamegraph->captures = options->captures;
    flamegraph->capture_count = options->capture_count;
    if (options->capture_count > 0)
        return true;
    const char *source = options->source != NULL ? options->source : "capture";
    flamegraph->source = malloc(strlen(source) + 1);
    if (flamegraph->source == NULL)
        return false;
    memcpy(flamegraph->source, source, strlen(source) + 1);
    flamegraph->only = (binprof_capture){.name = flamegraph->source, .facts = options->facts};
    flamegraph->captures = &flamegraph->only;
    flamegraph->capture_count = 1;
    return true;
}

binprof_status collectors_flamegraph_open(const binprof_collector_options *options,
                                          binprof_collector **collector, binprof_error *error)
{
    flamegraph_collector *flamegraph = calloc(1, sizeof *flamegraph);
    if (flamegraph == NULL)
        return error_set_memory(error);
    flamegraph->base.operations = &flamegraph_operations;
    flamegraph->profile = options->profile;
    flamegraph->choice = options->choice;
    if (!set_captures(flamegraph, options)) {
        free(flamegraph);
        return error_set_memory(error);
    }
    binprof_status status =
        output_text_open(&flamegraph->text, options->output, options->gzip, error);
    if (status != BINPROF_OK) {
        free(flamegraph->source);
        free(flamegraph);
        return status;
    }
    binprof_facts facts = binprof_facts_merge(flamegraph->captures, flamegraph->capture_count);
    memcpy(flamegraph->python, facts.python, sizeof facts.python);
    flamegraph_cells_init(&flamegraph->cells, options->facts->start_us, first_bucket_us(options));
    *collector = &flamegraph->base;
    return BINPROF_OK;
}
