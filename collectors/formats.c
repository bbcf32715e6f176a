#include "base/error.h"
#include "collectors/collectors.h"

#include <string.h>

#define BY(granularity) (1u << BINPROF_BY_##granularity)
#define BY_ALL (BY(FILE) | BY(FUNCTION) | BY(LINE) | BY(INSTRUCTION))

static const binprof_format formats[] = {
    {.name = "collapsed",
     .suffix = ".collapsed",
     .description = "one line a stack with its count, for flame graph tools",
     .text = true,
     .tells_captures_apart = true,
     .granularities = BY(FILE) | BY(FUNCTION) | BY(LINE),
     .open = collectors_collapsed_open},
    {.name = "flamegraph",
     .suffix = ".html",
     .description = "interactive flame graph, one page for any browser",
     .text = true,
     .tells_captures_apart = true,
     .compares = true,
     .granularities = BY_ALL,
     .open = collectors_flamegraph_open},
    {.name = "gecko",
     .suffix = ".json",
     .description = "profile for the Firefox Profiler, profiler.firefox.com",
     .text = true,
     .in_order = true,
     .tells_captures_apart = true,
     .granularities = BY_ALL,
     .open = collectors_gecko_open},
    {.name = "binary",
     .suffix = ".bin",
     .description = "capture in the native format, as CPython writes it",
     .in_order = true,
     .granularities = BY_ALL,
     .open = collectors_binary_open},
};

#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

const binprof_format *binprof_format_at(size_t index)
{
    return index < FORMAT_COUNT ? &formats[index] : NULL;
}

const binprof_format *binprof_format_by_name(const char *name)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

static bool ends_with(const char *text, size_t length, const char *ending)
{
    size_t ending_length = strlen(ending);
    return length > ending_length &&
           memcmp(text + length - ending_length, ending, ending_length) == 0;
}

const binprof_format *binprof_format_by_path(const char *path, bool *gzip)
{
    size_t length = strlen(path);
    *gzip = ends_with(path, length, ".gz");
    if (*gzip)
        length -= strlen(".gz");
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (ends_with(path, length, formats[i].suffix) && (formats[i].text || !*gzip))
            return &formats[i];
    *gzip = false;
    return NULL;
}

binprof_status binprof_format_open(const binprof_format *format,
                                   const binprof_collector_options *options,
                                   binprof_collector **collector, binprof_error *error)
{
    *collector = NULL;
    if (options->gzip && !format->text)
        return error_set(error, BINPROF_ERROR_ARGUMENT, BINPROF_NO_OFFSET,
                         "the format %s cannot be compressed with gzip", format->name);
    return format->open(options, collector, error);
}
