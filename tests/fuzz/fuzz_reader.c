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
    }
    binprof_reader_close(reader);
    return 0;
}
