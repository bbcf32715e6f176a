/* --stats: how well the samples are encoded. */
#include "output/json.h"
#include "tools/dump.h"
#include "tools/human.h"

#include <inttypes.h>

static uint64_t all_records(const binprof_encoding *encoding)
{
    return encoding->repeat_records + encoding->full_records + encoding->suffix_records +
           encoding->pop_push_records;
}

static void print_part(const dump_context *dump, const char *name, uint64_t part, uint64_t whole,
                       const char *of)
{
    char text[HUMAN_SIZE];
    output_text_printf(dump->out, "%-20s %12" PRIu64 "  %s of %s\n", name, part,
                       human_percent(text, part, whole), of);
}

static double per(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

/* Of damaged data it is not known how long it is. */
static bool knows_size(const binprof_encoding *encoding)
{
    return encoding->data_bytes > 0 || encoding->samples == 0;
}

static void print_words(const dump_context *dump, const binprof_encoding *encoding, uint32_t stacks)
{
    uint64_t records = all_records(encoding);
    uint64_t frames = encoding->frames_written + encoding->frames_saved;
    output_text *out = dump->out;
    output_text_printf(out, "%-20s %12" PRIu64 "\n", "Records", records);
    print_part(dump, "  repeat", encoding->repeat_records, records, "the records");
    print_part(dump, "  full", encoding->full_records, records, "the records");
    print_part(dump, "  suffix", encoding->suffix_records, records, "the records");
    print_part(dump, "  pop-push", encoding->pop_push_records, records, "the records");
    output_text_printf(out, "%-20s %12" PRIu64 "\n", "Samples", encoding->samples);
    print_part(dump, "  in repeats", encoding->repeat_samples, encoding->samples, "the samples");
    output_text_printf(out, "%-20s %12" PRIu64 "\n", "Distinct stacks", (uint64_t)stacks);
    output_text_printf(out, "%-20s %12" PRIu64 "\n", "Frames of samples", frames);
    print_part(dump, "  written", encoding->frames_written, frames, "the frames");
    print_part(dump, "  saved", encoding->frames_saved, frames, "the frames");
    if (!knows_size(encoding))
        return;
    output_text_printf(out, "%-20s %12" PRIu64 "  %.2f bytes a sample\n", "Sample data",
                       encoding->data_bytes, per(encoding->data_bytes, encoding->samples));
    output_text_printf(out, "%-20s %12" PRIu64 "  %.2f bytes a sample, %.2f times smaller\n",
                       "  in the file", dump->info->data_size,
                       per(dump->info->data_size, encoding->samples),
                       per(encoding->data_bytes, dump->info->data_size));
}

static void print_json(const dump_context *dump, const binprof_encoding *encoding, uint32_t stacks)
{
    output_text *out = dump->out;
    output_text_printf(out,
                       "{\"records\":%" PRIu64 ",\"repeat_records\":%" PRIu64
                       ",\"full_records\":%" PRIu64 ",\"suffix_records\":%" PRIu64
                       ",\"pop_push_records\":%" PRIu64,
                       all_records(encoding), encoding->repeat_records, encoding->full_records,
                       encoding->suffix_records, encoding->pop_push_records);
    output_text_printf(out,
                       ",\"samples\":%" PRIu64 ",\"repeat_samples\":%" PRIu64 ",\"stacks\":%" PRIu32
                       ",\"frames_written\":%" PRIu64 ",\"frames_saved\":%" PRIu64,
                       encoding->samples, encoding->repeat_samples, stacks,
                       encoding->frames_written, encoding->frames_saved);
    output_text_string(out, ",\"data_bytes\":");
    if (knows_size(encoding))
        output_text_u64(out, encoding->data_bytes);
    else
        output_text_string(out, "null");
    output_text_printf(out, ",\"file_data_bytes\":%" PRIu64 "}\n", dump->info->data_size);
}

static void print_encoding(const dump_context *dump, const dump_counted *counted)
{
    const binprof_encoding *encoding = binprof_reader_encoding(dump->reader);
    uint32_t stacks = binprof_profile_stack_count(counted->profile) - 1; /* without the empty one */
    if (dump->json)
        print_json(dump, encoding, stacks);
    else
        print_words(dump, encoding, stacks);
}

binprof_status dump_stats(const dump_context *dump, binprof_error *error)
{
    dump_counted counted;
    binprof_status status = dump_count(dump, &counted, error);
    if (counted.collector != NULL)
        print_encoding(dump, &counted);
    dump_counted_free(&counted);
    return status;
}
