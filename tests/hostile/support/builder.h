/* Captures put together by hand, also such as no writer would write. */
#ifndef SUPPORT_BUILDER_H
#define SUPPORT_BUILDER_H

#include <binprof/reader.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that grow. */
typedef struct builder_bytes {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
} builder_bytes;

/* What a capture is put together from; the caller may change anything before builder_finish. */
typedef struct builder {
    builder_bytes data;    /* records */
    builder_bytes strings; /* the string table */
    builder_bytes frames;  /* the frame table */
    uint32_t string_count;
    uint32_t frame_count;
    uint32_t thread_count;
    uint64_t sample_count;
    bool zstd; /* what `data` says of itself: it is stored as it is */
} builder;

void builder_free(builder *capture);

void builder_put(builder_bytes *bytes, const void *data, size_t size);
void builder_put_byte(builder_bytes *bytes, uint8_t byte);
void builder_put_varint(builder_bytes *bytes, uint64_t value);

/* Adds a string, or a frame with these names at line 1. */
void builder_string(builder *capture, const char *text, size_t length);
void builder_frame(builder *capture, uint32_t filename, uint32_t function);

/* Begin records; sample counts are the caller's matter. */
void builder_repeat(builder_bytes *data, uint64_t thread, uint64_t count);
void builder_stack(builder_bytes *data, uint64_t thread, binprof_record_kind kind,
                   uint64_t kept_or_removed, uint64_t frame_count);

/* Compresses what was put into `data` so far and marks the capture as compressed. */
void builder_compress(builder *capture, int level);

/* Returns the whole file, to be freed. */
builder_bytes builder_finish(const builder *capture);

#endif
