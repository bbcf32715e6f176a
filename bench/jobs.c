/* The jobs by name, and whether their outputs hold what went in. */
#include "bench/bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct job_kind {
    const char *name;
    void (*prepare)(bench_job *job, bench_result *result);
    void (*run)(bench_job *job, bench_result *result);
} job_kind;

static const job_kind job_kinds[BENCH_JOB_COUNT] = {
    [BENCH_FLOOR] = {"floor", NULL, bench_floor_run},
    [BENCH_REPLAY] = {"replay", NULL, bench_replay_run},
    [BENCH_FILTER] = {"filter", NULL, bench_filter_run},
    [BENCH_TOP] = {"top", NULL, bench_top_run},
    [BENCH_FLAMEGRAPH] = {"flamegraph", NULL, bench_flamegraph_run},
    [BENCH_COLLAPSED] = {"collapsed", NULL, bench_collapsed_run},
    [BENCH_GECKO] = {"gecko", NULL, bench_gecko_run},
    [BENCH_RECODE_PLAIN] = {"re-encode", NULL, bench_recode_plain_run},
    [BENCH_RECODE_ZSTD] = {"re-encode zstd", NULL, bench_recode_zstd_run},
    [BENCH_WRITE] = {"write", bench_write_prepare, bench_write_run},
    [BENCH_WRITE_STRINGS] = {"write strings", bench_write_prepare, bench_write_strings_run},
    [BENCH_WRITE_ZSTD] = {"write zstd", bench_write_prepare, bench_write_zstd_run},
    [BENCH_ZSTD_ALONE] = {"zstd alone", bench_zstd_alone_prepare, bench_zstd_alone_run},
};

const char *bench_job_name(bench_job_kind kind)
{
    return job_kinds[kind].name;
}

bench_job bench_job_for(bench_job_kind kind, const bench_input *input, const char *output,
                        const char *plain)
{
    return (bench_job){.input = input,
                       .output = output,
                       .plain = plain,
                       .prepare = job_kinds[kind].prepare,
                       .run = job_kinds[kind].run};
}

/* The sum of the numbers that end the lines. */
static uint64_t sum_lines(FILE *file)
{
    uint64_t sum = 0;
    uint64_t number = 0;
    int c;
    while ((c = getc_unlocked(file)) != EOF) {
        if (c >= '0' && c <= '9') {
            number = number * 10 + (uint64_t)(c - '0');
            continue;
        }
        if (c == '\n')
            sum += number;
        number = 0;
    }
    return sum;
}

/* The sum of the lengths of all tables of samples. */
static uint64_t sum_sample_tables(FILE *file)
{
    static const char key[] = "\"weightType\":\"samples\",\"length\":";
    uint64_t sum = 0;
    size_t matched = 0;
    int c = getc_unlocked(file);
    while (c != EOF) {
        matched = c == key[matched] ? matched + 1 : c == key[0];
        c = getc_unlocked(file);
        if (matched < sizeof key - 1)
            continue;
        matched = 0;
        uint64_t number = 0;
        for (; c >= '0' && c <= '9'; c = getc_unlocked(file))
            number = number * 10 + (uint64_t)(c - '0');
        sum += number;
    }
    return sum;
}

static void expect(bench_result *result, const char *what, uint64_t found, uint64_t expected)
{
    if (found != expected)
        bench_fail(result, "%s: %" PRIu64 " samples, expected %" PRIu64, what, found, expected);
}

static void count_capture(void *context, bench_result *result)
{
    bench_input input = {.name = "output"};
    (void)snprintf(input.path, sizeof input.path, "%s", (const char *)context);
    bench_job job = {.input = &input};
    bench_replay_run(&job, result);
}

/* Reads back a capture that was written. */
static void check_capture(const char *path, const bench_result *replay, bench_result *result)
{
    char copy[BENCH_PATH_MAX];
    (void)snprintf(copy, sizeof copy, "%s", path);
    bench_result back;
    bench_in_child(count_capture, copy, &back);
    if (back.failed)
        bench_fail(result, "%s", back.message);
    expect(result, "what was written", back.samples, result->samples);
    if (result->samples == replay->samples && back.threads != replay->threads)
        bench_fail(result, "what was written: %" PRIu64 " threads, expected %" PRIu64, back.threads,
                   replay->threads);
}

static void check_text(bench_job_kind kind, FILE *file, const bench_result *replay,
                       bench_result *result)
{
    if (kind == BENCH_COLLAPSED)
        expect(result, "collapsed", sum_lines(file), replay->samples - replay->without_frames);
    /* Rows that mark gaps come on top. */
    uint64_t rows = kind == BENCH_GECKO ? sum_sample_tables(file) : 0;
    if (kind == BENCH_GECKO && rows < replay->shown_samples)
        expect(result, "gecko", rows, replay->shown_samples);
}

bool bench_has_output(bench_job_kind kind)
{
    return kind > BENCH_TOP;
}

void bench_check_output(bench_job_kind kind, const char *path, const bench_result *replay,
                        bench_result *result)
{
    struct stat status;
    if (result->failed || !bench_has_output(kind))
        return;
    if (stat(path, &status) != 0) {
        bench_fail(result, "no output");
        return;
    }
    result->bytes = (uint64_t)status.st_size;
    if (kind == BENCH_ZSTD_ALONE || kind == BENCH_FLAMEGRAPH)
        return;
    if (kind != BENCH_COLLAPSED && kind != BENCH_GECKO) {
        check_capture(path, replay, result);
        return;
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        bench_fail(result, "cannot read the output");
        return;
    }
    check_text(kind, file, replay, result);
    (void)fclose(file);
}
