/* What was found, as a table for people or as lines of JSON for programs. */
#include "bench/bench.h"

#include <inttypes.h>
#include <string.h>

/* What the house plan allows; see README.md. */
#define REPLAY_FLOORS 2.0
#define VIEW_FLOORS 3.0
#define COLLAPSED_FLOORS 2.5
#define COLLAPSED_BYTES_PER_NS 0.5
#define GECKO_FLOORS 3.5
#define GECKO_BYTES_PER_NS 0.3
#define WRITE_NS 25.0
#define WRITE_STRINGS_NS 600.0
#define WRITE_ZSTDS 1.1
#define AGAINST_RATIO 1.3
#define START_UP_MS 3.0

/* For fewer stack nodes, memory a node says nothing. */
#define MANY_NODES 50000

static double per_sample(uint64_t value, const bench_result *result)
{
    return result->samples == 0 ? 0 : (double)value / (double)result->samples;
}

static double ns_of(const bench_findings *findings, bench_job_kind kind)
{
    const bench_result *result = &findings->jobs[kind];
    return per_sample(result->ns, result);
}

/* How many ns a sample the job may take; 0 where nothing was said. */
static double allowed_ns(const bench_findings *findings, bench_job_kind kind)
{
    const bench_result *result = &findings->jobs[kind];
    double floor = ns_of(findings, BENCH_FLOOR);
    double bytes = per_sample(result->bytes, result);
    switch (kind) {
    case BENCH_REPLAY:
        return REPLAY_FLOORS * floor;
    case BENCH_FILTER:
    case BENCH_TOP:
    case BENCH_FLAMEGRAPH:
        return VIEW_FLOORS * floor;
    case BENCH_COLLAPSED:
        return COLLAPSED_FLOORS * floor + bytes / COLLAPSED_BYTES_PER_NS;
    case BENCH_GECKO:
        return GECKO_FLOORS * floor + bytes / GECKO_BYTES_PER_NS;
    case BENCH_WRITE:
        return WRITE_NS;
    case BENCH_WRITE_STRINGS:
        return WRITE_STRINGS_NS;
    case BENCH_WRITE_ZSTD:
        return WRITE_ZSTDS * ns_of(findings, BENCH_ZSTD_ALONE);
    default:
        return 0;
    }
}

static const bench_result *first_failure(const bench_findings *findings, const char **job)
{
    for (unsigned kind = 0; kind < BENCH_JOB_COUNT; kind++)
        if (findings->jobs[kind].failed) {
            *job = bench_job_name((bench_job_kind)kind);
            return &findings->jobs[kind];
        }
    for (unsigned kind = 0; kind < BENCH_PEER_JOB_COUNT; kind++)
        if (findings->peers[kind].failed) {
            *job = bench_peer_job_name((bench_peer_job)kind);
            return &findings->peers[kind];
        }
    return NULL;
}

/* The peak above what the floor needs for zstd and its buffers, where the job decodes too. */
static double own_peak(const bench_findings *findings, bench_job_kind kind)
{
    uint64_t peak = findings->jobs[kind].peak_bytes;
    uint64_t floor = kind <= BENCH_RECODE_ZSTD ? findings->jobs[BENCH_FLOOR].peak_bytes : 0;
    return peak > floor ? (double)(peak - floor) : 0;
}

static void print_number(const char *format, double value)
{
    if (value > 0)
        printf(format, value);
    else
        printf("%9s", "");
}

static void print_status(double ns, double allowed)
{
    const char *status = ns <= allowed ? "ok" : "over";
    print_number("%9.1f", allowed);
    printf(" %-4s", allowed > 0 ? status : "");
}

static void print_job(const bench_findings *findings, bench_job_kind kind)
{
    const bench_result *result = &findings->jobs[kind];
    if (!result->done)
        return;
    double ns = ns_of(findings, kind);
    double floor = ns_of(findings, BENCH_FLOOR);
    const bench_result *replay = &findings->jobs[BENCH_REPLAY];
    if (result->failed || ns <= 0) {
        printf("  %-15s    failed\n", bench_job_name(kind));
        return;
    }
    printf("  %-15s %9.1f", bench_job_name(kind), ns);
    print_number("%9.2f", floor > 0 ? ns / floor : 0);
    print_status(ns, allowed_ns(findings, kind));
    double bytes = bench_has_output(kind) ? (double)result->bytes : 0;
    print_number("%9.2f", bytes / 1e6);
    print_number("%9.0f", result->ns > 0 ? bytes * 1e3 / (double)result->ns : 0);
    double peak = own_peak(findings, kind);
    print_number("%9.2f", (double)result->peak_bytes / 1e6);
    print_number("%9.2f", result->samples > 0 ? peak / (double)result->samples : 0);
    print_number("%9.2f",
                 replay->stack_nodes >= MANY_NODES ? peak / (double)replay->stack_nodes : 0);
    double doubled = (double)findings->doubled_ns[kind];
    print_number("%9.2f", result->ns > 0 ? doubled / (double)result->ns : 0);
    printf("\n");
}

