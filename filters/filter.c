#include "filters/filter.h"
#include "base/array.h"
#include "base/error.h"
#include "filters/mapping.h"
#include "filters/sorter.h"
#include "filters/threads.h"

#include <string.h>

/* What samples must be. */
typedef struct sample_test {
    bool passes_all;
    uint8_t mask; /* these status bits … */
    uint8_t set;  /* … must be these */
    bool skip_idle;
    bool has_time;
    uint64_t start_us, from_us, to_us;
} sample_test;

typedef struct filter_collector {
    binprof_collector base;
    binprof_filter_options options;
    filters_mapping mapping;
    filters_threads threads;
    binprof_collector *sorter; /* NULL where nothing has to be sorted */
    binprof_collector *next;   /* the sorter, or what comes after */
    binprof_filter_counts counts;

    /* Of the capture that is replayed: */
    bool has_begun; /* any capture */
    uint64_t first_start_us;
    uint64_t start_us;
    uint64_t from_us, to_us; /* since the start */
    sample_test tests[2];    /* see make_tests */
    uint64_t *shifted;       /* scratch: times as they are handed on */
    size_t shifted_capacity;
} filter_collector;

bool binprof_choice_makes_gaps(const binprof_choice *choice)
{
    return choice->status_set != 0 || choice->status_clear != 0 || choice->skip_idle ||
           choice->main_thread || choice->focus != NULL || choice->ignore != NULL;
}

bool filters_changes_profile(const binprof_choice *choice)
{
    return choice->trim_root != NULL || choice->collapse_recursion || choice->merge_threads ||
           choice->by != BINPROF_BY_DEFAULT || choice->paths == BINPROF_PATHS_BASE ||
           choice->paths == BINPROF_PATHS_MODULE;
}

bool binprof_choice_is_everything(const binprof_choice *choice)
{
    return choice->thread_count == 0 && choice->interpreter_count == 0 && !choice->has_from &&
           !choice->has_to && !binprof_choice_makes_gaps(choice) &&
           !filters_changes_profile(choice);
}

/* Hands on a part of a run. */
static binprof_status hand_on(filter_collector *filter, binprof_run run, size_t first, size_t count,
                              binprof_error *error)
{
    run.count = count;
    run.timestamps_us += first;
    run.statuses += first;
    filter->counts.chosen += count;
    uint64_t shift = filter->first_start_us - filter->start_us;
    if (shift != 0) {
        uint64_t *shifted =
            array_reserve(filter->shifted, &filter->shifted_capacity, count, sizeof *shifted);
        if (shifted == NULL)
            return error_set_memory(error);
        filter->shifted = shifted;
        for (size_t i = 0; i < count; i++)
            shifted[i] = run.timestamps_us[i] + shift;
        run.timestamps_us = shifted;
    }
    return binprof_collector_collect(filter->next, &run, error);
}

static bool passes(const sample_test *test, uint64_t time_us, uint8_t status)
{
    if ((status & test->mask) != test->set)
        return false;
    if (test->skip_idle && (status & (BINPROF_STATUS_HAS_GIL | BINPROF_STATUS_ON_CPU)) == 0)
        return false;
    if (!test->has_time)
        return true;
    uint64_t passed = filters_since(time_us, test->start_us);
    return passed >= test->from_us && passed < test->to_us;
}

/* Hands on the samples that pass, each row of neighbours as a run. */
static binprof_status hand_on_passing(filter_collector *filter, binprof_run run,
                                      const sample_test *test, binprof_error *error)
{
    size_t first = 0;
    for (size_t i = 0; i <= run.count; i++) {
        if (i < run.count && passes(test, run.timestamps_us[i], run.statuses[i]))
            continue;
        if (i > first) {
            binprof_status status = hand_on(filter, run, first, i - first, error);
            if (status != BINPROF_OK)
                return status;
        }
        first = i + 1;
    }
    return BINPROF_OK;
}

/* What the samples of the capture must be; of a thread of which only the main thread's samples are
 * taken, with that. */
static void make_tests(filter_collector *filter)
{
    const binprof_choice *choice = filter->options.choice;
    for (unsigned main = 0; main < 2; main++) {
        sample_test *test = &filter->tests[main];
        *test = (sample_test){.set = choice->status_set,
                              .skip_idle = choice->skip_idle,
                              .has_time = choice->has_from || choice->has_to,
                              .start_us = filter->start_us,
                              .from_us = filter->from_us,
                              .to_us = filter->to_us};
        if (main == 1)
            test->set |= BINPROF_STATUS_MAIN_THREAD;
        test->mask = test->set | choice->status_clear;
        test->passes_all = test->mask == 0 && !test->skip_idle && !test->has_time;
    }
}

