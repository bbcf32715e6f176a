/* --threads: what the samples of each thread say, summed up. */
#include "output/json.h"
#include "tools/dump.h"
#include "tools/human.h"

#include <binprof/formats.h>
#include <inttypes.h>

/* The status bits that have names. */
#define NAMED_BITS 6

/* Times as they are counted from the start; one before it is negative. */
static int64_t relative_us(const dump_context *dump, uint64_t time_us)
{
    return (int64_t)(time_us - dump->info->facts.start_us);
}

static void json_thread(const dump_context *dump, binprof_thread thread,
                        const binprof_thread_counts *counts, uint64_t all_samples)
{
    output_text *out = dump->out;
    output_text_printf(out,
                       "{\"thread_id\":%" PRIu64 ",\"interpreter_id\":%" PRIu32
                       ",\"samples\":%" PRIu64 ",\"share_percent\":",
                       thread.thread_id, thread.interpreter_id, counts->samples);
    output_json_double(out, (double)counts->samples / (double)all_samples * 100);
    output_text_printf(out,
                       ",\"without_frames\":%" PRIu64 ",\"first_us\":%" PRId64
                       ",\"last_us\":%" PRId64 ",\"status\":{",
                       counts->without_frames, relative_us(dump, counts->first_us),
                       relative_us(dump, counts->last_us));
    for (unsigned bit = 0; bit < NAMED_BITS; bit++)
        output_text_printf(out, "%s\"%s\":%" PRIu64, bit > 0 ? "," : "",
                           binprof_status_name((uint8_t)(1u << bit)), counts->with_status[bit]);
    output_text_string(out, "}}\n");
}

static void print_thread(const dump_context *dump, binprof_thread thread,
                         const binprof_thread_counts *counts, uint64_t all_samples)
{
    output_text *out = dump->out;
    char text[HUMAN_SIZE];
    output_text_printf(out, "%20" PRIu64 " %3" PRIu32 " %10" PRIu64 " %7s %10" PRIu64,
                       thread.thread_id, thread.interpreter_id, counts->samples,
                       human_percent(text, counts->samples, all_samples), counts->without_frames);
    output_text_printf(out, " %10.3f %10.3f", (double)relative_us(dump, counts->first_us) / 1e6,
                       (double)relative_us(dump, counts->last_us) / 1e6);
    for (unsigned bit = 0; bit < NAMED_BITS; bit++)
        output_text_printf(out, " %13" PRIu64, counts->with_status[bit]);
    output_text_char(out, '\n');
}

static void print_head(const dump_context *dump)
{
    output_text_printf(dump->out, "%20s %3s %10s %7s %10s %10s %10s", "thread", "int", "samples",
                       "share", "no frames", "first s", "last s");
    for (unsigned bit = 0; bit < NAMED_BITS; bit++)
        output_text_printf(dump->out, " %13s", binprof_status_name((uint8_t)(1u << bit)));
    output_text_char(dump->out, '\n');
}

static void print_threads(const dump_context *dump, const dump_counted *counted)
{
    binprof_counts counts = binprof_counting_collector_counts(counted->collector);
    if (!dump->json)
        print_head(dump);
    for (uint32_t i = 0; i < counts.thread_count; i++) {
        binprof_thread thread = binprof_profile_thread(counted->profile, i);
        if (dump->json)
            json_thread(dump, thread, &counts.threads[i], counts.samples);
        else
            print_thread(dump, thread, &counts.threads[i], counts.samples);
    }
}

binprof_status dump_threads(const dump_context *dump, binprof_error *error)
{
    dump_counted counted;
    binprof_status status = dump_count(dump, &counted, error);
    if (counted.collector != NULL)
        print_threads(dump, &counted);
    dump_counted_free(&counted);
    return status;
}
