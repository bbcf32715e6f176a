/* The collector: whoever consumes samples. Everything that produces samples (the reader, a live
 * sampler, an importer) feeds one, so that every source works with every output.
 *
 * To write your own, put a binprof_collector first in your struct and point it to a table of your
 * functions:
 *
 *     struct counter { binprof_collector base; uint64_t samples; };
 *
 *     static binprof_status collect(binprof_collector *base, const binprof_run *run,
 *                                   binprof_error *error)
 *     {
 *         ((struct counter *)base)->samples += run->count;
 *         return BINPROF_OK;
 *     }
 *
 *     static const binprof_collector_operations operations = {.collect = collect};
 *     struct counter counter = {.base = {&operations}};
 *
 * All entries but `collect` may be NULL. A collector that needs names is given the profile by
 * whoever makes it.
 */
#ifndef BINPROF_COLLECTOR_H
#define BINPROF_COLLECTOR_H

#include <binprof/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Consecutive samples of one thread with one stack. The arrays hold `count` entries and are valid
 * during the call only. */
typedef struct binprof_run {
    uint32_t thread; /* thread id of the profile */
    uint32_t stack;  /* stack id of the profile */
    size_t count;    /* at least 1 */
    const uint64_t *timestamps_us;
    const uint8_t *statuses; /* BINPROF_STATUS_ bits */
} binprof_run;

/* How a capture's samples were encoded. */
typedef struct binprof_encoding {
    uint64_t repeat_records;
    uint64_t full_records;
    uint64_t suffix_records;
    uint64_t pop_push_records;
    uint64_t repeat_samples; /* samples inside repeat records */
    uint64_t samples;
    uint64_t frames_written; /* frame indices in records */
    uint64_t frames_saved;   /* frame indices that delta encoding did not have to write */
    uint64_t data_bytes;     /* sample data before compression */
} binprof_encoding;

typedef struct binprof_collector binprof_collector;

typedef struct binprof_collector_operations {
    /* Takes a run. Runs of one thread come in the order of time; of different threads, anyhow. */
    binprof_status (*collect)(binprof_collector *collector, const binprof_run *run,
                              binprof_error *error);
    /* An attempt to take a sample failed. */
    void (*collect_failed)(binprof_collector *collector);
    /* All samples are in: finishes the output. Nothing but close and the questions follow. */
    binprof_status (*export_output)(binprof_collector *collector, binprof_error *error);
    /* Frees the collector. Without a successful export before, discards its output. */
    void (*close)(binprof_collector *collector);
    /* How many samples were taken so far. */
    uint64_t (*total_samples)(const binprof_collector *collector);
    /* Stores how the samples were encoded; false when this collector does not encode. */
    bool (*stats)(const binprof_collector *collector, binprof_encoding *encoding);
} binprof_collector_operations;

struct binprof_collector {
    const binprof_collector_operations *operations;
};

/* Hands a run to the collector. Fails as the collector says. */
static inline BINPROF_CHECK_RESULT binprof_status binprof_collector_collect(
    binprof_collector *collector, const binprof_run *run, binprof_error *error)
{
    return collector->operations->collect(collector, run, error);
}

/* Tells the collector of a sample that could not be taken. */
static inline void binprof_collector_collect_failed(binprof_collector *collector)
{
    if (collector->operations->collect_failed != NULL)
        collector->operations->collect_failed(collector);
}

/* Finishes the output. To be called once, after the last run. Fails as the collector says. */
static inline BINPROF_CHECK_RESULT binprof_status
binprof_collector_export(binprof_collector *collector, binprof_error *error)
{
    if (collector->operations->export_output == NULL)
        return BINPROF_OK;
    return collector->operations->export_output(collector, error);
}

/* Frees the collector; what it has not exported is discarded. NULL is allowed. */
static inline void binprof_collector_close(binprof_collector *collector)
{
    if (collector != NULL && collector->operations->close != NULL)
        collector->operations->close(collector);
}

/* Returns how many samples the collector has taken; 0 where it does not count. */
static inline uint64_t binprof_collector_total_samples(const binprof_collector *collector)
{
    if (collector->operations->total_samples == NULL)
        return 0;
    return collector->operations->total_samples(collector);
}

/* Stores in *encoding how the samples were encoded. Returns false, and stores nothing, for a
 * collector that does not encode. */
static inline bool binprof_collector_stats(const binprof_collector *collector,
                                           binprof_encoding *encoding)
{
    if (collector->operations->stats == NULL)
        return false;
    return collector->operations->stats(collector, encoding);
}

#endif
