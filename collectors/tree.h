/* The prefix tree as people look at it: the stacks that have samples and their callers, without the
 * profiler's own frames. */
#ifndef COLLECTORS_TREE_H
#define COLLECTORS_TREE_H

#include "profile/stack_table.h"

#include <binprof/profile.h>
#include <stdbool.h>
#include <stdint.h>

/* Stacks become nodes; node 0 is the root, and parents come before their children. Where no frames
 * are left out, a node is a stack, and they have the same order. */
typedef struct collectors_tree {
    const binprof_stack *stacks; /* of the profile */
    uint32_t stack_count;
    uint32_t *node_of;          /* by stack id; COLLECTORS_NO_NODE for those that are not needed */
    uint32_t count;             /* of the nodes */
    bool has_merged;            /* several stacks may be one node, since frames were left out */
    profile_stack_table merged; /* the nodes, then */
} collectors_tree;

#define COLLECTORS_NO_NODE UINT32_MAX

/* Starts a tree of the profile's stacks, none of which is needed yet. Returns false when there is
 * no memory. To be freed in any case. */
bool collectors_tree_init(collectors_tree *tree, const binprof_profile *profile);
void collectors_tree_free(collectors_tree *tree);

/* The stack has samples. */
static inline void collectors_tree_need(collectors_tree *tree, uint32_t stack)
{
    tree->node_of[stack] = 0;
}

/* Numbers the nodes of the needed stacks and their callers. Fails with BINPROF_ERROR_MEMORY or
 * BINPROF_ERROR_LIMIT. */
binprof_status collectors_tree_number(collectors_tree *tree, const binprof_profile *profile);

/* Steps through the nodes but the root, in the order of their numbers. */
typedef struct collectors_tree_iterator {
    const collectors_tree *tree;
    uint32_t stack; /* that comes next */
    uint32_t node;
    uint32_t parent; /* of the node */
    uint32_t frame;  /* of the node */
} collectors_tree_iterator;

collectors_tree_iterator collectors_tree_begin(const collectors_tree *tree);
bool collectors_tree_next(collectors_tree_iterator *at);

#endif
