/* Captures that are made: grown from recorded ones, and shapes that a decoder could be bad at. */
#include "bench/bench.h"

#include <inttypes.h>
#include <stdlib.h>

#define INTERVAL_US 1000
#define START_US UINT64_C(5000000000)
#define MOST_DEPTH 200

struct bench_maker {
    binprof_profile *profile;
    binprof_writer *writer;
    const char *source; /* path of the recorded capture */
    uint64_t random;
    uint32_t *frames; /* ids of the frames that stacks are made of */
    uint32_t frame_count;
    uint32_t *threads;
    uint32_t thread_count;
};

/* xorshift: the same numbers everywhere. */
static uint32_t random_below(bench_maker *maker, uint32_t limit)
{
    maker->random ^= maker->random << 13;
    maker->random ^= maker->random >> 7;
    maker->random ^= maker->random << 17;
    return (uint32_t)((maker->random >> 32) * limit >> 32);
}

static binprof_status need_frames(bench_maker *maker, uint32_t count, binprof_error *error)
{
    maker->frames = malloc(count * sizeof *maker->frames);
    if (maker->frames == NULL)
        return BINPROF_ERROR_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        char file[64];
        char function[64];
        (void)snprintf(file, sizeof file, "/srv/app/package_%" PRIu32 "/module_%" PRIu32 ".py",
                       i / 1000, i / 50);
        (void)snprintf(function, sizeof function, "function_%" PRIu32, i / 4);
        binprof_status status = binprof_profile_intern_line(
            maker->profile, file, function, (int32_t)(i % 1000 + 1), &maker->frames[i], error);
        if (status != BINPROF_OK)
            return status;
    }
    maker->frame_count = count;
    return BINPROF_OK;
}

static binprof_status need_threads(bench_maker *maker, uint32_t count, binprof_error *error)
{
    maker->threads = malloc(count * sizeof *maker->threads);
    if (maker->threads == NULL)
        return BINPROF_ERROR_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        /* Thread ids are addresses on Linux. */
        binprof_status status = binprof_profile_intern_thread(
            maker->profile, UINT64_C(0x7f0000000000) + (uint64_t)i * 0x21000, 0, &maker->threads[i],
            error);
        if (status != BINPROF_OK)
            return status;
    }
    maker->thread_count = count;
    return BINPROF_OK;
}

static binprof_status need(bench_maker *maker, uint32_t frames, uint32_t threads,
                           binprof_error *error)
{
    binprof_status status = need_frames(maker, frames, error);
    return status == BINPROF_OK ? need_threads(maker, threads, error) : status;
}

/* Takes a sample of a thread in a round of the sampler. */
static binprof_status take(bench_maker *maker, uint32_t thread, const uint32_t *frames,
                           size_t depth, uint64_t round, uint8_t status, binprof_error *error)
{
    uint64_t time_us = START_US + round * INTERVAL_US + random_below(maker, 100);
    return binprof_writer_collect(maker->writer, maker->threads[thread], frames, depth, time_us,
                                  status, error);
}

static const uint8_t running = BINPROF_STATUS_HAS_GIL | BINPROF_STATUS_UNKNOWN;

/* Four threads that hardly ever change their stacks. */
static binprof_status make_repeats(bench_maker *maker, uint64_t samples, bool statuses_change,
                                   binprof_error *error)
{
    uint32_t stack[20];
    binprof_status status = need(maker, 1000, 4, error);
    for (uint64_t i = 0; i < samples && status == BINPROF_OK; i++) {
        if (i % 100000 == 0)
            for (size_t j = 0; j < 20; j++)
                stack[j] = maker->frames[random_below(maker, maker->frame_count)];
        uint32_t bits = random_below(maker, 64);
        uint8_t state = statuses_change ? (uint8_t)bits : running;
        status = take(maker, (uint32_t)(i % 4), stack, 20, i / 4, state, error);
    }
    return status;
}

static binprof_status make_still(bench_maker *maker, uint64_t samples, binprof_error *error)
{
    return make_repeats(maker, samples, false, error);
}

static binprof_status make_statuses(bench_maker *maker, uint64_t samples, binprof_error *error)
{
    return make_repeats(maker, samples, true, error);
}

