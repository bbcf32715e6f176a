/* CPython beside us: the same file through its own reader and collectors. */
#include "bench/bench.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define COMMAND_MAX (3 * BENCH_PATH_MAX)

static const char *const job_names[BENCH_PEER_JOB_COUNT] = {
    [BENCH_PEER_REPLAY] = "replay",
    [BENCH_PEER_COLLAPSED] = "collapsed",
    [BENCH_PEER_GECKO] = "gecko",
};

const char *bench_peer_job_name(bench_peer_job job)
{
    return job_names[job];
}

static bool copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb");
    FILE *out = fopen(to, "wb");
    bool copied = in != NULL && out != NULL;
    char buffer[65536];
    size_t got;
    while (copied && (got = fread(buffer, 1, sizeof buffer, in)) > 0)
        copied = fwrite(buffer, 1, got, out) == got;
    copied = copied && ferror(in) == 0;
    if (in != NULL)
        (void)fclose(in);
    if (out != NULL && fclose(out) != 0)
        copied = false;
    return copied;
}

/* The script prints nanoseconds and samples. */
static void run_command(const char *command, bench_result *result)
{
    FILE *pipe = popen(command, "r");
    if (pipe == NULL) {
        bench_fail(result, "%s: %s", command, strerror(errno));
        return;
    }
    bool understood = fscanf(pipe, "%" SCNu64 " %" SCNu64, &result->ns, &result->samples) == 2;
    if (pclose(pipe) != 0 || !understood)
        bench_fail(result, "failed: %s", command);
}

static void run_in(const bench_peer *peer, bench_peer_job job, const char *script, const char *path,
                   unsigned repetitions, bench_result *result)
{
    char command[COMMAND_MAX];
    int length = snprintf(command, sizeof command, "%s '%s' %s '%s' %u </dev/null 2>/dev/null",
                          peer->command, script, job_names[job], path, repetitions);
    if (length < 0 || (size_t)length >= sizeof command)
        bench_fail(result, "the command is too long");
    else
        run_command(command, result);
}

/* Copies the script and the capture to where the command sees them. */
static void run_in_root(const bench_peer *peer, bench_peer_job job, const char *path,
                        unsigned repetitions, bench_result *result)
{
    char script[BENCH_PATH_MAX];
    char capture[BENCH_PATH_MAX];
    int script_length =
        snprintf(script, sizeof script, "%s/tmp/binprof-bench-%ld.py", peer->root, (long)getpid());
    int capture_length = snprintf(capture, sizeof capture, "%s/tmp/binprof-bench-%ld.bin",
                                  peer->root, (long)getpid());
    if (script_length >= BENCH_PATH_MAX || capture_length >= BENCH_PATH_MAX) {
        bench_fail(result, "the root's path is too long");
        return;
    }
    if (copy_file(BENCH_PEER_SCRIPT, script) && copy_file(path, capture))
        run_in(peer, job, script + strlen(peer->root), capture + strlen(peer->root), repetitions,
               result);
    else
        bench_fail(result, "cannot copy to %s/tmp", peer->root);
    (void)unlink(script);
    (void)unlink(capture);
}

void bench_peer_run(const bench_peer *peer, bench_peer_job job, const char *path,
                    unsigned repetitions, bench_result *result)
{
    *result = (bench_result){.done = true};
    if (peer->root != NULL)
        run_in_root(peer, job, path, repetitions, result);
    else
        run_in(peer, job, BENCH_PEER_SCRIPT, path, repetitions, result);
}
