/* Every allocation is made to fail in turn, until an operation goes through without noticing. After
 * each failure: the right error, nothing lost, nothing left behind. */
#include "conversions.h"
#include "support/allocations.h"
#include "support/files.h"
#include "support/samples.h"

#include <binprof/binprof.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char directory[64];
static char capture_path[128];

static int make_directory(void **state)
{
    (void)state;
    files_make_directory(directory);
    (void)snprintf(capture_path, sizeof capture_path, "%s/capture.bin", directory);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    files_remove_directory(directory);
    return 0;
}

static void check_memory_error(binprof_status status, const binprof_error *error)
{
    assert_int_equal(status, BINPROF_ERROR_MEMORY);
    assert_int_equal(error->code, BINPROF_ERROR_MEMORY);
    assert_int_equal(error->system_error, 0);
    assert_true(error->message[0] != '\0');
}

/* Runs the conversion with the n-th allocation failing; returns whether there was one. */
static bool convert_without(const conversion *what, uint64_t n, allocations_mode mode)
{
    conversion_prepare(what, directory);
    binprof_error error = {.code = BINPROF_OK};
    size_t live = allocations_live();
    size_t files = conversion_open_files();
    allocations_fail(n, mode);
    binprof_status status = conversion_run(what, directory, &error);
    bool failed = allocations_stop_failing();
    assert_true(allocations_live() == live);
    assert_int_equal(conversion_open_files(), files);
    if (status != BINPROF_OK) {
        assert_true(failed);
        check_memory_error(status, &error);
    }
    if (what->format == NULL)
        return failed;
    conversion_result expected = status == BINPROF_OK ? CONVERSION_WHOLE : CONVERSION_NOTHING;
    if (conversion_look(what, directory) != expected)
        fail_msg("%s, allocation %d: not the output that was expected", conversion_name(what),
                 (int)n);
    return failed;
}

static void test_conversions(void **state)
{
    (void)state;
    for (size_t i = 0; i < conversions_count(); i++) {
        const conversion *what = conversions_at(i);
        if (!conversion_is_possible(what))
            continue;
        assert_false(convert_without(what, 0, ALLOCATIONS_ONE_FAILS));
        for (uint64_t n = 1; convert_without(what, n, ALLOCATIONS_ONE_FAILS); n++)
            ;
        for (uint64_t n = 1; convert_without(what, n, ALLOCATIONS_ALL_FAIL); n++)
            ;
        (void)conversion_look(NULL, directory);
        conversion_prepare(&(conversion){.capture = NULL}, directory);
    }
}

/* Samples of five threads, some of them deeper than a capture keeps, more than a writer buffers. */
static void make_samples(samples *all, uint64_t count)
{
    binprof_error error;
    uint32_t frames[400];
    for (int i = 0; i < 400; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "function %d", i);
        assert_int_equal(
            binprof_profile_intern_line(all->profile, "file.py", name, i, &frames[i], &error),
            BINPROF_OK);
    }
    uint64_t random = 1;
    for (uint64_t i = 0; i < count; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        uint32_t thread;
        assert_int_equal(binprof_profile_intern_thread(all->profile, random >> 40 & 3,
                                                       (uint32_t)(random >> 62) == 0, &thread,
                                                       &error),
                         BINPROF_OK);
        size_t depth = random >> 50 & 0xff;
        samples_add(all, thread, frames + (random >> 33 & 0x7f), i % 3 == 0 ? depth : 150, i * 1000,
                    (uint8_t)(random >> 60));
    }
}

/* Copies the first sample of `from` that is not in `to` yet. */
static const sample *copy_next(const samples *from, size_t index, samples *to)
{
    const sample *next = &from->list[index];
    samples_add(to, next->thread, from->frames + next->first_frame, next->depth, next->time_us,
                next->status);
    return next;
}

/* What a writer that runs out of memory once leaves out, and only that. */
typedef struct survivor {
    const samples *all;
    samples kept;
    binprof_compression compression;
} survivor;

