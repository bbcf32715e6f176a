/* --strings and --frames: the tables, entry by entry. */
#include "output/json.h"
#include "tools/dump.h"
#include "tools/human.h"

#include <inttypes.h>
#include <stdio.h>

static void print_string(const dump_context *dump, uint32_t index, binprof_string string)
{
    if (dump->json) {
        output_text_printf(dump->out, "{\"index\":%" PRIu32 ",\"text\":", index);
        output_json_string(dump->out, string.text, string.length);
        output_text_string(dump->out, "}\n");
        return;
    }
    output_text_printf(dump->out, "%8" PRIu32 "  ", index);
    human_text(dump->out, string.text, string.length);
    output_text_char(dump->out, '\n');
}

binprof_status dump_strings(const dump_context *dump, binprof_error *error)
{
    binprof_profile *profile = dump_new_profile(error);
    if (profile == NULL)
        return BINPROF_ERROR_MEMORY;
    binprof_status status = binprof_reader_load_tables(dump->reader, profile, error);
    /* What could be read before a failure is shown too. */
    uint32_t count = binprof_profile_string_count(profile);
    for (uint32_t i = 0; i < count; i++)
        print_string(dump, i, binprof_profile_string(profile, i));
    binprof_profile_free(profile);
    return status;
}

static void print_frame_json(const dump_context *dump, uint32_t index, const binprof_frame *frame,
                             binprof_string filename, binprof_string function)
{
    output_text *out = dump->out;
    output_text_printf(out, "{\"index\":%" PRIu32 ",\"filename\":", index);
    output_json_string(out, filename.text, filename.length);
    output_text_string(out, ",\"function\":");
    output_json_string(out, function.text, function.length);
    output_text_printf(out, ",\"filename_index\":%" PRIu32 ",\"function_index\":%" PRIu32,
                       frame->filename, frame->function);
    output_text_printf(out,
                       ",\"line\":%" PRId32 ",\"end_line\":%" PRId32 ",\"column\":%" PRId32
                       ",\"end_column\":%" PRId32,
                       frame->line, frame->end_line, frame->column, frame->end_column);
    if (frame->opcode == BINPROF_NO_OPCODE)
        output_text_string(out, ",\"opcode\":null}\n");
    else
        output_text_printf(out, ",\"opcode\":%d}\n", frame->opcode);
}

/* A position as "line:column-end_line:end_column", "-" for what is not known. */
static void print_location(const dump_context *dump, const binprof_frame *frame)
{
    char location[64] = "-";
    if (frame->line != BINPROF_NO_LOCATION && frame->column == BINPROF_NO_LOCATION)
        (void)snprintf(location, sizeof location, "%" PRId32, frame->line);
    else if (frame->line != BINPROF_NO_LOCATION)
        (void)snprintf(location, sizeof location, "%" PRId32 ":%" PRId32 "-%" PRId32 ":%" PRId32,
                       frame->line, frame->column, frame->end_line, frame->end_column);
    output_text_printf(dump->out, "%-20s ", location);
    if (frame->opcode == BINPROF_NO_OPCODE)
        output_text_string(dump->out, "   -  ");
    else
        output_text_printf(dump->out, "%4d  ", frame->opcode);
}

static void print_frame(const dump_context *dump, const binprof_profile *profile, uint32_t index)
{
    binprof_frame frame = binprof_profile_frame(profile, index);
    binprof_string filename = binprof_profile_string(profile, frame.filename);
    binprof_string function = binprof_profile_string(profile, frame.function);
    if (dump->json) {
        print_frame_json(dump, index, &frame, filename, function);
        return;
    }
    output_text_printf(dump->out, "%8" PRIu32 "  ", index);
    print_location(dump, &frame);
    human_text(dump->out, function.text, function.length);
    output_text_string(dump->out, "  ");
    human_text(dump->out, filename.text, filename.length);
    output_text_char(dump->out, '\n');
}

binprof_status dump_frames(const dump_context *dump, binprof_error *error)
{
    binprof_profile *profile = dump_new_profile(error);
    if (profile == NULL)
        return BINPROF_ERROR_MEMORY;
    binprof_status status = binprof_reader_load_tables(dump->reader, profile, error);
    uint32_t count = binprof_profile_frame_count(profile);
    if (!dump->json && count > 0)
        output_text_printf(dump->out, "%8s  %-20s %4s  %s\n", "index", "location", "op",
                           "function  file");
    for (uint32_t i = 0; i < count; i++)
        print_frame(dump, profile, i);
    binprof_profile_free(profile);
    return status;
}
