/* The interface, the table of formats, the counting collector. */
#include "support/recorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void formats_by_name_and_by_path(void **state)
{
    (void)state;
    bool gzip;
    assert_ptr_equal(binprof_format_by_name("collapsed"), binprof_format_at(0));
    assert_null(binprof_format_by_name("pdf"));
    assert_null(binprof_format_at(1000));
    assert_string_equal(binprof_format_by_path("a/b.json", &gzip)->name, "gecko");
    assert_false(gzip);
    assert_string_equal(binprof_format_by_path("b.json.gz", &gzip)->name, "gecko");
    assert_true(gzip);
    assert_string_equal(binprof_format_by_path("x.bin", &gzip)->name, "binary");
    assert_null(binprof_format_by_path("x.bin.gz", &gzip));
    assert_null(binprof_format_by_path(".json", &gzip));
    assert_null(binprof_format_by_path("json", &gzip));
}

static void gzip_is_for_text(void **state)
{
    (void)state;
    binprof_collector *collector;
    binprof_error error;
    binprof_collector_options options = {.gzip = true};
    assert_int_equal(
        binprof_format_open(binprof_format_by_name("binary"), &options, &collector, &error),
        BINPROF_ERROR_ARGUMENT);
    assert_null(collector);
}

static void counting(void **state)
{
    (void)state;
    binprof_collector *collector;
    assert_int_equal(binprof_counting_collector_open(&collector, NULL), BINPROF_OK);
    uint64_t times[600];
    uint8_t statuses[600];
    uint64_t with_bit_0 = 0;
    for (size_t i = 0; i < 600; i++) {
        times[i] = 100 + i;
        statuses[i] = (uint8_t)(i * 7);
        with_bit_0 += statuses[i] & 1;
    }
    binprof_run run = {2, 5, 600, times, statuses};
    assert_int_equal(binprof_collector_collect(collector, &run, NULL), BINPROF_OK);
    memset(statuses, 0x81, sizeof statuses);
    run.stack = BINPROF_EMPTY_STACK;
    assert_int_equal(binprof_collector_collect(collector, &run, NULL), BINPROF_OK);
    binprof_collector_collect_failed(collector);
    binprof_counts counts = binprof_counting_collector_counts(collector);
    assert_int_equal(counts.samples, 1200);
    assert_int_equal(counts.runs, 2);
    assert_int_equal(counts.failed, 1);
    assert_int_equal(counts.thread_count, 3);
    assert_int_equal(counts.threads[0].samples, 0);
    assert_int_equal(counts.threads[2].without_frames, 600);
    assert_int_equal(counts.threads[2].first_us, 100);
    assert_int_equal(counts.threads[2].last_us, 699);
    assert_int_equal(counts.threads[2].with_status[0], with_bit_0 + 600);
    assert_int_equal(counts.threads[2].with_status[7] >= 600, 1);
    assert_int_equal(binprof_collector_total_samples(collector), 1200);
    binprof_encoding encoding;
    assert_false(binprof_collector_stats(collector, &encoding));
    assert_int_equal(binprof_collector_export(collector, NULL), BINPROF_OK);
    binprof_collector_close(collector);
}

static void a_collector_with_one_function(void **state)
{
    (void)state;
    sample_recorder recorder;
    recorder_init(&recorder, BINPROF_PROFILE_DEFAULT);
    binprof_collector_collect_failed(&recorder.base);
    assert_int_equal(binprof_collector_total_samples(&recorder.base), 0);
    assert_int_equal(binprof_collector_export(&recorder.base, NULL), BINPROF_OK);
    binprof_collector_close(&recorder.base);
    binprof_collector_close(NULL);
    recorder_free(&recorder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_by_name_and_by_path),
        cmocka_unit_test(gzip_is_for_text),
        cmocka_unit_test(counting),
        cmocka_unit_test(a_collector_with_one_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
