/* The bytes: varints, header, statistics, footer, frames. */
#include "format/capture.h"
#include "format/record.h"
#include "format/tables.h"
#include "format/varint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void varints_of_every_length(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits <= 64; bits++) {
        uint64_t value = bits == 0 ? 0 : UINT64_MAX >> (64 - bits);
        uint8_t bytes[FORMAT_VARINT_MAX + FORMAT_PADDING] = {0};
        const uint8_t *end = format_varint_put(bytes, value);
        assert_int_equal(end - bytes, bits <= 7 ? 1 : (bits + 6) / 7);
        uint64_t back;
        assert_ptr_equal(format_varint_get(bytes, &back), end);
        assert_true(back == value);
    }
}

static void varints_that_are_longer_than_needed(void **state)
{
    (void)state;
    const uint8_t bytes[FORMAT_PADDING] = {0x85, 0x80, 0x80, 0x00};
    uint64_t value;
    assert_ptr_equal(format_varint_get(bytes, &value), bytes + 4);
    assert_int_equal(value, 5);
}

static void varints_beyond_64_bits(void **state)
{
    (void)state;
    uint8_t bytes[FORMAT_PADDING];
    memset(bytes, 0xff, sizeof bytes);
    uint64_t value;
    bytes[9] = 0x01;
    assert_ptr_equal(format_varint_get(bytes, &value), bytes + 10);
    assert_true(value == UINT64_MAX);
    bytes[9] = 0x02;
    assert_null(format_varint_get(bytes, &value));
    bytes[9] = 0x80;
    assert_null(format_varint_get(bytes, &value));
}

static void zigzag_and_back(void **state)
{
    (void)state;
    static const int64_t values[] = {0, -1, 1, -2, 2, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX};
    assert_true(format_zigzag_encode(-1) == 1);
    assert_true(format_zigzag_encode(1) == 2);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        assert_true(format_zigzag_decode(format_zigzag_encode(values[i])) == values[i]);
}

static binprof_info some_info(void)
{
    return (binprof_info){.facts = {.interval_us = 1234,
                                    .start_us = UINT64_C(0x1122334455667788),
                                    .python = {3, 15, 2},
                                    .mode = BINPROF_MODE_GIL,
                                    .has_features = true,
                                    .features = BINPROF_FEATURE_GC | BINPROF_FEATURE_BLOCKING},
                          .zstd = true,
                          .sample_count = UINT64_C(0x100000001),
                          .thread_count = 7,
                          .string_table_offset = 100,
                          .frame_table_offset = 200,
                          .string_count = 9,
                          .frame_count = 8,
                          .file_size = 1000};
}

static void header_and_back(void **state)
{
    (void)state;
    binprof_info info = some_info();
    uint8_t bytes[FORMAT_HEADER_SIZE];
    format_header_put(bytes, &info);
    assert_memory_equal(bytes, "HCAT\1\0\0\0\3\17\2\0", 12);

    binprof_info back = {.file_size = info.file_size};
    binprof_error error;
    assert_int_equal(format_header_get(bytes, "f", &back, &error), BINPROF_OK);
    assert_int_equal(back.revision, BINPROF_REVISION_WIDE);
    assert_false(back.big_endian);
    assert_true(back.zstd);
    assert_true(back.sample_count == info.sample_count);
    assert_int_equal(back.thread_count, 7);
    assert_int_equal(back.data_size, 36);
    assert_true(back.facts.start_us == info.facts.start_us);
    assert_int_equal(back.facts.mode, BINPROF_MODE_GIL);
    assert_int_equal(back.facts.features, info.facts.features);
}

