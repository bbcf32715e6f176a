/* Fixed-width integers in memory. Writers choose the byte order and the magic tells it; ours always
 * chooses little-endian. Compilers turn each of these into one load or store. */
#ifndef FORMAT_BYTES_H
#define FORMAT_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t format_get_u32(const uint8_t *p, bool big_endian)
{
    uint32_t value =
        (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    return big_endian ? __builtin_bswap32(value) : value;
}

static inline uint64_t format_get_u64(const uint8_t *p, bool big_endian)
{
    uint64_t low = format_get_u32(p, false);
    uint64_t high = format_get_u32(p + 4, false);
    uint64_t value = low | high << 32;
    return big_endian ? __builtin_bswap64(value) : value;
}

static inline double format_get_f64(const uint8_t *p, bool big_endian)
{
    uint64_t bits = format_get_u64(p, big_endian);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void format_put_u32(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
    p[2] = (uint8_t)(value >> 16);
    p[3] = (uint8_t)(value >> 24);
}

static inline void format_put_u64(uint8_t *p, uint64_t value)
{
    format_put_u32(p, (uint32_t)value);
    format_put_u32(p + 4, (uint32_t)(value >> 32));
}

static inline void format_put_f64(uint8_t *p, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    format_put_u64(p, bits);
}

#endif
