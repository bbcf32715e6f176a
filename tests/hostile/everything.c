#include "everything.h"

#include "support/allocations.h"

#include <binprof/binprof.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NAME "hostile.bin"

/* What any capture may take: buffers, zstd's tables, the first blocks of the profile. */
#define MEMORY_FIXED ((size_t)8 << 20)

/* The dearest byte of a capture is a frame index. A node of the tree of stacks takes 8 bytes for
 * it, 20 while the array moves to where it can grow by half; the collapsed output builds a second
 * such tree, and Gecko keeps 5 bytes a stack besides. */
#define MEMORY_PER_BYTE ((size_t)64)

/* The largest window that libzstd lets a frame ask for by itself. It is allocated, but a page of it
 * costs memory only when so much data has really come out. */
#define MEMORY_ZSTD_WINDOW (((size_t)128 << 20) + ((size_t)1 << 20))

#define MOST_WRITES 256

size_t everything_memory(size_t size)
{
    return MEMORY_FIXED + MEMORY_PER_BYTE * size;
}

/* Bytes that no error has, to see whether a success touches it. */
static void poison(binprof_error *error)
{
    memset(error, 0xa5, sizeof *error);
}

static bool is_poisoned(const binprof_error *error)
{
    binprof_error untouched;
    poison(&untouched);
    return memcmp(error, &untouched, sizeof untouched) == 0;
}

static void check_message(const binprof_error *error)
{
    size_t length = strnlen(error->message, sizeof error->message);
    assert_true(length > strlen(NAME ": "));
    assert_true(length < sizeof error->message);
    assert_memory_equal(error->message, NAME ": ", strlen(NAME ": "));
    for (size_t i = 0; i < length; i++)
        assert_true((unsigned char)error->message[i] >= 0x20 && error->message[i] != 0x7f);
    assert_true(error->message[length - 1] != '.');
}

/* Bytes can be wrong in these ways and no other. */
static void check(binprof_status status, const binprof_error *error)
{
    if (status == BINPROF_OK) {
        assert_true(is_poisoned(error));
        return;
    }
    if (status == BINPROF_ERROR_CANCELLED) /* an output: see output_is_long */
        return;
    assert_true(status == BINPROF_ERROR_FORMAT || status == BINPROF_ERROR_TRUNCATED ||
                status == BINPROF_ERROR_UNSUPPORTED);
    assert_int_equal(error->code, status);
    assert_int_equal(error->system_error, 0);
    check_message(error);
}

static void use_tables(binprof_reader *reader, binprof_profile_flags flags)
{
    binprof_error error;
    poison(&error);
    binprof_profile *profile = binprof_profile_new(flags);
    assert_non_null(profile);
    check(binprof_reader_load_tables(reader, profile, &error), &error);
    binprof_profile_free(profile);
}

static void use_records(binprof_reader *reader)
{
    binprof_error error;
    poison(&error);
    uint64_t sum = 0;
    binprof_records *records;
    const binprof_record *record = NULL;
    binprof_status status = binprof_records_open(reader, &records, &error);
    if (status == BINPROF_OK) {
        do {
            status = binprof_records_next(records, &record, &error);
            if (status != BINPROF_OK || record == NULL)
                break;
            for (size_t i = 0; i < record->piece_length; i++)
                sum += record->deltas_us[i] + record->statuses[i];
            for (size_t i = 0; i < record->frame_count; i++)
                assert_true(record->frames[i] < binprof_reader_info(reader)->frame_count);
        } while (true);
        binprof_records_close(records);
    }
    check(status, &error);
    (void)sum;
}

static binprof_status use_counting(binprof_reader *reader)
{
    binprof_error error;
    poison(&error);
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    binprof_collector *counting;
    assert_non_null(profile);
    assert_int_equal(binprof_counting_collector_open(&counting, NULL), BINPROF_OK);
    binprof_status status = binprof_reader_replay(reader, profile, counting, NULL, &error);
    check(status, &error);
    if (status == BINPROF_OK)
        assert_true(binprof_collector_total_samples(counting) ==
                    binprof_reader_info(reader)->sample_count);
    binprof_collector_close(counting);
    binprof_profile_free(profile);
    return status;
}