/* Takes note of what came in. */
static void count_run(filter_collector *filter, const binprof_run *run)
{
    filter->counts.samples += run->count;
    uint64_t last_us = filters_since(run->timestamps_us[run->count - 1], filter->start_us);
    if (last_us > filter->counts.last_us)
        filter->counts.last_us = last_us;
    if (!filter->options.choice->main_thread)
        return;
    for (size_t i = 0; i < run->count; i++)
        filter->threads.statuses |= run->statuses[i];
}

static binprof_status filter_collect(binprof_collector *base, const binprof_run *run,
                                     binprof_error *error)
{
    filter_collector *filter = (filter_collector *)base;
    count_run(filter, run);
    filters_thread thread;
    binprof_status status = filters_map_thread(&filter->threads, run->thread, &thread, error);
    if (status != BINPROF_OK || thread.verdict == FILTERS_VERDICT_NOTHING)
        return status;
    binprof_run mapped = *run;
    bool is_chosen;
    status = filters_map_stack(&filter->mapping, run->stack, &mapped.stack, &is_chosen, error);
    if (status != BINPROF_OK || !is_chosen)
        return status;
    mapped.thread = thread.id;
    const sample_test *test = &filter->tests[thread.verdict == FILTERS_VERDICT_MAIN];
    if (test->passes_all)
        return hand_on(filter, mapped, 0, run->count, error);
    return hand_on_passing(filter, mapped, test, error);
}

static void filter_collect_failed(binprof_collector *base)
{
    binprof_collector_collect_failed(((filter_collector *)base)->next);
}

static binprof_status filter_export(binprof_collector *base, binprof_error *error)
{
    filter_collector *filter = (filter_collector *)base;
    binprof_status status = filters_threads_check(&filter->threads, error);
    if (status != BINPROF_OK)
        return status;
    return binprof_collector_export(filter->next, error);
}

static void filter_close(binprof_collector *base)
{
    filter_collector *filter = (filter_collector *)base;
    binprof_collector_close(filter->sorter);
    filters_mapping_free(&filter->mapping);
    filters_threads_free(&filter->threads);
    free(filter->shifted);
    free(filter);
}

static uint64_t filter_total_samples(const binprof_collector *base)
{
    return ((const filter_collector *)base)->counts.chosen;
}

static bool filter_stats(const binprof_collector *base, binprof_encoding *encoding)
{
    return binprof_collector_stats(((const filter_collector *)base)->options.next, encoding);
}

static const binprof_collector_operations filter_operations = {
    .collect = filter_collect,
    .collect_failed = filter_collect_failed,
    .export_output = filter_export,
    .close = filter_close,
    .total_samples = filter_total_samples,
    .stats = filter_stats,
};

binprof_status binprof_filter_open(const binprof_filter_options *options,
                                   binprof_collector **collector, binprof_error *error)
{
    *collector = NULL;
    filter_collector *filter = calloc(1, sizeof *filter);
    if (filter == NULL)
        return error_set_memory(error);
    filter->base.operations = &filter_operations;
    filter->options = *options;
    filter->next = options->next;
    binprof_status status =
        filters_mapping_init(&filter->mapping, options->choice, options->profile, error);
    if (status == BINPROF_OK && options->in_order && options->choice->merge_threads) {
        status = filters_sorter_open(options->next, &filter->sorter, error);
        filter->next = filter->sorter;
    }
    if (status != BINPROF_OK) {
        filters_mapping_free(&filter->mapping);
        free(filter);
        return status;
    }
    filters_threads_init(&filter->threads, options->choice, options->profile,
                         options->name_in_stacks && options->capture_count > 1);
    *collector = &filter->base;
    return BINPROF_OK;
}

binprof_filter_counts binprof_filter_get_counts(const binprof_collector *collector)
{
    const filter_collector *filter = (const filter_collector *)collector;
    binprof_filter_counts counts = filter->counts;
    counts.focus_matched = (filter->mapping.matched & MAPPING_FOCUS) != 0;
    counts.ignore_matched = (filter->mapping.matched & MAPPING_IGNORE) != 0;
    counts.trim_root_matched = (filter->mapping.matched & MAPPING_TRIM) != 0;
    return counts;
}

binprof_status filters_begin_capture(binprof_collector *collector, const filters_source *source,
                                     binprof_error *error)
{
    filter_collector *filter = (filter_collector *)collector;
    const binprof_filter_options *options = &filter->options;
    if (!filter->has_begun)
        filter->first_start_us = source->start_us;
    filter->has_begun = true;
    filter->start_us = source->start_us;
    filter->from_us = source->from_us;
    filter->to_us = source->to_us;
    make_tests(filter);
    filters_threads_begin(&filter->threads, source->profile, source->capture);
    bool is_named = options->name_in_stacks && options->capture_count > 1;
    return filters_mapping_begin(&filter->mapping, source->profile,
                                 is_named ? options->captures[source->capture].name : NULL, error);
}

const binprof_filter_options *filters_options(const binprof_collector *collector)
{
    return &((const filter_collector *)collector)->options;
}
