#include "collectors/flamegraph/base64.h"

static char *encode(char *p, const uint8_t bytes[3])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];
    *p++ = digits[bits >> 18];
    *p++ = digits[bits >> 12 & 63];
    *p++ = digits[bits >> 6 & 63];
    *p++ = digits[bits & 63];
    return p;
}

void base64_flush(base64_writer *writer)
{
    char encoded[BASE64_BUFFER / 3 * 4];
    char *p = encoded;
    size_t at = 0;
    for (; at + 3 <= writer->used; at += 3)
        p = encode(p, writer->bytes + at);
    size_t left = writer->used - at;
    if (left > 0) {
        uint8_t last[3] = {writer->bytes[at], left > 1 ? writer->bytes[at + 1] : 0, 0};
        p = encode(p, last);
        p[-1] = '=';
        if (left == 1)
            p[-2] = '=';
    }
    output_text_append(writer->text, encoded, (size_t)(p - encoded));
    writer->used = 0;
}

void base64_put_bytes(base64_writer *writer, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++)
        base64_put_byte(writer, bytes[i]);
}
