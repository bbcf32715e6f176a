/* Every system call is made to fail in turn, until an operation goes through without noticing; then
 * calls that are interrupted or do only part of what they were asked to. */
#include "conversions.h"
#include "support/allocations.h"
#include "support/files.h"
#include "support/system_calls.h"

#include <binprof/binprof.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[64];

static int make_directory(void **state)
{
    (void)state;
    files_make_directory(directory);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    files_remove_directory(directory);
    return 0;
}

/* Runs the conversion as the calls are set up, then makes them work again; conversion_prepare must
 * have been called before. Returns whether one failed. */
static bool convert(const conversion *what, binprof_status *status, binprof_error *error)
{
    size_t files = conversion_open_files();
    size_t live = allocations_live();
    *status = conversion_run(what, directory, error);
    bool failed = system_calls_stop_failing();
    assert_true(allocations_live() == live);
    assert_int_equal(conversion_open_files(), files);
    if (*status != BINPROF_OK)
        assert_int_equal(error->code, *status);
    return failed;
}

/* Stores what the output is when all goes well. */
static void convert_well(const conversion *what)
{
    binprof_status status;
    binprof_error error;
    (void)conversion_look(NULL, directory);
    conversion_prepare(what, directory);
    assert_false(convert(what, &status, &error));
    assert_int_equal(status, BINPROF_OK);
    if (what->format != NULL)
        assert_int_equal(conversion_look(what, directory), CONVERSION_WHOLE);
}

/* An output that is there under its name already stays when only making that last has failed. */
static void check_output(const conversion *what, binprof_status status)
{
    if (what->format == NULL)
        return;
    conversion_result result = conversion_look(what, directory);
    if (status == BINPROF_OK)
        assert_int_equal(result, CONVERSION_WHOLE);
    else if (what->sync)
        assert_int_not_equal(result, CONVERSION_BROKEN);
    else
        assert_int_equal(result, CONVERSION_NOTHING);
}

static bool convert_without(const conversion *what, system_call call, uint64_t n, int number)
{
    binprof_status status;
    binprof_error error;
    conversion_prepare(what, directory);
    system_calls_fail(call, n, number);
    bool failed = convert(what, &status, &error);
    if (status != BINPROF_OK) {
        assert_true(failed);
        assert_int_equal(status, BINPROF_ERROR_IO);
        assert_int_equal(error.system_error, number);
        assert_non_null(strstr(error.message, strerror(number)));
    } else if (failed && call != CALL_CLOSE) {
        fail_msg("%s: %s number %d failed, and nobody minds", conversion_name(what),
                 system_call_name(call), (int)n);
    }
    check_output(what, status);
    return failed;
}

static void each_conversion(void (*test)(const conversion *what))
{
    for (size_t i = 0; i < conversions_count(); i++) {
        if (!conversion_is_possible(conversions_at(i)))
            continue;
        convert_well(conversions_at(i));
        test(conversions_at(i));
        (void)conversion_look(NULL, directory);
        conversion_prepare(&(conversion){.capture = NULL}, directory);
    }
}

static void fail_each_call(const conversion *what)
{
    static const int numbers[] = {EIO, ENOSPC, EACCES, EDQUOT};
    for (system_call call = 0; call < CALL_COUNT; call++)
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
            for (uint64_t n = 1; convert_without(what, call, n, numbers[i]); n++)
                ;
}

static void test_failures(void **state)
{
    (void)state;
    each_conversion(fail_each_call);
}

static void end_each_read(const conversion *what)
{
    bool failed = true;
    for (uint64_t n = 1; failed; n++) {
        binprof_status status;
        binprof_error error;
        conversion_prepare(what, directory);
        system_calls_end_file(n);
        failed = convert(what, &status, &error);
        assert_int_equal(status, failed ? BINPROF_ERROR_TRUNCATED : BINPROF_OK);
        check_output(what, status);
    }
}

/* The capture becomes shorter while it is read. */
static void test_file_ends(void **state)
{
    (void)state;
    each_conversion(end_each_read);
}

