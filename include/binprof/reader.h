/* The reader: capture file in, profile and runs of samples out.
 *
 *     binprof_reader_open("app.bin", &reader, &error);
 *     binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
 *     binprof_reader_replay(reader, profile, collector, NULL, &error);
 *     binprof_reader_close(reader);
 *
 * Nothing in a file is trusted; a damaged file gives an error that says where and what, never a
 * crash. The file is read in pieces and its sample data is decompressed in pieces: memory follows
 * the tables, the distinct stacks and the threads, not the samples. A file that changes or shrinks
 * meanwhile is an error like any other.
 */
#ifndef BINPROF_READER_H
#define BINPROF_READER_H

#include <binprof/collector.h>
#include <binprof/error.h>
#include <binprof/facts.h>
#include <binprof/profile.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct binprof_reader binprof_reader;

/* The deepest stack that is read. CPython's limit is 256. */
#define BINPROF_READER_MAX_DEPTH 65536

typedef enum binprof_revision {
    BINPROF_REVISION_WIDE,   /* CPython 3.15.0 and later: a sample count of 64 bits */
    BINPROF_REVISION_NARROW, /* pre-releases of 3.15: 32 bits */
} binprof_revision;

/* What a capture's header, footer and statistics say. */
typedef struct binprof_info {
    binprof_facts facts;
    uint32_t version; /* of the format: 1 */
    binprof_revision revision;
    bool big_endian;
    bool zstd; /* whether the sample data is compressed */
    uint64_t sample_count;
    uint32_t thread_count;
    uint32_t string_count;
    uint32_t frame_count;
    uint64_t file_size;
    uint64_t data_size;           /* bytes of sample data as they are in the file */
    uint64_t string_table_offset; /* where the sample data ends */
    uint64_t frame_table_offset;  /* where the string table ends */
    uint32_t statistics_size;     /* bytes of the statistics block; 0 for none */
} binprof_info;

/* Opens the capture at `path` and checks its header, footer, statistics and offsets; the tables and
 * the sample data are not touched. A path that is no regular file, such as a pipe, is read into
 * memory to its end. Stores in *reader what binprof_reader_close gives back.
 *
 * Fails with BINPROF_ERROR_IO, BINPROF_ERROR_MEMORY, BINPROF_ERROR_TRUNCATED (cut short or never
 * finished), BINPROF_ERROR_FORMAT (no capture, or its parts contradict each other) or
 * BINPROF_ERROR_UNSUPPORTED (a later version or compression). */
BINPROF_API BINPROF_CHECK_RESULT binprof_status binprof_reader_open(const char *path,
                                                                    binprof_reader **reader,
                                                                    binprof_error *error);

/* The same for an open file descriptor, which stays the caller's and must stay open until the
 * reader is closed. `name` is what messages call it. A regular file is read from its start. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status binprof_reader_open_fd(int fd, const char *name,
                                                                       binprof_reader **reader,
                                                                       binprof_error *error);

/* The same for a capture in memory, which must stay unchanged until the reader is closed. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status binprof_reader_open_memory(
    const void *data, size_t size, const char *name, binprof_reader **reader, binprof_error *error);

/* Frees the reader. NULL is allowed. */
BINPROF_API void binprof_reader_close(binprof_reader *reader);

/* What is known without touching the sample data. Valid as long as the reader. */
BINPROF_API const binprof_info *binprof_reader_info(const binprof_reader *reader);

/* Interns the capture's strings and frames in `profile`, in the order of its tables. With an empty
 * profile that keeps duplicates, the profile's ids are then the table's indices.
 *
 * Fails with BINPROF_ERROR_FORMAT (a malformed entry or an index out of range), _TRUNCATED, _IO,
 * _MEMORY or _LIMIT. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status binprof_reader_load_tables(binprof_reader *reader,
                                                                           binprof_profile *profile,
                                                                           binprof_error *error);

/* Told how far a replay has come, in bytes of the file's sample data; false stops the replay. */
typedef bool (*binprof_progress)(void *context, uint64_t done, uint64_t total);

typedef struct binprof_replay_options {
    binprof_progress progress; /* called for each piece of input, at most 128 KiB; may be NULL */
    void *context;
} binprof_replay_options;

/* Decodes all samples: loads the tables into `profile`, interns stacks and threads there, and hands
 * every run to `collector`, in the order of the records. Does not export the collector. May be
 * called again.
 *
 * options: may be NULL.
 *
 * Fails with BINPROF_ERROR_FORMAT (records against the specification, more threads than the header
 * declares, another number of samples than the header declares), _TRUNCATED, _UNSUPPORTED (zstd
 * missing in this build, a stack deeper than BINPROF_READER_MAX_DEPTH), _CANCELLED, _IO, _MEMORY,
 * _LIMIT, or as the collector fails. The collector may have taken runs before the failure. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status binprof_reader_replay(
    binprof_reader *reader, binprof_profile *profile, binprof_collector *collector,
    const binprof_replay_options *options, binprof_error *error);

/* How the samples of the last replay were encoded. Valid as long as the reader. */
BINPROF_API const binprof_encoding *binprof_reader_encoding(const binprof_reader *reader);

typedef enum binprof_record_kind {
    BINPROF_RECORD_REPEAT = 0,
    BINPROF_RECORD_FULL = 1,
    BINPROF_RECORD_SUFFIX = 2,
    BINPROF_RECORD_POP_PUSH = 3,
} binprof_record_kind;

/* A record as it is encoded, or a piece of a repeat record that is too long for one. */
typedef struct binprof_record {
    uint64_t index;  /* number of the record, from 0 */
    uint64_t offset; /* where it starts in the uncompressed sample data */
    uint64_t thread_id;
    uint32_t interpreter_id;
    binprof_record_kind kind;
    uint64_t sample_count;     /* samples of the whole record: 1 but for a repeat */
    uint64_t first_sample;     /* of these, how many came in earlier pieces */
    size_t piece_length;       /* samples in this piece */
    const uint64_t *deltas_us; /* time since the thread's previous sample, modulo 2^64 */
    const uint8_t *statuses;
    uint32_t shared;        /* suffix: outermost frames kept */
    uint32_t pop;           /* pop-push: innermost frames removed */
    uint32_t frame_count;   /* new frames */
    const uint32_t *frames; /* indices into the capture's frame table, innermost first */
} binprof_record;

/* An iterator over the encoded records, for who wants to look at the bytes' meaning rather than at
 * the samples. */
typedef struct binprof_records binprof_records;

/* Opens an iterator at the first record; the reader must outlive it. Fails with
 * BINPROF_ERROR_MEMORY or BINPROF_ERROR_UNSUPPORTED (zstd missing in this build). */
BINPROF_API BINPROF_CHECK_RESULT binprof_status binprof_records_open(binprof_reader *reader,
                                                                     binprof_records **records,
                                                                     binprof_error *error);

/* Stores in *record the next record, valid until the next call, or NULL after the last one. Checks
 * the record by itself, frame indices included, but not against the thread's earlier records.
 * Fails as binprof_reader_replay; the iterator can then only be closed. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status binprof_records_next(binprof_records *records,
                                                                     const binprof_record **record,
                                                                     binprof_error *error);

/* Frees the iterator. NULL is allowed. */
BINPROF_API void binprof_records_close(binprof_records *records);

/* Returns "repeat", "full", "suffix" or "pop-push". The text is static. Thread-safe. */
BINPROF_API const char *binprof_record_kind_name(binprof_record_kind kind);

#endif
