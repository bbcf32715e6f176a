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

binprof_status profile_stack_table_branch(profile_stack_table *table, uint32_t parent,
                                          uint32_t frame, uint32_t *id)
{
    binprof_stack node = {parent, frame};
    uint32_t hash = profile_hash(&node, sizeof node, table->seed);
    uint32_t position = hash;
    while (profile_index_next(&table->branches, hash, &position, id)) {
        binprof_stack found = table->nodes[*id];
        if (found.parent == parent && found.frame == frame)
            return BINPROF_OK;
    }

    if (table->count == PROFILE_ID_LIMIT)
        return BINPROF_ERROR_LIMIT;
    binprof_stack *nodes =
        array_reserve(table->nodes, &table->capacity, (size_t)table->count + 1, sizeof *nodes);
    if (nodes == NULL)
        return BINPROF_ERROR_MEMORY;
    table->nodes = nodes;
    bool follows_parent = table->count == parent + 1;
    if (!follows_parent) {
        if (!profile_index_reserve(&table->branches))
            return BINPROF_ERROR_MEMORY;
        profile_index_insert(&table->branches, hash, table->count);
    }
    nodes[table->count] = node;
    *id = table->count++;
    return BINPROF_OK;
}