static void convert_in_parts(const conversion *what)
{
    for (size_t most = 1; most < 10000; most *= 97) {
        binprof_status status;
        binprof_error error;
        conversion_prepare(what, directory);
        system_calls_shorten(most);
        (void)convert(what, &status, &error);
        system_calls_shorten(0);
        assert_int_equal(status, BINPROF_OK);
        check_output(what, status);
    }
}

static void test_short_reads_and_writes(void **state)
{
    (void)state;
    each_conversion(convert_in_parts);
}

static void convert_interrupted(const conversion *what)
{
    binprof_status status;
    binprof_error error;
    conversion_prepare(what, directory);
    system_calls_interrupt(true);
    (void)convert(what, &status, &error);
    system_calls_interrupt(false);
    assert_int_equal(status, BINPROF_OK);
    check_output(what, status);
}

static void test_interrupted_calls(void **state)
{
    (void)state;
    each_conversion(convert_interrupted);
}

/* Opens a collector of this format for the output, with nothing in it, and exports. */
static binprof_status export_to(const char *format, const binprof_output *output,
                                binprof_error *error)
{
    binprof_facts facts = {.interval_us = 1000};
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    binprof_collector_options options = {.profile = profile, .facts = &facts, .output = output};
    binprof_collector *collector;
    uint32_t thread, frame, stack;
    assert_int_equal(binprof_profile_intern_thread(profile, 1, 0, &thread, NULL), BINPROF_OK);
    assert_int_equal(binprof_profile_intern_line(profile, "a.py", "f", 1, &frame, NULL),
                     BINPROF_OK);
    assert_int_equal(binprof_profile_intern_stack(profile, 0, frame, &stack, NULL), BINPROF_OK);
    binprof_status status =
        binprof_format_open(binprof_format_by_name(format), &options, &collector, error);
    if (status == BINPROF_OK) {
        binprof_run run = {thread, stack, 1, &(uint64_t){1}, &(uint8_t){0}};
        status = binprof_collector_collect(collector, &run, error);
        if (status == BINPROF_OK)
            status = binprof_collector_export(collector, error);
        binprof_collector_close(collector);
    }
    binprof_profile_free(profile);
    return status;
}

static void expect(binprof_status expected, int number, const char *format,
                   const binprof_output *output)
{
    binprof_error error;
    assert_int_equal(export_to(format, output, &error), expected);
    if (expected == BINPROF_OK)
        return;
    assert_int_equal(error.code, expected);
    assert_int_equal(error.system_error, number);
    assert_true(error.message[0] != '\0');
}

static const char *const formats[] = {"collapsed", "gecko", "binary"};

static void test_full_disk(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        expect(BINPROF_ERROR_IO, ENOSPC, formats[i], &(binprof_output){.path = "/dev/full"});
        int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
        assert_true(fd >= 0);
        expect(BINPROF_ERROR_IO, ENOSPC, formats[i], &(binprof_output){.fd = fd});
        assert_int_equal(close(fd), 0); /* it stays the caller's */
    }
}

static void test_places_that_cannot_be(void **state)
{
    (void)state;
    char file[128], below[160], loop[128];
    (void)snprintf(file, sizeof file, "%s/file", directory);
    (void)snprintf(below, sizeof below, "%s/below", file);
    (void)snprintf(loop, sizeof loop, "%s/loop", directory);
    files_write(file, "", 0);
    assert_int_equal(symlink("loop", loop), 0);
    for (size_t i = 0; i < 3; i++) {
        expect(BINPROF_ERROR_IO, ENOENT, formats[i], &(binprof_output){.path = "/no/where/at"});
        expect(BINPROF_ERROR_IO, ENOENT, formats[i], &(binprof_output){.path = ""});
        expect(BINPROF_ERROR_IO, EISDIR, formats[i], &(binprof_output){.path = directory});
        expect(BINPROF_ERROR_IO, ENOTDIR, formats[i], &(binprof_output){.path = below});
        expect(BINPROF_ERROR_IO, ELOOP, formats[i], &(binprof_output){.path = loop});
        assert_int_equal(files_count(directory), 2);
    }
    expect(BINPROF_ERROR_IO, EBADF, "collapsed", &(binprof_output){.fd = -1});
    (void)remove(file);
    (void)remove(loop);
}

