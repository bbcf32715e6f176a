#include "format/tables.h"

#include "format/varint.h"

/* Decodes a signed varint of 32 bits. */
static const uint8_t *get_int32(const uint8_t *p, int32_t *value)
{
    uint64_t encoded;
    p = format_varint_get(p, &encoded);
    if (p == NULL || encoded > UINT32_MAX)
        return NULL;
    *value = (int32_t)format_zigzag_decode(encoded);
    return p;
}

/* An end is stored as its distance from the start, modulo 2^32; where the start is not known the
 * end is not either. */
static const uint8_t *get_end(const uint8_t *p, int32_t start, int32_t *end)
{
    int32_t distance;
    p = get_int32(p, &distance);
    *end = start;
    if (p != NULL && start != BINPROF_NO_LOCATION)
        *end = (int32_t)((uint32_t)start + (uint32_t)distance);
    return p;
}

static const uint8_t *get_index(const uint8_t *p, uint32_t *index)
{
    uint64_t value;
    p = format_varint_get(p, &value);
    if (p == NULL || value > UINT32_MAX)
        return NULL;
    *index = (uint32_t)value;
    return p;
}

const uint8_t *format_frame_get(const uint8_t *p, binprof_frame *frame, const char **problem)
{
    *problem = "a string index beyond 32 bits";
    p = get_index(p, &frame->filename);
    if (p == NULL)
        return NULL;
    p = get_index(p, &frame->function);
    if (p == NULL)
        return NULL;

    *problem = "a line or column beyond 32 bits";
    p = get_int32(p, &frame->line);
    if (p == NULL)
        return NULL;
    p = get_end(p, frame->line, &frame->end_line);
    if (p == NULL)
        return NULL;
    p = get_int32(p, &frame->column);
    if (p == NULL)
        return NULL;
    p = get_end(p, frame->column, &frame->end_column);
    if (p == NULL)
        return NULL;
    frame->opcode = *p++;
    if (frame->line == BINPROF_NO_LOCATION) { /* then the columns mean nothing */
        frame->column = BINPROF_NO_LOCATION;
        frame->end_column = BINPROF_NO_LOCATION;
    }
    return p;
}

static uint8_t *put_int(uint8_t *p, int64_t value)
{
    return format_varint_put(p, format_zigzag_encode(value));
}

static uint8_t *put_end(uint8_t *p, int32_t start, int32_t end)
{
    if (start == BINPROF_NO_LOCATION || end == BINPROF_NO_LOCATION)
        return put_int(p, 0);
    return put_int(p, (int32_t)((uint32_t)end - (uint32_t)start));
}

uint8_t *format_frame_put(uint8_t *p, const binprof_frame *frame)
{
    p = format_varint_put(p, frame->filename);
    p = format_varint_put(p, frame->function);
    p = put_int(p, frame->line);
    p = put_end(p, frame->line, frame->end_line);
    p = put_int(p, frame->column);
    p = put_end(p, frame->column, frame->end_column);
    *p++ = frame->opcode;
    return p;
}
