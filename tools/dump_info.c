/* --info: what is known of a capture without its samples. */
#include "output/json.h"
#include "tools/dump.h"
#include "tools/human.h"

#include <inttypes.h>
#include <string.h>

static const char *revision_name(const binprof_info *info)
{
    return info->revision == BINPROF_REVISION_WIDE ? "wide" : "narrow";
}

/* Starts a line: the label in a column of its own. */
static void label(const dump_context *dump, const char *name)
{
    output_text_printf(dump->out, "%-16s ", name);
}

static void print_percent(const dump_context *dump, const char *name, bool known, double percent)
{
    label(dump, name);
    if (known)
        output_text_printf(dump->out, "%.2f %%\n", percent);
    else
        output_text_string(dump->out, "unknown\n");
}

static void print_mode(const dump_context *dump, int mode)
{
    if (mode == BINPROF_MODE_UNKNOWN)
        output_text_string(dump->out, "not recorded\n");
    else if (mode > BINPROF_MODE_EXCEPTION)
        output_text_printf(dump->out, "%d, later than this version of binprof\n", mode);
    else
        output_text_printf(dump->out, "%s\n", binprof_mode_name(mode));
}

static void print_recording(const dump_context *dump)
{
    const binprof_facts *facts = &dump->info->facts;
    char text[HUMAN_SIZE];
    label(dump, "Python");
    if (facts->python[0] == 0)
        output_text_string(dump->out, "not recorded\n");
    else
        output_text_printf(dump->out, "%d.%d.%d\n", facts->python[0], facts->python[1],
                           facts->python[2]);
    label(dump, "Mode");
    print_mode(dump, facts->mode);
    label(dump, "Features");
    output_text_printf(dump->out, "%s\n",
                       facts->has_features ? human_features(text, facts->features)
                                           : "not recorded");
    label(dump, "Interval");
    output_text_printf(dump->out, "%s\n", human_time(text, facts->interval_us));
    label(dump, "Start");
    output_text_printf(dump->out, "%s on the monotonic clock\n", human_time(text, facts->start_us));
}

static void print_statistics(const dump_context *dump)
{
    const binprof_statistics *statistics = &dump->info->facts.statistics;
    if (!statistics->present) {
        label(dump, "Statistics");
        output_text_string(dump->out, "none\n");
        return;
    }
    label(dump, "Duration");
    output_text_printf(dump->out, "%.3f s\n", statistics->duration_s);
    label(dump, "Sample rate");
    output_text_printf(dump->out, "%.1f samples/s\n", statistics->sample_rate);
    print_percent(dump, "Failed samples", statistics->has_failed, statistics->failed_percent);
    print_percent(dump, "Missed samples", statistics->has_missed, statistics->missed_percent);
}

static void print_sizes(const dump_context *dump)
{
    const binprof_info *info = dump->info;
    char text[HUMAN_SIZE];
    label(dump, "Samples");
    output_text_printf(dump->out, "%" PRIu64 "\n", info->sample_count);
    label(dump, "Threads");
    output_text_printf(dump->out, "%" PRIu32 "\n", info->thread_count);
    label(dump, "Strings");
    output_text_printf(dump->out, "%" PRIu32 "\n", info->string_count);
    label(dump, "Frames");
    output_text_printf(dump->out, "%" PRIu32 "\n", info->frame_count);
    label(dump, "Sample data");
    output_text_printf(dump->out, "%s, %s\n", human_size(text, info->data_size),
                       info->zstd ? "zstd" : "not compressed");
    label(dump, "String table");
    output_text_printf(dump->out, "at offset %" PRIu64 "\n", info->string_table_offset);
    label(dump, "Frame table");
    output_text_printf(dump->out, "at offset %" PRIu64 "\n", info->frame_table_offset);
    label(dump, "File");
    output_text_printf(dump->out, "%s\n", human_size(text, info->file_size));
}

