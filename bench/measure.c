/* Children that do the work, so that every job meets fresh memory and its peak can be told. */
#include "bench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* A job that is shorter than this is repeated within its child. */
#define SHORTEST_NS UINT64_C(30000000)

void bench_fail(bench_result *result, const char *format, ...)
{
    if (result->failed)
        return;
    result->failed = true;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(result->message, sizeof result->message, format, arguments);
    va_end(arguments);
}

static uint64_t read_clock(clockid_t clock)
{
    struct timespec now = {.tv_sec = 0};
    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The processor's time that this process took: what others do meanwhile does not count. */
static uint64_t cpu_ns(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

/* Writes the child's result where the parent reads it. */
static void send_result(int fd, const bench_result *result)
{
    const char *next = (const char *)result;
    size_t left = sizeof *result;
    while (left > 0) {
        ssize_t sent = write(fd, next, left);
        if (sent <= 0)
            _exit(2);
        next += sent;
        left -= (size_t)sent;
    }
    _exit(0);
}

static bool receive_result(int fd, bench_result *result)
{
    char *next = (char *)result;
    size_t left = sizeof *result;
    while (left > 0) {
        ssize_t got = read(fd, next, left);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        next += got;
        left -= (size_t)got;
    }
    return true;
}

static volatile sig_atomic_t interrupted;
static volatile pid_t running_child;

static void on_signal(int signal_number)
{
    interrupted = signal_number;
    if (running_child > 0)
        (void)kill(running_child, SIGTERM);
}

void bench_catch_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

/* Forks; the child is ended by the signals that interrupt the parent. */
static pid_t fork_child(void)
{
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        (void)signal(SIGINT, SIG_DFL);
        (void)signal(SIGTERM, SIG_DFL);
    }
    if (child > 0)
        running_child = child;
    return child;
}

static uint64_t wait_for(pid_t child, bench_result *result)
{
    int status = 0;
    struct rusage usage;
    memset(&usage, 0, sizeof usage);
    pid_t waited;
    do
        waited = wait4(child, &status, 0, &usage);
    while (waited < 0 && errno == EINTR);
    running_child = 0;
    if (waited != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        bench_fail(result, "the child process ended with status %#x", (unsigned)status);
    return (uint64_t)usage.ru_maxrss * 1024;
}

void bench_in_child(void (*work)(void *context, bench_result *result), void *context,
                    bench_result *result)
{
    *result = (bench_result){.done = true};
    int fds[2];
    if (interrupted != 0) {
        bench_fail(result, "interrupted");
        return;
    }
    if (pipe(fds) != 0) {
        bench_fail(result, "pipe: %s", strerror(errno));
        return;
    }
    pid_t child = fork_child();
    if (child < 0) {
        bench_fail(result, "fork: %s", strerror(errno));
        (void)close(fds[0]);
        (void)close(fds[1]);
        return;
    }
    if (child == 0) {
        (void)close(fds[0]);
        work(context, result);
        send_result(fds[1], result);
    }
    (void)close(fds[1]);
    bool received = receive_result(fds[0], result);
    (void)close(fds[0]);
    result->peak_bytes = wait_for(child, result);
    if (!received)
        bench_fail(result, "the child process gave no result");
}

static void prepare(bench_job *job, bench_result *result)
{
    if (job->prepare != NULL)
        job->prepare(job, result);
}

/* Keeps freed memory for the next run, which then does not wait for the system to bring it. */
static void warm_up(bench_job *job, bench_result *result)
{
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_MAX, 0);
    (void)mallopt(M_TRIM_THRESHOLD, INT_MAX);
    (void)mallopt(M_TOP_PAD, 64 << 20);
#endif
    job->run(job, result);
}

static void time_job(void *context, bench_result *result)
{
    bench_job *job = context;
    prepare(job, result);
    if (job->warm && !result->failed)
        warm_up(job, result);
    uint64_t total = 0;
    result->ns = UINT64_MAX;
    while (total < SHORTEST_NS && !result->failed) {
        uint64_t start = cpu_ns();
        job->run(job, result);
        uint64_t took = cpu_ns() - start;
        if (took < result->ns)
            result->ns = took;
        total += took;
        if (job->once)
            break;
    }
}

void bench_time(bench_job *job, bench_result *result)
{
    bench_in_child(time_job, job, result);
}

/* Preparing may have taken more memory than it holds. Linux forgets the peak when it is asked to;
 * elsewhere the job's own peak may come out too low. */
static void forget_peak(void)
{
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t written = write(fd, "5", 1);
    (void)written;
    (void)close(fd);
}

static void only_prepare(void *context, bench_result *result)
{
    prepare(context, result);
    forget_peak();
}

static void prepare_and_run(void *context, bench_result *result)
{
    bench_job *job = context;
    prepare(job, result);
    forget_peak();
    if (!result->failed)
        job->run(job, result);
}

void bench_check(bench_job *job, bench_result *result)
{
    bench_result before;
    bench_in_child(only_prepare, job, &before);
    bench_in_child(prepare_and_run, job, result);
    uint64_t peak = result->peak_bytes;
    result->peak_bytes = peak > before.peak_bytes ? peak - before.peak_bytes : 0;
}

double bench_first_touch(void)
{
    const size_t size = (size_t)64 << 20;
    char *memory = malloc(size);
    if (memory == NULL)
        return 0;
    uint64_t start = cpu_ns();
    for (size_t i = 0; i < size; i += 1024)
        ((volatile char *)memory)[i] = 1;
    uint64_t took = cpu_ns() - start;
    free(memory);
    return (double)took / ((double)size / 1024);
}

/* Becomes the program, which must not print. */
static void become(const char *program, const char *path)
{
    int null = open("/dev/null", O_WRONLY);
    if (null < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
        _exit(126);
    (void)execlp(program, program, "--collapsed", "-o", "/dev/null", path, (char *)NULL);
    _exit(127);
}

void bench_start_up(const char *program, const char *path, unsigned repetitions,
                    bench_result *result)
{
    *result = (bench_result){.done = true, .ns = UINT64_MAX};
    for (unsigned i = 0; i < repetitions && !result->failed; i++) {
        uint64_t start = read_clock(CLOCK_MONOTONIC);
        pid_t child = fork_child();
        if (child == 0)
            become(program, path);
        if (child < 0) {
            bench_fail(result, "fork: %s", strerror(errno));
            return;
        }
        result->peak_bytes = wait_for(child, result);
        uint64_t took = read_clock(CLOCK_MONOTONIC) - start;
        if (took < result->ns)
            result->ns = took;
    }
    if (result->failed)
        bench_fail(result, "%s did not convert a capture", program);
}