/* Stacks of random frames: no two share even their outermost ones, so that all records are full. */
static binprof_status make_deep_new(bench_maker *maker, uint64_t samples, binprof_error *error)
{
    uint32_t stack[MOST_DEPTH];
    binprof_status status = need(maker, 5000, 1, error);
    for (uint64_t i = 0; i < samples && status == BINPROF_OK; i++) {
        for (size_t j = 0; j < MOST_DEPTH; j++)
            stack[j] = maker->frames[random_below(maker, maker->frame_count)];
        status = take(maker, 0, stack, MOST_DEPTH, i, running, error);
    }
    return status;
}

/* Deep stacks that share nothing, from a set of `set_size` that returns in no order. */
static binprof_status make_deep_set(bench_maker *maker, uint64_t samples, uint32_t set_size,
                                    binprof_error *error)
{
    uint32_t stack[MOST_DEPTH];
    binprof_status status = need(maker, 5000, 1, error);
    for (uint64_t i = 0; i < samples && status == BINPROF_OK; i++) {
        uint32_t member = random_below(maker, set_size);
        uint64_t random = maker->random;
        maker->random = (member + 1) * UINT64_C(0x9e3779b97f4a7c15);
        for (size_t j = 0; j < MOST_DEPTH; j++)
            stack[j] = maker->frames[random_below(maker, maker->frame_count)];
        maker->random = random;
        status = take(maker, 0, stack, MOST_DEPTH, i, running, error);
    }
    return status;
}

static binprof_status make_deep_few(bench_maker *maker, uint64_t samples, binprof_error *error)
{
    return make_deep_set(maker, samples, 1000, error);
}

static binprof_status make_deep_many(bench_maker *maker, uint64_t samples, binprof_error *error)
{
    return make_deep_set(maker, samples, 20000, error);
}

/* Threads that all do the same: some frames stay, three change with every second sample. */
static binprof_status make_threads(bench_maker *maker, uint64_t samples, uint32_t threads,
                                   bool in_order, binprof_error *error)
{
    uint32_t stack[12];
    binprof_status status = need(maker, 1000, threads, error);
    for (uint64_t i = 0; i < samples && status == BINPROF_OK; i++) {
        uint64_t round = i / threads;
        uint32_t thread = in_order ? (uint32_t)(i % threads) : random_below(maker, threads);
        for (size_t j = 0; j < 12; j++)
            stack[j] = maker->frames[j < 3 ? 100 + round / 2 % 50 * 10 + j : j];
        status = take(maker, thread, stack, 12, round, running, error);
    }
    return status;
}

static binprof_status make_threads_4(bench_maker *maker, uint64_t samples, binprof_error *error)
{
    return make_threads(maker, samples, 4, true, error);
}

static binprof_status make_threads_20000(bench_maker *maker, uint64_t samples, binprof_error *error)
{
    return make_threads(maker, samples, 20000, true, error);
}

static binprof_status make_random_4(bench_maker *maker, uint64_t samples, binprof_error *error)
{
    return make_threads(maker, samples, 4, false, error);
}

static binprof_status make_random_20000(bench_maker *maker, uint64_t samples, binprof_error *error)
{
    return make_threads(maker, samples, 20000, false, error);
}

/* Stacks that share their outer half, with leaves out of 100,000 frames. */
static binprof_status make_frames(bench_maker *maker, uint64_t samples, binprof_error *error)
{
    uint32_t stack[10];
    binprof_status status = need(maker, 100000, 1, error);
    for (uint64_t i = 0; i < samples && status == BINPROF_OK; i++) {
        uint32_t leaf = random_below(maker, maker->frame_count);
        for (uint32_t j = 0; j < 10; j++)
            stack[j] = maker->frames[j >= 5 ? j : (leaf + j * 7919) % maker->frame_count];
        status = take(maker, 0, stack, 10, i, running, error);
    }
    return status;
}

/* A recursion that goes one frame deeper with each sample, to the deepest stack that is written,
 * and begins anew by another way. */
static binprof_status make_growing(bench_maker *maker, uint64_t samples, binprof_error *error)
{
    uint32_t stack[BINPROF_WRITER_MAX_DEPTH];
    binprof_status status = need(maker, 5000, 1, error);
    uint32_t way = 0;
    for (uint64_t i = 0; i < samples && status == BINPROF_OK; i++) {
        uint32_t depth = (uint32_t)(i % BINPROF_WRITER_MAX_DEPTH) + 1;
        if (depth == 1)
            way = random_below(maker, maker->frame_count);
        for (uint32_t j = 0; j < depth; j++)
            stack[depth - 1 - j] = maker->frames[(way + j * (way | 1)) % maker->frame_count];
        status = take(maker, 0, stack, depth, i, running, error);
    }
    return status;
}