/* Whether every format is refused the path, to somebody who may not do everything. */
static bool is_refused(const char *path)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const unsigned nobody = 65534;
        bool refused = geteuid() != 0 || (setgid(nobody) == 0 && setuid(nobody) == 0);
        for (size_t i = 0; i < 3; i++) {
            binprof_error error;
            refused &= export_to(formats[i], &(binprof_output){.path = path}, &error) ==
                           BINPROF_ERROR_IO &&
                       error.system_error == EACCES;
        }
        _exit(refused ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_no_permission(void **state)
{
    (void)state;
    char path[160];
    (void)snprintf(path, sizeof path, "%s/file", directory);
    assert_int_equal(chmod(directory, 0555), 0);
    assert_true(is_refused(path));
    assert_int_equal(chmod(directory, 0777), 0);
    files_write(path, "x", 1);
    assert_int_equal(chmod(path, 0444), 0);
    assert_true(is_refused(path));
    assert_int_equal(files_count(directory), 1);
    (void)remove(path);
}

static void test_closed_pipe(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(close(ends[0]), 0);
    (void)signal(SIGPIPE, SIG_IGN);
    expect(BINPROF_ERROR_IO, EPIPE, "collapsed", &(binprof_output){.fd = ends[1]});
    expect(BINPROF_ERROR_IO, EPIPE, "gecko", &(binprof_output){.fd = ends[1]});
    expect(BINPROF_ERROR_ARGUMENT, 0, "binary", &(binprof_output){.fd = ends[1]});
    (void)signal(SIGPIPE, SIG_DFL);
    assert_int_equal(close(ends[1]), 0);
}

static bool count_down(void *context)
{
    unsigned *left = context;
    if (*left == 0)
        return true;
    (*left)--;
    return false;
}

static void test_cancelled(void **state)
{
    (void)state;
    char path[128];
    (void)snprintf(path, sizeof path, "%s/file", directory);
    for (size_t i = 0; i < 3; i++) {
        for (unsigned n = 0;; n++) {
            unsigned left = n;
            binprof_output output = {.path = path, .cancelled = count_down, .context = &left};
            binprof_error error;
            binprof_status status = export_to(formats[i], &output, &error);
            if (status == BINPROF_OK)
                break;
            assert_int_equal(status, BINPROF_ERROR_CANCELLED);
            assert_int_equal(error.code, status);
            assert_int_equal(files_count(directory), 0);
        }
        (void)remove(path);
    }
}

/* A file whose inode another name shares, and one behind a link, are replaced without harm. */
static void test_links(void **state)
{
    (void)state;
    char path[128], hard[128], soft[128];
    (void)snprintf(path, sizeof path, "%s/file", directory);
    (void)snprintf(hard, sizeof hard, "%s/hard", directory);
    (void)snprintf(soft, sizeof soft, "%s/soft", directory);
    files_write(path, "old", 3);
    assert_int_equal(link(path, hard), 0);
    assert_int_equal(symlink("file", soft), 0);
    assert_int_equal(chmod(path, 0640), 0);
    expect(BINPROF_OK, 0, "collapsed", &(binprof_output){.path = soft});
    struct stat status;
    assert_int_equal(lstat(soft, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_true(status.st_size > 3);
    file_bytes kept = files_read(hard);
    assert_int_equal(kept.size, 3);
    free(kept.bytes);
    (void)remove(path);
    (void)remove(hard);
    (void)remove(soft);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_file_ends),
        cmocka_unit_test(test_short_reads_and_writes),
        cmocka_unit_test(test_interrupted_calls),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_places_that_cannot_be),
        cmocka_unit_test(test_no_permission),
        cmocka_unit_test(test_closed_pipe),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_links),
    };
    allocations_begin();
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
