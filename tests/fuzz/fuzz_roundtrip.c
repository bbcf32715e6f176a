/* Bytes as orders to a profiler: samples that are written, read again and compared. */
#include "support/samples.h"

#include <binprof/binprof.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FRAMES 64
#define MOST_SAMPLES 500

typedef struct input {
    const uint8_t *next;
    const uint8_t *end;
} input;

static uint8_t take(input *in)
{
    return in->next < in->end ? *in->next++ : 0;
}

static uint64_t take_number(input *in, unsigned bytes)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; i++)
        number = number << 8 | take(in);
    return number;
}

static void fail(const char *what)
{
    (void)fprintf(stderr, "fuzz_roundtrip: %s\n", what);
    abort();
}

static void must(binprof_status status, const binprof_error *error)
{
    if (status != BINPROF_OK)
        fail(error->message);
}

/* A location without a line has nothing else either: that is all that a capture can tell. */
static binprof_frame take_frame(input *in, uint32_t strings)
{
    binprof_frame frame = {.filename = take(in) % strings, .function = take(in) % strings};
    uint8_t kind = take(in);
    unsigned bytes = kind & 3;
    frame.line = kind >= 0xf0 ? BINPROF_NO_LOCATION : (int32_t)take_number(in, bytes + 1);
    frame.column = frame.line == BINPROF_NO_LOCATION || (kind & 4) != 0
                       ? BINPROF_NO_LOCATION
                       : (int32_t)take_number(in, bytes + 1);
    frame.end_line =
        frame.line == BINPROF_NO_LOCATION ? BINPROF_NO_LOCATION : (int32_t)take_number(in, bytes);
    frame.end_column =
        frame.column == BINPROF_NO_LOCATION ? BINPROF_NO_LOCATION : (int32_t)take_number(in, bytes);
    /* An unknown end is stored as that of the start. */
    if (frame.end_line == BINPROF_NO_LOCATION)
        frame.end_line = frame.line;
    if (frame.end_column == BINPROF_NO_LOCATION)
        frame.end_column = frame.column;
    frame.opcode = take(in);
    return frame;
}

/* Stores the ids of FRAMES frames, equal ones among them. */
static void make_frames(samples *all, input *in, uint32_t frames[FRAMES])
{
    binprof_error error;
    uint32_t ignored;
    uint32_t strings = 1 + take(in) % 8;
    for (uint32_t i = 0; i < strings; i++) {
        char text[300];
        size_t length = take(in);
        memset(text, (int)i, sizeof text);
        text[0] = (char)i;
        text[length] = (char)take(in);
        must(binprof_profile_intern_string(all->profile, text, length + 1, &ignored, &error),
             &error);
    }
    strings = binprof_profile_string_count(all->profile);
    for (size_t i = 0; i < FRAMES; i++) {
        binprof_frame frame = take_frame(in, strings);
        must(binprof_profile_intern_frame(all->profile, &frame, &frames[i], &error), &error);
    }
}

/* The stack that the orders change, innermost frame last. */
typedef struct call_stack {
    uint32_t frames[400];
    size_t depth;
} call_stack;

static void change_stack(call_stack *stack, input *in, const uint32_t frames[FRAMES])
{
    uint8_t order = take(in);
    size_t pop = order & 0x80 ? take(in) * 2u : order & 7u;
    size_t push = order & 0x40 ? take(in) : order >> 3 & 7u;
    stack->depth = pop < stack->depth ? stack->depth - pop : 0;
    uint8_t first = push > 0 ? take(in) : 0;
    for (size_t i = 0; i < push && stack->depth < 400; i++)
        stack->frames[stack->depth++] = frames[(first + i * (order & 1u)) % FRAMES];
}

static uint32_t take_thread(samples *all, input *in)
{
    binprof_error error;
    uint32_t thread;
    uint8_t order = take(in);
    must(binprof_profile_intern_thread(all->profile, order & 7u, order >> 3 & 1u, &thread, &error),
         &error);
    return thread;
}