/* Two threads take turns, and each takes turns between two stacks. */
static binprof_status make_alternating(bench_maker *maker, uint64_t samples, binprof_error *error)
{
    uint32_t stack[30];
    binprof_status status = need(maker, 1000, 2, error);
    for (uint64_t i = 0; i < samples && status == BINPROF_OK; i++) {
        uint64_t round = i / 2;
        for (uint32_t j = 0; j < 30; j++)
            stack[j] = maker->frames[j < 5 ? 100 + round % 2 * 10 + j : j + i % 2 * 50];
        status = take(maker, (uint32_t)(i % 2), stack, 30, round, running, error);
    }
    return status;
}

/* Stands between a reader and a writer, and moves the samples to a later time. Each time round the
 * clock runs a little slower than before, for zstd would find again what came before to the byte.
 */
typedef struct shifter {
    binprof_collector base;
    bench_maker *maker;
    uint64_t start_us;   /* of the recorded capture */
    uint64_t shift_us;   /* of this time round */
    uint64_t slowness;   /* of the clock, in 1024ths */
    uint64_t longest_us; /* how far any sample was from the start */
    uint64_t left;
} shifter;

#define PIECE 1024

static uint64_t shifted_time(shifter *at, uint64_t time_us)
{
    uint64_t since_us = time_us > at->start_us ? time_us - at->start_us : 0;
    since_us += since_us * at->slowness / 1024;
    if (since_us > at->longest_us)
        at->longest_us = since_us;
    return at->start_us + at->shift_us + since_us;
}

static binprof_status shift_run(binprof_collector *base, const binprof_run *run,
                                binprof_error *error)
{
    shifter *at = (shifter *)base;
    uint64_t times_us[PIECE];
    binprof_run shifted = *run;
    shifted.timestamps_us = times_us;
    for (size_t done = 0; done < run->count && at->left > 0; done += shifted.count) {
        shifted.count = run->count - done < PIECE ? run->count - done : PIECE;
        if (shifted.count > at->left)
            shifted.count = (size_t)at->left;
        shifted.statuses = run->statuses + done;
        for (size_t i = 0; i < shifted.count; i++)
            times_us[i] = shifted_time(at, run->timestamps_us[done + i]);
        binprof_status status = binprof_writer_collect_run(at->maker->writer, &shifted, error);
        if (status != BINPROF_OK)
            return status;
        at->left -= shifted.count;
    }
    return at->left == 0 ? BINPROF_ERROR_CANCELLED : BINPROF_OK;
}

static binprof_status make_grown(bench_maker *maker, uint64_t samples, binprof_error *error)
{
    static const binprof_collector_operations operations = {.collect = shift_run};
    shifter at = {.base = {&operations}, .maker = maker, .left = samples};
    binprof_reader *reader;
    binprof_status status = binprof_reader_open(maker->source, &reader, error);
    if (status != BINPROF_OK)
        return status;
    at.start_us = binprof_reader_info(reader)->facts.start_us;
    while (status == BINPROF_OK && at.left > 0) {
        status = binprof_reader_replay(reader, maker->profile, &at.base, NULL, error);
        at.shift_us += at.longest_us + INTERVAL_US;
        at.longest_us = 0;
        at.slowness = (at.slowness + 1) % 64;
    }
    binprof_reader_close(reader);
    return at.left == 0 ? BINPROF_OK : status;
}