static void headers_that_cannot_be(void **state)
{
    (void)state;
    static const struct {
        size_t offset;
        uint8_t byte;
        binprof_status status;
    } changes[] = {
        {0, 'X', BINPROF_ERROR_FORMAT},        {4, 2, BINPROF_ERROR_UNSUPPORTED},
        {40, 63, BINPROF_ERROR_FORMAT},        {40, 201, BINPROF_ERROR_FORMAT},
        {49, 4, BINPROF_ERROR_TRUNCATED},      {56, 2, BINPROF_ERROR_UNSUPPORTED},
        {59, 0x80, BINPROF_ERROR_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        binprof_info info = some_info();
        uint8_t bytes[FORMAT_HEADER_SIZE];
        format_header_put(bytes, &info);
        bytes[changes[i].offset] = changes[i].byte;
        binprof_info back = {.file_size = info.file_size};
        binprof_error error;
        assert_int_equal(format_header_get(bytes, "name", &back, &error), changes[i].status);
        assert_int_equal(error.code, changes[i].status);
        assert_ptr_equal(strstr(error.message, "name: "), error.message);
    }
}

static void footer_and_back(void **state)
{
    (void)state;
    binprof_info info = some_info();
    uint8_t bytes[FORMAT_FOOTER_SIZE];
    format_footer_put(bytes, &info);
    binprof_info back = {.file_size = 1000, .string_table_offset = 100, .frame_table_offset = 200};
    binprof_error error;
    assert_int_equal(format_footer_get(bytes, "f", &back, &error), BINPROF_OK);
    assert_int_equal(back.string_count, 9);
    assert_int_equal(back.frame_count, 8);

    back.file_size = 999;
    assert_int_equal(format_footer_get(bytes, "f", &back, &error), BINPROF_ERROR_TRUNCATED);
    back.file_size = 1001;
    assert_int_equal(format_footer_get(bytes, "f", &back, &error), BINPROF_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "bytes follow"));
    back.file_size = 1000;
    back.frame_table_offset = 108; /* eight bytes for nine strings */
    assert_int_equal(format_footer_get(bytes, "f", &back, &error), BINPROF_ERROR_FORMAT);
}

static void statistics_and_back(void **state)
{
    (void)state;
    binprof_statistics statistics = {.present = true,
                                     .duration_s = 1.5,
                                     .sample_rate = 999.25,
                                     .has_missed = true,
                                     .missed_percent = -3};
    uint8_t block[FORMAT_STATISTICS_SIZE];
    format_statistics_put(block, &statistics);
    binprof_info info = {.file_size = 1000};
    binprof_error error;
    uint32_t size;
    const uint8_t *tail = block + sizeof block - FORMAT_STATISTICS_TAIL;
    assert_int_equal(format_statistics_size_get(tail, 56, "f", &info, &size, &error), BINPROF_OK);
    assert_int_equal(size, FORMAT_STATISTICS_SIZE);
    assert_int_equal(format_statistics_size_get(tail, 55, "f", &info, &size, &error),
                     BINPROF_ERROR_FORMAT);
    assert_int_equal(format_statistics_get(block, 56, "f", &info, &error), BINPROF_OK);
    assert_true(info.facts.statistics.present);
    assert_true(info.facts.statistics.duration_s == 1.5);
    assert_true(info.facts.statistics.sample_rate == 999.25);
    assert_false(info.facts.statistics.has_failed);
    assert_true(info.facts.statistics.missed_percent == -3);

    format_put_f64(block, -1);
    assert_int_equal(format_statistics_get(block, 56, "f", &info, &error), BINPROF_ERROR_FORMAT);
}

static void assert_frame_round_trip(binprof_frame frame, binprof_frame expected)
{
    uint8_t bytes[FORMAT_FRAME_MAX + FORMAT_PADDING] = {0};
    const uint8_t *end = format_frame_put(bytes, &frame);
    binprof_frame back;
    const char *problem;
    assert_ptr_equal(format_frame_get(bytes, &back, &problem), end);
    assert_int_equal(back.filename, expected.filename);
    assert_int_equal(back.function, expected.function);
    assert_int_equal(back.line, expected.line);
    assert_int_equal(back.end_line, expected.end_line);
    assert_int_equal(back.column, expected.column);
    assert_int_equal(back.end_column, expected.end_column);
    assert_int_equal(back.opcode, expected.opcode);
}

