/* --samples: every sample, as a collector that prints. */
#include "tools/dump.h"
#include "tools/human.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct sample_printer {
    binprof_collector base;
    const dump_context *dump;
    const binprof_profile *profile;
    uint32_t frames[BINPROF_READER_MAX_DEPTH]; /* of the run, innermost first */
} sample_printer;

/* Follows the stack's parents; returns the depth. */
static size_t walk_stack(sample_printer *printer, uint32_t stack)
{
    const binprof_stack *stacks = binprof_profile_stacks(printer->profile);
    size_t depth = 0;
    for (; stack != BINPROF_EMPTY_STACK; stack = stacks[stack].parent)
        printer->frames[depth++] = stacks[stack].frame;
    return depth;
}

static void print_sample(const sample_printer *printer, binprof_thread thread, uint64_t time_us,
                         uint8_t status, size_t depth)
{
    const dump_context *dump = printer->dump;
    if (dump->json) {
        output_text_printf(dump->out,
                           "{\"thread_id\":%" PRIu64 ",\"interpreter_id\":%" PRIu32
                           ",\"timestamp_us\":%" PRIu64 ",\"status\":%d,\"frames\":",
                           thread.thread_id, thread.interpreter_id, time_us, status);
        dump_print_frames(dump, printer->frames, depth);
        output_text_string(dump->out, "}\n");
        return;
    }
    char text[HUMAN_SIZE];
    int64_t relative_us = (int64_t)(time_us - dump->info->facts.start_us);
    output_text_printf(dump->out, "%14.6f %10" PRIu64 "  %3" PRIu32 "  %4zu  %-36s ",
                       (double)relative_us / 1e6, thread.thread_id, thread.interpreter_id, depth,
                       human_status(text, status));
    dump_print_frames(dump, printer->frames, depth);
    output_text_char(dump->out, '\n');
}

static binprof_status print_run(binprof_collector *base, const binprof_run *run,
                                binprof_error *error)
{
    (void)error;
    sample_printer *printer = (sample_printer *)base;
    binprof_thread thread = binprof_profile_thread(printer->profile, run->thread);
    size_t depth = walk_stack(printer, run->stack);
    for (size_t i = 0; i < run->count; i++)
        print_sample(printer, thread, run->timestamps_us[i], run->statuses[i], depth);
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
