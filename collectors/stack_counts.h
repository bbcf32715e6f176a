/* How often each stack of each thread was sampled. */
#ifndef COLLECTORS_STACK_COUNTS_H
#define COLLECTORS_STACK_COUNTS_H

#include "profile/index.h"

#include <binprof/collector.h>
#include <stddef.h>
#include <stdint.h>

typedef struct collectors_stack_count {
    uint64_t samples;
    uint32_t thread;
    uint32_t stack;
} collectors_stack_count;

typedef struct collectors_stack_counts {
    collectors_stack_count *entries;
    size_t count;
    size_t capacity;
    profile_index index;
    uint64_t seed;
} collectors_stack_counts;

void collectors_stack_counts_init(collectors_stack_counts *counts);
void collectors_stack_counts_free(collectors_stack_counts *counts);

/* Adds samples to the count of this thread and stack. Fails with BINPROF_ERROR_MEMORY or
 * BINPROF_ERROR_LIMIT. */
binprof_status collectors_stack_counts_add(collectors_stack_counts *counts, uint32_t thread,
                                           uint32_t stack, uint64_t samples);

#endif
