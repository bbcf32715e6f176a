#include "filters/sorter.h"

#include "base/array.h"
#include "base/error.h"

/* The most samples of a run that is handed on. */
#define RUN_MAX 256

typedef struct sorter_sample {
    uint64_t time_us;
    uint64_t status_and_order; /* the order of coming decides between equal times */
    uint32_t thread;
    uint32_t stack;
} sorter_sample;

#define ORDER_SHIFT 8

typedef struct sorter {
    binprof_collector base;
    binprof_collector *next;
    sorter_sample *samples;
    size_t count;
    size_t capacity;
} sorter;

static binprof_status sorter_collect(binprof_collector *base, const binprof_run *run,
                                     binprof_error *error)
{
    sorter *sorting = (sorter *)base;
    sorter_sample *samples = array_reserve(sorting->samples, &sorting->capacity,
                                           sorting->count + run->count, sizeof *samples);
    if (samples == NULL)
        return error_set_memory(error);
    sorting->samples = samples;
    for (size_t i = 0; i < run->count; i++) {
        samples[sorting->count] = (sorter_sample){
            run->timestamps_us[i], (uint64_t)sorting->count << ORDER_SHIFT | run->statuses[i],
            run->thread, run->stack};
        sorting->count++;
    }
    return BINPROF_OK;
}

static void sorter_collect_failed(binprof_collector *base)
{
    binprof_collector_collect_failed(((sorter *)base)->next);
}

static int compare_samples(const void *a, const void *b)
{
    const sorter_sample *left = a;
    const sorter_sample *right = b;
    if (left->time_us != right->time_us)
        return left->time_us < right->time_us ? -1 : 1;
    return left->status_and_order < right->status_and_order ? -1 : 1;
}

/* Hands on the samples from `first` that are one run. Stores in *count how many they are. */
static binprof_status hand_on(const sorter *sorting, size_t first, size_t *count,
                              binprof_error *error)
{
    uint64_t times_us[RUN_MAX];
    uint8_t statuses[RUN_MAX];
    const sorter_sample *start = &sorting->samples[first];
    size_t length = 0;
    for (; length < RUN_MAX && first + length < sorting->count; length++) {
        const sorter_sample *sample = start + length;
        if (sample->thread != start->thread || sample->stack != start->stack)
            break;
        times_us[length] = sample->time_us;
        statuses[length] = (uint8_t)sample->status_and_order;
    }
    *count = length;
    binprof_run run = {start->thread, start->stack, length, times_us, statuses};
    return binprof_collector_collect(sorting->next, &run, error);
}

static binprof_status sorter_export(binprof_collector *base, binprof_error *error)
{
    sorter *sorting = (sorter *)base;
    if (sorting->count > 0)
        qsort(sorting->samples, sorting->count, sizeof *sorting->samples, compare_samples);
    for (size_t first = 0; first < sorting->count;) {
        size_t count;
        binprof_status status = hand_on(sorting, first, &count, error);
        if (status != BINPROF_OK)
            return status;
        first += count;
    }
    return binprof_collector_export(sorting->next, error);
}

static void sorter_close(binprof_collector *base)
{
    free(((sorter *)base)->samples);
    free(base);
}

static uint64_t sorter_total_samples(const binprof_collector *base)
{
    return ((const sorter *)base)->count;
}

static const binprof_collector_operations sorter_operations = {
    .collect = sorter_collect,
    .collect_failed = sorter_collect_failed,
    .export_output = sorter_export,
    .close = sorter_close,
    .total_samples = sorter_total_samples,
};

binprof_status filters_sorter_open(binprof_collector *next, binprof_collector **collector,
                                   binprof_error *error)
{
    sorter *opened = calloc(1, sizeof *opened);
    if (opened == NULL)
        return error_set_memory(error);
    opened->base.operations = &sorter_operations;
    opened->next = next;
    *collector = &opened->base;
    return BINPROF_OK;
}
