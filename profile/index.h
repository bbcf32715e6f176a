/* A hash index over entries that live in an array: finds the ids that may equal a key.
 *
 * It stores 32 bits of hash beside each id, so that a miss hardly ever touches an entry and growing
 * never does. The owner hashes and compares. Hashes should be seeded (profile_seed), or a
 * hostile capture could make all its entries collide. */
#ifndef PROFILE_INDEX_H
#define PROFILE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct profile_index {
    uint64_t *slots; /* hash << 32 | id, or PROFILE_INDEX_FREE */
    uint32_t mask;   /* slots - 1; 0 before the first insertion */
    uint32_t count;
} profile_index;

/* No entry has this id, see PROFILE_ID_LIMIT. */
#define PROFILE_INDEX_FREE UINT64_MAX

/* Ids are below this. */
#define PROFILE_ID_LIMIT UINT32_MAX

/* Makes room for one more entry. Returns false when there is no memory. */
bool profile_index_reserve(profile_index *index);

/* Adds an id; profile_index_reserve must have made room. */
void profile_index_insert(profile_index *index, uint32_t hash, uint32_t id);

void profile_index_free(profile_index *index);

/* A number to seed hashes with that is not the same in every process. */
uint64_t profile_seed(const void *object);

/* Steps through the ids whose hash is `hash`. Start with *position = hash; returns false when there
 * is no further one. */
static inline bool profile_index_next(const profile_index *index, uint32_t hash, uint32_t *position,
                                      uint32_t *id)
{
    if (index->slots == NULL)
        return false;
    for (;;) {
        uint64_t slot = index->slots[*position & index->mask];
        if (slot == PROFILE_INDEX_FREE)
            return false;
        (*position)++;
        if ((uint32_t)(slot >> 32) == hash) {
            *id = (uint32_t)slot;
            return true;
        }
    }
}

#endif
