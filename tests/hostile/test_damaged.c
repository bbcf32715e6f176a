/* Real captures, cut short and with single bytes changed. */
#include "everything.h"
#include "support/allocations.h"
#include "support/files.h"

#include <binprof/binprof.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Captures up to this size are damaged at every byte. */
#define SMALL ((size_t)512)
/* Of others, so many bytes, except where the environment has BINPROF_HOSTILE_ALL, which takes an
 * hour. */
#define PLACES 24

/* Captures that are larger take long to use at all, and hold nothing that smaller ones do not. */
#define LARGEST ((size_t)64 * 1024)

static size_t next_place(size_t place, size_t size)
{
    if (size <= SMALL || getenv("BINPROF_HOSTILE_ALL") != NULL)
        return place + 1;
    return place + size / PLACES;
}

/* A capture of its very length, so that a sanitizer sees every byte read beyond it. */
static binprof_status use_exactly(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    binprof_status status = everything_use(copy, size, NULL);
    free(copy);
    return status;
}

static void cut(const char *path, const char *name, void *context)
{
    (void)context;
    file_bytes capture = files_read(path);
    if (capture.size <= LARGEST) {
        for (size_t size = 1; size < capture.size; size = next_place(size, capture.size)) {
            binprof_status status = use_exactly(capture.bytes, size);
            if (status != BINPROF_ERROR_TRUNCATED && status != BINPROF_ERROR_FORMAT)
                fail_msg("%s cut to %zu bytes: status %d", name, size, status);
        }
        /* With bytes after the end there is no footer where it should be. */
        capture.bytes[capture.size] = 0;
        assert_int_not_equal(use_exactly(capture.bytes, capture.size + 1), BINPROF_OK);
    }
    free(capture.bytes);
}

static void change(const char *path, const char *name, void *context)
{
    (void)name;
    (void)context;
    file_bytes capture = files_read(path);
    for (size_t i = 0; capture.size <= LARGEST && i < capture.size;
         i = next_place(i, capture.size)) {
        uint8_t was = capture.bytes[i];
        uint8_t values[] = {0x00, 0xff, was ^ 0x80, was ^ 0x01, (uint8_t)(was + 1)};
        for (size_t j = 0; j < sizeof values; j++) {
            if (values[j] == was)
                continue;
            capture.bytes[i] = values[j];
            (void)use_exactly(capture.bytes, capture.size);
        }
        capture.bytes[i] = was;
    }
    free(capture.bytes);
}

static void use_whole(const char *path, const char *name, void *context)
{
    (void)name;
    (void)context;
    file_bytes capture = files_read(path);
    if (capture.size <= LARGEST) {
        binprof_status status = use_exactly(capture.bytes, capture.size);
        bool is_unsupported = status == BINPROF_ERROR_UNSUPPORTED && !binprof_has_zstd();
        assert_true(status == BINPROF_OK || is_unsupported);
    }
    free(capture.bytes);
}

static void test_whole(void **state)
{
    (void)state;
    files_each_capture(use_whole, NULL);
}

static void test_cut(void **state)
{
    (void)state;
    files_each_capture(cut, NULL);
}

static void test_changed(void **state)
{
    (void)state;
    files_each_capture(change, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_changed),
    };
    allocations_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
