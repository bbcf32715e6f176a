/* Captures that are small in the file and large, or laborious, once they are decompressed. */
#include "everything.h"
#include "support/allocations.h"
#include "support/builder.h"

#include <binprof/binprof.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef BINPROF_WITH_ZSTD

#include <zstd.h>

#define MIB ((size_t)1 << 20)

/* What a replay may take beyond what its collector keeps: buffers and zstd's window, 2 MiB here. */
#define BUFFERS (4 * MIB)

static builder start(void)
{
    builder capture = {.thread_count = 1};
    builder_string(&capture, "a.py", 4);
    builder_string(&capture, "f", 1);
    builder_frame(&capture, 0, 1);
    builder_frame(&capture, 0, 0);
    return capture;
}

static void put_zeros(builder_bytes *bytes, size_t size)
{
    static const uint8_t zeros[65536];
    for (; size > sizeof zeros; size -= sizeof zeros)
        builder_put(bytes, zeros, sizeof zeros);
    builder_put(bytes, zeros, size);
}

static bool stop(void *context)
{
    (void)context;
    return true;
}

/* Replays into the format, whose output is thrown away, or just counts. Returns the most memory
 * that it took. */
static size_t replay_memory(builder_bytes file, const char *format, binprof_status expected)
{
    binprof_error error;
    binprof_reader *reader;
    assert_int_equal(binprof_reader_open_memory(file.bytes, file.size, "bomb", &reader, &error),
                     BINPROF_OK);
    allocations_forget_peak();
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    assert_non_null(profile);
    binprof_output output = {.path = "/dev/null", .cancelled = stop};
    binprof_collector_options options = {.profile = profile,
                                         .facts = &binprof_reader_info(reader)->facts,
                                         .output = &output,
                                         .compression = BINPROF_COMPRESSION_NONE};
    binprof_collector *collector;
    binprof_status status = format == NULL ? binprof_counting_collector_open(&collector, &error)
                                           : binprof_format_open(binprof_format_by_name(format),
                                                                 &options, &collector, &error);
    assert_int_equal(status, BINPROF_OK);
    status = binprof_reader_replay(reader, profile, collector, NULL, &error);
    if (status != BINPROF_ERROR_CANCELLED) /* an output may have been long enough to be written */
        assert_int_equal(status, expected);
    status = binprof_collector_export(collector, &error);
    assert_true(status == BINPROF_OK || status == BINPROF_ERROR_CANCELLED);
    binprof_collector_close(collector);
    binprof_profile_free(profile);
    binprof_reader_close(reader);
    return allocations_peak();
}

/* One stack that repeats fifty million times. */
static void test_repeats(void **state)
{
    (void)state;
    const uint64_t count = 50000000;
    builder capture = start();
    builder_stack(&capture.data, 1, BINPROF_RECORD_FULL, 0, 1);
    builder_put_varint(&capture.data, 0);
    builder_repeat(&capture.data, 1, count);
    put_zeros(&capture.data, 2 * count);
    capture.sample_count = count + 1;
    builder_compress(&capture, 1);
    builder_bytes file = builder_finish(&capture);
    builder_free(&capture);
    assert_true(file.size < 16384);
    assert_true(replay_memory(file, NULL, BINPROF_OK) < BUFFERS);
    assert_true(replay_memory(file, "collapsed", BINPROF_OK) < BUFFERS);
    assert_true(replay_memory(file, "flamegraph", BINPROF_OK) < BUFFERS);
    assert_true(replay_memory(file, "gecko", BINPROF_OK) < BUFFERS + 8 * count);
    free(file.bytes);
}

/* Nothing but zeros: records of thread 0 that repeat nothing. */
static void test_empty_repeats(void **state)
{
    (void)state;
    const size_t records = 8000000;
    builder capture = start();
    put_zeros(&capture.data, 14 * records);
    builder_compress(&capture, 1);
    builder_bytes file = builder_finish(&capture);
    builder_free(&capture);
    assert_true(file.size < 16384);
    assert_true(replay_memory(file, NULL, BINPROF_ERROR_FORMAT) < BUFFERS);
    free(file.bytes);
}

