/* Every real capture: its collapsed stacks are CPython's, and it survives being written again. */
#include "support/recorder.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define CAPTURES TESTS_DIRECTORY "/captures/"

typedef void (*capture_test)(const char *path, const char *name);

/* Calls the test for every capture whose name has this start, and returns how many there were. */
static int each_capture(const char *start, capture_test test)
{
    DIR *directory = opendir(CAPTURES);
    assert_non_null(directory);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *ending = strrchr(entry->d_name, '.');
        if (ending == NULL || strcmp(ending, ".bin") != 0 ||
            strncmp(entry->d_name, start, strlen(start)) != 0)
            continue;
        char path[512];
        char name[256];
        (void)snprintf(path, sizeof path, "%s%s", CAPTURES, entry->d_name);
        (void)snprintf(name, sizeof name, "%.*s", (int)(ending - entry->d_name), entry->d_name);
#ifndef BINPROF_WITH_ZSTD
        binprof_reader *reader;
        assert_int_equal(binprof_reader_open(path, &reader, NULL), BINPROF_OK);
        bool is_readable = !binprof_reader_info(reader)->zstd;
        binprof_reader_close(reader);
        if (!is_readable)
            continue;
#endif
        test(path, name);
        count++;
    }
    (void)closedir(directory);
    return count;
}

/* Control characters and ";" inside names are what CPython prints as they are and we do not. */
static void apply_exception(char *text, size_t size, const char *name)
{
    if (strcmp(name, "edge-nul") == 0) {
        const char expected[] = "tid:7;a b.py:x:y z :1 1\n";
        assert_true(size >= sizeof expected - 1);
        memcpy(text, expected, sizeof expected);
    }
}

static void collapsed_is_cpythons(const char *path, const char *name)
{
    if (strcmp(name, "large") == 0)
        return; /* has a test of its own */
    char expected_path[512];
    (void)snprintf(expected_path, sizeof expected_path, "%scpython/%s.collapsed", CAPTURES,
                   strncmp(name, "variant-", 8) == 0 ? "wall-main" : name);
    char output[300];
    (void)snprintf(output, sizeof output, "%s", temporary_path("collapsed"));
    convert_file(path, "collapsed", output, BINPROF_COMPRESSION_AUTO);
    size_t size;
    size_t expected_size;
    char *text = read_file(output, &size);
    char *expected = read_file(expected_path, &expected_size);
    apply_exception(expected, expected_size, name);
    assert_string_equal(text, expected);
    free(text);
    free(expected);
    (void)unlink(output);
}

static void collapsed_equals_cpythons(void **state)
{
    (void)state;
    assert_true(each_capture("", collapsed_is_cpythons) >= 8);
}

#ifdef BINPROF_WITH_ZSTD
/* CPython's text of `large` is known by its checksum. Two names in it hold NULs, which we print as
 * spaces; with these undone, ours must have the same checksum. */
static void collapsed_of_large(void **state)
{
    (void)state;
    char output[300];
    (void)snprintf(output, sizeof output, "%s", temporary_path("large"));
    convert_file(CAPTURES "large.bin", "collapsed", output, BINPROF_COMPRESSION_AUTO);
    size_t size;
    char *text = read_file(output, &size);
    int undone = 0;
    for (size_t i = 0; i + 17 < size; i++)
        if (memcmp(text + i, "<unknown file>:  ", 17) == 0) {
            memset(text + i + 15, '\0', 2);
            undone++;
        }
    assert_int_equal(undone, 2);
    FILE *file = fopen(output, "wb");
    assert_int_equal(fwrite(text, 1, size, file), size);
    (void)fclose(file);
    free(text);

    char command[400];
    (void)snprintf(command, sizeof command, "sha256sum %s", output);
    FILE *sum = popen(command, "r");
    assert_non_null(sum);
    char found[65] = "";
    assert_int_equal(fread(found, 1, 64, sum), 64);
    (void)pclose(sum);
    char *expected = read_file(CAPTURES "cpython/large.collapsed.sha256", &size);
    expected[64] = '\0';
    assert_string_equal(found, expected);
    free(expected);
    (void)unlink(output);
}
#endif

static void rewritten_plain_is_identical(const char *path, const char *name)
{
    (void)name;
    char output[300];
    (void)snprintf(output, sizeof output, "%s", temporary_path("plain"));
    convert_file(path, "binary", output, BINPROF_COMPRESSION_NONE);
    size_t size;
    size_t original_size;
    char *bytes = read_file(output, &size);
    char *original = read_file(path, &original_size);
    assert_int_equal(size, original_size);
    assert_memory_equal(bytes, original, size);
    free(bytes);
    free(original);
    (void)unlink(output);
}

static void plain_captures_written_again_are_identical(void **state)
{
    (void)state;
    assert_int_equal(each_capture("wall-all-plain", rewritten_plain_is_identical), 1);
    assert_int_equal(each_capture("edge-", rewritten_plain_is_identical), 7);
}

static void rewritten_holds_the_same(const char *path, const char *name)
{
    if (strcmp(name, "large") == 0)
        return;
    char output[300];
    (void)snprintf(output, sizeof output, "%s", temporary_path("again"));
    for (int i = 0; i < 2; i++) {
        convert_file(path, "binary", output,
                     i == 0 ? BINPROF_COMPRESSION_NONE : BINPROF_COMPRESSION_AUTO);
        sample_recorder original;
        sample_recorder again;
        recorder_init(&original, BINPROF_PROFILE_DEFAULT);
        recorder_init(&again, BINPROF_PROFILE_DEFAULT);
        recorder_replay_file(&original, path);
        recorder_replay_file(&again, output);
        recorder_assert_equal(&original, &again);
        recorder_free(&original);
        recorder_free(&again);
    }
    (void)unlink(output);
}

static void captures_written_again_hold_the_same_samples(void **state)
{
    (void)state;
    assert_true(each_capture("", rewritten_holds_the_same) >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collapsed_equals_cpythons),
#ifdef BINPROF_WITH_ZSTD
        cmocka_unit_test(collapsed_of_large),
#endif
        cmocka_unit_test(plain_captures_written_again_are_identical),
        cmocka_unit_test(captures_written_again_hold_the_same_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
