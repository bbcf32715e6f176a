/* The native format: a capture is written by the writer. */
#include "base/error.h"
#include "collectors/collectors.h"

#include <binprof/writer.h>
#include <stdlib.h>

typedef struct binary_collector {
    binprof_collector base;
    binprof_writer *writer;
    const binprof_facts *facts;
} binary_collector;

static binprof_status binary_collect(binprof_collector *base, const binprof_run *run,
                                     binprof_error *error)
{
    return binprof_writer_collect_run(((binary_collector *)base)->writer, run, error);
}

static binprof_status binary_export(binprof_collector *base, binprof_error *error)
{
    binary_collector *binary = (binary_collector *)base;
    binprof_writer_set_statistics(binary->writer, &binary->facts->statistics);
    return binprof_writer_finish(binary->writer, error);
}

static void binary_close(binprof_collector *base)
{
    binprof_writer_close(((binary_collector *)base)->writer);
    free(base);
}

static uint64_t binary_total_samples(const binprof_collector *base)
{
    return binprof_writer_total_samples(((const binary_collector *)base)->writer);
}

static bool binary_stats(const binprof_collector *base, binprof_encoding *encoding)
{
    binprof_writer_stats(((const binary_collector *)base)->writer, encoding);
    return true;
}

/* A failed sample has nothing that a capture could hold, so collect_failed is not there. */
static const binprof_collector_operations binary_operations = {
    .collect = binary_collect,
    .export_output = binary_export,
    .close = binary_close,
    .total_samples = binary_total_samples,
    .stats = binary_stats,
};

binprof_status collectors_binary_open(const binprof_collector_options *options,
                                      binprof_collector **collector, binprof_error *error)
{
    binary_collector *binary = calloc(1, sizeof *binary);
    if (binary == NULL)
        return error_set_memory(error);
    binary->base.operations = &binary_operations;
    binary->facts = options->facts;
    binprof_writer_options writer_options = {
        .facts = *options->facts, .compression = options->compression, .level = options->level};
    binprof_status status = binprof_writer_open(options->output, options->profile, &writer_options,
                                                &binary->writer, error);
    if (status != BINPROF_OK) {
        free(binary);
        return status;
    }
    *collector = &binary->base;
    return BINPROF_OK;
}
