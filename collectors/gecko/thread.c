/* One thread of the output: its samples, row by row. */
#include "collectors/gecko/gecko.h"
#include "output/json.h"

#include <inttypes.h>
#include <stdio.h>

/* The largest whole number that JavaScript holds exactly. */
#define SAFE_INTEGER_MAX ((UINT64_C(1) << 53) - 1)

/* A row of the samples table: a sample, or one of two rows without a stack that mark a gap. The
 * profiler stretches each row to the next; these keep it from drawing the gap as work. */
typedef struct row_iterator {
    const gecko_export *export;
    gecko_sample_iterator sample;
    bool started;
    bool gap_begins;  /* the row before a gap is due */
    bool gap_ends;    /* the row after a gap is due */
    bool sample_due;  /* at.sample is due */
    uint64_t time_us; /* of the row */
    bool is_gap;
} row_iterator;

static row_iterator rows_begin(const gecko_export *export, const gecko_thread *thread)
{
    return (row_iterator){.export = export, .sample = gecko_samples_begin(&thread->samples)};
}

static bool gap_row(row_iterator *at, uint64_t time_us)
{
    at->time_us = time_us;
    at->is_gap = true;
    return true;
}

static bool row_next(row_iterator *at)
{
    const gecko_export *export = at->export;
    if (!at->sample_due) {
        uint64_t last_us = at->sample.time_us;
        if (!gecko_sample_next(&at->sample))
            return false;
        at->gap_begins = at->started && gecko_is_gap(export, last_us, at->sample.time_us);
        at->gap_ends = at->gap_begins;
        at->sample_due = true;
        at->started = true;
    }
    if (at->gap_begins) {
        at->gap_begins = false;
        return gap_row(at, at->time_us + export->period_us);
    }
    if (at->gap_ends) {
        at->gap_ends = false;
        return gap_row(at, at->sample.time_us - export->period_us);
    }
    at->sample_due = false;
    at->time_us = at->sample.time_us;
    at->is_gap = false;
    return true;
}

/* The row of the stack table for a sample. */
static uint32_t stack_row(const gecko_export *export, const binprof_stack *stacks, uint32_t stack,
                          uint8_t status)
{
    const gecko_collector *gecko = export->collector;
    uint32_t row = export->stack_rows[stack];
    if (row == GECKO_NO_ROW)
        return GECKO_NO_ROW;
    gecko_frame_kind leaf = (gecko_frame_kind)gecko->frame_kinds[stacks[stack].frame];
    gecko_state state = gecko_state_of(leaf, status);
    if (!export->has_gil)
        state = GECKO_STATE_OWN;
    return gecko_state_row(row, gecko->stack_states[stack], state);
}

static void put_number_or_null(output_text *text, uint32_t number)
{
    if (number == UINT32_MAX)
        output_text_string(text, "null");
    else
        output_text_u64(text, number);
}

static uint64_t write_stacks(const gecko_export *export, const gecko_thread *thread)
{
    const binprof_stack *stacks = binprof_profile_stacks(export->profile);
    uint64_t count = 0;
    for (row_iterator at = rows_begin(export, thread); row_next(&at);) {
        if (count++ > 0)
            output_text_char(export->text, ',');
        uint32_t row = GECKO_NO_ROW;
        if (!at.is_gap)
            row = stack_row(export, stacks, at.sample.stack, at.sample.status);
        put_number_or_null(export->text, row);
    }
    return count;
}

static void write_times(const gecko_export *export, const gecko_thread *thread)
{
    uint64_t last_us = 0;
    bool first = true;
    for (row_iterator at = rows_begin(export, thread); row_next(&at);) {
        if (!first)
            output_text_char(export->text, ',');
        gecko_put_ms(export->text, at.time_us - last_us);
        last_us = at.time_us;
        first = false;
    }
}

/* How long the thread was on a CPU since the row before: all the time or none, as the sample says;
 * null where it was not measured. */
