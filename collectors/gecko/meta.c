/* What the profiler is told about the profile as a whole. */
#include "base/error.h"
#include "collectors/gecko/gecko.h"
#include "output/utf8.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

/* Of the Firefox Profiler's formats: the one that is written here, and the Gecko version that goes
 * with it. */
#define PROCESSED_VERSION 70
#define GECKO_VERSION 32

/* The most threads that the profiler shows at first. */
#define VISIBLE_THREADS 15

static const struct {
    const char *name;
    const char *color;
} categories[GECKO_CATEGORY_COUNT] = {
    [GECKO_OTHER] = {"Other", "grey"},
    [GECKO_PYTHON] = {"Python", "yellow"},
    [GECKO_NATIVE] = {"Native", "blue"},
    [GECKO_GC] = {"GC", "orange"},
    [GECKO_WAITING] = {"Waiting for GIL", "red"},
    [GECKO_WITHOUT_GIL] = {"Without GIL", "lightblue"},
    [GECKO_GIL] = {"GIL", "green"},
    [GECKO_CPU] = {"CPU", "purple"},
    [GECKO_EXCEPTION] = {"Exception", "magenta"},
    [GECKO_OPCODE] = {"Opcode", "brown"},
};

static const struct {
    const char *name;
    gecko_category category;
    const char *description;
} markers[GECKO_MARKER_COUNT] = {
    [GECKO_MARKER_HAS_GIL] = {"Has GIL", GECKO_GIL, "The thread held the global interpreter lock."},
    [GECKO_MARKER_WAITING] = {"Waiting for GIL", GECKO_WAITING,
                              "The thread wanted the global interpreter lock and did not have it."},
    [GECKO_MARKER_ON_CPU] = {"On CPU", GECKO_CPU, "The thread ran on a CPU."},
    [GECKO_MARKER_EXCEPTION] = {"Handling exception", GECKO_EXCEPTION,
                                "The thread had an active exception."},
    [GECKO_MARKER_GC] = {"GC", GECKO_GC, "The thread collected garbage."},
    [GECKO_MARKER_OPCODE] = {"Opcode", GECKO_OPCODE,
                             "The instruction that the innermost frame was at."},
};

const char *gecko_marker_name(gecko_marker marker)
{
    return markers[marker].name;
}

gecko_category gecko_marker_category(gecko_marker marker)
{
    return markers[marker].category;
}

uint32_t gecko_marker_name_index(const gecko_export *export, gecko_marker marker)
{
    return binprof_profile_string_count(export->profile) + (uint32_t)marker;
}

/* Returns the value, or NULL in place of one that is not complete for want of memory. */
static json_t *completed(json_t *value, bool is_complete)
{
    if (is_complete)
        return value;
    json_decref(value);
    return NULL;
}

static json_t *build_categories(void)
{
    json_t *list = json_array();
    int failures = 0;
    for (size_t i = 0; i < GECKO_CATEGORY_COUNT; i++)
        failures += json_array_append_new(
                        list, json_pack("{s:s, s:s, s:[s]}", "name", categories[i].name, "color",
                                        categories[i].color, "subcategories", "Other")) != 0;
    return completed(list, failures == 0);
}

static json_t *build_fields(gecko_marker marker)
{
    if (marker != GECKO_MARKER_OPCODE)
        return json_array();
    return json_pack("[{s:s, s:s, s:s}, {s:s, s:s, s:s}, {s:s, s:s, s:s}]", "key", "opcode",
                     "label", "Opcode", "format", "string", "key", "function", "label", "Function",
                     "format", "unique-string", "key", "line", "label", "Line", "format",
                     "integer");
}

static json_t *build_schema(void)
{
    json_t *list = json_array();
    int failures = 0;
    for (size_t i = 0; i < GECKO_MARKER_COUNT; i++) {
        const char *name = markers[i].name;
        const char *label = i == GECKO_MARKER_OPCODE ? "{marker.data.opcode}" : name;
        failures += json_array_append_new(
                        list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:[s, s, s], s:o}", "name", name,
                                        "tooltipLabel", label, "tableLabel", label, "chartLabel",
                                        label, "description", markers[i].description, "display",
                                        "marker-chart", "marker-table", "timeline-overview",
                                        "fields", build_fields((gecko_marker)i))) != 0;
    }
    return completed(list, failures == 0);
}

/* The entries of the table of facts. */
typedef struct entry_list {
    json_t *list;
    int failures;
} entry_list;

static void add_text(entry_list *entries, const char *label, const char *value)
{
    char *text = output_utf8_copy(value); /* names of files may be anything */
    entries->failures +=
        json_array_append_new(entries->list, json_pack("{s:s, s:s, s:s}", "label", label, "format",
                                                       "string", "value", text)) != 0;
    free(text);
}

