/* The floor: what no decoder can beat. The sample data is decompressed as a stream and every record
 * and varint of it stepped over once; nothing is kept. */
#include "bench/bench.h"
#include "format/capture.h"
#include "format/record.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#define WINDOW_SIZE ((size_t)256 * 1024)
#define INPUT_SIZE ((size_t)128 * 1024)

/* Keeps the compiler from leaving out what it can see is not used. */
static volatile uint64_t sink;

typedef struct floor_state {
    bool big_endian;
    bool in_repeat;
    uint64_t left; /* entries of the record that are still to come */
    uint64_t samples;
    uint64_t sum; /* of everything */
    bool damaged;

    int fd;
    uint64_t file_offset;
    uint64_t data_end;
    ZSTD_DCtx *zstd; /* NULL: the data is not compressed */
    uint8_t *input;
    ZSTD_inBuffer compressed;
    uint8_t *window;
} floor_state;

/* Steps over the entries that are complete. */
static const uint8_t *walk_entries(floor_state *state, const uint8_t *p, const uint8_t *end)
{
    uint64_t left = state->left;
    uint64_t sum = state->sum;
    const size_t status_size = state->in_repeat ? 1 : 0;
    while (left > 0) {
        uint64_t value;
        const uint8_t *next = format_varint_get(p, &value);
        if (next == NULL || next + status_size > end) {
            state->damaged |= next == NULL;
            break;
        }
        sum += value;
        p = next + status_size;
        left--;
    }
    state->left = left;
    state->sum = sum;
    return p;
}

/* Steps over what is complete between p and end; returns where it stopped. */
static const uint8_t *walk(floor_state *state, const uint8_t *p, const uint8_t *end)
{
    for (;;) {
        if (state->left > 0)
            p = walk_entries(state, p, end);
        if (state->left > 0 || p >= end || state->damaged)
            return p;
        format_record_head head;
        const uint8_t *next = format_record_head_get(p, state->big_endian, &head);
        state->damaged |= next == NULL;
        if (next == NULL || next > end)
            return p;
        state->in_repeat = head.kind == BINPROF_RECORD_REPEAT;
        state->left = state->in_repeat ? head.repeat_count : head.frame_count;
        state->samples += state->in_repeat ? head.repeat_count : 1;
        state->sum += head.thread_id + head.kind;
        p = next;
    }
}

static size_t read_some(floor_state *state, uint8_t *buffer, size_t size)
{
    uint64_t left = state->data_end - state->file_offset;
    ssize_t got =
        pread(state->fd, buffer, left < size ? (size_t)left : size, (off_t)state->file_offset);
    if (got <= 0)
        return 0;
    state->file_offset += (uint64_t)got;
    return (size_t)got;
}

/* Fills the buffer with uncompressed bytes; 0 at the end. */
static size_t fill(floor_state *state, uint8_t *buffer, size_t size)
{
    if (state->zstd == NULL)
        return read_some(state, buffer, size < INPUT_SIZE ? size : INPUT_SIZE);
    ZSTD_outBuffer output = {buffer, size, 0};
    while (output.pos == 0) {
        ZSTD_inBuffer *input = &state->compressed;
        if (input->pos == input->size) {
            *input = (ZSTD_inBuffer){state->input, read_some(state, state->input, INPUT_SIZE), 0};
        }
        state->damaged |= ZSTD_isError(ZSTD_decompressStream(state->zstd, &output, input));
        if (state->damaged || (input->size == 0 && output.pos == 0))
            return 0;
    }
    return output.pos;
}

static void walk_all(floor_state *state)
{
    size_t kept = 0;
    for (;;) {
        size_t got = fill(state, state->window + kept, WINDOW_SIZE - kept);
        if (got == 0 || state->damaged)
            break;
        const uint8_t *end = state->window + kept + got;
        memset(state->window + kept + got, 0, FORMAT_PADDING);
        const uint8_t *stopped = walk(state, state->window, end);
        kept = (size_t)(end - stopped);
        memmove(state->window, stopped, kept);
    }
    state->damaged |= kept != 0 || state->left != 0;
}

void bench_floor_run(bench_job *job, bench_result *result)
{
    binprof_error error;
    binprof_reader *reader;
    if (binprof_reader_open(job->input->path, &reader, &error) != BINPROF_OK) {
        bench_fail(result, "%s", error.message);
        return;
    }
    const binprof_info *info = binprof_reader_info(reader);
    floor_state state = {.big_endian = info->big_endian,
                         .fd = open(job->input->path, O_RDONLY | O_CLOEXEC),
                         .file_offset = FORMAT_HEADER_SIZE,
                         .data_end = info->string_table_offset,
                         .zstd = info->zstd ? ZSTD_createDCtx() : NULL,
                         .input = malloc(INPUT_SIZE),
                         .window = malloc(WINDOW_SIZE + FORMAT_PADDING)};
    if (state.fd >= 0 && state.input != NULL && state.window != NULL)
        walk_all(&state);
    sink = state.sum;
    if (state.damaged || state.samples != info->sample_count)
        bench_fail(result, "the floor met %llu of %llu samples", (unsigned long long)state.samples,
                   (unsigned long long)info->sample_count);
    result->samples = state.samples;
    if (state.fd >= 0)
        (void)close(state.fd);
    ZSTD_freeDCtx(state.zstd);
    free(state.input);
    free(state.window);
    binprof_reader_close(reader);
}
