/* The writer: samples in, capture file out.
 *
 *     binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
 *     binprof_writer_options options = binprof_writer_options_default();
 *     options.facts.interval_us = 1000;
 *     options.facts.start_us = binprof_now_us();
 *     binprof_output output = {.path = "app.bin"};
 *     binprof_writer_open(&output, profile, &options, &writer, &error);
 *     // for each sample: intern its frames and its thread in the profile, then
 *     binprof_writer_collect(writer, thread, frames, depth, timestamp, status, &error);
 *     // at the end
 *     binprof_writer_finish(writer, &error);
 *     binprof_writer_close(writer);
 *
 * For the same samples, the uncompressed file is byte for byte the one that CPython writes, except
 * for what is told by options (the start time, the Python version, the statistics).
 *
 * Memory: one buffer of half a MiB, what zstd needs, and for each thread its last stack and the
 * repeats not yet written, at most 16 KiB.
 */
#ifndef BINPROF_WRITER_H
#define BINPROF_WRITER_H

#include <binprof/collector.h>
#include <binprof/error.h>
#include <binprof/facts.h>
#include <binprof/output.h>
#include <binprof/profile.h>

typedef struct binprof_writer binprof_writer;

/* A sample keeps its innermost frames up to this many; CPython reads no deeper stack. */
#define BINPROF_WRITER_MAX_DEPTH 256

typedef enum binprof_compression {
    BINPROF_COMPRESSION_AUTO, /* zstd where the build has it, else none */
    BINPROF_COMPRESSION_NONE,
    BINPROF_COMPRESSION_ZSTD, /* BINPROF_ERROR_UNSUPPORTED where the build has no zstd */
} binprof_compression;

typedef struct binprof_writer_options {
    binprof_facts facts;
    binprof_compression compression;
    int level; /* of zstd, 1 to 19; 0 for the default, 5 */
} binprof_writer_options;

/* Returns the options that hold when none is chosen: automatic compression at level 5, an interval
 * of 1 ms, mode and features not recorded, no Python version, no statistics, start at 0. */
BINPROF_API binprof_writer_options binprof_writer_options_default(void);

/* Returns the monotonic clock's time in microseconds. Thread-safe. */
BINPROF_API uint64_t binprof_now_us(void);

/* Opens a capture for writing.
 *
 * output: see binprof_output. It must be seekable, since the header is written last: a pipe or a
 * terminal fails with BINPROF_ERROR_ARGUMENT. A file descriptor must be at the start of a regular
 * file and not in append mode; the file ends where the capture ends.
 * profile: where the ids that the samples are made of come from; must outlive the writer.
 * options: NULL for the default; copied.
 *
 * Stores in *writer what binprof_writer_close gives back. Fails with BINPROF_ERROR_MEMORY,
 * BINPROF_ERROR_IO, BINPROF_ERROR_UNSUPPORTED (zstd missing) or BINPROF_ERROR_ARGUMENT (level,
 * mode or output that cannot be). */
BINPROF_API BINPROF_CHECK_RESULT binprof_status binprof_writer_open(
    const binprof_output *output, const binprof_profile *profile,
    const binprof_writer_options *options, binprof_writer **writer, binprof_error *error);

/* Writes one sample.
 *
 * thread: thread id of the profile; frames: `depth` frame ids of the profile, innermost first
 * (frames may be NULL where depth is 0); timestamp_us: on the clock of the start time;
 * status: BINPROF_STATUS_ bits.
 *
 * Fails with BINPROF_ERROR_ARGUMENT (an id that the profile does not have), BINPROF_ERROR_MEMORY,
 * BINPROF_ERROR_LIMIT (the format's 2^32 strings, frames or threads are used up),
 * BINPROF_ERROR_IO or BINPROF_ERROR_CANCELLED. After the first three the sample is not in the
 * capture and the writer goes on, or can be finished with what it has; after the last two only
 * close is left. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status
binprof_writer_collect(binprof_writer *writer, uint32_t thread, const uint32_t *frames,
                       size_t depth, uint64_t timestamp_us, uint8_t status, binprof_error *error);

/* The same for consecutive samples with one stack, named by its stack id. Where run->timestamps_us
 * is NULL, every sample gets the time of the call. Fails as binprof_writer_collect; a run that
 * fails may be partly in the capture. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status binprof_writer_collect_run(binprof_writer *writer,
                                                                           const binprof_run *run,
                                                                           binprof_error *error);

/* Replaces the statistics that finish will write, for profilers that know them only at the end. */
BINPROF_API void binprof_writer_set_statistics(binprof_writer *writer,
                                               const binprof_statistics *statistics);

/* Writes what is pending, the tables and the header, and gives the file its name. After it, only
 * the questions and close are allowed. Fails with BINPROF_ERROR_IO, BINPROF_ERROR_MEMORY or
 * BINPROF_ERROR_CANCELLED; the target is then as it was before. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status binprof_writer_finish(binprof_writer *writer,
                                                                      binprof_error *error);

/* Frees the writer. Without a successful finish before, nothing is left under the target's name
 * (a file descriptor keeps a file that no reader accepts). NULL is allowed. */
BINPROF_API void binprof_writer_close(binprof_writer *writer);

/* Returns how many samples were written so far. */
BINPROF_API uint64_t binprof_writer_total_samples(const binprof_writer *writer);

/* Stores how the samples were encoded so far. Repeats that wait to be written count as samples,
 * not yet as records. */
BINPROF_API void binprof_writer_stats(const binprof_writer *writer, binprof_encoding *encoding);

#endif
