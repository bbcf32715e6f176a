/* LEB128 varints and zigzag. */
#ifndef FORMAT_VARINT_H
#define FORMAT_VARINT_H

#include <stddef.h>
#include <stdint.h>

/* The longest varint of 64 bits. */
#define FORMAT_VARINT_MAX 10

/* What every buffer that is decoded must have after its last byte: that many zero bytes. A varint
 * that the end cuts short then stops in the padding, so that decoders look for the end once an
 * entry instead of once a byte: where they have gone past it, the entry is incomplete. */
#define FORMAT_PADDING 64

/* Decodes the varint at p into *value and returns what follows it; NULL when it does not fit
 * 64 bits. Longer forms than necessary are accepted. */
static inline const uint8_t *format_varint_get(const uint8_t *p, uint64_t *value)
{
    uint64_t byte = *p++;
    if (byte < 0x80) {
        *value = byte;
        return p;
    }
    uint64_t result = byte & 0x7f;
    byte = *p++;
    if (byte < 0x80) {
        *value = result | byte << 7;
        return p;
    }
    result |= (byte & 0x7f) << 7;
    for (unsigned shift = 14; shift < 63; shift += 7) {
        byte = *p++;
        result |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = result;
            return p;
        }
    }
    byte = *p++;
    if (byte > 1)
        return NULL;
    *value = result | byte << 63;
    return p;
}

/* Encodes value at p, which has room for FORMAT_VARINT_MAX bytes, and returns what follows. */
static inline uint8_t *format_varint_put(uint8_t *p, uint64_t value)
{
    while (value >= 0x80) {
        *p++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *p++ = (uint8_t)value;
    return p;
}

static inline int64_t format_zigzag_decode(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static inline uint64_t format_zigzag_encode(int64_t value)
{
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

#endif
