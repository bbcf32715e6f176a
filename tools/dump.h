/* The views of binprof-dump. */
#ifndef TOOLS_DUMP_H
#define TOOLS_DUMP_H

#include "output/text.h"

#include <binprof/reader.h>
#include <stdbool.h>

/* What a view works with. */
typedef struct dump_context {
    binprof_reader *reader;
    const binprof_info *info;
    const char *name; /* of the capture */
    bool json;
    output_text *out;
} dump_context;

/* Each prints one view of the capture, in words or as JSON. What was decoded before a failure is
 * printed. */
binprof_status dump_info(const dump_context *dump, binprof_error *error);
binprof_status dump_threads(const dump_context *dump, binprof_error *error);
binprof_status dump_strings(const dump_context *dump, binprof_error *error);
binprof_status dump_frames(const dump_context *dump, binprof_error *error);
binprof_status dump_records(const dump_context *dump, binprof_error *error);
binprof_status dump_samples(const dump_context *dump, binprof_error *error);
binprof_status dump_stats(const dump_context *dump, binprof_error *error);
binprof_status dump_verify(const dump_context *dump, binprof_error *error);

/* Fills *error. */
binprof_status dump_fail_memory(binprof_error *error);

/* A profile whose ids are the indices of the capture's own tables; NULL, with *error filled, when
 * there is no memory. */
binprof_profile *dump_new_profile(binprof_error *error);

/* All samples, decoded and counted. */
typedef struct dump_counted {
    binprof_profile *profile;
    binprof_collector *collector;
} dump_counted;

/* Decodes and counts all samples; to be given back with dump_counted_free, also after a failure,
 * when it holds what was counted until then. */
binprof_status dump_count(const dump_context *dump, dump_counted *counted, binprof_error *error);
void dump_counted_free(dump_counted *counted);

/* Bytes that no entry of a table uses. Readers step over them. */
typedef struct dump_gaps {
    uint64_t after_strings;
    uint64_t after_frames;
} dump_gaps;

/* Measures the gaps of a capture whose tables could be loaded. */
binprof_status dump_measure_gaps(const dump_context *dump, dump_gaps *gaps, binprof_error *error);

#endif