static void print_words(const dump_context *dump)
{
    label(dump, "Capture");
    human_text(dump->out, dump->name, strlen(dump->name));
    output_text_printf(dump->out, "\n%-16s version %" PRIu32 ", %s header, %s-endian\n", "Format",
                       dump->info->version, revision_name(dump->info),
                       dump->info->big_endian ? "big" : "little");
    print_recording(dump);
    print_statistics(dump);
    print_sizes(dump);
}

static void json_features(const dump_context *dump)
{
    const binprof_facts *facts = &dump->info->facts;
    if (!facts->has_features) {
        output_text_string(dump->out, "null");
        return;
    }
    bool first = true;
    output_text_char(dump->out, '[');
    for (unsigned bit = 0; bit < 32; bit++) {
        const char *name = binprof_feature_name(1u << bit);
        if ((facts->features >> bit & 1) == 0 || name == NULL)
            continue;
        output_text_printf(dump->out, "%s\"%s\"", first ? "" : ",", name);
        first = false;
    }
    output_text_char(dump->out, ']');
}

static void json_number(const dump_context *dump, const char *key, bool known, double value)
{
    output_text_string(dump->out, key);
    if (known)
        output_json_double(dump->out, value);
    else
        output_text_string(dump->out, "null");
}

static void json_statistics(const dump_context *dump)
{
    const binprof_statistics *statistics = &dump->info->facts.statistics;
    if (!statistics->present) {
        output_text_string(dump->out, "null");
        return;
    }
    json_number(dump, "{\"duration_s\":", true, statistics->duration_s);
    json_number(dump, ",\"sample_rate\":", true, statistics->sample_rate);
    json_number(dump, ",\"failed_percent\":", statistics->has_failed, statistics->failed_percent);
    json_number(dump, ",\"missed_percent\":", statistics->has_missed, statistics->missed_percent);
    output_text_char(dump->out, '}');
}

static void print_json(const dump_context *dump)
{
    const binprof_info *info = dump->info;
    const binprof_facts *facts = &info->facts;
    output_text *out = dump->out;
    output_text_string(out, "{\"path\":");
    output_json_string(out, dump->name, strlen(dump->name));
    output_text_printf(out, ",\"version\":%" PRIu32 ",\"revision\":\"%s\",\"byte_order\":\"%s\"",
                       info->version, revision_name(info), info->big_endian ? "big" : "little");
    output_text_printf(out, ",\"compression\":\"%s\"", info->zstd ? "zstd" : "none");
    output_text_printf(out, ",\"python\":\"%d.%d.%d\"", facts->python[0], facts->python[1],
                       facts->python[2]);
    output_text_printf(out, ",\"interval_us\":%" PRIu64 ",\"start_us\":%" PRIu64,
                       facts->interval_us, facts->start_us);
    if (facts->mode == BINPROF_MODE_UNKNOWN)
        output_text_string(out, ",\"mode\":null");
    else
        output_text_printf(out, ",\"mode\":\"%s\"", binprof_mode_name(facts->mode));
    output_text_string(out, ",\"features\":");
    json_features(dump);
    output_text_printf(out,
                       ",\"samples\":%" PRIu64 ",\"threads\":%" PRIu32 ",\"strings\":%" PRIu32
                       ",\"frames\":%" PRIu32,
                       info->sample_count, info->thread_count, info->string_count,
                       info->frame_count);
    output_text_printf(out,
                       ",\"file_size\":%" PRIu64 ",\"data_size\":%" PRIu64
                       ",\"string_table_offset\":%" PRIu64 ",\"frame_table_offset\":%" PRIu64,
                       info->file_size, info->data_size, info->string_table_offset,
                       info->frame_table_offset);
    output_text_string(out, ",\"statistics\":");
    json_statistics(dump);
    output_text_string(out, "}\n");
}

binprof_status dump_info(const dump_context *dump, binprof_error *error)
{
    (void)error;
    if (dump->json)
        print_json(dump);
    else
        print_words(dump);
    return BINPROF_OK;
}
