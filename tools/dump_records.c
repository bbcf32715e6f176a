/* --records: the sample data as it is encoded. */
#include "tools/dump.h"
#include "tools/human.h"

#include <inttypes.h>

/* Prints the new frames as a JSON array, or separated by blanks. */
static void print_frames(const dump_context *dump, const binprof_record *record)
{
    if (dump->json)
        output_text_char(dump->out, '[');
    for (uint32_t i = 0; i < record->frame_count; i++) {
        if (i > 0)
            output_text_char(dump->out, dump->json ? ',' : ' ');
        output_text_u64(dump->out, record->frames[i]);
    }
    if (dump->json)
        output_text_char(dump->out, ']');
}

static void json_begin(const dump_context *dump, const binprof_record *record)
{
    output_text_printf(dump->out,
                       "{\"index\":%" PRIu64 ",\"kind\":\"%s\",\"offset\":%" PRIu64
                       ",\"thread_id\":%" PRIu64 ",\"interpreter_id\":%" PRIu32,
                       record->index, binprof_record_kind_name(record->kind), record->offset,
                       record->thread_id, record->interpreter_id);
}

/* The samples of a repeat, which may come in several pieces. */
static void json_repeat(const dump_context *dump, const binprof_record *record)
{
    if (record->first_sample == 0) {
        json_begin(dump, record);
        output_text_printf(dump->out, ",\"count\":%" PRIu64 ",\"samples\":[", record->sample_count);
    }
    for (size_t i = 0; i < record->piece_length; i++)
        output_text_printf(dump->out, "%s{\"delta_us\":%" PRIu64 ",\"status\":%d}",
                           record->first_sample + i > 0 ? "," : "", record->deltas_us[i],
                           record->statuses[i]);
    if (record->first_sample + record->piece_length == record->sample_count)
        output_text_string(dump->out, "]}\n");
}

static void json_record(const dump_context *dump, const binprof_record *record)
{
    if (record->kind == BINPROF_RECORD_REPEAT) {
        json_repeat(dump, record);
        return;
    }
    json_begin(dump, record);
    output_text_printf(dump->out, ",\"delta_us\":%" PRIu64 ",\"status\":%d", record->deltas_us[0],
                       record->statuses[0]);
    if (record->kind == BINPROF_RECORD_SUFFIX)
        output_text_printf(dump->out, ",\"shared\":%" PRIu32, record->shared);
    if (record->kind == BINPROF_RECORD_POP_PUSH)
        output_text_printf(dump->out, ",\"pop\":%" PRIu32, record->pop);
    output_text_string(dump->out, ",\"frames\":");
    print_frames(dump, record);
    output_text_string(dump->out, "}\n");
}

/* The fields of a record that is no repeat, in words. */
static void print_stack(const dump_context *dump, const binprof_record *record)
{
    char text[HUMAN_SIZE];
    /* Time that runs backwards has wrapped around. */
    output_text_printf(dump->out, "%+" PRId64 " µs", (int64_t)record->deltas_us[0]);
    if (record->kind == BINPROF_RECORD_SUFFIX)
        output_text_printf(dump->out, "  shared %" PRIu32, record->shared);
    if (record->kind == BINPROF_RECORD_POP_PUSH)
        output_text_printf(dump->out, "  pop %" PRIu32, record->pop);
    output_text_printf(dump->out, "  frames %" PRIu32 ": ", record->frame_count);
    print_frames(dump, record);
    output_text_printf(dump->out, "  [%s]\n", human_status(text, record->statuses[0]));
}

static void print_record(const dump_context *dump, const binprof_record *record)
{
    if (record->first_sample > 0)
        return;
    output_text_printf(dump->out, "%8" PRIu64 " %10" PRIu64 "  %-8s %10" PRIu64 "  %3" PRIu32 "  ",
                       record->index, record->offset, binprof_record_kind_name(record->kind),
                       record->thread_id, record->interpreter_id);
    if (record->kind == BINPROF_RECORD_REPEAT)
        output_text_printf(dump->out, "%" PRIu64 " samples\n", record->sample_count);
    else
        print_stack(dump, record);
}

binprof_status dump_records(const dump_context *dump, binprof_error *error)
{
    binprof_records *records;
    binprof_status status = binprof_records_open(dump->reader, &records, error);
    if (status != BINPROF_OK)
        return status;
    if (!dump->json)
        output_text_printf(dump->out, "%8s %10s  %-8s %10s  %3s\n", "record", "offset", "kind",
                           "thread", "int");
    const binprof_record *record;
    uint64_t missing = 0; /* samples of a repeat whose pieces have not all come */
    while ((status = binprof_records_next(records, &record, error)) == BINPROF_OK &&
           record != NULL && dump->out->status == BINPROF_OK) {
        if (dump->json)
            json_record(dump, record);
        else
            print_record(dump, record);
        missing = record->sample_count - record->first_sample - record->piece_length;
    }
    /* A line that the damage breaks off is JSON all the same. */
    if (dump->json && missing > 0)
        output_text_string(dump->out, "]}\n");
    binprof_records_close(records);
    return status;
}
