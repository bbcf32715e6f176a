/* The prefix tree of stacks: each node is (parent, frame).
 *
 * The first child of a node usually comes directly after it, because a new stack brings all its new
 * frames at once. Such a child needs no index: it is found by looking at the next node. Only the
 * others, the branches, are hashed, and those used lately are tried first. So walking down a stack
 * that was seen before runs through memory in order, and a stack that shares nothing costs eight
 * bytes a frame. */
#ifndef PROFILE_STACK_TABLE_H
#define PROFILE_STACK_TABLE_H

#include "profile/index.h"

#include <binprof/profile.h>
#include <stdint.h>

/* Few enough to stay in the first level cache, where the index of a large tree does not. */
#define PROFILE_RECENT_BITS 12

typedef struct profile_stack_table {
    binprof_stack *nodes;
    uint32_t count;
    size_t capacity;
    profile_index branches;
    uint32_t recent[1u << PROFILE_RECENT_BITS]; /* by a quick hash: the branch found there last */
    uint64_t seed;
} profile_stack_table;

/* Makes a table with the root alone. Returns false when there is no memory. */
bool profile_stack_table_init(profile_stack_table *table);

void profile_stack_table_free(profile_stack_table *table);

/* Finds or makes a node that is not the one after its parent. */
binprof_status profile_stack_table_branch(profile_stack_table *table, uint32_t parent,
                                          uint32_t frame, uint32_t *id);

/* Stores in *id the child of `parent` with `frame`, made where there is none. Neither is checked.
 * Fails with BINPROF_ERROR_MEMORY or BINPROF_ERROR_LIMIT. */
static inline binprof_status profile_stack_table_push(profile_stack_table *table, uint32_t parent,
                                                      uint32_t frame, uint32_t *id)
{
    uint32_t next = parent + 1;
    if (next < table->count) {
        binprof_stack node = table->nodes[next];
        if (node.frame == frame && node.parent == parent) {
            *id = next;
            return BINPROF_OK;
        }
    } else if (next < table->capacity) {
        table->nodes[next] = (binprof_stack){parent, frame};
        table->count++;
        *id = next;
        return BINPROF_OK;
    }
    return profile_stack_table_branch(table, parent, frame, id);
}

#endif
