/* Captures that promise much: numbers near the limits of their types in files of a few bytes. What
 * they promise must not be allocated. */
#include "everything.h"
#include "format/bytes.h"
#include "support/allocations.h"
#include "support/builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What buffers take, whatever is in the capture: all of these are smaller than a KiB. */
static const everything_options tiny = {.most_memory = (size_t)3 << 20};

static const uint64_t large[] = {
    0x7f,      0x80,       0xffff,          0x10000,           0x10001,
    INT32_MAX, UINT32_MAX, UINT32_MAX - 1,  0x100000000,       (uint64_t)1 << 62,
    INT64_MAX, UINT64_MAX, UINT64_MAX - 64, (uint64_t)1 << 63,
};
#define LARGE_COUNT (sizeof large / sizeof large[0])

/* A valid capture of one thread with two samples, whose data can still be added to. */
static builder start(void)
{
    builder capture = {.thread_count = 1, .sample_count = 2};
    builder_string(&capture, "a.py", 4);
    builder_string(&capture, "f", 1);
    builder_frame(&capture, 0, 1);
    builder_stack(&capture.data, 1, BINPROF_RECORD_FULL, 0, 1);
    builder_put_varint(&capture.data, 0);
    builder_repeat(&capture.data, 1, 1);
    builder_put(&capture.data, "\x01\x00", 2);
    return capture;
}

static binprof_status finish(builder *capture)
{
    builder_bytes file = builder_finish(capture);
    binprof_status status = everything_use(file.bytes, file.size, &tiny);
    free(file.bytes);
    builder_free(capture);
    return status;
}

static void test_valid(void **state)
{
    (void)state;
    builder capture = start();
    assert_int_equal(finish(&capture), BINPROF_OK);
}

static void test_header_numbers(void **state)
{
    (void)state;
    static const size_t fields[] = {28, 40, 48}; /* samples, string table, frame table */
    builder capture = start();
    builder_bytes file = builder_finish(&capture);
    builder_free(&capture);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        for (size_t j = 0; j < LARGE_COUNT + file.size; j++) {
            uint8_t *field = file.bytes + fields[i];
            uint64_t was = format_get_u64(field, false);
            uint64_t number = j < LARGE_COUNT ? large[j] : j - LARGE_COUNT;
            format_put_u64(field, number);
            binprof_status status = everything_use(file.bytes, file.size, &tiny);
            assert_true((status == BINPROF_OK) == (number == was));
            format_put_u64(field, was);
        }
    free(file.bytes);
}

/* The header's count is the most there may be. */
static void test_many_threads_declared(void **state)
{
    (void)state;
    builder capture = start();
    capture.thread_count = UINT32_MAX;
    assert_int_equal(finish(&capture), BINPROF_OK);
    capture = start();
    capture.thread_count = 0;
    assert_int_equal(finish(&capture), BINPROF_ERROR_FORMAT);
}

static void test_footer_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < LARGE_COUNT; i++) {
        builder capture = start();
        capture.string_count = (uint32_t)large[i];
        assert_int_equal(finish(&capture), BINPROF_ERROR_FORMAT);
        capture = start();
        capture.frame_count = (uint32_t)large[i];
        assert_int_equal(finish(&capture), BINPROF_ERROR_FORMAT);
    }
}

static void test_string_lengths(void **state)
{
    (void)state;
    for (size_t i = 0; i < LARGE_COUNT; i++) {
        builder capture = start();
        builder_put_varint(&capture.strings, large[i]);
        capture.string_count++;
        assert_int_equal(finish(&capture), BINPROF_ERROR_FORMAT);
    }
}

static void test_frame_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < LARGE_COUNT; i++)
        for (size_t place = 0; place < 6; place++) {
            builder capture = start();
            for (size_t j = 0; j < 6; j++)
                builder_put_varint(&capture.frames, j == place ? large[i] : 0);
            builder_put_byte(&capture.frames, 0);
            capture.frame_count++;
            binprof_status status = finish(&capture);
            bool names = place < 2;
            assert_true(status == BINPROF_ERROR_FORMAT ||
                        (!names && large[i] <= UINT32_MAX && status == BINPROF_OK));
        }
}

