/* --samples: every sample, as a collector that prints. */
#include "tools/dump.h"
#include "tools/human.h"

#include <inttypes.h>
#include <stdlib.h>

/* The most that a frame index and what separates it from the next take. */
#define INDEX_TEXT_MAX 11

typedef struct sample_printer {
    binprof_collector base;
    const dump_context *dump;
    const binprof_profile *profile;
    /* The frames of the run, innermost first; its end is the room that a number asks for. */
    char text[BINPROF_READER_MAX_DEPTH * INDEX_TEXT_MAX + OUTPUT_NUMBER_MAX];
    size_t length;
    size_t depth;
} sample_printer;

/* Puts the stack's frames into printer->text, once for all samples of the run. */
static void render_stack(sample_printer *printer, uint32_t stack)
{
    const binprof_stack *stacks = binprof_profile_stacks(printer->profile);
    char separator = printer->dump->json ? ',' : ' ';
    char *p = printer->text;
    printer->depth = 0;
    for (; stack != BINPROF_EMPTY_STACK; stack = stacks[stack].parent) {
        if (printer->depth++ > 0)
            *p++ = separator;
        p = output_put_u64(p, stacks[stack].frame);
    }
    printer->length = (size_t)(p - printer->text);
}

static void print_sample(const sample_printer *printer, binprof_thread thread, uint64_t time_us,
                         uint8_t status)
{
    const dump_context *dump = printer->dump;
    if (dump->json) {
        output_text_printf(dump->out,
                           "{\"thread_id\":%" PRIu64 ",\"interpreter_id\":%" PRIu32
                           ",\"timestamp_us\":%" PRIu64 ",\"status\":%d,\"frames\":[",
                           thread.thread_id, thread.interpreter_id, time_us, status);
        output_text_append(dump->out, printer->text, printer->length);
        output_text_string(dump->out, "]}\n");
        return;
    }
    char text[HUMAN_SIZE];
    int64_t relative_us = (int64_t)(time_us - dump->info->facts.start_us);
    output_text_printf(dump->out, "%14.6f %10" PRIu64 "  %3" PRIu32 "  %4zu  %-36s ",
                       (double)relative_us / 1e6, thread.thread_id, thread.interpreter_id,
                       printer->depth, human_status(text, status));
    output_text_append(dump->out, printer->text, printer->length);
    output_text_char(dump->out, '\n');
}

static binprof_status print_run(binprof_collector *base, const binprof_run *run,
                                binprof_error *error)
{
    sample_printer *printer = (sample_printer *)base;
    output_text *out = printer->dump->out;
    if (out->status != BINPROF_OK) { /* nobody reads what follows */
        *error = out->error;
        return out->status;
    }
    binprof_thread thread = binprof_profile_thread(printer->profile, run->thread);
    render_stack(printer, run->stack);
    for (size_t i = 0; i < run->count; i++)
        print_sample(printer, thread, run->timestamps_us[i], run->statuses[i]);
    return BINPROF_OK;
}

static const binprof_collector_operations printer_operations = {.collect = print_run};

binprof_status dump_samples(const dump_context *dump, binprof_error *error)
{
    binprof_profile *profile = dump_new_profile(error);
    if (profile == NULL)
        return BINPROF_ERROR_MEMORY;
    sample_printer *printer = malloc(sizeof *printer);
    if (printer == NULL) {
        binprof_profile_free(profile);
        return dump_fail_memory(error);
    }
    printer->base.operations = &printer_operations;
    printer->dump = dump;
    printer->profile = profile;
    if (!dump->json)
        output_text_printf(dump->out, "%14s %10s  %3s  %4s  %-36s %s\n", "time in s", "thread",
                           "int", "deep", "status", "frames, innermost first");
    binprof_status status =
        binprof_reader_replay(dump->reader, profile, &printer->base, NULL, error);
    free(printer);
    binprof_profile_free(profile);
    return status;
}
