#include "profile/string_table.h"

#include "base/array.h"
#include "profile/hash.h"

#include <string.h>

#define BLOCK_SIZE ((size_t)64 * 1024)

struct profile_text_block {
    profile_text_block *next;
    char text[];
};

void profile_string_table_init(profile_string_table *table)
{
    *table = (profile_string_table){.strings = NULL, .seed = profile_seed(table)};
}

void profile_string_table_free(profile_string_table *table)
{
    while (table->blocks != NULL) {
        profile_text_block *next = table->blocks->next;
        free(table->blocks);
        table->blocks = next;
    }
    free(table->strings);
    profile_index_free(&table->index);
}

/* Returns room for `size` bytes that never move, NULL when there is no memory. */
static char *allocate_text(profile_string_table *table, size_t size)
{
    if (size > table->block_size - table->block_used) {
        size_t block_size = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        profile_text_block *block = malloc(sizeof *block + block_size);
        if (block == NULL)
            return NULL;
        block->next = table->blocks;
        table->blocks = block;
        table->block_size = block_size;
        table->block_used = 0;
    }
    char *text = table->blocks->text + table->block_used;
    table->block_used += size;
    return text;
}

binprof_status profile_string_table_intern(profile_string_table *table, const char *text,
                                           size_t length, bool keep_duplicates, uint32_t *id)
{
    uint32_t hash = keep_duplicates ? 0 : profile_hash(text, length, table->seed);
    uint32_t position = hash;
    while (!keep_duplicates && profile_index_next(&table->index, hash, &position, id)) {
        binprof_string found = table->strings[*id];
        if (found.length == length && memcmp(found.text, text, length) == 0)
            return BINPROF_OK;
    }

    if (table->count == PROFILE_ID_LIMIT || length > UINT32_MAX)
        return BINPROF_ERROR_LIMIT;
    binprof_string *strings =
        array_reserve(table->strings, &table->capacity, (size_t)table->count + 1, sizeof *strings);
    if (strings == NULL)
        return BINPROF_ERROR_MEMORY;
    table->strings = strings;
    if (!keep_duplicates && !profile_index_reserve(&table->index))
        return BINPROF_ERROR_MEMORY;
    char *copy = allocate_text(table, length + 1);
    if (copy == NULL)
        return BINPROF_ERROR_MEMORY;
    memcpy(copy, text, length);
    copy[length] = '\0';
    strings[table->count] = (binprof_string){copy, length};
    if (!keep_duplicates)
        profile_index_insert(&table->index, hash, table->count);
    *id = table->count++;
    return BINPROF_OK;
}