static bool output_is_long(void *context)
{
    unsigned *writes = context;
    return (*writes)-- == 0;
}

/* What a broken capture gave before it broke is exported too. */
static void use_format(binprof_reader *reader, const char *name, unsigned writes)
{
    binprof_error error;
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    assert_non_null(profile);
    binprof_output output = {.path = "/dev/null", .cancelled = output_is_long, .context = &writes};
    binprof_collector_options options = {.profile = profile,
                                         .facts = &binprof_reader_info(reader)->facts,
                                         .output = &output,
                                         .source = NAME,
                                         .compression = BINPROF_COMPRESSION_NONE};
    binprof_collector *collector;
    assert_int_equal(binprof_format_open(binprof_format_by_name(name), &options, &collector, NULL),
                     BINPROF_OK);
    poison(&error);
    check(binprof_reader_replay(reader, profile, collector, NULL, &error), &error);
    poison(&error);
    check(binprof_collector_export(collector, &error), &error);
    binprof_collector_close(collector);
    binprof_profile_free(profile);
}

/* The capture and itself, as what it is compared with, after a choice that changes every stack. */
static void use_tally(binprof_reader *reader)
{
    static const binprof_choice choice = {.trim_root = "f",
                                          .collapse_recursion = true,
                                          .merge_threads = true,
                                          .by = BINPROF_BY_LINE,
                                          .paths = BINPROF_PATHS_MODULE};
    binprof_error error;
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    assert_non_null(profile);
    const binprof_facts *facts = &binprof_reader_info(reader)->facts;
    binprof_capture captures[] = {{.name = "it", .facts = facts},
                                  {.name = "itself", .facts = facts, .is_base = true}};
    binprof_collector *tally;
    binprof_collector *filter;
    assert_int_equal(binprof_tally_open(profile, captures, 2, &tally, NULL), BINPROF_OK);
    binprof_filter_options options = {.choice = &choice,
                                      .profile = profile,
                                      .next = tally,
                                      .captures = captures,
                                      .capture_count = 2};
    assert_int_equal(binprof_filter_open(&options, &filter, NULL), BINPROF_OK);
    for (uint32_t i = 0; i < 2; i++) {
        poison(&error);
        check(binprof_filter_replay(filter, reader, i, NULL, &error), &error);
    }
    poison(&error);
    check(binprof_collector_export(filter, &error), &error);
    binprof_tally_samples all = binprof_tally_get(tally).samples;
    assert_true(all.now == all.base);
    assert_true(all.now + all.base == binprof_filter_get_counts(filter).chosen);
    binprof_collector_close(filter);
    binprof_collector_close(tally);
    binprof_profile_free(profile);
}

static void check_memory(const binprof_reader *reader, size_t size,
                         const everything_options *options)
{
    size_t most = everything_memory(size);
    if (options != NULL && options->most_memory > 0)
        most = options->most_memory;
    if (reader != NULL && binprof_reader_info(reader)->zstd)
        most += MEMORY_ZSTD_WINDOW;
    assert_true(allocations_peak() <= most);
}

binprof_status everything_use(const void *data, size_t size, const everything_options *options)
{
    static const char *const formats[] = {"collapsed", "gecko", "binary", "flamegraph"};
    unsigned writes =
        options != NULL && options->most_writes > 0 ? options->most_writes : MOST_WRITES;
    size_t live = allocations_live();
    allocations_forget_peak();
    binprof_error error;
    poison(&error);
    binprof_reader *reader;
    binprof_status status = binprof_reader_open_memory(data, size, NAME, &reader, &error);
    check(status, &error);
    if (status == BINPROF_OK) {
        use_tables(reader, BINPROF_PROFILE_DEFAULT);
        use_tables(reader, BINPROF_PROFILE_KEEP_DUPLICATES);
        use_records(reader);
        status = use_counting(reader);
        for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
            use_format(reader, formats[i], writes);
        use_tally(reader);
    } else {
        assert_null(reader);
    }
    check_memory(reader, size, options);
    binprof_reader_close(reader);
    assert_true(allocations_live() == live);
    return status;
}
