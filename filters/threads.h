/* Which threads are chosen, and what they are called in the target. */
#ifndef FILTERS_THREADS_H
#define FILTERS_THREADS_H

#include <binprof/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is taken of a thread. */
typedef enum filters_verdict {
    FILTERS_VERDICT_UNKNOWN,
    FILTERS_VERDICT_NOTHING,
    FILTERS_VERDICT_MAIN, /* samples that are marked as of a main thread */
    FILTERS_VERDICT_ALL,
} filters_verdict;

typedef struct filters_thread {
    uint32_t id; /* in the target */
    filters_verdict verdict;
} filters_thread;

typedef struct filters_threads {
    const binprof_choice *choice;
    binprof_profile *target;
    const binprof_profile *source;
    uint32_t capture; /* that the source is of */
    bool keep_ids_apart;
    filters_thread *entries; /* by the source's thread ids */
    size_t count, capacity;
    bool has_merged;     /* the one that the capture's threads become is known */
    uint32_t merged;     /* its id in the target */
    uint64_t next_apart; /* where to look for an id that no thread has */

    /* To tell what there is when something was chosen that is not. */
    binprof_thread *seen;
    size_t seen_count, seen_capacity;
    uint8_t statuses; /* all bits that any sample had */
} filters_threads;

/* keep_ids_apart: threads of different captures that have the same ids get other ids. */
void filters_threads_init(filters_threads *threads, const binprof_choice *choice,
                          binprof_profile *target, bool keep_ids_apart);
void filters_threads_free(filters_threads *threads);

/* Forgets the source before, and starts with that of a capture. */
void filters_threads_begin(filters_threads *threads, const binprof_profile *source,
                           uint32_t capture);

/* Finds out what a thread of the source becomes. */
binprof_status filters_threads_resolve(filters_threads *threads, uint32_t thread,
                                       binprof_error *error);

/* Fails with BINPROF_ERROR_ARGUMENT when a chosen thread or interpreter never came. */
binprof_status filters_threads_check(const filters_threads *threads, binprof_error *error);

static inline binprof_status filters_map_thread(filters_threads *threads, uint32_t thread,
                                                filters_thread *mapped, binprof_error *error)
{
    if (thread >= threads->count || threads->entries[thread].verdict == FILTERS_VERDICT_UNKNOWN) {
        binprof_status status = filters_threads_resolve(threads, thread, error);
        if (status != BINPROF_OK)
            return status;
    }
    *mapped = threads->entries[thread];
    return BINPROF_OK;
}

#endif
