#include "conversions.h"

#include "support/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char older[] = "what was there before";

static const conversion conversions[] = {
    {.capture = "edge-two.bin"},
    {.capture = "unicode.bin"},
    {.capture = "variant-frames-skippable.bin"},
    {.capture = "edge-two.bin", .format = "collapsed"},
    {.capture = "edge-two.bin", .format = "collapsed", .replaces = true},
    {.capture = "unicode.bin", .format = "collapsed", .sync = true},
    {.capture = "interps.bin", .format = "collapsed", .gzip = true},
    {.capture = "edge-two.bin", .format = "gecko"},
    {.capture = "interps.bin", .format = "gecko", .gzip = true, .sync = true, .replaces = true},
    {.capture = "edge-two.bin", .format = "binary", .compression = BINPROF_COMPRESSION_NONE},
    {.capture = "unicode.bin", .format = "binary", .sync = true},
    {.capture = "interps.bin", .format = "binary", .replaces = true},
};

size_t conversions_count(void)
{
    return sizeof conversions / sizeof conversions[0];
}

const conversion *conversions_at(size_t index)
{
    return &conversions[index];
}

const char *conversion_name(const conversion *what)
{
    static char name[128];
    (void)snprintf(name, sizeof name, "%s to %s%s%s%s", what->capture,
                   what->format == NULL ? "counts" : what->format, what->gzip ? ".gz" : "",
                   what->sync ? ", synced" : "", what->replaces ? ", replaced" : "");
    return name;
}

static void output_path(const char *directory, char path[128])
{
    (void)snprintf(path, 128, "%s/output", directory);
}

static binprof_status open_collector(const conversion *what, const binprof_reader *reader,
                                     const binprof_profile *profile, const char *directory,
                                     binprof_collector **collector, binprof_error *error)
{
    *collector = NULL;
    if (what->format == NULL)
        return binprof_counting_collector_open(collector, error);
    char path[128];
    output_path(directory, path);
    binprof_output output = {.path = path, .sync = what->sync};
    binprof_collector_options options = {.profile = profile,
                                         .facts = &binprof_reader_info(reader)->facts,
                                         .output = &output,
                                         .source = "a source",
                                         .end_time_ms = 1,
                                         .gzip = what->gzip,
                                         .compression = what->compression};
    return binprof_format_open(binprof_format_by_name(what->format), &options, collector, error);
}

static binprof_status convert(const conversion *what, binprof_reader *reader,
                              binprof_profile *profile, const char *directory, binprof_error *error)
{
    binprof_collector *collector;
    binprof_status status = open_collector(what, reader, profile, directory, &collector, error);
    if (status == BINPROF_OK)
        status = binprof_reader_replay(reader, profile, collector, NULL, error);
    if (status == BINPROF_OK)
        status = binprof_collector_export(collector, error);
    binprof_collector_close(collector);
    return status;
}

static binprof_status open_reader(const conversion *what, binprof_reader **reader,
                                  binprof_error *error)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/captures/%s", TESTS_DIRECTORY, what->capture);
    return binprof_reader_open(path, reader, error);
}

bool conversion_is_possible(const conversion *what)
{
    binprof_reader *reader;
    assert_int_equal(open_reader(what, &reader, NULL), BINPROF_OK);
    bool is_possible = binprof_has_zstd() || !binprof_reader_info(reader)->zstd;
    binprof_reader_close(reader);
    return is_possible;
}

binprof_status conversion_run(const conversion *what, const char *directory, binprof_error *error)
{
    binprof_reader *reader;
    binprof_status status = open_reader(what, &reader, error);
    if (status != BINPROF_OK)
        return status;
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    if (profile == NULL) {
        status = BINPROF_ERROR_MEMORY;
        *error = (binprof_error){.code = status, .message = "no profile"};
    } else {
        status = convert(what, reader, profile, directory, error);
    }
    binprof_profile_free(profile);
    binprof_reader_close(reader);
    return status;
}

void conversion_prepare(const conversion *what, const char *directory)
{
    char path[128];
    output_path(directory, path);
    (void)remove(path);
    if (what->replaces)
        files_write(path, older, sizeof older);
}

conversion_result conversion_look(const conversion *what, const char *directory)
{
    static file_bytes whole;
    static bool has_whole;
    if (what == NULL) {
        free(whole.bytes);
        whole.bytes = NULL;
        has_whole = false;
        return CONVERSION_NOTHING;
    }

    size_t files = files_count(directory);
    if (files == 0)
        return what->replaces ? CONVERSION_BROKEN : CONVERSION_NOTHING;
    char path[128];
    output_path(directory, path);
    if (files > 1 || access(path, F_OK) != 0)
        return CONVERSION_BROKEN;
    file_bytes found = files_read(path);
    if (!has_whole) {
        whole = found;
        has_whole = true;
        return CONVERSION_WHOLE;
    }
    conversion_result result = CONVERSION_BROKEN;
    if (found.size == whole.size && memcmp(found.bytes, whole.bytes, whole.size) == 0)
        result = CONVERSION_WHOLE;
    else if (what->replaces && found.size == sizeof older &&
             memcmp(found.bytes, older, sizeof older) == 0)
        result = CONVERSION_NOTHING;
    free(found.bytes);
    return result;
}

size_t conversion_open_files(void)
{
    return files_count("/proc/self/fd");
}
