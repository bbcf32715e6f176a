#include "collectors/stack_counts.h"

#include "base/array.h"
#include "profile/hash.h"

void collectors_stack_counts_init(collectors_stack_counts *counts)
{
    *counts = (collectors_stack_counts){.entries = NULL, .seed = profile_seed(counts)};
}

void collectors_stack_counts_free(collectors_stack_counts *counts)
{
    free(counts->entries);
    profile_index_free(&counts->index);
}

binprof_status collectors_stack_counts_add(collectors_stack_counts *counts, uint32_t thread,
                                           uint32_t stack, uint64_t samples)
{
    uint32_t key[2] = {thread, stack};
    uint32_t hash = profile_hash(key, sizeof key, counts->seed);
    uint32_t position = hash;
    uint32_t id;
    while (profile_index_next(&counts->index, hash, &position, &id)) {
        collectors_stack_count *found = &counts->entries[id];
        if (found->stack == stack && found->thread == thread) {
            found->samples += samples;
            return BINPROF_OK;
        }
    }

    if (counts->count == PROFILE_ID_LIMIT)
        return BINPROF_ERROR_LIMIT;
    collectors_stack_count *entries =
        array_reserve(counts->entries, &counts->capacity, counts->count + 1, sizeof *entries);
    if (entries == NULL)
        return BINPROF_ERROR_MEMORY;
    counts->entries = entries;
    if (!profile_index_reserve(&counts->index))
        return BINPROF_ERROR_MEMORY;
    profile_index_insert(&counts->index, hash, (uint32_t)counts->count);
    entries[counts->count++] = (collectors_stack_count){samples, thread, stack};
    return BINPROF_OK;
}