/* Where two shapes are compared, they are not compressed: zstd has less to do for the simpler. */
const bench_shape bench_shapes[] = {
    {.name = "large", .what = "recorded: opcodes, 10 kHz", .source = "large.bin"},
    {.name = "large-1e6",
     .what = "grown from large",
     .source = "large.bin",
     .samples = 1000000,
     .make = make_grown},
    {.name = "wall-1e6",
     .what = "grown from wall-all: four threads",
     .source = "wall-all.bin",
     .samples = 1000000,
     .make = make_grown},
    {.name = "large-1e8",
     .what = "grown from large",
     .source = "large.bin",
     .samples = 100000000,
     .full_only = true,
     .make = make_grown},
    {.name = "wall-1e8",
     .what = "grown from wall-all",
     .source = "wall-all.bin",
     .samples = 100000000,
     .full_only = true,
     .make = make_grown},
    {.name = "repeats",
     .what = "four threads that hardly ever move",
     .samples = 4000000,
     .is_plain = true,
     .make = make_still},
    {.name = "statuses",
     .what = "the same, and every sample has another status",
     .samples = 4000000,
     .is_plain = true,
     .against = "repeats",
     .make = make_statuses},
    {.name = "deep-new",
     .what = "200 frames, never the same path",
     .samples = 100000,
     .make = make_deep_new},
    {.name = "deep-new-1e6",
     .what = "the same, longer",
     .samples = 1000000,
     .full_only = true,
     .make = make_deep_new},
    {.name = "deep-few",
     .what = "200 frames, 1,000 paths that return",
     .samples = 200000,
     .make = make_deep_few},
    {.name = "deep-many",
     .what = "200 frames, 20,000 paths that return",
     .samples = 200000,
     .make = make_deep_many},
    {.name = "threads-4",
     .what = "four threads in turn",
     .samples = 2000000,
     .is_plain = true,
     .make = make_threads_4},
    {.name = "threads-20000",
     .what = "the same samples of 20,000 threads",
     .samples = 2000000,
     .is_plain = true,
     .against = "threads-4",
     .make = make_threads_20000},
    {.name = "random-4",
     .what = "four threads in no order",
     .samples = 2000000,
     .is_plain = true,
     .make = make_random_4},
    {.name = "random-20000",
     .what = "the same samples of 20,000 threads",
     .samples = 2000000,
     .is_plain = true,
     .against = "random-4",
     .make = make_random_20000},
    {.name = "frames",
     .what = "leaves out of 100,000 frames",
     .samples = 500000,
     .make = make_frames},
    {.name = "growing",
     .what = "one frame deeper with each sample, up to 256",
     .samples = 500000,
     .make = make_growing},
    {.name = "alternating",
     .what = "two threads, each between two stacks",
     .samples = 1000000,
     .make = make_alternating},
};

const size_t bench_shape_count = sizeof bench_shapes / sizeof bench_shapes[0];

typedef struct order {
    const bench_shape *shape;
    const char *source;
    const char *path;
    uint64_t samples;
} order;

static binprof_facts facts_of(const order *made)
{
    binprof_facts facts = {
        .interval_us = INTERVAL_US, .start_us = START_US, .mode = BINPROF_MODE_WALL};
    binprof_reader *reader;
    if (made->shape->source == NULL ||
        binprof_reader_open(made->source, &reader, NULL) != BINPROF_OK)
        return facts;
    const binprof_info *info = binprof_reader_info(reader);
    facts = info->facts;
    /* As many times longer as there are more samples. */
    if (info->sample_count > 0)
        facts.statistics.duration_s *= (double)made->samples / (double)info->sample_count;
    binprof_reader_close(reader);
    return facts;
}

static void make(void *context, bench_result *result)
{
    const order *made = context;
    binprof_error error = {.message = "out of memory"};
    bench_maker maker = {.profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT),
                         .source = made->source,
                         .random = UINT64_C(0x853c49e6748fea9b)};
    binprof_output output = {.path = made->path};
    binprof_writer_options options = binprof_writer_options_default();
    options.facts = facts_of(made);
    if (made->shape->is_plain)
        options.compression = BINPROF_COMPRESSION_NONE;
    binprof_status status = BINPROF_ERROR_MEMORY;
    if (maker.profile != NULL)
        status = binprof_writer_open(&output, maker.profile, &options, &maker.writer, &error);
    if (status == BINPROF_OK)
        status = made->shape->make(&maker, made->samples, &error);
    if (status == BINPROF_OK) {
        binprof_writer_set_statistics(maker.writer, &options.facts.statistics);
        status = binprof_writer_finish(maker.writer, &error);
    }
    if (status != BINPROF_OK)
        bench_fail(result, "%s", error.message);
    binprof_writer_close(maker.writer);
    binprof_profile_free(maker.profile);
    free(maker.frames);
    free(maker.threads);
}

void bench_make(const bench_shape *shape, const char *captures, const char *path, uint64_t samples,
                bench_result *result)
{
    char source[BENCH_PATH_MAX];
    (void)snprintf(source, sizeof source, "%s/%s", captures,
                   shape->source == NULL ? "" : shape->source);
    order made = {shape, source, path, samples};
    bench_in_child(make, &made, result);
}