/* A count that is as high as it goes, over zeros that come close to no end. */
static void test_endless_repeat(void **state)
{
    (void)state;
    builder capture = start();
    capture.sample_count = UINT64_MAX;
    builder_repeat(&capture.data, 1, UINT64_MAX);
    put_zeros(&capture.data, 64 * MIB);
    builder_compress(&capture, 1);
    builder_bytes file = builder_finish(&capture);
    builder_free(&capture);
    assert_true(replay_memory(file, NULL, BINPROF_ERROR_TRUNCATED) < BUFFERS);
    free(file.bytes);
}

/* Stacks that are as deep as they may be, each distinct from its outermost frame on. Memory follows
 * the frames that come out, whatever they took in the file. */
static void test_deep_stacks(void **state)
{
    (void)state;
    const size_t depth = BINPROF_READER_MAX_DEPTH;
    const size_t stacks = 64;
    builder capture = start();
    for (size_t i = 0; i < stacks; i++) {
        builder_stack(&capture.data, 1, BINPROF_RECORD_FULL, 0, depth);
        put_zeros(&capture.data, depth - 1 - i);
        builder_put_byte(&capture.data, 1);
        put_zeros(&capture.data, i);
    }
    capture.sample_count = stacks;
    builder_compress(&capture, 1);
    builder_bytes file = builder_finish(&capture);
    builder_free(&capture);
    assert_true(file.size < 16384);
    size_t frames = depth * stacks;
    assert_true(replay_memory(file, NULL, BINPROF_OK) < BUFFERS + 21 * frames);
    assert_true(replay_memory(file, "gecko", BINPROF_OK) < BUFFERS + 32 * frames);
    assert_true(replay_memory(file, "collapsed", BINPROF_OK) < BUFFERS + 48 * frames);
    free(file.bytes);
}

/* Appends a zstd frame around what is at `data`; with a checksum of it. */
static void put_frame(builder_bytes *bytes, const uint8_t *data, size_t size, bool checksum)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    size_t room = ZSTD_compressBound(size);
    uint8_t *packed = malloc(room);
    assert_non_null(zstd);
    assert_non_null(packed);
    (void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 1);
    (void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, checksum);
    size_t got = ZSTD_compress2(zstd, packed, room, data, size);
    assert_false(ZSTD_isError(got));
    builder_put(bytes, packed, got);
    free(packed);
    ZSTD_freeCCtx(zstd);
}

/* A record as long as a record can be, in frames of one byte each: what takes a decoder that starts
 * the record again for every frame minutes. */
static void test_tiny_frames(void **state)
{
    (void)state;
    static const uint8_t long_zero[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00};
    builder plain = start();
    builder_stack(&plain.data, 1, BINPROF_RECORD_FULL, 0, BINPROF_READER_MAX_DEPTH);
    for (size_t i = 0; i < BINPROF_READER_MAX_DEPTH; i++)
        builder_put(&plain.data, long_zero, sizeof long_zero);

    builder capture = start();
    capture.zstd = true;
    capture.sample_count = 1;
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x09, 0x00, 0x00};
    for (size_t i = 0; i < plain.data.size; i++) {
        builder_put(&capture.data, frame, sizeof frame); /* one last raw block of one byte */
        builder_put_byte(&capture.data, plain.data.bytes[i]);
    }
    builder_bytes file = builder_finish(&capture);
    assert_true(replay_memory(file, NULL, BINPROF_OK) < BUFFERS + 3 * MIB);
    free(file.bytes);
    builder_free(&capture);
    builder_free(&plain);
}

/* Frames without any data, skippable ones among them. */
static void test_empty_frames(void **state)
{
    (void)state;
    static const uint8_t empty[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x01, 0x00, 0x00};
    static const uint8_t skippable[] = {0x5f, 0x2a, 0x4d, 0x18, 0x03, 0x00, 0x00, 0x00, 1, 2, 3};
    builder capture = start();
    capture.zstd = true;
    for (size_t i = 0; i < 100000; i++) {
        builder_put(&capture.data, empty, sizeof empty);
        builder_put(&capture.data, skippable, sizeof skippable);
    }
    builder_bytes file = builder_finish(&capture);
    builder_free(&capture);
    assert_true(replay_memory(file, NULL, BINPROF_OK) < BUFFERS);
    free(file.bytes);
}