static void frames_and_back(void **state)
{
    (void)state;
    static const int32_t values[] = {0, 1, -2, 1000, INT32_MIN, INT32_MAX};
    const size_t count = sizeof values / sizeof values[0];
    for (size_t i = 0; i < count * count; i++) {
        binprof_frame frame = {
            UINT32_MAX,        7,         values[i / count], values[i % count], values[i % count],
            values[i / count], (uint8_t)i};
        assert_frame_round_trip(frame, frame);
    }
    /* What is stored of unknown places is that they are unknown. */
    assert_frame_round_trip((binprof_frame){1, 2, -1, 5, 6, 7, 255},
                            (binprof_frame){1, 2, -1, -1, -1, -1, 255});
    assert_frame_round_trip((binprof_frame){1, 2, 5, -1, -1, 7, 255},
                            (binprof_frame){1, 2, 5, 5, -1, -1, 255});
}

static void record_heads_and_back(void **state)
{
    (void)state;
    for (uint8_t kind = BINPROF_RECORD_FULL; kind <= BINPROF_RECORD_POP_PUSH; kind++) {
        format_record_head head = {.thread_id = UINT64_MAX,
                                   .interpreter_id = UINT32_MAX,
                                   .kind = kind,
                                   .status = 0xa5,
                                   .delta_us = UINT64_MAX,
                                   .shared = kind == BINPROF_RECORD_SUFFIX ? 300 : 0,
                                   .pop = kind == BINPROF_RECORD_POP_PUSH ? 301 : 0,
                                   .frame_count = 302};
        uint8_t bytes[FORMAT_RECORD_HEAD_MAX + FORMAT_PADDING] = {0};
        const uint8_t *end = format_record_head_put(bytes, &head);
        format_record_head back = {.kind = 0};
        assert_ptr_equal(format_record_head_get(bytes, false, &back), end);
        assert_true(back.thread_id == head.thread_id && back.delta_us == head.delta_us);
        assert_int_equal(back.interpreter_id, head.interpreter_id);
        assert_int_equal(back.kind, kind);
        assert_int_equal(back.status, 0xa5);
        assert_int_equal(back.shared, head.shared);
        assert_int_equal(back.pop, head.pop);
        assert_int_equal(back.frame_count, 302);
    }
    uint8_t bytes[FORMAT_RECORD_HEAD_MAX + FORMAT_PADDING] = {[12] = 4};
    format_record_head back = {.kind = 0};
    assert_null(format_record_head_get(bytes, false, &back));
    bytes[12] = BINPROF_RECORD_REPEAT;
    bytes[7] = 1;
    bytes[13] = 9;
    assert_non_null(format_record_head_get(bytes, true, &back));
    assert_int_equal(back.thread_id, 1); /* big-endian */
    assert_int_equal(back.repeat_count, 9);
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(binprof_mode_name(BINPROF_MODE_EXCEPTION), "exception");
    assert_string_equal(binprof_mode_name(5), "unknown");
    assert_string_equal(binprof_mode_name(BINPROF_MODE_UNKNOWN), "unknown");
    assert_string_equal(binprof_status_name(BINPROF_STATUS_MAIN_THREAD), "main-thread");
    assert_null(binprof_status_name(0x40));
    assert_string_equal(binprof_feature_name(BINPROF_FEATURE_OPCODES), "opcodes");
    assert_null(binprof_feature_name(0x20));
    assert_string_equal(binprof_record_kind_name(BINPROF_RECORD_POP_PUSH), "pop-push");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(varints_of_every_length),
        cmocka_unit_test(varints_that_are_longer_than_needed),
        cmocka_unit_test(varints_beyond_64_bits),
        cmocka_unit_test(zigzag_and_back),
        cmocka_unit_test(header_and_back),
        cmocka_unit_test(headers_that_cannot_be),
        cmocka_unit_test(footer_and_back),
        cmocka_unit_test(statistics_and_back),
        cmocka_unit_test(frames_and_back),
        cmocka_unit_test(record_heads_and_back),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
