#include "collectors/tree.h"

#include "profile/paths.h"

#include <stdbool.h>
#include <stdlib.h>

/* A bit for each frame that is left out; *bits is NULL where there is none. */
static binprof_status find_internal(const binprof_profile *profile, uint8_t **bits)
{
    uint32_t count = binprof_profile_frame_count(profile);
    *bits = NULL;
    for (uint32_t frame = 0; frame < count; frame++) {
        uint32_t file = binprof_profile_frame(profile, frame).filename;
        if (!profile_is_internal(binprof_profile_string(profile, file)))
            continue;
        if (*bits == NULL)
            *bits = calloc((size_t)count / 8 + 1, 1);
        if (*bits == NULL)
            return BINPROF_ERROR_MEMORY;
        (*bits)[frame / 8] |= (uint8_t)(1u << frame % 8);
    }
    return BINPROF_OK;
}

static void add_callers(const binprof_profile *profile, uint8_t *is_needed)
{
    const binprof_stack *stacks = binprof_profile_stacks(profile);
    for (uint32_t stack = binprof_profile_stack_count(profile); stack-- > 1;)
        if (is_needed[stack] != 0)
            is_needed[stacks[stack].parent] = 1;
}

/* Numbers the needed stacks. */
static binprof_status number_nodes(collectors_tree *tree, const binprof_profile *profile,
                                   const uint8_t *is_needed)
{
    const binprof_stack *stacks = binprof_profile_stacks(profile);
    uint32_t stack_count = binprof_profile_stack_count(profile);
    tree->nodes = malloc(stack_count * sizeof *tree->nodes);
    if (tree->nodes == NULL)
        return BINPROF_ERROR_MEMORY;
    tree->nodes[0] = stacks[BINPROF_EMPTY_STACK];
    tree->count = 1;
    for (uint32_t stack = 1; stack < stack_count; stack++) {
        if (is_needed[stack] == 0)
            continue;
        tree->node_of[stack] = tree->count;
        tree->nodes[tree->count++] =
            (binprof_stack){tree->node_of[stacks[stack].parent], stacks[stack].frame};
    }
    return BINPROF_OK;
}

/* The same where frames are left out: stacks that differ in these only become one. */
static binprof_status merge_nodes(collectors_tree *tree, const binprof_profile *profile,
                                  const uint8_t *is_needed, const uint8_t *internal)
{
    const binprof_stack *stacks = binprof_profile_stacks(profile);
    uint32_t stack_count = binprof_profile_stack_count(profile);
    if (!profile_stack_table_init(&tree->without))
        return BINPROF_ERROR_MEMORY;
    for (uint32_t stack = 1; stack < stack_count; stack++) {
        if (is_needed[stack] == 0)
            continue;
        uint32_t frame = stacks[stack].frame;
        tree->node_of[stack] = tree->node_of[stacks[stack].parent];
        if ((internal[frame / 8] >> frame % 8 & 1) != 0)
            continue;
        binprof_status status = profile_stack_table_push(&tree->without, tree->node_of[stack],
                                                         frame, &tree->node_of[stack]);
        if (status != BINPROF_OK)
            return status;
    }
    tree->nodes = tree->without.nodes;
    tree->count = tree->without.count;
    return BINPROF_OK;
}

binprof_status collectors_tree_build(collectors_tree *tree, const binprof_profile *profile,
                                     uint8_t *is_needed)
{
    *tree = (collectors_tree){.nodes = NULL};
    uint8_t *internal;
    binprof_status status = find_internal(profile, &internal);
    if (status != BINPROF_OK)
        return status;
    add_callers(profile, is_needed);
    tree->node_of = malloc(binprof_profile_stack_count(profile) * sizeof *tree->node_of);
    if (tree->node_of == NULL) {
        status = BINPROF_ERROR_MEMORY;
    } else {
        tree->node_of[BINPROF_EMPTY_STACK] = 0;
        status = internal == NULL ? number_nodes(tree, profile, is_needed)
                                  : merge_nodes(tree, profile, is_needed, internal);
    }
    free(internal);
    return status;
}

void collectors_tree_free(collectors_tree *tree)
{
    if (tree->nodes != tree->without.nodes)
        free(tree->nodes);
    profile_stack_table_free(&tree->without);
    free(tree->node_of);
}