static void add_entry(entry_list *entries, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_entry(entry_list *entries, const char *label, const char *format, ...)
{
    char value[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    add_text(entries, label, value);
}

static void add_features(entry_list *entries, const binprof_facts *facts)
{
    if (!facts->has_features) {
        add_text(entries, "Captured", "unknown");
        return;
    }
    char names[128] = "";
    size_t length = 0;
    for (unsigned bit = 0; bit < 5; bit++)
        if ((facts->features >> bit & 1) != 0)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                       length > 0 ? ", " : "", binprof_feature_name(1u << bit));
    add_text(entries, "Captured", length > 0 ? names : "main thread only");
}

/* A rate is "unknown" where it was not measured, which is not the same as none. */
static void add_percent(entry_list *entries, const char *label, bool known, double percent)
{
    if (known)
        add_entry(entries, label, "%.2f %%", percent);
    else
        add_text(entries, label, "unknown");
}

static json_t *build_extra(const gecko_export *export)
{
    const gecko_collector *gecko = export->collector;
    const binprof_facts *facts = gecko->facts;
    const binprof_statistics *statistics = &facts->statistics;
    entry_list entries = {json_array(), 0};
    if (gecko->source != NULL)
        add_text(&entries, "Capture", gecko->source);
    for (size_t i = 0; gecko->capture_count > 1 && i < gecko->capture_count; i++)
        add_text(&entries, "Capture", gecko->captures[i].name);
    if (gecko->choice != NULL && gecko->choice->text != NULL)
        add_text(&entries, "Chosen", gecko->choice->text);
    add_text(&entries, "Mode", binprof_mode_name(facts->mode));
    add_features(&entries, facts);
    add_entry(&entries, "Interval", "%" PRIu64 " µs", facts->interval_us);
    add_entry(&entries, "Samples", "%" PRIu64, gecko->samples);
    if (statistics->present) {
        add_entry(&entries, "Duration", "%.3f s", statistics->duration_s);
        add_entry(&entries, "Sample rate", "%.1f samples/s", statistics->sample_rate);
    } else {
        add_text(&entries, "Duration", "unknown");
        add_text(&entries, "Sample rate", "unknown");
    }
    add_percent(&entries, "Error rate", statistics->has_failed, statistics->failed_percent);
    add_percent(&entries, "Missed samples", statistics->has_missed, statistics->missed_percent);
    if (gecko->failed > 0)
        add_entry(&entries, "Failed samples", "%" PRIu64, gecko->failed);
    if (gecko->end_time_ms != 0)
        add_text(&entries, "Start time", "estimated from the time of the file");
    return json_pack("[{s:s, s:o}]", "label", "Capture", "entries",
                     completed(entries.list, entries.failures == 0));
}

/* The busiest of the threads that are not shown yet, as an index in the order of the output. */
static uint32_t find_busiest(const gecko_export *export, const bool *shown)
{
    const gecko_thread *threads = export->collector->threads;
    uint32_t busiest = UINT32_MAX;
    for (uint32_t i = 0; i < export->thread_count; i++)
        if (!shown[i] && (busiest == UINT32_MAX || threads[export->thread_order[i]].busy >
                                                       threads[export->thread_order[busiest]].busy))
            busiest = i;
    return busiest;
}

/* The first thread, which is the main thread where there is one, and the busiest of the others. */
static json_t *build_visible_threads(const gecko_export *export)
{
    bool *shown = calloc((size_t) export->thread_count + 1, sizeof *shown);
    if (shown == NULL)
        return NULL;
    shown[0] = true;
    for (uint32_t i = 1; i < export->thread_count && i < VISIBLE_THREADS; i++)
        shown[find_busiest(export, shown)] = true;
    json_t *list = json_array();
    int failures = 0;
    for (uint32_t i = 0; i < export->thread_count; i++)
        if (shown[i])
            failures += json_array_append_new(list, json_integer(i)) != 0;
    free(shown);
    return completed(list, failures == 0);
}

static json_t *build_meta(const gecko_export *export)
{
    const binprof_facts *facts = export->collector->facts;
    char product[64] = "Python";
    if (facts->python[0] != 0)
        (void)snprintf(product, sizeof product, "Python %d.%d.%d", facts->python[0],
                       facts->python[1], facts->python[2]);
    double end_ms = (double)export->end_us / 1000;
    double start_ms = (double)export->collector->end_time_ms - end_ms;
    json_t *meta =
        json_pack("{s:f, s:f, s:i, s:s, s:i, s:i, s:i, s:b, s:b, s:b, s:b, s:b}", "interval",
                  (double)facts->interval_us / 1000, "startTime", start_ms > 0 ? start_ms : 0.0,
                  "processType", 0, "product", product, "stackwalk", 0, "version", GECKO_VERSION,
                  "preprocessedProfileVersion", PROCESSED_VERSION, "symbolicated", 1,
                  "symbolicationNotSupported", 1, "sourceCodeIsNotOnSearchfox", 1,
                  "keepProfileThreadOrder", 1, "usesOnlyOneStackType", 1);
    const struct {
        const char *key;
        json_t *value;
    } parts[] = {
        {"importedFrom", json_string("CPython sampling profiler")},
        {"categories", build_categories()},
        {"markerSchema", build_schema()},
        {"sampleUnits",
         json_pack("{s:s, s:s, s:s}", "time", "ms", "eventDelay", "ms", "threadCPUDelta", "µs")},
        {"profilingStartTime", json_integer(0)},
        {"profilingEndTime", json_real(end_ms)},
        {"initialVisibleThreads", build_visible_threads(export)},
        {"extra", build_extra(export)},
    };
    int failures = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        failures += json_object_set_new(meta, parts[i].key, parts[i].value) != 0;
    return completed(meta, failures == 0);
}

static int append(const char *buffer, size_t size, void *context)
{
    output_text_append(context, buffer, size);
    return 0;
}

binprof_status gecko_write_meta(const gecko_export *export)
{
    json_t *meta = build_meta(export);
    int result = meta == NULL ? -1 : json_dump_callback(meta, append, export->text, JSON_COMPACT);
    json_decref(meta);
    return result == 0 ? BINPROF_OK : BINPROF_ERROR_MEMORY;
}
