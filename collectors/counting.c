/* Counts samples, for tests, benchmarks and summaries. */
#include "base/array.h"
#include "base/error.h"

#include <binprof/formats.h>
#include <stdlib.h>
#include <string.h>

typedef struct counting_collector {
    binprof_collector base;
    uint64_t runs;
    uint64_t samples;
    uint64_t failed;
    binprof_thread_counts *threads;
    size_t thread_count;
    size_t thread_capacity;
} counting_collector;

static bool reserve_thread(counting_collector *counting, uint32_t thread)
{
    size_t needed = (size_t)thread + 1;
    binprof_thread_counts *threads =
        array_reserve(counting->threads, &counting->thread_capacity, needed, sizeof *threads);
    if (threads == NULL)
        return false;
    counting->threads = threads;
    for (; counting->thread_count < needed; counting->thread_count++)
        threads[counting->thread_count] = (binprof_thread_counts){.samples = 0};
    return true;
}

static void add_status(binprof_thread_counts *counts, uint8_t status, uint64_t samples)
{
    for (unsigned bit = 0; bit < 8; bit++)
        counts->with_status[bit] += ((unsigned)status >> bit & 1u) * samples;
}

/* Spreads the bits of a status over the bytes of a number: byte n is bit n. */
static uint64_t spread_bits(uint8_t status)
{
    uint64_t bits = status * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);
    return (bits + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C(0x0101010101010101);
}

static void count_statuses(binprof_thread_counts *counts, const uint8_t *statuses, size_t count)
{
    /* Most runs have one status: every one equals its neighbour. */
    if (memcmp(statuses, statuses + 1, count - 1) == 0) {
        add_status(counts, statuses[0], count);
        return;
    }
    /* The others are counted eight bits at once, in the bytes of sums of up to 255 samples. */
    while (count > 0) {
        size_t part = count < 255 ? count : 255;
        uint64_t sums = 0;
        for (size_t i = 0; i < part; i++)
            sums += spread_bits(statuses[i]);
        for (unsigned bit = 0; bit < 8; bit++)
            counts->with_status[bit] += sums >> (8 * bit) & 0xff;
        statuses += part;
        count -= part;
    }
}

static binprof_status counting_collect(binprof_collector *base, const binprof_run *run,
                                       binprof_error *error)
{
    counting_collector *counting = (counting_collector *)base;
    if (run->thread >= counting->thread_count && !reserve_thread(counting, run->thread))
        return error_set_memory(error);

    counting->runs++;
    counting->samples += run->count;
    binprof_thread_counts *counts = &counting->threads[run->thread];
    if (counts->samples == 0)
        counts->first_us = run->timestamps_us[0];
    counts->last_us = run->timestamps_us[run->count - 1];
    counts->samples += run->count;
    if (run->stack == 0)
        counts->without_frames += run->count;
    count_statuses(counts, run->statuses, run->count);
    return BINPROF_OK;
}

static void counting_collect_failed(binprof_collector *base)
{
    ((counting_collector *)base)->failed++;
}

static void counting_close(binprof_collector *base)
{
    free(((counting_collector *)base)->threads);
    free(base);
}

static uint64_t counting_total_samples(const binprof_collector *base)
{
    return ((const counting_collector *)base)->samples;
}

static const binprof_collector_operations counting_operations = {
    .collect = counting_collect,
    .collect_failed = counting_collect_failed,
    .close = counting_close,
    .total_samples = counting_total_samples,
};

binprof_status binprof_counting_collector_open(binprof_collector **collector, binprof_error *error)
{
    counting_collector *opened = calloc(1, sizeof *opened);
    *collector = (binprof_collector *)opened;
    if (opened == NULL)
        return error_set_memory(error);
    opened->base.operations = &counting_operations;
    return BINPROF_OK;
}

binprof_counts binprof_counting_collector_counts(const binprof_collector *collector)
{
    const counting_collector *counting = (const counting_collector *)collector;
    return (binprof_counts){.runs = counting->runs,
                            .samples = counting->samples,
                            .failed = counting->failed,
                            .thread_count = (uint32_t)counting->thread_count,
                            .threads = counting->threads};
}
