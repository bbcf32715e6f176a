#include "collectors/gecko/samples.h"

#include <stdlib.h>

/* Chunks double up to the largest, so that thousands of quiet threads cost little. */
#define CHUNK_SMALLEST ((size_t)128)
#define CHUNK_LARGEST ((size_t)64 * 1024)

/* Later times are moved up to here, half a million years after the start, so that they can be
 * doubled. */
#define TIME_MAX (UINT64_C(1) << 62)

/* Returns room for `size` bytes that stay together, NULL when there is no memory. */
static uint8_t *reserve(gecko_samples *samples, size_t size)
{
    gecko_chunk *last = samples->last;
    if (last != NULL && last->size - last->used >= size)
        return last->bytes + last->used;
    size_t chunk_size = last == NULL ? CHUNK_SMALLEST : last->size * 2;
    if (chunk_size > CHUNK_LARGEST)
        chunk_size = CHUNK_LARGEST;
    gecko_chunk *chunk = malloc(sizeof *chunk + chunk_size);
    if (chunk == NULL)
        return NULL;
    *chunk = (gecko_chunk){.size = chunk_size};
    if (last == NULL)
        samples->first = chunk;
    else
        last->next = chunk;
    samples->last = chunk;
    return chunk->bytes;
}

static void advance(gecko_samples *samples, const uint8_t *end)
{
    samples->last->used = (size_t)(end - samples->last->bytes);
}

static uint64_t relative_time(uint64_t time_us, uint64_t start_us)
{
    uint64_t relative = time_us > start_us ? time_us - start_us : 0;
    return relative < TIME_MAX ? relative : TIME_MAX;
}

/* The longest sample: time and status. */
#define SAMPLE_MAX (FORMAT_VARINT_MAX + 1)

static bool add_sample(gecko_samples *samples, uint64_t time_us, uint8_t status)
{
    uint8_t *p = reserve(samples, SAMPLE_MAX);
    if (p == NULL)
        return false;
    if (time_us < samples->time_us)
        time_us = samples->time_us;
    bool changed = status != samples->status;
    p = format_varint_put(p, (time_us - samples->time_us) << 1 | changed);
    if (changed)
        *p++ = status;
    advance(samples, p);
    samples->time_us = time_us;
    samples->status = status;
    samples->count++;
    return true;
}

static bool add_run(gecko_samples *samples, const binprof_run *run, uint32_t stack,
                    uint64_t start_us)
{
    /* Room for the first sample too, which must stand in the same chunk. */
    uint8_t *p = reserve(samples, 2 * FORMAT_VARINT_MAX + SAMPLE_MAX);
    if (p == NULL)
        return false;
    p = format_varint_put(p, format_zigzag_encode((int64_t)stack - (int64_t)samples->stack));
    p = format_varint_put(p, run->count);
    advance(samples, p);
    samples->stack = stack;
    for (size_t i = 0; i < run->count; i++)
        if (!add_sample(samples, relative_time(run->timestamps_us[i], start_us), run->statuses[i]))
            return false;
    return true;
}

static void free_chunks(gecko_chunk *chunk)
{
    while (chunk != NULL) {
        gecko_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
}

bool gecko_samples_add(gecko_samples *samples, const binprof_run *run, uint32_t stack,
                       uint64_t start_us)
{
    gecko_samples before = *samples;
    size_t used = before.last == NULL ? 0 : before.last->used;
    if (add_run(samples, run, stack, start_us))
        return true;
    /* A run without all its samples could not be read again. */
    gecko_chunk **added = before.last == NULL ? &samples->first : &before.last->next;
    free_chunks(*added);
    *added = NULL;
    *samples = before;
    if (before.last != NULL)
        before.last->used = used;
    return false;
}

void gecko_samples_free(gecko_samples *samples)
{
    free_chunks(samples->first);
    *samples = (gecko_samples){.first = NULL};
}
