/* What the page says of the captures that it shows. */
#include "base/text.h"
#include "collectors/flamegraph/flamegraph.h"
#include "output/utf8.h"

#include <binprof/version.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

/* Adds a value that was just made, or notes that there was no memory for it. */
static void set(json_t *object, const char *key, json_t *value, int *failures)
{
    *failures += json_object_set_new(object, key, value) != 0;
}

/* A name of a file may be anything; JSON is UTF-8. */
static json_t *make_text(const char *text)
{
    char *copy = output_utf8_copy(text);
    json_t *value = copy == NULL ? NULL : json_string(copy);
    free(copy);
    return value;
}

static json_t *make_number(bool is_known, double number)
{
    return is_known && isfinite(number) ? json_real(number) : json_null();
}

static json_t *make_features(const binprof_facts *facts)
{
    if (!facts->has_features)
        return json_null();
    json_t *list = json_array();
    for (unsigned bit = 0; list != NULL && bit < 32; bit++) {
        const char *name = binprof_feature_name(1u << bit);
        if ((facts->features >> bit & 1) == 0 || name == NULL)
            continue;
        if (json_array_append_new(list, json_string(name)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *make_python(const binprof_facts *facts)
{
    if (facts->python[0] == 0)
        return json_null();
    return json_sprintf("%d.%d.%d", facts->python[0], facts->python[1], facts->python[2]);
}

static json_t *make_capture(const flamegraph_collector *flamegraph, size_t index, int *failures)
{
    const binprof_capture *capture = &flamegraph->captures[index];
    const binprof_facts *facts = capture->facts;
    const binprof_statistics *statistics = &facts->statistics;
    bool is_only = capture == &flamegraph->only;
    uint64_t samples = is_only ? flamegraph->samples : capture->sample_count;
    bool present = statistics->present;
    bool has_mode = facts->mode != BINPROF_MODE_UNKNOWN;
    json_t *object = json_object();
    set(object, "name", make_text(capture->name), failures);
    set(object, "base", json_boolean(capture->is_base), failures);
    set(object, "interval_us", json_integer((json_int_t)facts->interval_us), failures);
    set(object, "samples", json_integer((json_int_t)samples), failures);
    set(object, "duration_s", make_number(present, statistics->duration_s), failures);
    set(object, "rate", make_number(present, statistics->sample_rate), failures);
    set(object, "failed_percent",
        make_number(present && statistics->has_failed, statistics->failed_percent), failures);
    set(object, "missed_percent",
        make_number(present && statistics->has_missed, statistics->missed_percent), failures);
    set(object, "mode", has_mode ? json_string(binprof_mode_name(facts->mode)) : json_null(),
        failures);
    set(object, "features", make_features(facts), failures);
    set(object, "python", make_python(facts), failures);
    return object;
}

static json_t *make_captures(const flamegraph_collector *flamegraph, int *failures)
{
    json_t *list = json_array();
    for (size_t i = 0; i < flamegraph->capture_count; i++)
        *failures += json_array_append_new(list, make_capture(flamegraph, i, failures)) != 0;
    return list;
}

static json_t *make_warnings(const flamegraph_collector *flamegraph)
{
    char difference[512];
    if (!binprof_captures_differ(flamegraph->captures, flamegraph->capture_count, difference,
                                 sizeof difference))
        return json_array();
    char warning[sizeof difference + 64];
    base_text text = base_text_begin(warning, sizeof warning);
    base_text_append(&text, "The captures were not recorded alike: %s.", difference);
    json_t *list = json_array();
    if (json_array_append_new(list, make_text(warning)) == 0)
        return list;
    json_decref(list);
    return NULL;
}

/* "a.bin", "a.bin, b.bin", "a.bin against b.bin". */
static json_t *make_title(const flamegraph_collector *flamegraph)
{
    char title[256];
    base_text text = base_text_begin(title, sizeof title);
    for (size_t i = 0; i < flamegraph->capture_count; i++) {
        const binprof_capture *capture = &flamegraph->captures[i];
        const char *joint = capture->is_base ? " against " : ", ";
        base_text_append(&text, "%s%s", i > 0 ? joint : "", capture->name);
    }
    return make_text(title);
}

static const char *granularity(const flamegraph_collector *flamegraph)
{
    if (flamegraph->choice == NULL)
        return "instruction";
    switch (flamegraph->choice->by) {
    case BINPROF_BY_FILE:
    case BINPROF_BY_FUNCTION:
        return "function";
    case BINPROF_BY_LINE:
        return "line";
    default:
        return "instruction";
    }
}

/* As text, to be freed; NULL when there is no memory. json_dumps would do, but loses an object's
 * key without a word where it has no memory for that. */
static char *dump(const json_t *value)
{
    size_t size = json_dumpb(value, NULL, 0, JSON_COMPACT);
    char *text = size == 0 ? NULL : malloc(size + 1);
    if (text == NULL)
        return NULL;
    if (json_dumpb(value, text, size, JSON_COMPACT) != size) {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    return text;
}

char *flamegraph_facts(const flamegraph_collector *flamegraph)
{
    const binprof_choice *choice = flamegraph->choice;
    bool has_choice = choice != NULL && choice->text != NULL;
    const flamegraph_cells *cells = &flamegraph->cells;
    int failures = 0;
    json_t *facts = json_object();
    set(facts, "title", make_title(flamegraph), &failures);
    set(facts, "generator", json_sprintf("binprof %s", binprof_version()), &failures);
    set(facts, "by", json_string(granularity(flamegraph)), &failures);
    set(facts, "choice", has_choice ? make_text(choice->text) : json_null(), &failures);
    set(facts, "merged_threads", json_boolean(choice != NULL && choice->merge_threads), &failures);
    set(facts, "bucket_us", json_integer((json_int_t)cells->bucket_us), &failures);
    set(facts, "bucket_count", json_integer((json_int_t)cells->bucket_count), &failures);
    set(facts, "warnings", make_warnings(flamegraph), &failures);
    set(facts, "captures", make_captures(flamegraph, &failures), &failures);
    char *text = failures == 0 ? dump(facts) : NULL;
    json_decref(facts);
    return text;
}
