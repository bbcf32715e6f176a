/* The Firefox Profiler's processed format. Samples are kept in compact form until the export, which
 * writes the file as a stream: the shared tables are the profile's own prefix tree. */
#include "collectors/gecko/gecko.h"

#include "base/array.h"
#include "base/error.h"
#include "collectors/collectors.h"
#include "output/utf8.h"
#include "profile/paths.h"
#include "profile/profile.h"

#include <stdlib.h>

/* A longer period, eleven days, is nobody's wish; times must not wrap where it is added. */
#define PERIOD_MAX UINT64_C(1000000000000)

static gecko_frame_kind kind_of_frame(const binprof_profile *profile, const binprof_frame *frame)
{
    binprof_string file = binprof_profile_string(profile, frame->filename);
    if (profile_is_internal(file))
        return GECKO_FRAME_INTERNAL;
    if (!profile_is_no_code(file))
        return GECKO_FRAME_PYTHON;
    binprof_string function = binprof_profile_string(profile, frame->function);
    if (strcmp(function.text, "<GC>") == 0)
        return GECKO_FRAME_GC;
    if (strcmp(function.text, "<native>") == 0)
        return GECKO_FRAME_NATIVE;
    return GECKO_FRAME_OTHER;
}

/* Makes frame_kinds cover the profile's frames. */
static bool cover_frames(gecko_collector *gecko)
{
    size_t count = binprof_profile_frame_count(gecko->profile);
    uint8_t *kinds = array_reserve(gecko->frame_kinds, &gecko->frame_capacity, count, 1);
    if (kinds == NULL)
        return count == 0;
    gecko->frame_kinds = kinds;
    for (; gecko->frame_count < count; gecko->frame_count++)
        kinds[gecko->frame_count] =
            (uint8_t)kind_of_frame(gecko->profile, &gecko->profile->frames[gecko->frame_count]);
    return true;
}

/* Makes stack_states cover the profile's stacks. */
static bool cover_stacks(gecko_collector *gecko)
{
    size_t count = binprof_profile_stack_count(gecko->profile);
    uint8_t *states = array_reserve(gecko->stack_states, &gecko->stack_capacity, count, 1);
    if (states == NULL)
        return false;
    gecko->stack_states = states;
    memset(states + gecko->stack_count, 0, count - gecko->stack_count);
    gecko->stack_count = count;
    return true;
}

static bool cover_threads(gecko_collector *gecko, uint32_t thread)
{
    size_t count = (size_t)thread + 1;
    gecko_thread *threads =
        array_reserve(gecko->threads, &gecko->thread_capacity, count, sizeof *threads);
    if (threads == NULL)
        return false;
    gecko->threads = threads;
    for (; gecko->thread_count < count; gecko->thread_count++)
        threads[gecko->thread_count] = (gecko_thread){.is_main = false};
    return true;
}

/* Makes every array cover what the run names. */
static bool cover_run(gecko_collector *gecko, const binprof_run *run)
{
    if (run->thread >= gecko->thread_count && !cover_threads(gecko, run->thread))
        return false;
    if (run->stack < gecko->stack_count)
        return true;
    return cover_frames(gecko) && cover_stacks(gecko);
}

/* Notes what the statuses of a run tell about its thread and its stack. */
static void note_statuses(gecko_collector *gecko, gecko_thread *thread, const binprof_run *run,
                          uint32_t stack, gecko_frame_kind leaf)
{
    uint8_t states = 0;
    uint8_t statuses = 0;
    for (size_t i = 0; i < run->count; i++) {
        uint8_t status = run->statuses[i];
        statuses |= status;
        states |= (uint8_t)(1u << gecko_state_of(leaf, status));
        thread->busy += (status & (BINPROF_STATUS_HAS_GIL | BINPROF_STATUS_ON_CPU)) != 0;
    }
    gecko->statuses |= statuses;
    thread->is_main |= (statuses & BINPROF_STATUS_MAIN_THREAD) != 0;
    if (stack != BINPROF_EMPTY_STACK) {
        gecko->stack_states[stack] |= states;
        thread->with_frames += run->count;
    }
}

static binprof_status gecko_collect(binprof_collector *base, const binprof_run *run,
                                    binprof_error *error)
{
    gecko_collector *gecko = (gecko_collector *)base;
    if (!cover_run(gecko, run))
        return error_set_memory(error);
    const binprof_stack *stacks = gecko->profile->stacks.nodes;
    gecko_thread *thread = &gecko->threads[run->thread];
    uint32_t stack = gecko_visible_stack(gecko, stacks, run->stack);
    gecko_frame_kind leaf = GECKO_FRAME_OTHER;
    if (stack != BINPROF_EMPTY_STACK)
        leaf = (gecko_frame_kind)gecko->frame_kinds[stacks[stack].frame];
    if (!gecko_samples_add(&thread->samples, run, stack, gecko->facts->start_us))
        return error_set_memory(error);
    note_statuses(gecko, thread, run, stack, leaf);
    gecko->samples += run->count;
    return BINPROF_OK;
}

