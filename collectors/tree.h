/* The prefix tree as people look at it: the stacks that have samples and their callers, without the
 * profiler's own frames. */
#ifndef COLLECTORS_TREE_H
#define COLLECTORS_TREE_H

#include "profile/stack_table.h"

#include <binprof/profile.h>
#include <stdint.h>

typedef struct collectors_tree {
    binprof_stack *nodes; /* parents come before their children; node 0 is the root */
    uint32_t count;
    uint32_t *node_of;           /* by stack id of the profile; only for those that are needed */
    profile_stack_table without; /* holds the nodes where frames were left out */
} collectors_tree;

/* is_needed: a byte for each stack of the profile, not 0 for those with samples; their callers are
 * added. Fails with BINPROF_ERROR_MEMORY or BINPROF_ERROR_LIMIT. To be freed in any case. */
binprof_status collectors_tree_build(collectors_tree *tree, const binprof_profile *profile,
                                     uint8_t *is_needed);
void collectors_tree_free(collectors_tree *tree);

#endif
