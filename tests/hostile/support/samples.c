#include "support/samples.h"

#include "base/array.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must_have(void *pointer)
{
    if (pointer == NULL)
        abort(); /* a test without memory has nothing to say */
    return pointer;
}

void samples_init(samples *all)
{
    *all = (samples){.profile = must_have(binprof_profile_new(BINPROF_PROFILE_DEFAULT))};
}

void samples_free(samples *all)
{
    binprof_profile_free(all->profile);
    free(all->list);
    free(all->frames);
}

void samples_add(samples *all, uint32_t thread, const uint32_t *frames, size_t depth,
                 uint64_t time_us, uint8_t status)
{
    if (depth > BINPROF_WRITER_MAX_DEPTH)
        depth = BINPROF_WRITER_MAX_DEPTH;
    all->list =
        must_have(array_reserve(all->list, &all->capacity, all->count + 1, sizeof *all->list));
    all->frames = must_have(array_reserve(all->frames, &all->frame_capacity,
                                          all->frame_count + depth + 1, sizeof *all->frames));
    if (depth > 0)
        memcpy(all->frames + all->frame_count, frames, depth * sizeof *frames);
    all->list[all->count++] = (sample){time_us, thread, (uint32_t)depth, all->frame_count, status};
    all->frame_count += depth;
}

void samples_remove_last(samples *all)
{
    all->count--;
    all->frame_count = all->list[all->count].first_frame;
}

binprof_status samples_write(const samples *all, binprof_writer *writer, binprof_error *error)
{
    for (size_t i = 0; i < all->count; i++) {
        const sample *next = &all->list[i];
        const uint32_t *frames = next->depth > 0 ? all->frames + next->first_frame : NULL;
        binprof_status status = binprof_writer_collect(writer, next->thread, frames, next->depth,
                                                       next->time_us, next->status, error);
        if (status != BINPROF_OK)
            return status;
    }
    return BINPROF_OK;
}

/* Goes through the samples of each thread as the reader brings them. */
typedef struct comparison {
    binprof_collector base;
    const samples *all;
    const binprof_profile *read; /* what the reader fills */
    size_t *next;                /* by expected thread: the sample that comes next, or count */
    size_t *following;           /* by sample: the next one of its thread, or count */
    uint32_t *written;           /* by frame that was read: one that it equals, or UINT32_MAX */
    size_t matched;
    const char *difference;
} comparison;

static void link_threads(comparison *comparing)
{
    const samples *all = comparing->all;
    size_t threads = binprof_profile_thread_count(all->profile);
    comparing->next = must_have(malloc((threads + 1) * sizeof(size_t)));
    comparing->following = must_have(malloc((all->count + 1) * sizeof(size_t)));
    for (size_t i = 0; i < threads; i++)
        comparing->next[i] = all->count;
    for (size_t i = all->count; i-- > 0;) {
        uint32_t thread = all->list[i].thread;
        comparing->following[i] = comparing->next[thread];
        comparing->next[thread] = i;
    }
}

