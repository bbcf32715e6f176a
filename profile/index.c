#include "profile/index.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static void place(uint64_t *slots, uint32_t mask, uint64_t entry)
{
    uint32_t position = (uint32_t)(entry >> 32) & mask;
    while (slots[position] != PROFILE_INDEX_FREE)
        position = (position + 1) & mask;
    slots[position] = entry;
}

/* Full to two thirds at most. */
static bool has_room(const profile_index *index)
{
    return index->slots != NULL && index->count < index->mask / 3 * 2;
}

bool profile_index_reserve(profile_index *index)
{
    if (has_room(index))
        return true;
    if (index->mask == UINT32_MAX)
        return index->count < UINT32_MAX; /* as large as it gets: fuller, but it works */
    uint32_t mask = index->slots == NULL ? 63 : index->mask * 2 + 1;
    size_t size = ((size_t)mask + 1) * sizeof *index->slots;
    uint64_t *slots = malloc(size);
    if (slots == NULL)
        return false;
    memset(slots, 0xff, size);
    if (index->slots != NULL)
        for (size_t i = 0; i <= index->mask; i++)
            if (index->slots[i] != PROFILE_INDEX_FREE)
                place(slots, mask, index->slots[i]);
    free(index->slots);
    index->slots = slots;
    index->mask = mask;
    return true;
}

void profile_index_insert(profile_index *index, uint32_t hash, uint32_t id)
{
    place(index->slots, index->mask, (uint64_t)hash << 32 | id);
    index->count++;
}

void profile_index_free(profile_index *index)
{
    free(index->slots);
    *index = (profile_index){.slots = NULL};
}

uint64_t profile_seed(const void *object)
{
    struct timespec now = {.tv_sec = 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)(uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15) ^
           ((uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec);
}
