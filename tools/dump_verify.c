/* --verify: decodes everything and checks every count. */
#include "output/json.h"
#include "tools/dump.h"
#include "tools/human.h"

#include <binprof/formats.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Prints one line: what was checked, and how it came out. */
static void report(const dump_context *dump, const char *verdict, const char *what,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

static void report(const dump_context *dump, const char *verdict, const char *what,
                   const char *format, ...)
{
    char detail[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    if (!dump->json) {
        output_text_printf(dump->out, "%-7s %-12s ", verdict, what);
        human_text(dump->out, detail, strlen(detail));
        output_text_char(dump->out, '\n');
        return;
    }
    output_text_printf(dump->out, "{\"check\":\"%s\",\"result\":\"%s\",\"detail\":", what, verdict);
    output_json_string(dump->out, detail, strlen(detail));
    output_text_string(dump->out, "}\n");
}

/* Reports a failure of the library in the words of its message. */
static binprof_status failed(const dump_context *dump, const char *what, const binprof_error *error)
{
    report(dump, "FAILED", what, "%s", error->message);
    return error->code;
}

static void report_layout(const dump_context *dump)
{
    const binprof_info *info = dump->info;
    report(dump, "ok", "header", "version %" PRIu32 ", %s, %s-endian, offsets in order",
           info->version, info->revision == BINPROF_REVISION_WIDE ? "wide" : "narrow",
           info->big_endian ? "big" : "little");
    report(dump, "ok", "footer", "file size %" PRIu64 " is what it says", info->file_size);
}

static binprof_status verify_tables(const dump_context *dump, binprof_error *error)
{
    binprof_profile *profile = dump_new_profile(error);
    if (profile == NULL)
        return BINPROF_ERROR_MEMORY;
    binprof_status status = binprof_reader_load_tables(dump->reader, profile, error);
    if (status == BINPROF_OK) {
        report(dump, "ok", "strings", "%" PRIu32 ", all within their table",
               binprof_profile_string_count(profile));
        report(dump, "ok", "frames", "%" PRIu32 ", all within their table, all names there",
               binprof_profile_frame_count(profile));
    } else {
        (void)failed(dump, "tables", error);
    }
    binprof_profile_free(profile);
    return status;
}

/* Bytes of no meaning are allowed; whoever looks for what is wrong wants to know of them. */
static binprof_status verify_gaps(const dump_context *dump, binprof_error *error)
{
    dump_gaps gaps;
    binprof_status status = dump_measure_gaps(dump, &gaps, error);
    if (status != BINPROF_OK)
        return failed(dump, "gaps", error);
    if (gaps.after_strings == 0 && gaps.after_frames == 0)
        report(dump, "ok", "gaps", "none, no bytes between the parts of the file");
    else
        report(dump, "note", "gaps",
               "%" PRIu64 " bytes after the strings and %" PRIu64
               " after the frames, which nothing uses",
               gaps.after_strings, gaps.after_frames);
    return BINPROF_OK;
}

/* The header may not declare threads that have no samples. */
static binprof_status verify_threads(const dump_context *dump, uint32_t found, binprof_error *error)
{
    uint32_t declared = dump->info->thread_count;
    if (found == declared) {
        report(dump, "ok", "threads", "%" PRIu32 ", as the header declares", found);
        return BINPROF_OK;
    }
    *error = (binprof_error){.code = BINPROF_ERROR_FORMAT, .offset = BINPROF_NO_OFFSET};
    (void)snprintf(error->message, sizeof error->message,
                   "%.256s: the records hold %" PRIu32 " threads, but the header declares %" PRIu32,
                   dump->name, found, declared);
    return failed(dump, "threads", error);
}

static binprof_status verify_samples(const dump_context *dump, binprof_error *error)
{
    dump_counted counted;
    binprof_status status = dump_count(dump, &counted, error);
    if (status == BINPROF_OK) {
        const binprof_encoding *encoding = binprof_reader_encoding(dump->reader);
        report(dump, "ok", "data", "%" PRIu64 " bytes of %s become %" PRIu64 " bytes of records",
               dump->info->data_size, dump->info->zstd ? "zstd frames" : "plain data",
               encoding->data_bytes);
        report(dump, "ok", "records",
               "%" PRIu64 " repeat, %" PRIu64 " full, %" PRIu64 " suffix, %" PRIu64
               " pop-push; all frame indices there",
               encoding->repeat_records, encoding->full_records, encoding->suffix_records,
               encoding->pop_push_records);
        report(dump, "ok", "samples", "%" PRIu64 ", as the header declares", encoding->samples);
        status = verify_threads(dump, binprof_profile_thread_count(counted.profile), error);
    } else {
        (void)failed(dump, "samples", error);
    }
    dump_counted_free(&counted);
    return status;
}

/* The reader has seen to it that they are possible. */
static bool is_plausible(const binprof_statistics *statistics)
{
    return statistics->failed_percent <= 100 && statistics->missed_percent <= 100;
}

/* Statistics are measurements: they can be odd, but not wrong. */
static void report_statistics(const dump_context *dump)
{
    const binprof_statistics *statistics = &dump->info->facts.statistics;
    if (!statistics->present)
        report(dump, "ok", "statistics", "none");
    else if (is_plausible(statistics))
        report(dump, "ok", "statistics", "%.3f s, %.1f samples/s", statistics->duration_s,
               statistics->sample_rate);
    else
        report(dump, "note", "statistics",
               "implausible: %g s, %g samples/s, %g %% failed, %g %% missed",
               statistics->duration_s, statistics->sample_rate, statistics->failed_percent,
               statistics->missed_percent);
}

binprof_status dump_verify(const dump_context *dump, binprof_error *error)
{
    report_layout(dump);
    binprof_status status = verify_tables(dump, error);
    if (status == BINPROF_OK)
        status = verify_gaps(dump, error);
    if (status != BINPROF_OK)
        return status;
    report_statistics(dump);
    return verify_samples(dump, error);
}
