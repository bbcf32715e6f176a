#include "writer/tables.h"

#include "base/array.h"
#include "format/tables.h"
#include "format/varint.h"

#include <string.h>

void writer_tables_init(writer_tables *tables, const binprof_profile *profile)
{
    *tables = (writer_tables){.profile = profile, .limit = UINT32_MAX};
}

static void free_numbering(writer_numbering *numbering)
{
    free(numbering->index_of);
    free(numbering->ids);
}

void writer_tables_free(writer_tables *tables)
{
    free_numbering(&tables->strings);
    free_numbering(&tables->frames);
}

/* Makes index_of cover the id. */
static bool cover(writer_numbering *numbering, uint32_t id)
{
    if (id < numbering->index_count)
        return true;
    uint32_t *grown = array_reserve(numbering->index_of, &numbering->index_capacity, (size_t)id + 1,
                                    sizeof *grown);
    if (grown == NULL)
        return false;
    memset(grown + numbering->index_count, 0,
           (numbering->index_capacity - numbering->index_count) * sizeof *grown);
    numbering->index_of = grown;
    numbering->index_count = numbering->index_capacity;
    return true;
}

/* Gives the id the next index, where it has none. */
static binprof_status number(writer_numbering *numbering, uint32_t id, uint32_t limit)
{
    if (!cover(numbering, id))
        return BINPROF_ERROR_MEMORY;
    if (numbering->index_of[id] != 0)
        return BINPROF_OK;
    if (numbering->count == limit)
        return BINPROF_ERROR_LIMIT;
    uint32_t *ids = array_reserve(numbering->ids, &numbering->capacity,
                                  (size_t)numbering->count + 1, sizeof *ids);
    if (ids == NULL)
        return BINPROF_ERROR_MEMORY;
    numbering->ids = ids;
    ids[numbering->count++] = id;
    numbering->index_of[id] = numbering->count;
    return BINPROF_OK;
}

binprof_status writer_tables_add_frame(writer_tables *tables, uint32_t frame)
{
    binprof_frame names = binprof_profile_frame(tables->profile, frame);
    binprof_status status = number(&tables->strings, names.filename, tables->limit);
    if (status == BINPROF_OK)
        status = number(&tables->strings, names.function, tables->limit);
    if (status == BINPROF_OK)
        status = number(&tables->frames, frame, tables->limit);
    return status;
}

binprof_status writer_tables_write_strings(const writer_tables *tables, writer_sink *sink,
                                           binprof_error *error)
{
    for (uint32_t i = 0; i < tables->strings.count; i++) {
        binprof_string string = binprof_profile_string(tables->profile, tables->strings.ids[i]);
        uint8_t length[FORMAT_VARINT_MAX];
        const uint8_t *end = format_varint_put(length, string.length);
        binprof_status status = writer_sink_append(sink, length, (size_t)(end - length), error);
        if (status == BINPROF_OK)
            status = writer_sink_append(sink, string.text, string.length, error);
        if (status != BINPROF_OK)
            return status;
    }
    return BINPROF_OK;
}

binprof_status writer_tables_write_frames(const writer_tables *tables, writer_sink *sink,
                                          binprof_error *error)
{
    for (uint32_t i = 0; i < tables->frames.count; i++) {
        binprof_frame frame = binprof_profile_frame(tables->profile, tables->frames.ids[i]);
        frame.filename = tables->strings.index_of[frame.filename] - 1;
        frame.function = tables->strings.index_of[frame.function] - 1;
        binprof_status status = writer_sink_reserve(sink, FORMAT_FRAME_MAX, error);
        if (status != BINPROF_OK)
            return status;
        writer_sink_advance(sink, format_frame_put(sink->buffer + sink->used, &frame));
    }
    return BINPROF_OK;
}
