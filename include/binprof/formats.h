/* The output formats: a table of collectors that can be chosen by name or by a file's ending. */
#ifndef BINPROF_FORMATS_H
#define BINPROF_FORMATS_H

#include <binprof/collector.h>
#include <binprof/error.h>
#include <binprof/facts.h>
#include <binprof/filter.h>
#include <binprof/output.h>
#include <binprof/profile.h>
#include <binprof/writer.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a collector is made with. `profile` and `facts` must outlive it; facts is read again at
 * export, so that statistics measured by then are in the output. */
typedef struct binprof_collector_options {
    const binprof_profile *profile;
    const binprof_facts *facts;
    const binprof_output *output;    /* copied */
    const char *source;              /* name of what the samples came from, for outputs that show
                                        it; may be NULL; copied */
    const binprof_choice *choice;    /* what was chosen, for outputs that show it or that print
                                        names as it says; NULL for everything; must outlive */
    const binprof_capture *captures; /* where there are several, by their number; must outlive */
    size_t capture_count;            /* 0 or 1: one, of the name and facts above */
    uint64_t end_time_ms;            /* when the capture ended, in ms since 1970, for outputs that
                                        show the time of day: a capture itself does not know it;
                                        0 for unknown */
    bool gzip;                       /* compress the output; text formats only */
    binprof_compression compression; /* binary format only */
    int level;                       /* binary format only; 0 for the default */
} binprof_collector_options;

typedef struct binprof_format {
    const char *name;          /* also the option of binprof-convert: "collapsed" */
    const char *suffix;        /* ending of file names that means this format: ".collapsed" */
    const char *description;   /* one line */
    bool text;                 /* can be printed on a terminal and gzipped */
    bool in_order;             /* needs the samples of each thread in the order of time */
    bool tells_captures_apart; /* otherwise see binprof_filter_options.name_in_stacks */
    bool compares;             /* shows how captures differ from the one that is their base */
    uint32_t granularities;    /* what it can tell apart: bits 1 << BINPROF_BY_… */
    binprof_status (*open)(const binprof_collector_options *options, binprof_collector **collector,
                           binprof_error *error);
} binprof_format;

/* Returns the format number `index` from 0, NULL after the last. Static. Thread-safe. */
BINPROF_API const binprof_format *binprof_format_at(size_t index);

/* Returns the format of this name, or NULL. Static. Thread-safe. */
BINPROF_API const binprof_format *binprof_format_by_name(const char *name);

/* Returns the format that the ending of `path` means, or NULL. Where the ending is a format's with
 * ".gz" added, stores true in *gzip, else false. Thread-safe. */
BINPROF_API const binprof_format *binprof_format_by_path(const char *path, bool *gzip);

/* Opens a collector that writes this format, to be closed with binprof_collector_close. Fails with
 * BINPROF_ERROR_MEMORY, BINPROF_ERROR_IO, BINPROF_ERROR_ARGUMENT (gzip for a binary format) or as
 * the format says. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status
binprof_format_open(const binprof_format *format, const binprof_collector_options *options,
                    binprof_collector **collector, binprof_error *error);

/* What a counting collector counts. The arrays are indexed by the profile's thread ids and hold
 * thread_count entries. */
typedef struct binprof_thread_counts {
    uint64_t samples;
    uint64_t without_frames;    /* samples with the empty stack */
    uint64_t first_us, last_us; /* times of the first and the last sample */
    uint64_t with_status[8];    /* samples that have status bit 0, 1, … set */
} binprof_thread_counts;

typedef struct binprof_counts {
    uint64_t runs;
    uint64_t samples;
    uint64_t failed; /* calls of collect_failed */
    uint32_t thread_count;
    const binprof_thread_counts *threads;
} binprof_counts;

/* Opens a collector without an output that counts samples, for tests, benchmarks and summaries.
 * Fails with BINPROF_ERROR_MEMORY. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status
binprof_counting_collector_open(binprof_collector **collector, binprof_error *error);

/* Returns the counts of a collector from binprof_counting_collector_open; the threads array is
 * valid until the next run. */
BINPROF_API binprof_counts binprof_counting_collector_counts(const binprof_collector *collector);

#endif
