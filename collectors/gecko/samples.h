/* The samples of one thread, kept to the end in a few bytes each: columns can only be written when
 * all are known.
 *
 * A run is the difference of its stack id to the last run's, zigzag, and its count; a sample is its
 * time since the last sample, doubled, plus 1 where a new status follows. All are varints. */
#ifndef COLLECTORS_GECKO_SAMPLES_H
#define COLLECTORS_GECKO_SAMPLES_H

#include "format/varint.h"

#include <binprof/collector.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gecko_chunk {
    struct gecko_chunk *next;
    size_t size;
    size_t used;
    uint8_t bytes[];
} gecko_chunk;

typedef struct gecko_samples {
    gecko_chunk *first;
    gecko_chunk *last;
    uint64_t count;
    uint64_t time_us; /* of the last sample, since the start of the capture */
    uint32_t stack;
    uint8_t status;
} gecko_samples;

/* Adds a run under another stack id. Times are made relative to start_us; a time before the start
 * or before the last sample is moved up to it. Returns false, with nothing added, when there is no
 * memory. */
bool gecko_samples_add(gecko_samples *samples, const binprof_run *run, uint32_t stack,
                       uint64_t start_us);

void gecko_samples_free(gecko_samples *samples);

/* Goes through the samples from the first on. */
typedef struct gecko_sample_iterator {
    const gecko_chunk *chunk;
    size_t position;
    uint64_t left; /* of the run */
    uint64_t time_us;
    uint32_t stack;
    uint8_t status;
} gecko_sample_iterator;

static inline gecko_sample_iterator gecko_samples_begin(const gecko_samples *samples)
{
    return (gecko_sample_iterator){.chunk = samples->first};
}

/* A sample, with the start of its run where it is the first, never crosses from one chunk to the
 * next. Returns NULL after the last one. */
static inline const uint8_t *gecko_sample_at(gecko_sample_iterator *at)
{
    if (at->position == at->chunk->used) {
        at->chunk = at->chunk->next;
        at->position = 0;
    }
    return at->chunk == NULL ? NULL : at->chunk->bytes + at->position;
}

/* Decodes a number that gecko_samples_add has encoded, which is always whole. */
static inline const uint8_t *gecko_sample_number(const uint8_t *p, uint64_t *value)
{
    p = format_varint_get(p, value);
    if (p == NULL)
        __builtin_unreachable();
    return p;
}

/* Steps to the next sample; false when there is none. */
static inline bool gecko_sample_next(gecko_sample_iterator *at)
{
    if (at->chunk == NULL)
        return false;
    const uint8_t *p = gecko_sample_at(at);
    if (p == NULL)
        return false;
    uint64_t value = 0;
    if (at->left == 0) {
        p = gecko_sample_number(p, &value);
        at->stack += (uint32_t)format_zigzag_decode(value);
        p = gecko_sample_number(p, &at->left);
    }
    p = gecko_sample_number(p, &value);
    at->time_us += value >> 1;
    if ((value & 1) != 0)
        at->status = *p++;
    at->position = (size_t)(p - at->chunk->bytes);
    at->left--;
    return true;
}

#endif