static void gecko_collect_failed(binprof_collector *base)
{
    ((gecko_collector *)base)->failed++;
}

void gecko_put_ms(output_text *text, uint64_t time_us)
{
    char *p = output_text_reserve(text, OUTPUT_NUMBER_MAX + 4);
    p = output_put_u64(p, time_us / 1000);
    unsigned fraction = (unsigned)(time_us % 1000);
    if (fraction != 0) {
        *p++ = '.';
        *p++ = (char)('0' + fraction / 100);
        *p++ = (char)('0' + fraction / 10 % 10);
        *p++ = (char)('0' + fraction % 10);
        while (p[-1] == '0')
            p--;
    }
    output_text_advance(text, p);
}

/* Gives every visible stack its row, and every frame, with the states that it was a leaf in. */
static bool number_rows(gecko_export *export)
{
    gecko_collector *gecko = export->collector;
    const binprof_stack *stacks = binprof_profile_stacks(export->profile);
    uint32_t stack_count = binprof_profile_stack_count(export->profile);
    uint32_t frame_count = binprof_profile_frame_count(export->profile);
    export->stack_rows = malloc(stack_count * sizeof(uint32_t));
    export->frame_rows = malloc(((size_t)frame_count + 1) * sizeof(uint32_t));
    export->frame_states = calloc((size_t)frame_count + 1, 1);
    if (export->stack_rows == NULL || export->frame_rows == NULL || export->frame_states == NULL)
        return false;

    uint32_t row = 0;
    export->stack_rows[BINPROF_EMPTY_STACK] = GECKO_NO_ROW;
    for (uint32_t stack = 1; stack < stack_count; stack++) {
        uint32_t parent = stacks[stack].parent;
        uint32_t frame = stacks[stack].frame;
        uint8_t kind = gecko->frame_kinds[frame];
        uint8_t *states = &gecko->stack_states[stack];
        if (!export->has_gil)
            *states &= 1u << GECKO_STATE_OWN;
        export->frame_states[frame] |= *states;
        if (kind == GECKO_FRAME_GC || (gecko->stack_states[parent] & GECKO_STACK_IN_GC) != 0)
            *states |= GECKO_STACK_IN_GC;
        export->stack_rows[stack] = row;
        if (kind == GECKO_FRAME_INTERNAL)
            export->stack_rows[stack] = export->stack_rows[parent];
        else
            row += gecko_row_count(*states);
    }
    row = 0;
    for (uint32_t frame = 0; frame < frame_count; frame++) {
        export->frame_rows[frame] = row;
        row += gecko_row_count(export->frame_states[frame]);
    }
    return true;
}

/* Adds the threads of one capture that are main threads, or those that are not. */
static void order_some_threads(gecko_export *export, uint32_t capture, bool is_main)
{
    const gecko_collector *gecko = export->collector;
    for (uint32_t i = 0; i < gecko->thread_count; i++)
        if (gecko->threads[i].with_frames > 0 && gecko->threads[i].is_main == is_main &&
            binprof_profile_thread(export->profile, i).capture == capture)
            export->thread_order[export->thread_count++] = i;
}

/* Capture by capture, main threads first, then the others, each in the order of their first sample;
 * threads that never had a frame are left out. */
static bool order_threads(gecko_export *export)
{
    const gecko_collector *gecko = export->collector;
    export->thread_order = malloc((gecko->thread_count + 1) * sizeof(uint32_t));
    if (export->thread_order == NULL)
        return false;
    uint32_t capture = 0;
    do {
        order_some_threads(export, capture, true);
        order_some_threads(export, capture, false);
    } while (++capture < gecko->capture_count);
    return true;
}