static bool equal_strings(binprof_string a, binprof_string b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/* Whether a frame that was read is the one that was written: what has no line has no end of it
 * either, and likewise for columns. */
static bool equal_frames(const comparison *comparing, uint32_t read_id, uint32_t written_id)
{
    const binprof_profile *written_profile = comparing->all->profile;
    binprof_frame read = binprof_profile_frame(comparing->read, read_id);
    binprof_frame written = binprof_profile_frame(written_profile, written_id);
    if (written.line == BINPROF_NO_LOCATION)
        written.end_line = BINPROF_NO_LOCATION;
    if (written.column == BINPROF_NO_LOCATION)
        written.end_column = BINPROF_NO_LOCATION;
    return equal_strings(binprof_profile_string(comparing->read, read.filename),
                         binprof_profile_string(written_profile, written.filename)) &&
           equal_strings(binprof_profile_string(comparing->read, read.function),
                         binprof_profile_string(written_profile, written.function)) &&
           read.line == written.line && read.end_line == written.end_line &&
           read.column == written.column && read.end_column == written.end_column &&
           read.opcode == written.opcode;
}

/* Compares each pair of frames once; in a stack they come again and again. */
static bool are_equal(comparison *comparing, uint32_t read_id, uint32_t written_id)
{
    if (comparing->written == NULL) {
        size_t count = binprof_profile_frame_count(comparing->read); /* all tables are loaded */
        comparing->written = must_have(malloc(count * sizeof(uint32_t)));
        memset(comparing->written, 0xff, count * sizeof(uint32_t));
    }
    if (comparing->written[read_id] == written_id)
        return true;
    comparing->written[read_id] = written_id;
    return equal_frames(comparing, read_id, written_id);
}

static bool equal_stacks(comparison *comparing, uint32_t stack, const sample *wanted)
{
    const uint32_t *frames = comparing->all->frames + wanted->first_frame;
    for (uint32_t i = 0; i < wanted->depth; i++) {
        if (stack == BINPROF_EMPTY_STACK)
            return false;
        binprof_stack node = binprof_profile_stack(comparing->read, stack);
        if (!are_equal(comparing, node.frame, frames[i]))
            return false;
        stack = node.parent;
    }
    return stack == BINPROF_EMPTY_STACK;
}

/* Returns the expected thread that has the same ids; the count where there is none. */
static uint32_t find_thread(const comparison *comparing, uint32_t read_id)
{
    binprof_thread read = binprof_profile_thread(comparing->read, read_id);
    uint32_t count = binprof_profile_thread_count(comparing->all->profile);
    for (uint32_t i = 0; i < count; i++) {
        binprof_thread thread = binprof_profile_thread(comparing->all->profile, i);
        if (thread.thread_id == read.thread_id && thread.interpreter_id == read.interpreter_id)
            return i;
    }
    return count;
}

static const char *compare_run(comparison *comparing, const binprof_run *run)
{
    const samples *all = comparing->all;
    uint32_t thread = find_thread(comparing, run->thread);
    if (thread == binprof_profile_thread_count(all->profile))
        return "a thread that was not written";
    for (size_t i = 0; i < run->count; i++) {
        size_t index = comparing->next[thread];
        if (index == all->count)
            return "more samples of a thread than were written";
        const sample *wanted = &all->list[index];
        if (run->timestamps_us[i] != wanted->time_us)
            return "another timestamp";
        if (run->statuses[i] != wanted->status)
            return "another status";
        if (!equal_stacks(comparing, run->stack, wanted))
            return "another stack";
        comparing->next[thread] = comparing->following[index];
        comparing->matched++;
    }
    return NULL;
}

static binprof_status compare(binprof_collector *base, const binprof_run *run, binprof_error *error)
{
    comparison *comparing = (comparison *)base;
    (void)error;
    comparing->difference = compare_run(comparing, run);
    return comparing->difference == NULL ? BINPROF_OK : BINPROF_ERROR_CANCELLED;
}

const char *samples_differ(const samples *all, binprof_reader *reader)
{
    static const binprof_collector_operations operations = {.collect = compare};
    static char message[600];
    binprof_profile *profile = must_have(binprof_profile_new(BINPROF_PROFILE_DEFAULT));
    comparison comparing = {.base = {&operations}, .all = all, .read = profile};
    link_threads(&comparing);
    binprof_error error;
    binprof_status status = binprof_reader_replay(reader, profile, &comparing.base, NULL, &error);
    free(comparing.next);
    free(comparing.following);
    free(comparing.written);
    binprof_profile_free(profile);
    if (comparing.difference != NULL)
        return comparing.difference;
    if (status != BINPROF_OK) {
        (void)snprintf(message, sizeof message, "not readable: %s", error.message);
        return message;
    }
    return comparing.matched == all->count ? NULL : "fewer samples than were written";
}
