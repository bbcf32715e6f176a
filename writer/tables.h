/* The tables that a capture gets: which strings and frames of the profile it uses, in the order of
 * first use. */
#ifndef WRITER_TABLES_H
#define WRITER_TABLES_H

#include "writer/sink.h"

#include <binprof/profile.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers the ids of one kind that are used. */
typedef struct writer_numbering {
    uint32_t *index_of; /* by id: its index in the table plus 1; 0: not used yet */
    size_t index_capacity;
    size_t index_count;
    uint32_t *ids; /* by index: the id */
    size_t capacity;
    uint32_t count;
} writer_numbering;

typedef struct writer_tables {
    const binprof_profile *profile;
    writer_numbering strings;
    writer_numbering frames;
    uint32_t limit; /* the most entries of a table: UINT32_MAX, except in tests */
} writer_tables;

void writer_tables_init(writer_tables *tables, const binprof_profile *profile);
void writer_tables_free(writer_tables *tables);

/* Adds a frame that is not in the tables, and its names where they are not. The id must be in the
 * profile. Fails with BINPROF_ERROR_MEMORY or BINPROF_ERROR_LIMIT. */
binprof_status writer_tables_add_frame(writer_tables *tables, uint32_t frame);

/* Returns the index of a frame plus 1; 0 for one that is not in the table. */
static inline uint32_t writer_tables_find_frame(const writer_tables *tables, uint32_t frame)
{
    return frame < tables->frames.index_count ? tables->frames.index_of[frame] : 0;
}

binprof_status writer_tables_write_strings(const writer_tables *tables, writer_sink *sink,
                                           binprof_error *error);
binprof_status writer_tables_write_frames(const writer_tables *tables, writer_sink *sink,
                                          binprof_error *error);

#endif
