/* Interned strings. */
#ifndef PROFILE_STRING_TABLE_H
#define PROFILE_STRING_TABLE_H

#include "profile/index.h"

#include <binprof/profile.h>
#include <stdint.h>

/* Texts are copied into blocks that never move, so that a text's address is good for the table's
 * life. */
typedef struct profile_text_block profile_text_block;

typedef struct profile_string_table {
    binprof_string *strings;
    uint32_t count;
    size_t capacity;
    profile_text_block *blocks; /* the newest first */
    size_t block_used;
    size_t block_size;
    profile_index index;
    uint64_t seed;
} profile_string_table;

void profile_string_table_init(profile_string_table *table);
void profile_string_table_free(profile_string_table *table);

/* Stores in *id an equal string's id, or a new one's. With keep_duplicates always a new one's.
 * Fails with BINPROF_ERROR_MEMORY or BINPROF_ERROR_LIMIT. */
binprof_status profile_string_table_intern(profile_string_table *table, const char *text,
                                           size_t length, bool keep_duplicates, uint32_t *id);

#endif
