#include "profile/stack_table.h"

#include "base/array.h"
#include "profile/hash.h"

bool profile_stack_table_init(profile_stack_table *table)
{
    *table = (profile_stack_table){.nodes = NULL, .seed = profile_seed(table)};
    table->nodes = array_reserve(NULL, &table->capacity, 1, sizeof *table->nodes);
    if (table->nodes == NULL)
        return false;
    table->nodes[BINPROF_EMPTY_STACK] = (binprof_stack){BINPROF_EMPTY_STACK, UINT32_MAX};
    table->count = 1;
    return true;
}

void profile_stack_table_free(profile_stack_table *table)
{
    free(table->nodes);
    profile_index_free(&table->branches);
}

static bool is_node(const profile_stack_table *table, uint32_t id, uint32_t parent, uint32_t frame)
{
    binprof_stack node = table->nodes[id];
    return node.frame == frame && node.parent == parent;
}

/* Where a branch is remembered. */
static uint32_t *recent_branch(profile_stack_table *table, uint32_t parent, uint32_t frame)
{
    uint32_t hash = parent * UINT32_C(0x9e3779b1) ^ frame * UINT32_C(0x85ebca6b);
    return &table->recent[hash >> (32 - PROFILE_RECENT_BITS)];
}

static binprof_status add_node(profile_stack_table *table, binprof_stack node, uint32_t hash,
                               uint32_t *id)
{
    if (table->count == PROFILE_ID_LIMIT)
        return BINPROF_ERROR_LIMIT;
    binprof_stack *nodes =
        array_reserve(table->nodes, &table->capacity, (size_t)table->count + 1, sizeof *nodes);
    if (nodes == NULL)
        return BINPROF_ERROR_MEMORY;
    table->nodes = nodes;
    if (table->capacity > PROFILE_ID_LIMIT) /* profile_stack_table_push counts on that */
        table->capacity = PROFILE_ID_LIMIT;
    bool follows_parent = table->count == node.parent + 1;
    if (!follows_parent) {
        if (!profile_index_reserve(&table->branches))
            return BINPROF_ERROR_MEMORY;
        profile_index_insert(&table->branches, hash, table->count);
    }
    nodes[table->count] = node;
    *id = table->count++;
    return BINPROF_OK;
}

binprof_status profile_stack_table_branch(profile_stack_table *table, uint32_t parent,
                                          uint32_t frame, uint32_t *id)
{
    uint32_t *recent = recent_branch(table, parent, frame);
    if (is_node(table, *recent, parent, frame)) {
        *id = *recent;
        return BINPROF_OK;
    }
    binprof_stack node = {parent, frame};
    uint32_t hash = profile_hash(&node, sizeof node, table->seed);
    uint32_t position = hash;
    while (profile_index_next(&table->branches, hash, &position, id)) {
        if (is_node(table, *id, parent, frame)) {
            *recent = *id;
            return BINPROF_OK;
        }
    }
    return add_node(table, node, hash, id);
}
