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

static const binprof_choice chosen = {
    .focus = "e",
    .ignore = "^no such",
    .trim_root = "^[a-z]",
    .collapse_recursion = true,
    .to = {.is_percent = true, .percent = 90},
    .has_to = true,
    .by = BINPROF_BY_LINE,
    .paths = BINPROF_PATHS_MODULE,
};

static const binprof_choice merged = {.merge_threads = true};

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
    {.capture = "edge-two.bin", .format = "flamegraph"},
    {.capture = "interps.bin", .format = "flamegraph", .sync = true, .replaces = true},
    {.capture = "edge-two.bin", .format = "collapsed", .choice = &chosen},
    {.capture = "unicode.bin", .format = "gecko", .choice = &merged},
    {.capture = "edge-two.bin", .format = "flamegraph", .choice = &chosen, .twice = true},
    {.capture = "edge-two.bin", .format = "binary", .choice = &merged, .twice = true},
    {.capture = "interps.bin", .tallies = true},
    {.capture = "edge-two.bin", .tallies = true, .choice = &chosen, .twice = true},
};

size_t conversions_count(void)
{
    return sizeof conversions / sizeof conversions[0];
}

const conversion *conversions_at(size_t index)
{
    return &conversions[index];
}

static const char *target_name(const conversion *what)
{
    if (what->tallies)
        return "sums";
    return what->format == NULL ? "counts" : what->format;
}

const char *conversion_name(const conversion *what)
{
    static char name[128];
    (void)snprintf(name, sizeof name, "%s%s to %s%s%s%s%s", what->capture,
                   what->twice ? ", twice," : "", target_name(what), what->gzip ? ".gz" : "",
                   what->choice != NULL ? ", chosen" : "", what->sync ? ", synced" : "",
                   what->replaces ? ", replaced" : "");
    return name;
}

static void output_path(const char *directory, char path[128])
{
    (void)snprintf(path, 128, "%s/output", directory);
}

/* What a conversion is made of. */
typedef struct parts {
    binprof_reader *reader;
    binprof_profile *profile;
    binprof_capture captures[2];
    size_t capture_count;
    binprof_collector *collector;
    binprof_collector *filter;
} parts;

static binprof_status open_collector(const conversion *what, parts *all, const char *directory,
                                     binprof_error *error)
{
    if (what->tallies)
        return binprof_tally_open(all->profile, all->captures, all->capture_count, &all->collector,
                                  error);
    if (what->format == NULL)
        return binprof_counting_collector_open(&all->collector, error);
    char path[128];
    output_path(directory, path);
    binprof_output output = {.path = path, .sync = what->sync};
    binprof_collector_options options = {.profile = all->profile,
                                         .facts = &binprof_reader_info(all->reader)->facts,
                                         .output = &output,
                                         .source = "a source",
                                         .choice = what->choice,
                                         .captures = all->captures,
                                         .capture_count = all->capture_count,
                                         .end_time_ms = 1,
                                         .gzip = what->gzip,
                                         .compression = what->compression};
    return binprof_format_open(binprof_format_by_name(what->format), &options, &all->collector,
                               error);
}

static binprof_status replay(const conversion *what, parts *all, binprof_error *error)
{
    if (what->choice == NULL)
        return binprof_reader_replay(all->reader, all->profile, all->collector, NULL, error);
    binprof_filter_options options = {.choice = what->choice,
                                      .profile = all->profile,
                                      .next = all->collector,
                                      .in_order = true,
                                      .captures = all->captures,
                                      .capture_count = all->capture_count,
                                      .name_in_stacks = true};
    binprof_status status = binprof_filter_open(&options, &all->filter, error);
    for (uint32_t i = 0; i < all->capture_count && status == BINPROF_OK; i++)
        status = binprof_filter_replay(all->filter, all->reader, i, NULL, error);
    return status;
}

static binprof_status convert(const conversion *what, parts *all, const char *directory,
                              binprof_error *error)
{
    binprof_status status = open_collector(what, all, directory, error);
    if (status == BINPROF_OK)
        status = replay(what, all, error);
    if (status == BINPROF_OK)
        status =
            binprof_collector_export(all->filter != NULL ? all->filter : all->collector, error);
    binprof_collector_close(all->filter);
    binprof_collector_close(all->collector);
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
    parts all = {.capture_count = what->twice ? 2 : 1};
    binprof_status status = open_reader(what, &all.reader, error);
    if (status != BINPROF_OK)
        return status;
    const binprof_facts *facts = &binprof_reader_info(all.reader)->facts;
    all.captures[0] = (binprof_capture){.name = "first", .facts = facts};
    all.captures[1] = (binprof_capture){.name = "second", .facts = facts, .is_base = true};
    all.profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    if (all.profile == NULL) {
        status = BINPROF_ERROR_MEMORY;
        *error = (binprof_error){.code = status, .message = "no profile"};
    } else {
        status = convert(what, &all, directory, error);
    }
    binprof_profile_free(all.profile);
    binprof_reader_close(all.reader);
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
