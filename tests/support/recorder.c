#include "support/recorder.h"

#include "base/array.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static binprof_status record(binprof_collector *base, const binprof_run *run, binprof_error *error)
{
    (void)error;
    sample_recorder *recorder = (sample_recorder *)base;
    binprof_thread thread = binprof_profile_thread(recorder->profile, run->thread);
    for (size_t i = 0; i < run->count; i++) {
        recorded_sample *samples = array_reserve(recorder->samples, &recorder->capacity,
                                                 recorder->count + 1, sizeof *samples);
        assert_non_null(samples);
        recorder->samples = samples;
        samples[recorder->count++] =
            (recorded_sample){thread.thread_id, thread.interpreter_id, run->statuses[i],
                              run->timestamps_us[i], run->stack};
    }
    return BINPROF_OK;
}

static const binprof_collector_operations operations = {.collect = record};

void recorder_init(sample_recorder *recorder, binprof_profile_flags flags)
{
    memset(recorder, 0, sizeof *recorder);
    recorder->base.operations = &operations;
    recorder->profile = binprof_profile_new(flags);
    assert_non_null(recorder->profile);
}

void recorder_free(sample_recorder *recorder)
{
    binprof_profile_free(recorder->profile);
    free(recorder->samples);
}

void recorder_replay(sample_recorder *recorder, binprof_reader *reader)
{
    binprof_error error;
    if (binprof_reader_replay(reader, recorder->profile, &recorder->base, NULL, &error) !=
        BINPROF_OK)
        fail_msg("%s", error.message);
}

void recorder_replay_file(sample_recorder *recorder, const char *path)
{
    binprof_error error;
    binprof_reader *reader;
    if (binprof_reader_open(path, &reader, &error) != BINPROF_OK)
        fail_msg("%s", error.message);
    recorder_replay(recorder, reader);
    binprof_reader_close(reader);
}

size_t recorder_frames(const binprof_profile *profile, uint32_t stack, uint32_t *frames,
                       size_t capacity)
{
    size_t depth = 0;
    while (stack != BINPROF_EMPTY_STACK) {
        binprof_stack node = binprof_profile_stack(profile, stack);
        assert_true(node.parent < stack);
        assert_true(depth < capacity);
        frames[depth++] = node.frame;
        stack = node.parent;
    }
    return depth;
}

static void assert_equal_strings(const binprof_profile *a, uint32_t a_id, const binprof_profile *b,
                                 uint32_t b_id)
{
    binprof_string left = binprof_profile_string(a, a_id);
    binprof_string right = binprof_profile_string(b, b_id);
    assert_int_equal(left.length, right.length);
    assert_memory_equal(left.text, right.text, left.length);
}

static void assert_equal_stacks(const binprof_profile *a, uint32_t a_stack,
                                const binprof_profile *b, uint32_t b_stack)
{
    while (a_stack != BINPROF_EMPTY_STACK && b_stack != BINPROF_EMPTY_STACK) {
        binprof_stack left = binprof_profile_stack(a, a_stack);
        binprof_stack right = binprof_profile_stack(b, b_stack);
        binprof_frame left_frame = binprof_profile_frame(a, left.frame);
        binprof_frame right_frame = binprof_profile_frame(b, right.frame);
        assert_equal_strings(a, left_frame.filename, b, right_frame.filename);
        assert_equal_strings(a, left_frame.function, b, right_frame.function);
        assert_int_equal(left_frame.line, right_frame.line);
        assert_int_equal(left_frame.end_line, right_frame.end_line);
        assert_int_equal(left_frame.column, right_frame.column);
        assert_int_equal(left_frame.end_column, right_frame.end_column);
        assert_int_equal(left_frame.opcode, right_frame.opcode);
        a_stack = left.parent;
        b_stack = right.parent;
    }
    assert_int_equal(a_stack, BINPROF_EMPTY_STACK);
    assert_int_equal(b_stack, BINPROF_EMPTY_STACK);
}

void recorder_assert_equal(const sample_recorder *a, const sample_recorder *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_true(a->samples[i].thread_id == b->samples[i].thread_id);
        assert_int_equal(a->samples[i].interpreter_id, b->samples[i].interpreter_id);
        assert_int_equal(a->samples[i].status, b->samples[i].status);
        assert_true(a->samples[i].time_us == b->samples[i].time_us);
        if (i > 0 && a->samples[i].stack == a->samples[i - 1].stack &&
            b->samples[i].stack == b->samples[i - 1].stack)
            continue;
        assert_equal_stacks(a->profile, a->samples[i].stack, b->profile, b->samples[i].stack);
    }
}

void convert_file(const char *from, const char *format, const char *to,
                  binprof_compression compression)
{
    binprof_error error;
    binprof_reader *reader;
    if (binprof_reader_open(from, &reader, &error) != BINPROF_OK)
        fail_msg("%s", error.message);
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    binprof_output output = {.path = to};
    binprof_collector_options options = {.profile = profile,
                                         .facts = &binprof_reader_info(reader)->facts,
                                         .output = &output,
                                         .compression = compression};
    binprof_collector *collector;
    if (binprof_format_open(binprof_format_by_name(format), &options, &collector, &error) !=
            BINPROF_OK ||
        binprof_reader_replay(reader, profile, collector, NULL, &error) != BINPROF_OK ||
        binprof_collector_export(collector, &error) != BINPROF_OK)
        fail_msg("%s", error.message);
    assert_true(binprof_collector_total_samples(collector) ==
                binprof_reader_info(reader)->sample_count);
    binprof_collector_close(collector);
    binprof_profile_free(profile);
    binprof_reader_close(reader);
}

char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("cannot open %s", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long length = ftell(file);
    assert_true(length >= 0);
    rewind(file);
    char *bytes = malloc((size_t)length + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)length, file), length);
    bytes[length] = '\0';
    (void)fclose(file);
    *size = (size_t)length;
    return bytes;
}

const char *temporary_path(const char *name)
{
    static char path[256];
    const char *directory = getenv("TMPDIR");
    (void)snprintf(path, sizeof path, "%s/binprof-test-%ld-%s",
                   directory != NULL ? directory : "/tmp", (long)getpid(), name);
    return path;
}
