/* Error messages about files whose names are no help: too long, or not for a terminal. */
#include "support/allocations.h"
#include "support/files.h"

#include <binprof/binprof.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void check_line(const binprof_error *error)
{
    size_t length = strnlen(error->message, sizeof error->message);
    assert_true(length > 0 && length < sizeof error->message);
    for (size_t i = 0; i < length; i++)
        assert_true((unsigned char)error->message[i] >= 0x20 && error->message[i] != 0x7f);
}

/* What is wrong with a capture that is no capture, called `name`. */
static binprof_error refuse(const char *name)
{
    binprof_error error;
    binprof_reader *reader;
    binprof_status status = binprof_reader_open_memory("no capture", 10, name, &reader, &error);
    assert_int_equal(status, BINPROF_ERROR_FORMAT);
    check_line(&error);
    assert_non_null(strstr(error.message, "not a capture"));
    return error;
}

static void test_usual_name(void **state)
{
    (void)state;
    binprof_error error = refuse("dir/caf\xc3\xa9.bin");
    assert_non_null(strstr(error.message, "dir/caf\xc3\xa9.bin: "));
}

/* The end of a long path tells more than its start. */
static void test_long_name(void **state)
{
    (void)state;
    char name[2000];
    memset(name, 'x', sizeof name);
    (void)snprintf(name + sizeof name - 20, 20, "/end.bin");
    binprof_error error = refuse(name);
    assert_non_null(strstr(error.message, "/end.bin: "));
    memset(name, '\xe2', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    (void)refuse(name);
}

static void test_control_characters(void **state)
{
    (void)state;
    binprof_error error = refuse("two\nlines\x1b[2J\x7f.bin");
    assert_non_null(strstr(error.message, "two?lines?[2J?.bin: "));
}

static void test_long_name_of_no_file(void **state)
{
    (void)state;
    char path[3000];
    memset(path, 'y', sizeof path);
    for (size_t i = 0; i + 1 < sizeof path; i += 100)
        path[i] = '/';
    path[sizeof path - 1] = '\0';
    binprof_error error;
    binprof_reader *reader;
    assert_int_equal(binprof_reader_open(path, &reader, &error), BINPROF_ERROR_IO);
    assert_int_equal(error.system_error, ENOENT);
    check_line(&error);
    assert_non_null(strstr(error.message, strerror(ENOENT)));

    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    binprof_writer *writer;
    assert_int_equal(
        binprof_writer_open(&(binprof_output){.path = path}, profile, NULL, &writer, &error),
        BINPROF_ERROR_IO);
    check_line(&error);
    assert_non_null(strstr(error.message, strerror(ENOENT)));
    binprof_profile_free(profile);
}

/* All errors may be asked for without wanting to know. */
static void test_no_error_wanted(void **state)
{
    (void)state;
    binprof_reader *reader;
    assert_int_equal(binprof_reader_open("/nowhere/at/all", &reader, NULL), BINPROF_ERROR_IO);
    assert_int_equal(binprof_reader_open_memory("", 0, "empty", &reader, NULL),
                     BINPROF_ERROR_TRUNCATED);
    assert_int_equal(binprof_reader_open_memory(NULL, 0, "nothing", &reader, NULL),
                     BINPROF_ERROR_TRUNCATED);
    assert_int_equal(binprof_reader_open("/", &reader, NULL), BINPROF_ERROR_IO);
    assert_int_equal(binprof_reader_open("/dev/null", &reader, NULL), BINPROF_ERROR_TRUNCATED);
    assert_int_equal(binprof_reader_open_fd(-1, "closed", &reader, NULL), BINPROF_ERROR_IO);
    assert_null(reader);
}

/* The Firefox Profiler is shown a source's whole name, not one that breaks off in a character. */
static void test_long_source(void **state)
{
    (void)state;
    char source[1001];
    for (size_t i = 0; i + 1 < sizeof source; i += 2)
        memcpy(source + i, "\xc3\xa9", 2);
    source[sizeof source - 1] = '\0';
    source[0] = 'x'; /* and an invalid byte after it */

    char directory[64], path[128];
    files_make_directory(directory);
    (void)snprintf(path, sizeof path, "%s/output.json", directory);
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    binprof_facts facts = {.interval_us = 1000};
    binprof_output output = {.path = path};
    binprof_collector_options options = {
        .profile = profile, .facts = &facts, .output = &output, .source = source};
    binprof_collector *collector;
    assert_int_equal(
        binprof_format_open(binprof_format_by_name("gecko"), &options, &collector, NULL),
        BINPROF_OK);
    assert_int_equal(binprof_collector_export(collector, NULL), BINPROF_OK);
    binprof_collector_close(collector);
    binprof_profile_free(profile);

    file_bytes file = files_read(path);
    file.bytes[file.size] = '\0';
    const char *found = strstr((const char *)file.bytes, "\"x\xef\xbf\xbd\xc3\xa9");
    assert_non_null(found);
    assert_memory_equal(found + 5, source + 2, sizeof source - 3);
    free(file.bytes);
    files_remove_directory(directory);
}

/* A stream that never ends is told from a capture by its first bytes. */
static void test_endless_stream(void **state)
{
    (void)state;
    binprof_reader *reader;
    allocations_forget_peak();
    assert_int_equal(binprof_reader_open("/dev/urandom", &reader, NULL), BINPROF_ERROR_FORMAT);
    assert_int_not_equal(binprof_reader_open("/dev/zero", &reader, NULL), BINPROF_OK);
    assert_true(allocations_peak() < (size_t)1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usual_name),         cmocka_unit_test(test_long_name),
        cmocka_unit_test(test_control_characters), cmocka_unit_test(test_long_name_of_no_file),
        cmocka_unit_test(test_no_error_wanted),    cmocka_unit_test(test_endless_stream),
        cmocka_unit_test(test_long_source),
    };
    allocations_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