static binprof_status write_what_fits(survivor *test, binprof_writer *writer, binprof_error *error)
{
    binprof_profile *own = test->kept.profile;
    test->kept.profile = test->all->profile;
    for (size_t i = 0; i < test->all->count; i++) {
        const sample *next = &test->all->list[i];
        binprof_status status =
            binprof_writer_collect(writer, next->thread, test->all->frames + next->first_frame,
                                   next->depth, next->time_us, next->status, error);
        if (status == BINPROF_OK)
            (void)copy_next(test->all, i, &test->kept);
        else
            check_memory_error(status, error);
    }
    test->kept.profile = own;
    size_t refused = test->all->count - test->kept.count;
    assert_true(refused <= 1);
    assert_true(binprof_writer_total_samples(writer) == test->kept.count);
    binprof_status status = binprof_writer_finish(writer, error);
    assert_true(refused == 0 || status == BINPROF_OK);
    return status;
}

static void check_survivors(survivor *test)
{
    binprof_error error;
    binprof_reader *reader;
    if (binprof_reader_open(capture_path, &reader, &error) != BINPROF_OK)
        fail_msg("%s", error.message);
    samples kept = test->kept;
    kept.profile = test->all->profile;
    const char *difference = samples_differ(&kept, reader);
    if (difference != NULL)
        fail_msg("%s", difference);
    binprof_reader_close(reader);
    (void)remove(capture_path);
}

/* Writes with the n-th allocation failing; returns whether there was one. */
static bool write_without(const samples *all, binprof_compression compression, uint64_t n)
{
    survivor test = {.all = all, .compression = compression};
    samples_init(&test.kept);
    /* So that adding to them takes nothing while allocations fail. */
    for (size_t i = 0; i < all->count; i++)
        (void)copy_next(all, i, &test.kept);
    test.kept.count = 0;
    test.kept.frame_count = 0;

    binprof_writer_options options = binprof_writer_options_default();
    options.compression = compression;
    options.level = 1;
    binprof_output output = {.path = capture_path};
    binprof_writer *writer;
    binprof_error error = {.code = BINPROF_OK};
    size_t live = allocations_live();
    allocations_fail(n, ALLOCATIONS_ONE_FAILS);
    binprof_status status = binprof_writer_open(&output, all->profile, &options, &writer, &error);
    if (status == BINPROF_OK)
        status = write_what_fits(&test, writer, &error);
    binprof_writer_close(writer);
    bool failed = allocations_stop_failing();
    assert_true(allocations_live() == live);
    if (status == BINPROF_OK)
        check_survivors(&test);
    else
        check_memory_error(status, &error);
    assert_int_equal(files_count(directory), 0);
    samples_free(&test.kept);
    return failed;
}

static void test_writer_goes_on(void **state)
{
    (void)state;
    samples all;
    samples_init(&all);
    make_samples(&all, 5000);
    for (uint64_t n = 1; write_without(&all, BINPROF_COMPRESSION_NONE, n); n++)
        ;
    for (uint64_t n = 1; write_without(&all, BINPROF_COMPRESSION_AUTO, n); n++)
        ;
    samples_free(&all);
}

/* The numbers of everything in a profile, to see whether anything changed. */
typedef struct profile_counts {
    uint32_t strings, frames, stacks, threads;
} profile_counts;

static profile_counts count_profile(const binprof_profile *profile)
{
    return (profile_counts){
        binprof_profile_string_count(profile), binprof_profile_frame_count(profile),
        binprof_profile_stack_count(profile), binprof_profile_thread_count(profile)};
}

/* One of four ways to intern something new; for the same step always the same. */
static binprof_status intern_step(binprof_profile *profile, uint32_t step, uint32_t *id,
                                  binprof_error *error)
{
    char text[200];
    memset(text, 'x', sizeof text);
    (void)snprintf(text, 16, "%" PRIu32, step);
    uint32_t number = step / 4;
    switch (step % 4) {
    case 0:
        return binprof_profile_intern_string(profile, text, sizeof text, id, error);
    case 1:
        return binprof_profile_intern_frame(profile, &(binprof_frame){.line = (int32_t)step}, id,
                                            error);
    case 2:
        return binprof_profile_intern_stack(profile, number % 7 == 0 ? 0 : number, number, id,
                                            error);
    default:
        return binprof_profile_intern_thread(profile, step, step, id, error);
    }
}

