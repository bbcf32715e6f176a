/* Samples become records: what a sample repeats of its thread's previous one is not written again.
 *
 * The choices made here are CPython's, so that the same samples give the same bytes. */
#ifndef WRITER_ENCODER_H
#define WRITER_ENCODER_H

#include "writer/sink.h"
#include "writer/tables.h"

#include <binprof/collector.h>
#include <binprof/profile.h>
#include <binprof/writer.h>

/* A pending repeat is written before its entries would pass this many bytes. */
#define WRITER_REPEAT_SIZE 16384

/* writer_thread.stack where the thread's previous stack was not named by an id. */
#define WRITER_NO_STACK UINT32_MAX

typedef struct writer_thread {
    binprof_thread thread;
    bool has_samples;
    uint64_t time_us; /* of the previous sample */
    uint32_t stack;   /* stack id of the previous sample, or WRITER_NO_STACK */
    uint32_t depth;   /* of the previous sample's stack, cut to BINPROF_WRITER_MAX_DEPTH */
    uint32_t *frames; /* that stack, innermost first */
    size_t frame_capacity;
    uint8_t *repeats; /* entries of the pending repeat, encoded */
    size_t repeat_size;
    size_t repeat_capacity;
    uint64_t repeat_count;
} writer_thread;

typedef struct writer_encoder {
    const binprof_profile *profile;
    writer_sink *sink;
    writer_tables tables;
    uint64_t start_us;
    writer_thread *threads; /* by the profile's thread id */
    size_t thread_count;
    size_t thread_capacity;
    uint32_t *order; /* thread ids in the order of their first sample */
    size_t order_capacity;
    uint32_t order_count;
    binprof_encoding stats;
} writer_encoder;

void writer_encoder_init(writer_encoder *encoder, const binprof_profile *profile, writer_sink *sink,
                         uint64_t start_us);
void writer_encoder_free(writer_encoder *encoder);

/* Returns the state of a thread that is in the profile; NULL when there is no memory. */
writer_thread *writer_encoder_thread(writer_encoder *encoder, uint32_t thread);

/* Encodes a sample. frames: at most BINPROF_WRITER_MAX_DEPTH ids, innermost first, that are in the
 * profile unless they equal the thread's previous stack. A failure other than from the sink leaves
 * everything as it was. */
binprof_status writer_encoder_add(writer_encoder *encoder, writer_thread *thread,
                                  const uint32_t *frames, uint32_t depth, uint64_t time_us,
                                  uint8_t status, binprof_error *error);

/* Encodes a sample with the thread's previous stack; the thread must have one. */
binprof_status writer_encoder_repeat(writer_encoder *encoder, writer_thread *thread,
                                     uint64_t time_us, uint8_t status, binprof_error *error);

/* Writes all repeats that wait. */
binprof_status writer_encoder_flush(writer_encoder *encoder, binprof_error *error);

#endif