/* What the mode of the capture and its samples say about how to read them. */
static void examine(gecko_export *export)
{
    const gecko_collector *gecko = export->collector;
    const binprof_facts *facts = gecko->facts;
    int mode = facts->mode;
    export->has_gil =
        (gecko->statuses & (BINPROF_STATUS_HAS_GIL | BINPROF_STATUS_GIL_REQUESTED)) != 0;
    export->has_cpu =
        mode == BINPROF_MODE_CPU || mode == BINPROF_MODE_ALL ||
        (mode == BINPROF_MODE_UNKNOWN && (gecko->statuses & BINPROF_STATUS_ON_CPU) != 0);
    bool choice_makes_gaps = gecko->choice != NULL && binprof_choice_makes_gaps(gecko->choice);
    export->has_gaps = choice_makes_gaps || mode == BINPROF_MODE_CPU || mode == BINPROF_MODE_GIL ||
                       mode == BINPROF_MODE_EXCEPTION;
    export->period_us = facts->interval_us > 0 ? facts->interval_us : 1;
    if (export->period_us > PERIOD_MAX)
        export->period_us = PERIOD_MAX;
    /* A profiler that cannot keep up samples less often than it was asked to. */
    if (facts->statistics.present && facts->statistics.sample_rate > 0) {
        double measured = 1e6 / facts->statistics.sample_rate;
        if (measured > (double)export->period_us && measured < (double)PERIOD_MAX)
            export->period_us = (uint64_t)measured;
    }
    for (uint32_t i = 0; i < gecko->thread_count; i++) {
        binprof_thread first = binprof_profile_thread(export->profile, 0);
        binprof_thread thread = binprof_profile_thread(export->profile, i);
        if (thread.interpreter_id != first.interpreter_id)
            export->has_interpreters = true;
        uint64_t end_us = gecko->threads[i].samples.time_us + export->period_us;
        if (gecko->threads[i].samples.count > 0 && end_us > export->end_us)
            export->end_us = end_us;
    }
}

static binprof_status write_file(gecko_export *export)
{
    gecko_collector *gecko = export->collector;
    if (!cover_frames(gecko) || !cover_stacks(gecko))
        return BINPROF_ERROR_MEMORY;
    examine(export);
    if (!number_rows(export) || !order_threads(export))
        return BINPROF_ERROR_MEMORY;

    output_text_string(export->text, "{\"meta\":");
    binprof_status status = gecko_write_meta(export);
    if (status != BINPROF_OK)
        return status;
    output_text_string(export->text, ",\"libs\":[],\"shared\":");
    status = gecko_write_shared(export);
    if (status != BINPROF_OK)
        return status;
    output_text_string(export->text, ",\"threads\":[");
    for (uint32_t i = 0; i < export->thread_count; i++) {
        if (i > 0)
            output_text_char(export->text, ',');
        gecko_write_thread(export, export->thread_order[i]);
    }
    output_text_string(export->text, "]}\n");
    return BINPROF_OK;
}

static binprof_status gecko_export_output(binprof_collector *base, binprof_error *error)
{
    gecko_collector *gecko = (gecko_collector *)base;
    gecko_export export = {.collector = gecko, .profile = gecko->profile, .text = &gecko->text};
    binprof_status status = write_file(&export);
    free(export.stack_rows);
    free(export.frame_rows);
    free(export.frame_states);
    free(export.thread_order);
    if (status != BINPROF_OK)
        return error_set_memory(error);
    return output_text_finish(&gecko->text, error);
}

static void gecko_close(binprof_collector *base)
{
    gecko_collector *gecko = (gecko_collector *)base;
    output_text_discard(&gecko->text);
    for (size_t i = 0; i < gecko->thread_count; i++)
        gecko_samples_free(&gecko->threads[i].samples);
    free(gecko->threads);
    free(gecko->frame_kinds);
    free(gecko->stack_states);
    free(gecko->source);
    free(gecko);
}

static uint64_t gecko_total_samples(const binprof_collector *base)
{
    return ((const gecko_collector *)base)->samples;
}

static const binprof_collector_operations gecko_operations = {
    .collect = gecko_collect,
    .collect_failed = gecko_collect_failed,
    .export_output = gecko_export_output,
    .close = gecko_close,
    .total_samples = gecko_total_samples,
};

binprof_status collectors_gecko_open(const binprof_collector_options *options,
                                     binprof_collector **collector, binprof_error *error)
{
    gecko_collector *gecko = calloc(1, sizeof *gecko);
    if (gecko == NULL)
        return error_set_memory(error);
    gecko->base.operations = &gecko_operations;
    gecko->profile = options->profile;
    gecko->facts = options->facts;
    gecko->choice = options->choice;
    gecko->captures = options->captures;
    gecko->capture_count = options->capture_count;
    gecko->end_time_ms = options->end_time_ms;
    gecko->source = options->source == NULL ? NULL : output_utf8_copy(options->source);
    if (options->source != NULL && gecko->source == NULL) {
        free(gecko);
        return error_set_memory(error);
    }
    binprof_status status = output_text_open(&gecko->text, options->output, options->gzip, error);
    if (status != BINPROF_OK) {
        free(gecko->source);
        free(gecko);
        return status;
    }
    *collector = &gecko->base;
    return BINPROF_OK;
}