static void print_peer(const bench_findings *findings, bench_peer_job job)
{
    static const bench_job_kind ours[] = {BENCH_REPLAY, BENCH_COLLAPSED, BENCH_GECKO};
    const bench_result *result = &findings->peers[job];
    if (!result->done)
        return;
    double ns = per_sample(result->ns, result);
    double our_ns = ns_of(findings, ours[job]);
    printf("  CPython %-9s %7.0f", bench_peer_job_name(job), ns);
    printf("   %.0f times binprof's\n", our_ns > 0 ? ns / our_ns : 0);
}

static void print_text(const bench_findings *findings)
{
    const bench_result *replay = &findings->jobs[BENCH_REPLAY];
    printf("\n%s: %s; %" PRIu64 " samples, %" PRIu64 " threads, %" PRIu64 " stack nodes, %.2f MB\n",
           findings->input.name, findings->what, findings->input.samples, replay->threads,
           replay->stack_nodes, (double)findings->file_bytes / 1e6);
    printf("  %-15s %9s%9s%9s %-4s%9s%9s%9s%9s%9s%9s\n", "", "ns/sample", "x floor", "allowed", "",
           "out MB", "MB/s", "peak MB", "B/sample", "B/node", "2x size");
    for (unsigned kind = 0; kind < BENCH_JOB_COUNT; kind++)
        print_job(findings, (bench_job_kind)kind);
    for (unsigned job = 0; job < BENCH_PEER_JOB_COUNT; job++)
        print_peer(findings, (bench_peer_job)job);
}

static void print_json_job(const bench_findings *findings, const char *job,
                           const bench_result *result, double allowed, uint64_t doubled_ns)
{
    printf("{\"input\":\"%s\",\"job\":\"%s\",\"samples\":%" PRIu64 ",\"ns\":%" PRIu64
           ",\"ns_per_sample\":%.3f,\"allowed_ns_per_sample\":%.3f,\"output_bytes\":%" PRIu64
           ",\"peak_bytes\":%" PRIu64 ",\"stack_nodes\":%" PRIu64 ",\"threads\":%" PRIu64
           ",\"doubled_ns\":%" PRIu64 "}\n",
           findings->input.name, job, result->samples, result->ns, per_sample(result->ns, result),
           allowed, result->bytes, result->peak_bytes, findings->jobs[BENCH_REPLAY].stack_nodes,
           findings->jobs[BENCH_REPLAY].threads, doubled_ns);
}

static void print_json(const bench_findings *findings)
{
    for (unsigned kind = 0; kind < BENCH_JOB_COUNT; kind++)
        if (findings->jobs[kind].done)
            print_json_job(findings, bench_job_name((bench_job_kind)kind), &findings->jobs[kind],
                           allowed_ns(findings, (bench_job_kind)kind), findings->doubled_ns[kind]);
    for (unsigned job = 0; job < BENCH_PEER_JOB_COUNT; job++) {
        char name[32];
        (void)snprintf(name, sizeof name, "CPython %s", bench_peer_job_name((bench_peer_job)job));
        if (findings->peers[job].done)
            print_json_job(findings, name, &findings->peers[job], 0, 0);
    }
}

bool bench_report(const bench_findings *findings, bool json)
{
    const char *job = "";
    const bench_result *failure = first_failure(findings, &job);
    if (json)
        print_json(findings);
    else
        print_text(findings);
    if (failure != NULL)
        fprintf(stderr, "binprof-bench: %s: %s: %s\n", findings->input.name, job, failure->message);
    (void)fflush(stdout);
    return failure == NULL;
}

void bench_report_against(const bench_findings *findings, const bench_findings *other, bool json)
{
    double ours = ns_of(findings, BENCH_REPLAY);
    double theirs = ns_of(other, BENCH_REPLAY);
    double ratio = theirs > 0 ? ours / theirs : 0;
    if (json)
        printf("{\"input\":\"%s\",\"against\":\"%s\",\"ratio\":%.3f}\n", findings->input.name,
               other->input.name, ratio);
    else
        printf("%s: replay takes %.2f times what it takes for %s (allowed: %.1f) %s\n",
               findings->input.name, ratio, other->input.name, AGAINST_RATIO,
               ratio <= AGAINST_RATIO ? "ok" : "over");
}

void bench_report_start_up(const bench_result *result, const bench_result *empty, bool json)
{
    double ms = (double)result->ns / 1e6;
    double empty_ms = empty->failed ? 0 : (double)empty->ns / 1e6;
    if (json)
        printf("{\"start_up_ms\":%.3f,\"empty_program_ms\":%.3f}\n", ms, empty_ms);
    else
        printf(
            "start-up: a capture of one sample is converted within %.2f ms (allowed: %.0f) %s; a "
            "program that does nothing takes %.2f ms\n",
            ms, START_UP_MS, ms <= START_UP_MS ? "ok" : "over", empty_ms);
}

void bench_report_first_touch(double ns, bool json)
{
    if (json)
        printf("{\"first_touch_ns_per_kib\":%.1f}\n", ns);
    else
        printf("fresh memory: a KiB costs %.0f ns when it is touched for the first time\n", ns);
}
