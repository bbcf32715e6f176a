/* binprof-bench: how long everything takes and how much memory, beside the floor. See README.md. */
#include "bench/bench.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SMOKE_SAMPLES 2000
/* CPython takes minutes for more. */
#define PEER_SAMPLES_MAX 1200000
/* Of more, it takes long to see that twice as many take twice as long. */
#define DOUBLED_SAMPLES_MAX 5000000

typedef struct bench_options {
    bool smoke;
    bool full;
    bool json;
    bool warm;
    const char *only;
    const char *input;
    const char *captures;
    const char *convert; /* the tool binprof-convert */
    bench_peer peer;
    unsigned repetitions;
} bench_options;

/* Where everything is written. */
static char directory[BENCH_PATH_MAX / 2];
static char input_path[BENCH_PATH_MAX];
static char output_path[BENCH_PATH_MAX];
static char plain_path[BENCH_PATH_MAX];

/* Removes the directory with all that is in it, also what a child that was ended left. */
static void remove_directory(void)
{
    DIR *opened = opendir(directory);
    const struct dirent *entry;
    while (opened != NULL && (entry = readdir(opened)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(dirfd(opened), entry->d_name, 0);
    if (opened != NULL)
        (void)closedir(opened);
    (void)rmdir(directory);
}

static bool make_directory(void)
{
    const char *parent = getenv("TMPDIR");
    if (parent == NULL || strlen(parent) > sizeof directory / 2)
        parent = "/tmp";
    (void)snprintf(directory, sizeof directory, "%s/binprof-bench-XXXXXX", parent);
    if (mkdtemp(directory) == NULL) {
        fprintf(stderr, "binprof-bench: %s: %s\n", directory, strerror(errno));
        return false;
    }
    (void)snprintf(input_path, sizeof input_path, "%s/input.bin", directory);
    (void)snprintf(output_path, sizeof output_path, "%s/output", directory);
    (void)snprintf(plain_path, sizeof plain_path, "%s/plain.bin", directory);
    bench_catch_signals();
    return true;
}

/* Runs each job once, with its output in a file, to see that it does what it should. */
static void check_jobs(bench_findings *findings)
{
    for (unsigned i = 0; i < BENCH_JOB_COUNT; i++) {
        bench_job_kind kind = (bench_job_kind)i;
        bench_result *result = &findings->jobs[kind];
        const char *output = kind == BENCH_WRITE ? plain_path : output_path;
        bench_job job = bench_job_for(kind, &findings->input, output, plain_path);
        bench_check(&job, result);
        bench_check_output(kind, output, &findings->jobs[BENCH_REPLAY], result);
        (void)unlink(output_path);
        if (kind <= BENCH_RECODE_ZSTD && result->samples != findings->input.samples)
            bench_fail(result, "%llu samples, expected %llu", (unsigned long long)result->samples,
                       (unsigned long long)findings->input.samples);
    }
}

static void keep_fastest(uint64_t *fastest, const bench_result *timed)
{
    if (!timed->failed && (*fastest == 0 || timed->ns < *fastest))
        *fastest = timed->ns;
}

/* The repetitions go round all jobs, so that a disturbance meets them alike. Only this is timed,
 * and nothing is written to a disk. */
static void time_jobs(const bench_options *options, const bench_input *input, unsigned job_count,
                      const bench_findings *checked, uint64_t *ns)
{
    for (unsigned repetition = 0; repetition < options->repetitions; repetition++)
        for (unsigned kind = 0; kind < job_count; kind++) {
            bench_job job = bench_job_for((bench_job_kind)kind, input, "/dev/null", plain_path);
            job.once = options->smoke;
            job.warm = options->warm;
            bench_result timed;
            if (checked->jobs[kind].failed)
                continue;
            bench_time(&job, &timed);
            keep_fastest(&ns[kind], &timed);
        }
}

static void time_peer(const bench_options *options, bench_findings *findings)
{
    if (options->peer.command == NULL || findings->input.samples > PEER_SAMPLES_MAX)
        return;
    for (unsigned i = 0; i < BENCH_PEER_JOB_COUNT; i++) {
        bench_result *result = &findings->peers[i];
        bench_peer_run(&options->peer, (bench_peer_job)i, findings->input.path,
                       options->repetitions, result);
        if (!result->failed && result->samples != findings->input.samples)
            bench_fail(result, "CPython met %llu samples", (unsigned long long)result->samples);
    }
}

/* Sets what the capture says of itself. */
static bool open_input(bench_findings *findings)
{
    binprof_error error;
    binprof_reader *reader;
    if (binprof_reader_open(findings->input.path, &reader, &error) != BINPROF_OK) {
        fprintf(stderr, "binprof-bench: %s\n", error.message);
        return false;
    }
    const binprof_info *info = binprof_reader_info(reader);
    findings->input.samples = info->sample_count;
    findings->file_bytes = info->file_size;
    findings->data_bytes = info->data_size;
    binprof_reader_close(reader);
    return true;
}

static bool measure(const bench_options *options, bench_findings *findings)
{
    if (!open_input(findings))
        return false;
    check_jobs(findings);
    uint64_t ns[BENCH_JOB_COUNT] = {0};
    time_jobs(options, &findings->input, BENCH_JOB_COUNT, findings, ns);
    for (unsigned kind = 0; kind < BENCH_JOB_COUNT; kind++)
        findings->jobs[kind].ns = ns[kind];
    time_peer(options, findings);
    (void)unlink(plain_path);
    return true;
}

static bool make_input(const bench_options *options, const bench_shape *shape, uint64_t samples)
{
    bench_result made;
    bench_make(shape, options->captures, input_path, samples, &made);
    if (made.failed)
        fprintf(stderr, "binprof-bench: %s: cannot be made: %s\n", shape->name, made.message);
    return !made.failed;
}

/* Twice the samples should take twice the time. */
static bool measure_doubled(const bench_options *options, const bench_shape *shape,
                            bench_findings *findings)
{
    uint64_t samples = findings->input.samples;
    if (options->smoke || shape->make == NULL || samples > DOUBLED_SAMPLES_MAX)
        return true;
    if (!make_input(options, shape, 2 * samples))
        return false;
    time_jobs(options, &findings->input, BENCH_GECKO + 1, findings, findings->doubled_ns);
    return true;
}

static bool measure_shape(const bench_options *options, const bench_shape *shape,
                          bench_findings *findings)
{
    *findings = (bench_findings){.input = {.name = shape->name, .is_real = shape->source != NULL},
                                 .what = shape->what,
                                 .against = shape->against};
    uint64_t samples = options->smoke ? SMOKE_SAMPLES : shape->samples;
    if (shape->make == NULL)
        (void)snprintf(findings->input.path, sizeof findings->input.path, "%s/%s",
                       options->captures, shape->source);
    else
        (void)snprintf(findings->input.path, sizeof findings->input.path, "%s", input_path);
    if (shape->make != NULL && !make_input(options, shape, samples))
        return false;
    bool measured = measure(options, findings) && measure_doubled(options, shape, findings);
    (void)unlink(input_path);
    return bench_report(findings, options->json) && measured;
}

static const bench_findings *find(const bench_findings *findings, const char *name)
{
    for (size_t i = 0; i < bench_shape_count; i++)
        if (findings[i].input.name != NULL && strcmp(findings[i].input.name, name) == 0)
            return &findings[i];
    return NULL;
}

static bool is_wanted(const bench_options *options, const bench_shape *shape)
{
    if (options->only != NULL && strcmp(shape->name, options->only) == 0)
        return true;
    if (options->only != NULL && strstr(shape->name, options->only) == NULL)
        return false;
    if (options->smoke && shape->make == NULL)
        return false;
    return options->full || !shape->full_only;
}

static bool measure_shapes(const bench_options *options)
{
    bench_findings *findings = calloc(bench_shape_count, sizeof *findings);
    bool good = findings != NULL;
    for (size_t i = 0; i < bench_shape_count && findings != NULL; i++)
        if (is_wanted(options, &bench_shapes[i]))
            good &= measure_shape(options, &bench_shapes[i], &findings[i]);
    if (!options->json)
        printf("\n");
    for (size_t i = 0; i < bench_shape_count && findings != NULL; i++) {
        const char *against = findings[i].against;
        const bench_findings *other = against == NULL ? NULL : find(findings, against);
        if (other != NULL)
            bench_report_against(&findings[i], other, options->json);
    }
    free(findings);
    return good;
}

static bool measure_file(const bench_options *options)
{
    bench_findings findings = {.input = {.name = options->input, .is_real = true}, .what = "file"};
    (void)snprintf(findings.input.path, sizeof findings.input.path, "%s", options->input);
    return measure(options, &findings) && bench_report(&findings, options->json);
}

static bool measure_start_up(const bench_options *options)
{
    const bench_shape *shape = &bench_shapes[bench_shape_count - 1];
    unsigned repetitions = options->smoke ? 1 : 200;
    bench_result result;
    bench_result empty;
    if (options->convert == NULL || access(options->convert, X_OK) != 0)
        return true;
    if (!make_input(options, shape, 1))
        return false;
    bench_start_up("true", input_path, repetitions, &empty);
    bench_start_up(options->convert, input_path, repetitions, &result);
    if (result.failed)
        fprintf(stderr, "binprof-bench: start-up: %s\n", result.message);
    else
        bench_report_start_up(&result, &empty, options->json);
    return !result.failed;
}

static void print_help(void)
{
    printf("Usage: binprof-bench [OPTION]...\n"
           "Measures binprof on recorded captures and on shapes that are hard to decode.\n\n"
           "  --smoke            a few seconds, to see that everything works\n"
           "  --full             also captures of 100 million samples\n"
           "  --only NAME        only the inputs whose name contains NAME\n"
           "  --input FILE       only this capture\n"
           "  --warm             leave out what fresh memory costs\n"
           "  --repetitions N    of which the fastest counts (5)\n"
           "  --python COMMAND   CPython 3.15 to compare with, also with words before it\n"
           "  --python-root DIR  the directory that is / for that command\n"
           "  --convert PATH     the tool binprof-convert, to measure its start-up\n"
           "  --captures DIR     where the recorded captures are\n"
           "  --json             a line of JSON for each number\n"
           "  --help\n\n"
           "Inputs:\n");
    for (size_t i = 0; i < bench_shape_count; i++)
        printf("  %-14s %s%s\n", bench_shapes[i].name, bench_shapes[i].what,
               bench_shapes[i].full_only ? " (--full)" : "");
}

static bool set_option(bench_options *options, int letter)
{
    switch (letter) {
    case 's':
        options->smoke = true;
        options->repetitions = 1;
        return true;
    case 'f':
        options->full = true;
        return true;
    case 'w':
        options->warm = true;
        return true;
    case 'j':
        options->json = true;
        return true;
    case 'o':
        options->only = optarg;
        return true;
    case 'i':
        options->input = optarg;
        return true;
    case 'r':
        options->repetitions = (unsigned)strtoul(optarg, NULL, 10);
        return options->repetitions > 0;
    case 'p':
        options->peer.command = optarg;
        return true;
    case 'P':
        options->peer.root = optarg;
        return true;
    case 'c':
        options->convert = optarg;
        return true;
    case 'C':
        options->captures = optarg;
        return true;
    default:
        return false;
    }
}

static bool parse(bench_options *options, int argc, char **argv)
{
    static const struct option known[] = {
        {"smoke", no_argument, NULL, 's'},
        {"full", no_argument, NULL, 'f'},
        {"json", no_argument, NULL, 'j'},
        {"warm", no_argument, NULL, 'w'},
        {"only", required_argument, NULL, 'o'},
        {"input", required_argument, NULL, 'i'},
        {"repetitions", required_argument, NULL, 'r'},
        {"python", required_argument, NULL, 'p'},
        {"python-root", required_argument, NULL, 'P'},
        {"convert", required_argument, NULL, 'c'},
        {"captures", required_argument, NULL, 'C'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int letter;
    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (letter == 'h') {
            print_help();
            exit(0);
        }
        if (!set_option(options, letter))
            return false;
    }
    return optind == argc;
}

int main(int argc, char **argv)
{
    bench_options options = {.captures = BENCH_CAPTURES, .repetitions = 5};
    if (!parse(&options, argc, argv)) {
        fprintf(stderr, "binprof-bench: see --help\n");
        return 2;
    }
    if (!make_directory())
        return 1;
    bool good = options.input != NULL ? measure_file(&options) : measure_shapes(&options);
    good &= measure_start_up(&options);
    if (!options.smoke)
        bench_report_first_touch(bench_first_touch(), options.json);
    remove_directory();
    return good ? 0 : 1;
}
