/* Bytes on their way into a text as base64. */
#ifndef COLLECTORS_FLAMEGRAPH_BASE64_H
#define COLLECTORS_FLAMEGRAPH_BASE64_H

#include "format/varint.h"
#include "output/text.h"

#include <stdint.h>

/* A multiple of 3, so that only the last part is padded. */
#define BASE64_BUFFER 3072

typedef struct base64_writer {
    output_text *text;
    size_t used;
    uint8_t bytes[BASE64_BUFFER];
} base64_writer;

/* Encodes what is buffered. Only the last call may come when the buffer is not full. */
void base64_flush(base64_writer *writer);

void base64_put_bytes(base64_writer *writer, const void *data, size_t size);

static inline void base64_put_byte(base64_writer *writer, uint8_t byte)
{
    if (writer->used == BASE64_BUFFER)
        base64_flush(writer);
    writer->bytes[writer->used++] = byte;
}

/* An unsigned number as LEB128. */
static inline void base64_put_number(base64_writer *writer, uint64_t number)
{
    if (BASE64_BUFFER - writer->used >= FORMAT_VARINT_MAX) {
        uint8_t *end = format_varint_put(writer->bytes + writer->used, number);
        writer->used = (size_t)(end - writer->bytes);
        return;
    }
    uint8_t encoded[FORMAT_VARINT_MAX];
    base64_put_bytes(writer, encoded, (size_t)(format_varint_put(encoded, number) - encoded));
}

#endif
