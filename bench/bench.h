/* The benchmark's parts: inputs are made, jobs are done on them in child processes, and what the
 * jobs took is reported. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <binprof/binprof.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define BENCH_PATH_MAX 4096

typedef enum bench_job_kind {
    BENCH_FLOOR,
    BENCH_REPLAY,
    BENCH_FILTER, /* replay through a filter that looks at everything */
    BENCH_TOP,    /* sums by function */
    BENCH_FLAMEGRAPH,
    BENCH_COLLAPSED,
    BENCH_GECKO,
    BENCH_RECODE_PLAIN,
    BENCH_RECODE_ZSTD,
    BENCH_WRITE,         /* frames interned beforehand, not compressed */
    BENCH_WRITE_STRINGS, /* frames as strings, not compressed */
    BENCH_WRITE_ZSTD,    /* frames interned beforehand, compressed */
    BENCH_ZSTD_ALONE,    /* the sample data of BENCH_WRITE, compressed */
    BENCH_JOB_COUNT
} bench_job_kind;

/* What a job did and took. */
typedef struct bench_result {
    bool done;
    bool failed;
    char message[256]; /* what failed */
    uint64_t ns;       /* of the fastest repetition */
    uint64_t samples;
    uint64_t without_frames; /* samples */
    uint64_t shown_samples;  /* of threads that have any frame */
    uint64_t threads;
    uint64_t stack_nodes;
    uint64_t bytes;      /* that came out */
    uint64_t peak_bytes; /* of memory, above what the process had before */
} bench_result;

/* A capture to work on. */
typedef struct bench_input {
    const char *name;
    bool is_real; /* recorded or grown from a recorded one: the allowances were made for these */
    char path[BENCH_PATH_MAX];
    uint64_t samples; /* from its header */
} bench_input;

/* Marks the result as failed. */
void bench_fail(bench_result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* measure.c: a job is prepared and run in a child of its own, so that it meets fresh memory and its
 * peak can be told. */
typedef struct bench_job {
    const bench_input *input;
    const char *output; /* path of the output */
    const char *plain;  /* path of the file that BENCH_ZSTD_ALONE compresses */
    void *state;        /* of the job, from prepare */
    bool once;          /* however short it is */
    bool warm;          /* in memory that was used before */
    void (*prepare)(struct bench_job *job, bench_result *result);
    void (*run)(struct bench_job *job, bench_result *result);
} bench_job;

/* Runs the job, short ones often, and stores what the fastest time was. */
void bench_time(bench_job *job, bench_result *result);

/* Runs the job once and stores everything but the time. */
void bench_check(bench_job *job, bench_result *result);

/* Runs a function in a child that stores its own result. */
void bench_in_child(void (*work)(void *context, bench_result *result), void *context,
                    bench_result *result);

/* floor.c */
void bench_floor_run(bench_job *job, bench_result *result);

/* convert.c: replay into collectors. */
void bench_replay_run(bench_job *job, bench_result *result);
void bench_filter_run(bench_job *job, bench_result *result);
void bench_top_run(bench_job *job, bench_result *result);
void bench_flamegraph_run(bench_job *job, bench_result *result);
void bench_collapsed_run(bench_job *job, bench_result *result);
void bench_gecko_run(bench_job *job, bench_result *result);
void bench_recode_plain_run(bench_job *job, bench_result *result);
void bench_recode_zstd_run(bench_job *job, bench_result *result);

/* write.c: samples from memory into the writer. */
void bench_write_prepare(bench_job *job, bench_result *result);
void bench_write_run(bench_job *job, bench_result *result);
void bench_write_strings_run(bench_job *job, bench_result *result);
void bench_write_zstd_run(bench_job *job, bench_result *result);
void bench_zstd_alone_prepare(bench_job *job, bench_result *result);
void bench_zstd_alone_run(bench_job *job, bench_result *result);

/* jobs.c */
const char *bench_job_name(bench_job_kind kind);
bool bench_has_output(bench_job_kind kind);
bench_job bench_job_for(bench_job_kind kind, const bench_input *input, const char *output,
                        const char *plain);

/* Checks the file that the job wrote against the samples that the capture holds. */
void bench_check_output(bench_job_kind kind, const char *path, const bench_result *replay,
                        bench_result *result);

/* shapes.c: captures that are made. */
typedef struct bench_maker bench_maker;

typedef struct bench_shape {
    const char *name;
    const char *what;   /* one line */
    const char *source; /* the recorded capture that it is grown from; NULL: made of nothing */
    uint64_t samples;   /* 0: the capture as it is */
    bool is_plain;      /* not compressed, where zstd would hide the rest */
    bool full_only;
    const char *against; /* the shape whose times it should have, or NULL */
    binprof_status (*make)(bench_maker *maker, uint64_t samples, binprof_error *error);
} bench_shape;

extern const bench_shape bench_shapes[];
extern const size_t bench_shape_count;

/* Makes a capture of this shape at path. */
void bench_make(const bench_shape *shape, const char *captures, const char *path, uint64_t samples,
                bench_result *result);

/* peer.c: CPython beside us. */
typedef enum bench_peer_job {
    BENCH_PEER_REPLAY, /* into a collector that does nothing */
    BENCH_PEER_COLLAPSED,
    BENCH_PEER_GECKO,
    BENCH_PEER_JOB_COUNT
} bench_peer_job;

typedef struct bench_peer {
    const char *command; /* words for a shell; NULL: none */
    const char *root;    /* the directory that is / for the command, or NULL */
} bench_peer;

const char *bench_peer_job_name(bench_peer_job job);

void bench_peer_run(const bench_peer *peer, bench_peer_job job, const char *path,
                    unsigned repetitions, bench_result *result);

/* measure.c: an interrupted benchmark fails, job by job, and ends as always. */
void bench_catch_signals(void);

/* How many ns a KiB costs when it is touched for the first time. Where that is much, it
 * is most of what jobs with much memory take. */
double bench_first_touch(void);

/* Start-up of a program, the fastest fork, exec and exit on the capture. */
void bench_start_up(const char *program, const char *path, unsigned repetitions,
                    bench_result *result);

/* report.c */
typedef struct bench_findings {
    bench_input input;
    const char *what;
    const char *against; /* see bench_shape */
    uint64_t file_bytes;
    uint64_t data_bytes; /* as they are in the file */
    bench_result jobs[BENCH_JOB_COUNT];
    uint64_t doubled_ns[BENCH_JOB_COUNT]; /* of twice as many samples; 0: not measured */
    bench_result peers[BENCH_PEER_JOB_COUNT];
} bench_findings;

/* Prints what was found on one input; returns whether everything went well. */
bool bench_report(const bench_findings *findings, bool json);

/* Prints how the times of one input are to those of another of the same samples. */
void bench_report_against(const bench_findings *findings, const bench_findings *other, bool json);

/* empty: of a program that does nothing. */
void bench_report_start_up(const bench_result *result, const bench_result *empty, bool json);
void bench_report_first_touch(double ns, bool json);

#endif
