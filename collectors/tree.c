#include "collectors/tree.h"

#include "profile/paths.h"

#include <stdlib.h>
#include <string.h>

bool collectors_tree_init(collectors_tree *tree, const binprof_profile *profile)
{
    *tree = (collectors_tree){.stacks = binprof_profile_stacks(profile),
                              .stack_count = binprof_profile_stack_count(profile)};
    tree->node_of = malloc(tree->stack_count * sizeof *tree->node_of);
    if (tree->node_of == NULL)
        return false;
    memset(tree->node_of, 0xff, tree->stack_count * sizeof *tree->node_of); /* not needed */
    collectors_tree_need(tree, BINPROF_EMPTY_STACK);
    return true;
}

void collectors_tree_free(collectors_tree *tree)
{
    profile_stack_table_free(&tree->merged);
    free(tree->node_of);
}

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

static void need_callers(collectors_tree *tree)
{
    for (uint32_t stack = tree->stack_count; stack-- > 1;)
        if (tree->node_of[stack] != COLLECTORS_NO_NODE)
            collectors_tree_need(tree, tree->stacks[stack].parent);
}

static void number_stacks(collectors_tree *tree)
{
    tree->count = 1;
    for (uint32_t stack = 1; stack < tree->stack_count; stack++)
        if (tree->node_of[stack] != COLLECTORS_NO_NODE)
            tree->node_of[stack] = tree->count++;
}

/* The same where frames are left out: stacks that differ in these only become one. */
static binprof_status merge_stacks(collectors_tree *tree, const uint8_t *internal)
{
    tree->has_merged = true;
    if (!profile_stack_table_init(&tree->merged))
        return BINPROF_ERROR_MEMORY;
    for (uint32_t stack = 1; stack < tree->stack_count; stack++) {
        if (tree->node_of[stack] == COLLECTORS_NO_NODE)
            continue;
        uint32_t frame = tree->stacks[stack].frame;
        uint32_t *node = &tree->node_of[stack];
        *node = tree->node_of[tree->stacks[stack].parent];
        if ((internal[frame / 8] >> frame % 8 & 1) != 0)
            continue;
        binprof_status status = profile_stack_table_push(&tree->merged, *node, frame, node);
        if (status != BINPROF_OK)
            return status;
    }
    tree->count = tree->merged.count;
    return BINPROF_OK;
}

binprof_status collectors_tree_number(collectors_tree *tree, const binprof_profile *profile)
{
    uint8_t *internal;
    binprof_status status = find_internal(profile, &internal);
    if (status != BINPROF_OK)
        return status;
    need_callers(tree);
    if (internal == NULL)
        number_stacks(tree);
    else
        status = merge_stacks(tree, internal);
    free(internal);
    return status;
}

collectors_tree_iterator collectors_tree_begin(const collectors_tree *tree)
{
    return (collectors_tree_iterator){.tree = tree, .stack = 1};
}

bool collectors_tree_next(collectors_tree_iterator *at)
{
    const collectors_tree *tree = at->tree;
    if (++at->node >= tree->count)
        return false;
    binprof_stack stack;
    if (tree->has_merged) {
        stack = tree->merged.nodes[at->node];
        at->parent = stack.parent;
    } else {
        while (tree->node_of[at->stack] == COLLECTORS_NO_NODE)
            at->stack++;
        stack = tree->stacks[at->stack++];
        at->parent = tree->node_of[stack.parent];
    }
    at->frame = stack.frame;
    return true;
}
