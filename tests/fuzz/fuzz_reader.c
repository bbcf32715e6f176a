/* Any bytes as a capture: everything that can be read of it, and every output made of it. */
#include <binprof/binprof.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A capture of a few bytes can stand for any number of samples. */
#define MOST_SAMPLES 20000
#define MOST_WRITES 8

static bool stop_output(void *context)
{
    unsigned *writes = context;
    return ++*writes > MOST_WRITES;
}

/* A failure must say what it is. */
static binprof_status check(binprof_status status, const binprof_error *error)
{
    if (status != BINPROF_OK && (error->code != status || error->message[0] == '\0' ||
                                 memchr(error->message, '\0', sizeof error->message) == NULL))
        abort();
    return status;
}

static void read_tables(binprof_reader *reader)
{
    binprof_error error;
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_KEEP_DUPLICATES);
    if (profile != NULL)
        (void)check(binprof_reader_load_tables(reader, profile, &error), &error);
    binprof_profile_free(profile);
}

/* Returns how many samples the records hold, up to the first that is broken. */
static uint64_t read_records(binprof_reader *reader)
{
    binprof_error error;
    binprof_records *records;
    const binprof_record *record = NULL;
    uint64_t samples = 0;
    if (check(binprof_records_open(reader, &records, &error), &error) != BINPROF_OK)
        return 0;
    while (samples <= MOST_SAMPLES &&
           check(binprof_records_next(records, &record, &error), &error) == BINPROF_OK &&
           record != NULL) {
        samples += record->piece_length;
        for (uint32_t i = 0; i < record->frame_count; i++)
            if (record->frames[i] >= binprof_reader_info(reader)->frame_count)
                abort();
    }
    binprof_records_close(records);
    return samples;
}

static void convert(binprof_reader *reader, const char *format, bool gzip)
{
    binprof_error error;
    unsigned writes = 0;
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    binprof_output output = {.path = "/dev/null", .cancelled = stop_output, .context = &writes};
    binprof_collector_options options = {.profile = profile,
                                         .facts = &binprof_reader_info(reader)->facts,
                                         .output = &output,
                                         .source = "fuzz",
                                         .gzip = gzip,
                                         .compression = BINPROF_COMPRESSION_NONE};
    binprof_collector *collector = NULL;
    if (profile != NULL &&
        check(binprof_format_open(binprof_format_by_name(format), &options, &collector, &error),
              &error) == BINPROF_OK) {
        (void)check(binprof_reader_replay(reader, profile, collector, NULL, &error), &error);
        (void)check(binprof_collector_export(collector, &error), &error);
    }
    binprof_collector_close(collector);
    binprof_profile_free(profile);
}

/* Choices of all kinds, picked by the capture's own bytes. */
static binprof_choice choose(const uint8_t *data, size_t size)
{
    static const uint64_t threads[] = {1, 7};
    unsigned bits = 0;
    for (size_t i = 0; i < size; i++)
        bits = bits * 31 + data[i];
    return (binprof_choice){
        .threads = threads,
        .thread_count = (bits & 7) == 0 ? 2 : 0,
        .main_thread = (bits >> 3 & 7) == 0,
        .has_from = (bits >> 6 & 3) == 0,
        .from = {.is_percent = (bits >> 8 & 1) == 0, .us = 10, .percent = 10},
        .has_to = (bits >> 9 & 3) == 0,
        .to = {.is_percent = (bits >> 11 & 1) == 0, .us = 10000, .percent = 90},
        .skip_idle = (bits >> 12 & 7) == 0,
        .ignore = (bits >> 15 & 3) == 0 ? "e$" : NULL,
        .trim_root = (bits >> 17 & 3) == 0 ? "^[a-f]" : NULL,
        .collapse_recursion = (bits >> 19 & 1) == 0,
        .merge_threads = (bits >> 20 & 3) == 0,
        .by = (binprof_granularity)((bits >> 22) % 5),
        .paths = (binprof_paths)(bits >> 25 & 3),
    };
}

/* Sums must agree with each other. */
static void check_tally(const binprof_collector *collector, uint64_t chosen)
{
    binprof_tally tally = binprof_tally_get(collector);
    if (tally.samples.now + tally.samples.base != chosen ||
        tally.nodes[0].count.total.now != tally.samples.now ||
        tally.nodes[0].count.total.base != tally.samples.base)
        abort();
    uint64_t self = tally.nodes[0].count.self.now + tally.nodes[0].count.self.base;
    for (uint32_t i = 0; i < tally.frame_count; i++)
        self += tally.frames[i].self.now + tally.frames[i].self.base;
    if (self != chosen)
        abort();
}

/* The capture twice, the second time as what the first is compared with. */
static void tally_chosen(binprof_reader *reader, const binprof_choice *choice)
{
    binprof_error error;
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    if (profile == NULL)
        return;
    const binprof_facts *facts = &binprof_reader_info(reader)->facts;
    binprof_capture captures[] = {{.name = "a", .facts = facts},
                                  {.name = "b", .facts = facts, .is_base = true}};
    binprof_collector *tally = NULL;
    binprof_collector *filter = NULL;
    bool is_open =
        check(binprof_tally_open(profile, captures, 2, &tally, &error), &error) == BINPROF_OK;
    binprof_filter_options options = {.choice = choice,
                                      .profile = profile,
                                      .next = tally,
                                      .in_order = true,
                                      .captures = captures,
                                      .capture_count = 2,
                                      .name_in_stacks = true};
    is_open =
        is_open && check(binprof_filter_open(&options, &filter, &error), &error) == BINPROF_OK;
    for (uint32_t i = 0; is_open && i < 2; i++)
        (void)check(binprof_filter_replay(filter, reader, i, NULL, &error), &error);
    if (is_open && check(binprof_collector_export(filter, &error), &error) == BINPROF_OK)
        check_tally(tally, binprof_filter_get_counts(filter).chosen);
    binprof_collector_close(filter);
    binprof_collector_close(tally);
    binprof_profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    binprof_error error;
    binprof_reader *reader;
    if (check(binprof_reader_open_memory(data, size, "fuzz.bin", &reader, &error), &error) !=
        BINPROF_OK)
        return 0;
    read_tables(reader);
    if (read_records(reader) <= MOST_SAMPLES) {
        convert(reader, "collapsed", false);
        convert(reader, "gecko", false);
        convert(reader, "binary", false);
        convert(reader, "flamegraph", false);
        binprof_choice choice = choose(data, size);
        tally_chosen(reader, &choice);
    }
    binprof_reader_close(reader);
    return 0;
}
