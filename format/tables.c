#include "format/tables.h"

#include "format/varint.h"

/* Decodes a signed varint that must fit 32 bits. */
static const uint8_t *get_int32(const uint8_t *p, int64_t base, int32_t *value)
{
    uint64_t encoded;
    p = format_varint_get(p, &encoded);
    if (p == NULL || encoded > UINT64_C(1) << 34)
        return NULL;
    int64_t decoded = base + format_zigzag_decode(encoded);
    if (decoded < INT32_MIN || decoded > INT32_MAX)
        return NULL;
    *value = (int32_t)decoded;
    return p;
}

/* An end is stored as the distance from its start; where the start is not known the end is not
 * either. */
static const uint8_t *get_end(const uint8_t *p, int32_t start, int32_t *end)
{
    if (start != BINPROF_NO_LOCATION)
        return get_int32(p, start, end);
    int32_t ignored;
    *end = BINPROF_NO_LOCATION;
    return get_int32(p, 0, &ignored);
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
    p = get_int32(p, 0, &frame->line);
    if (p == NULL)
        return NULL;
    p = get_end(p, frame->line, &frame->end_line);
    if (p == NULL)
        return NULL;
    p = get_int32(p, 0, &frame->column);
    if (p == NULL)
        return NULL;
    p = get_end(p, frame->column, &frame->end_column);
    if (p == NULL)
        return NULL;
    frame->opcode = *p++;
    return p;
}

static uint8_t *put_int(uint8_t *p, int64_t value)
{
    return format_varint_put(p, format_zigzag_encode(value));
}

static uint8_t *put_end(uint8_t *p, int32_t start, int32_t end)
{
    return put_int(p, start == BINPROF_NO_LOCATION ? 0 : (int64_t)end - start);
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