static bool intern_without(uint64_t n, binprof_profile_flags flags)
{
    binprof_error error;
    size_t live = allocations_live();
    allocations_fail(n, ALLOCATIONS_ONE_FAILS);
    binprof_profile *profile = binprof_profile_new(flags);
    for (uint32_t step = 0; profile != NULL && step < 4000; step++) {
        profile_counts before = count_profile(profile);
        uint32_t id = UINT32_MAX;
        binprof_status status = intern_step(profile, step, &id, &error);
        if (status != BINPROF_OK) {
            check_memory_error(status, &error);
            profile_counts after = count_profile(profile);
            assert_memory_equal(&before, &after, sizeof before);
            assert_int_equal(intern_step(profile, step, &id, &error), BINPROF_OK);
        }
        assert_int_equal(id, step / 4 + (step % 4 == 2)); /* stack 0 was there */
    }
    for (uint32_t step = 0; profile != NULL && flags == BINPROF_PROFILE_DEFAULT && step < 4000;
         step++) {
        uint32_t id;
        assert_int_equal(intern_step(profile, step, &id, &error), BINPROF_OK);
        assert_int_equal(id, step / 4 + (step % 4 == 2));
    }
    binprof_profile_free(profile);
    bool failed = allocations_stop_failing();
    assert_true(allocations_live() == live);
    return failed;
}

static void test_interning(void **state)
{
    (void)state;
    for (uint64_t n = 1; intern_without(n, BINPROF_PROFILE_DEFAULT); n++)
        ;
    for (uint64_t n = 1; intern_without(n, BINPROF_PROFILE_KEEP_DUPLICATES); n++)
        ;
}

/* Hands samples to a collector one by one, those that `skip` names left out. A sample that the
 * collector has no memory for is stored there. Returns the output. */
static file_bytes collect(const samples *all, const char *format, uint64_t n, size_t *skip)
{
    binprof_facts facts = {.interval_us = 1000};
    binprof_output output = {.path = capture_path};
    binprof_collector_options options = {
        .profile = all->profile, .facts = &facts, .output = &output};
    binprof_collector *collector;
    binprof_error error;
    assert_int_equal(
        binprof_format_open(binprof_format_by_name(format), &options, &collector, &error),
        BINPROF_OK);
    size_t skipped = *skip;
    uint64_t taken = 0;
    allocations_fail(n, ALLOCATIONS_ONE_FAILS);
    for (size_t i = 0; i < all->count; i++) {
        const sample *next = &all->list[i];
        binprof_run run = {.thread = next->thread,
                           .stack = next->depth, /* see test_collectors_go_on */
                           .count = 1,
                           .timestamps_us = &next->time_us,
                           .statuses = &next->status};
        if (i == skipped)
            continue;
        binprof_status status = binprof_collector_collect(collector, &run, &error);
        if (status != BINPROF_OK) {
            check_memory_error(status, &error);
            *skip = i;
        }
        taken += status == BINPROF_OK;
    }
    if (!allocations_stop_failing() && n > 0)
        *skip = all->count;
    assert_true(binprof_collector_total_samples(collector) == taken);
    assert_int_equal(binprof_collector_export(collector, &error), BINPROF_OK);
    binprof_collector_close(collector);
    file_bytes file = files_read(capture_path);
    (void)remove(capture_path);
    return file;
}

/* A collector that has no memory for a sample goes on as if it had not been asked. (A capture may
 * keep names of that sample; test_writer_goes_on looks at those.) */
static void test_collectors_go_on(void **state)
{
    (void)state;
    static const char *const formats[] = {"collapsed", "gecko"};
    samples all;
    samples_init(&all);
    make_samples(&all, 600);
    uint32_t stack = BINPROF_EMPTY_STACK;
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(binprof_profile_intern_stack(all.profile, stack, i, &stack, NULL),
                         BINPROF_OK);
    for (size_t i = 0; i < 2; i++) {
        for (uint64_t n = 1;; n++) {
            size_t skip = SIZE_MAX;
            file_bytes output = collect(&all, formats[i], n, &skip);
            bool untouched = skip == all.count;
            file_bytes expected = collect(&all, formats[i], 0, &skip);
            assert_int_equal(output.size, expected.size);
            assert_memory_equal(output.bytes, expected.bytes, output.size);
            free(output.bytes);
            free(expected.bytes);
            if (untouched)
                break;
        }
    }
    samples_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interning),
        cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_writer_goes_on),
        cmocka_unit_test(test_collectors_go_on),
    };
    allocations_begin();
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