static void add_samples(samples *all, input *in)
{
    uint32_t frames[FRAMES];
    make_frames(all, in, frames);
    call_stack stack = {.depth = 0};
    uint64_t time_us = 0;
    while (in->next < in->end && all->count < MOST_SAMPLES) {
        uint8_t order = take(in);
        if ((order & 1) != 0)
            change_stack(&stack, in, frames);
        uint32_t thread = take_thread(all, in);
        uint8_t status = take(in);
        uint64_t step = take_number(in, order >> 4 & 7u);
        uint32_t turned[400];
        for (size_t i = 0; i < stack.depth; i++)
            turned[i] = stack.frames[stack.depth - 1 - i];
        for (unsigned times = 1u + (order >> 1 & 7u) * (order >> 1 & 7u); times > 0; times--) {
            time_us += step;
            samples_add(all, thread, stack.depth > 0 ? turned : NULL, stack.depth, time_us, status);
        }
    }
}

static int open_file(void)
{
    int fd = memfd_create("roundtrip", MFD_CLOEXEC);
    if (fd < 0)
        fail("no memory file");
    return fd;
}

static void write_all(const samples *all, const binprof_writer_options *options, int fd,
                      binprof_encoding *encoding)
{
    binprof_error error;
    binprof_writer *writer;
    binprof_output output = {.fd = fd, .name = "memory"};
    must(binprof_writer_open(&output, all->profile, options, &writer, &error), &error);
    must(samples_write(all, writer, &error), &error);
    must(binprof_writer_finish(writer, &error), &error);
    binprof_writer_stats(writer, encoding);
    binprof_writer_close(writer);
}

/* Opens the file and compares what is in it. */
static binprof_reader *open_and_compare(const samples *all, int fd)
{
    binprof_error error;
    binprof_reader *reader;
    must(binprof_reader_open_fd(fd, "roundtrip.bin", &reader, &error), &error);
    const char *difference = samples_differ(all, reader);
    if (difference != NULL)
        fail(difference);
    return reader;
}

/* Writes what the reader reads, run by run, and reads that. */
static void rewrite(const samples *all, binprof_reader *reader)
{
    binprof_error error;
    int fd = open_file();
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    binprof_output output = {.fd = fd, .name = "memory"};
    binprof_collector_options options = {.profile = profile,
                                         .facts = &binprof_reader_info(reader)->facts,
                                         .output = &output,
                                         .compression = BINPROF_COMPRESSION_NONE};
    binprof_collector *collector;
    must(binprof_format_open(binprof_format_by_name("binary"), &options, &collector, &error),
         &error);
    must(binprof_reader_replay(reader, profile, collector, NULL, &error), &error);
    must(binprof_collector_export(collector, &error), &error);
    binprof_collector_close(collector);
    binprof_profile_free(profile);
    binprof_reader_close(open_and_compare(all, fd));
    (void)close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, data + size};
    binprof_writer_options options = binprof_writer_options_default();
    uint8_t order = take(&in);
    options.compression = (order & 7) == 0 ? BINPROF_COMPRESSION_AUTO : BINPROF_COMPRESSION_NONE;
    options.level = 1;
    options.facts.start_us = take_number(&in, order >> 4 & 7u);
    options.facts.mode = (order & 8) != 0 ? BINPROF_MODE_ALL : BINPROF_MODE_UNKNOWN;

    samples all;
    samples_init(&all);
    add_samples(&all, &in);
    int fd = open_file();
    binprof_encoding written;
    write_all(&all, &options, fd, &written);

    binprof_reader *reader = open_and_compare(&all, fd);
    if (memcmp(&written, binprof_reader_encoding(reader), sizeof written) != 0)
        fail("reader and writer count differently");
    rewrite(&all, reader);
    binprof_reader_close(reader);
    (void)close(fd);
    samples_free(&all);
    return 0;
}