static void test_repeat_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < LARGE_COUNT; i++) {
        builder capture = start();
        capture.sample_count = UINT64_MAX;
        builder_repeat(&capture.data, 1, large[i]);
        builder_put(&capture.data, "\x00\x00\x00", 3);
        binprof_status status = finish(&capture);
        bool is_possible = large[i] <= UINT64_MAX - 2;
        assert_int_equal(status, is_possible ? BINPROF_ERROR_TRUNCATED : BINPROF_ERROR_FORMAT);
    }
}

static void test_depths(void **state)
{
    (void)state;
    static const binprof_record_kind kinds[] = {BINPROF_RECORD_FULL, BINPROF_RECORD_SUFFIX,
                                                BINPROF_RECORD_POP_PUSH};
    for (size_t i = 0; i < LARGE_COUNT; i++)
        for (size_t j = 0; j < 3; j++) {
            builder capture = start();
            builder_stack(&capture.data, 1, kinds[j], 0, large[i]); /* new frames */
            assert_int_not_equal(finish(&capture), BINPROF_OK);
            capture = start();
            capture.sample_count = 3;
            builder_stack(&capture.data, 1, kinds[j], large[i], 0); /* kept or removed */
            binprof_status status = finish(&capture);
            assert_int_equal(status, j == 0 ? BINPROF_OK : BINPROF_ERROR_FORMAT);
        }
}

static void test_frame_indices(void **state)
{
    (void)state;
    for (size_t i = 0; i < LARGE_COUNT; i++) {
        builder capture = start();
        builder_stack(&capture.data, 1, BINPROF_RECORD_FULL, 0, 1);
        builder_put_varint(&capture.data, large[i]);
        assert_int_equal(finish(&capture), BINPROF_ERROR_FORMAT);
    }
}

/* Ten bytes hold more than 64 bits, eleven are no varint at all. */
static void test_long_varints(void **state)
{
    (void)state;
    static const uint8_t too_long[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                       0x80, 0x80, 0x80, 0x80, 0x00};
    static const uint8_t too_large[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    for (size_t kind = 0; kind < 4; kind++)
        for (int which = 0; which < 2; which++) {
            builder capture = start();
            uint8_t prefix[13] = {1, [12] = (uint8_t)kind};
            builder_put(&capture.data, prefix, sizeof prefix);
            builder_put(&capture.data, which == 0 ? too_long : too_large,
                        which == 0 ? sizeof too_long : sizeof too_large);
            builder_put(&capture.data, "\x00\x00\x00\x00", 4);
            assert_int_equal(finish(&capture), BINPROF_ERROR_FORMAT);
        }
}

/* Times that wrap, and an interval that cannot be: Gecko computes with them. */
static void test_extreme_times(void **state)
{
    (void)state;
    for (size_t i = 0; i < LARGE_COUNT; i++)
        for (size_t field = 12; field <= 20; field += 8)
            for (uint8_t mode = 0; mode < 7; mode++) {
                builder capture = start();
                capture.sample_count += 2;
                builder_repeat(&capture.data, 1, 2);
                for (size_t j = 0; j < 2; j++) {
                    builder_put_varint(&capture.data, large[(i + j) % LARGE_COUNT]);
                    builder_put_byte(&capture.data, 0xff);
                }
                builder_bytes file = builder_finish(&capture);
                builder_free(&capture);
                format_put_u64(file.bytes + field, large[i]);
                file.bytes[60] = mode;
                assert_int_equal(everything_use(file.bytes, file.size, &tiny), BINPROF_OK);
                free(file.bytes);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid),          cmocka_unit_test(test_header_numbers),
        cmocka_unit_test(test_footer_counts),  cmocka_unit_test(test_many_threads_declared),
        cmocka_unit_test(test_string_lengths), cmocka_unit_test(test_frame_numbers),
        cmocka_unit_test(test_repeat_counts),  cmocka_unit_test(test_depths),
        cmocka_unit_test(test_frame_indices),  cmocka_unit_test(test_long_varints),
        cmocka_unit_test(test_extreme_times),
    };
    allocations_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