/* Valid data whose parts end at, just before and just behind the ends of the reader's buffers. */
static void use_frames(const builder *plain, size_t first, bool checksum)
{
    builder capture = start();
    capture.zstd = true;
    capture.sample_count = plain->sample_count;
    const uint8_t *bytes = plain->data.bytes;
    put_frame(&capture.data, bytes, first, checksum);
    put_frame(&capture.data, bytes + first, plain->data.size - first, checksum);
    builder_bytes file = builder_finish(&capture);
    assert_true(replay_memory(file, NULL, BINPROF_OK) < BUFFERS);
    free(file.bytes);
    builder_free(&capture);
}

static void test_buffer_ends(void **state)
{
    (void)state;
    builder plain = start();
    uint64_t random = 1;
    builder_stack(&plain.data, 1, BINPROF_RECORD_FULL, 0, 0);
    plain.sample_count = 1 + 300000;
    builder_repeat(&plain.data, 1, 300000);
    for (size_t i = 0; i < 300000; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        builder_put_byte(&plain.data, (uint8_t)(random >> 57));
        builder_put_byte(&plain.data, (uint8_t)(random >> 33));
    }
    for (size_t end = 128 * 1024; end <= 512 * 1024; end *= 2)
        for (size_t first = end - 20; first <= end + 20; first++)
            use_frames(&plain, first, (first & 1) != 0);
    builder_free(&plain);
}

#endif

/* More threads and strings than a linear search could find. Their hashes are seeded, so nothing
 * that a file says makes them collide. */
static void test_many_names(void **state)
{
    (void)state;
    const uint64_t count = 30000;
    builder capture = {.thread_count = (uint32_t)count, .sample_count = count};
    for (uint64_t i = 0; i < count; i++) {
        builder_string(&capture, (const char *)&i, sizeof i);
        builder_frame(&capture, (uint32_t)i, 0);
        builder_stack(&capture.data, i << 32, BINPROF_RECORD_FULL, 0, 1);
        builder_put_varint(&capture.data, i);
    }
    builder_bytes file = builder_finish(&capture);
    builder_free(&capture);
    assert_int_equal(everything_use(file.bytes, file.size, NULL), BINPROF_OK);
    free(file.bytes);
}

/* Every thread with another number of samples: the busiest have to be found among them. */
static void test_many_loads(void **state)
{
    (void)state;
    const uint64_t count = 3000;
    builder capture = {.thread_count = (uint32_t)count, .sample_count = 0};
    builder_string(&capture, "a", 1);
    builder_frame(&capture, 0, 0);
    for (uint64_t i = 0; i < count; i++) {
        builder_stack(&capture.data, i, BINPROF_RECORD_FULL, 0, 1);
        builder_put_varint(&capture.data, 0);
        builder_repeat(&capture.data, i, 1 + i % 500);
        for (uint64_t j = 0; j <= i % 500; j++)
            builder_put(&capture.data, "\x01\x03", 2);
        capture.sample_count += 2 + i % 500;
    }
    builder_bytes file = builder_finish(&capture);
    builder_free(&capture);
    everything_options options = {.most_writes = 4};
    assert_int_equal(everything_use(file.bytes, file.size, &options), BINPROF_OK);
    free(file.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef BINPROF_WITH_ZSTD
        cmocka_unit_test(test_repeats),        cmocka_unit_test(test_empty_repeats),
        cmocka_unit_test(test_endless_repeat), cmocka_unit_test(test_deep_stacks),
        cmocka_unit_test(test_tiny_frames),    cmocka_unit_test(test_empty_frames),
        cmocka_unit_test(test_buffer_ends),
#endif
        cmocka_unit_test(test_many_names),     cmocka_unit_test(test_many_loads),
    };
    allocations_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
