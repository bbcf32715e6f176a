/* xxHash, compiled into its callers so that short keys cost a few instructions. */
#ifndef PROFILE_HASH_H
#define PROFILE_HASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stddef.h>
#include <stdint.h>

static inline uint32_t profile_hash(const void *key, size_t size, uint64_t seed)
{
    return (uint32_t)XXH3_64bits_withSeed(key, size, seed);
}

#endif