static void write_cpu_deltas(const gecko_export *export, const gecko_thread *thread)
{
    uint64_t last_us = 0;
    bool first = true;
    for (row_iterator at = rows_begin(export, thread); row_next(&at);) {
        if (!first)
            output_text_char(export->text, ',');
        uint8_t status = at.sample.status;
        if (!at.is_gap && (status & BINPROF_STATUS_UNKNOWN) != 0)
            output_text_string(export->text, "null");
        else if (!at.is_gap && (status & BINPROF_STATUS_ON_CPU) != 0)
            output_text_u64(export->text, at.time_us - last_us);
        else
            output_text_char(export->text, '0');
        last_us = at.time_us;
        first = false;
    }
}

static void write_samples(const gecko_export *export, const gecko_thread *thread)
{
    output_text *text = export->text;
    output_text_string(text, "{\"stack\":[");
    uint64_t count = write_stacks(export, thread);
    output_text_string(text, "],\"timeDeltas\":[");
    write_times(export, thread);
    if (export->has_cpu) {
        output_text_string(text, "],\"threadCPUDelta\":[");
        write_cpu_deltas(export, thread);
    }
    output_text_string(text, "],\"weight\":null,\"weightType\":\"samples\",\"length\":");
    output_text_u64(text, count);
    output_text_char(text, '}');
}

static void write_name(const gecko_export *export, binprof_thread id, bool is_main)
{
    char name[64];
    char interpreter[32] = "";
    if (export->has_interpreters)
        (void)snprintf(interpreter, sizeof interpreter, " (interpreter %" PRIu32 ")",
                       id.interpreter_id);
    const binprof_choice *choice = export->collector->choice;
    if (choice != NULL && choice->merge_threads)
        (void)snprintf(name, sizeof name, "All threads%s", interpreter);
    else if (is_main)
        (void)snprintf(name, sizeof name, "MainThread%s", interpreter);
    else
        (void)snprintf(name, sizeof name, "Thread %" PRIu64 "%s", id.thread_id, interpreter);
    output_json_string(export->text, name, strlen(name));
}

/* The process that a thread is shown under. A capture does not know its process; the profiler keeps
 * processes apart and lets each have a main thread, which is what several captures need, and
 * interpreters. */
static void write_process(const gecko_export *export, binprof_thread id)
{
    const gecko_collector *gecko = export->collector;
    output_text *text = export->text;
    bool has_captures = gecko->capture_count > 1;
    uint32_t interpreter = export->has_interpreters ? id.interpreter_id : 0;
    output_text_string(text, ",\"pid\":\"");
    if (has_captures)
        output_text_printf(text, "%" PRIu32 ".", id.capture + 1);
    output_text_printf(text, "%" PRIu32 "\",\"processName\":", interpreter);

    char name[512];
    char suffix[32] = "";
    if (export->has_interpreters)
        (void)snprintf(suffix, sizeof suffix, " interpreter %" PRIu32, interpreter);
    (void)snprintf(name, sizeof name, "%.*s%s", (int)(sizeof name - sizeof suffix - 1),
                   has_captures ? gecko->captures[id.capture].name : "Python", suffix);
    output_json_string(text, name, strlen(name));
}

static void write_identity(const gecko_export *export, binprof_thread id)
{
    write_process(export, id);
    const char *quote = id.thread_id > SAFE_INTEGER_MAX ? "\"" : "";
    output_text_printf(export->text, ",\"tid\":%s%" PRIu64 "%s", quote, id.thread_id, quote);
}

void gecko_write_thread(const gecko_export *export, uint32_t thread_id)
{
    const gecko_thread *thread = &export->collector->threads[thread_id];
    binprof_thread id = binprof_profile_thread(export->profile, thread_id);
    output_text *text = export->text;
    output_text_string(text, "{\"name\":");
    write_name(export, id, thread->is_main);
    output_text_printf(text, ",\"isMainThread\":%s", thread->is_main ? "true" : "false");
    write_identity(export, id);
    output_text_string(text, ",\"processType\":\"default\",\"processStartupTime\":0,"
                             "\"processShutdownTime\":null,\"registerTime\":0,"
                             "\"unregisterTime\":null,\"pausedRanges\":[],"
                             "\"showMarkersInTimeline\":true,\"samples\":");
    write_samples(export, thread);
    output_text_string(text, ",\"markers\":");
    gecko_write_markers(export, thread);
    output_text_char(text, '}');
}
