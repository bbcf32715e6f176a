/* Samples that a capture should hold, and the check that it does. */
#ifndef SUPPORT_SAMPLES_H
#define SUPPORT_SAMPLES_H

#include <binprof/binprof.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sample {
    uint64_t time_us;
    uint32_t thread;
    uint32_t depth;
    size_t first_frame; /* in samples.frames; innermost first */
    uint8_t status;
} sample;

typedef struct samples {
    binprof_profile *profile; /* what the ids are of */
    sample *list;
    size_t count;
    size_t capacity;
    uint32_t *frames;
    size_t frame_count;
    size_t frame_capacity;
} samples;

/* Starts with an empty profile and no samples. */
void samples_init(samples *all);
void samples_free(samples *all);

/* Adds a sample as it is given to a writer; a capture keeps the innermost 256 frames. */
void samples_add(samples *all, uint32_t thread, const uint32_t *frames, size_t depth,
                 uint64_t time_us, uint8_t status);

/* Takes the sample that was added last away again. */
void samples_remove_last(samples *all);

/* Hands all samples to the writer, one by one. */
binprof_status samples_write(const samples *all, binprof_writer *writer, binprof_error *error);

/* Replays the reader's capture and compares. Returns NULL where it holds these samples and no
 * others, else what is different. */
const char *samples_differ(const samples *all, binprof_reader *reader);

#endif
