/* The lines of a source file with their samples. */
#include "base/array.h"
#include "base/error.h"
#include "output/json.h"
#include "tools/fit.h"
#include "tools/messages.h"
#include "tools/top.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines beyond this are no lines of a source file. */
#define LINE_MAX_NUMBER 10000000

typedef struct annotated_lines {
    binprof_tally_count *counts; /* by line; 0 for samples without a line */
    uint32_t *frames;            /* by line: one of its frames, or TOP_NOTHING */
    uint8_t *is_shared;          /* by line: it has frames of several functions */
    uint32_t count;
} annotated_lines;

/* What is left of a source file that was read. */
typedef struct source_file {
    FILE *file; /* NULL where it was not found */
    char *line;
    size_t capacity;
} source_file;

static uint32_t line_of(const top_context *top, uint32_t frame)
{
    int32_t line = binprof_profile_frame(top->profile, frame).line;
    return line > 0 && line <= LINE_MAX_NUMBER ? (uint32_t)line : 0;
}

static bool allocate_lines(const top_context *top, const uint8_t *is_chosen, annotated_lines *lines)
{
    uint32_t last = 0;
    for (uint32_t frame = 0; frame < top->tally.frame_count; frame++)
        if (is_chosen[frame] != 0 && line_of(top, frame) > last)
            last = line_of(top, frame);
    lines->count = last + 1;
    lines->counts = calloc(lines->count, sizeof *lines->counts);
    lines->frames = malloc(lines->count * sizeof *lines->frames);
    lines->is_shared = calloc(lines->count, 1);
    if (lines->counts == NULL || lines->frames == NULL || lines->is_shared == NULL)
        return false;
    memset(lines->frames, 0xff, lines->count * sizeof *lines->frames); /* TOP_NOTHING */
    return true;
}

static void free_lines(annotated_lines *lines)
{
    free(lines->counts);
    free(lines->frames);
    free(lines->is_shared);
}

/* Counts a line that has frames of several functions, such as a lambda and what it stands in: a
 * sample that is in more than one of them counts once. */
static binprof_status count_shared(const top_context *top, const uint8_t *is_chosen, uint32_t line,
                                   binprof_tally_count *count, binprof_error *error)
{
    uint8_t *is_of_line = calloc((size_t)top->tally.frame_count + 1, 1);
    if (is_of_line == NULL)
        return error_set_memory(error);
    for (uint32_t frame = 0; frame < top->tally.frame_count; frame++)
        is_of_line[frame] = is_chosen[frame] != 0 && line_of(top, frame) == line;
    binprof_tally_neighbours found;
    binprof_status status =
        binprof_tally_find_neighbours(top->collector, is_of_line, &found, error);
    if (status == BINPROF_OK) {
        *count = found.count;
        binprof_tally_neighbours_free(&found);
    }
    free(is_of_line);
    return status;
}

static binprof_status count_lines(const top_context *top, const uint8_t *is_chosen,
                                  annotated_lines *lines, binprof_error *error)
{
    if (!allocate_lines(top, is_chosen, lines))
        return error_set_memory(error);
    for (uint32_t frame = 0; frame < top->tally.frame_count; frame++) {
        if (is_chosen[frame] == 0)
            continue;
        uint32_t line = line_of(top, frame);
        lines->is_shared[line] = lines->frames[line] != TOP_NOTHING;
        lines->frames[line] = frame;
        lines->counts[line] = top->tally.frames[frame];
    }
    for (uint32_t line = 0; line < lines->count; line++) {
        if (lines->is_shared[line] == 0)
            continue;
        binprof_status status = count_shared(top, is_chosen, line, &lines->counts[line], error);
        if (status != BINPROF_OK)
            return status;
    }
    return BINPROF_OK;
}

/* Opens a file under a folder. */
static FILE *open_under(const char *folder, const char *path)
{
    size_t size = strlen(folder) + strlen(path) + 2;
    char *joined = malloc(size);
    if (joined == NULL)
        return NULL;
    (void)snprintf(joined, size, "%s/%s", folder, path);
    FILE *file = fopen(joined, "r");
    free(joined);
    return file;
}

/* Opens a source file where the capture says that it is; with a source root below that, with as
 * much of its path as is there. */
static FILE *open_source(const top_context *top, const char *path)
{
    const char *root = top->options->source_root;
    if (root == NULL)
        return fopen(path, "r");
    FILE *file = NULL;
    while (path != NULL && file == NULL) {
        path += strspn(path, "/");
        file = open_under(root, path);
        path = strchr(path, '/');
    }
    return file;
}

/* Reads the next line without its end; NULL where there is none. */
static const char *next_line(source_file *source, size_t *length)
{
    if (source->file == NULL)
        return NULL;
    ssize_t size = getline(&source->line, &source->capacity, source->file);
    if (size < 0)
        return NULL;
    *length = (size_t)size;
    while (*length > 0 && (source->line[*length - 1] == '\n' || source->line[*length - 1] == '\r'))
        (*length)--;
    return source->line;
}

static void print_source(output_text *out, const char *text, size_t length, size_t room)
{
    size_t column = 0;
    for (size_t start = 0; start < length && column < room;) {
        size_t end = start;
        while (end < length && text[end] != '\t')
            end++;
        size_t width = fit_width(text + start, end - start);
        fit_print(out, text + start, end - start, room - column, FIT_CUT_END, 0);
        column += width;
        for (bool is_tab = end < length; is_tab && column < room; is_tab = column % 8 != 0) {
            output_text_char(out, ' ');
            column++;
        }
        start = end + 1;
    }
}

static void text_line(const top_context *top, uint32_t line, const binprof_tally_count *count,
                      const char *source, size_t length)
{
    uint64_t all = top->tally.samples.now;
    size_t columns = top_text_columns(top);
    if (count->total.now > 0)
        output_text_printf(top->out, "%9.2f%9.2f", top_percent(count->self.now, all),
                           top_percent(count->total.now, all));
    else
        output_text_printf(top->out, "%18s", "");
    output_text_printf(top->out, "%8" PRIu32 "  ", line);
    if (source != NULL)
        print_source(top->out, source, length, columns > 48 ? columns - 28 : 20);
    output_text_char(top->out, '\n');
}

/* line: 0 for samples of which none is known. */
static void json_line(const top_context *top, uint32_t line, const binprof_tally_count *count,
                      const char *source, size_t length)
{
    if (line > 0)
        output_text_printf(top->out, "{\"line\":%" PRIu32, line);
    else
        output_text_string(top->out, "{\"line\":null");
    output_text_printf(top->out,
                       ",\"self\":%" PRIu64 ",\"total\":%" PRIu64 ",\"text\":", count->self.now,
                       count->total.now);
    if (source != NULL)
        output_json_string(top->out, source, length);
    else
        output_text_string(top->out, "null");
    output_text_char(top->out, '}');
}

static void csv_line(const top_context *top, uint32_t line, const binprof_tally_count *count,
                     const char *source, size_t length)
{
    if (line > 0)
        output_text_u64(top->out, line);
    output_text_printf(top->out, ",%" PRIu64 ",%" PRIu64 ",", count->self.now, count->total.now);
    if (source != NULL)
        top_csv_text(top->out, source, length);
    output_text_string(top->out, "\r\n");
}

static void print_head(const top_context *top, binprof_string file)
{
    if (top->options->form == TOP_FORM_CSV) {
        output_text_string(top->out, "line,self,total,text\r\n");
    } else if (top->options->form == TOP_FORM_JSON) {
        top_json_head(top);
        output_text_string(top->out, ",\"file\":");
        output_json_string(top->out, file.text, file.length);
        output_text_string(top->out, ",\"lines\":[");
    } else {
        top_print_heading(top);
        fit_print(top->out, file.text, file.length, top_text_columns(top), FIT_CUT_START, 0);
        output_text_printf(top->out, "\n%9s%9s%8s\n", "self %", "total %", "line");
    }
}

/* Prints a line with samples for programs. */
static void data_line(const top_context *top, uint32_t line, const binprof_tally_count *count,
                      const char *source, size_t length, bool *is_first)
{
    if (count->total.now == 0)
        return;
    if (top->options->form == TOP_FORM_CSV) {
        csv_line(top, line, count, source, length);
        return;
    }
    output_text_string(top->out, *is_first ? "\n" : ",\n");
    *is_first = false;
    json_line(top, line, count, source, length);
}

/* Prints the lines: for people all that the source file has, for programs those with samples.
 * Returns how many lines the file has. */
static uint32_t print_lines(const top_context *top, const annotated_lines *lines,
                            source_file *source)
{
    static const binprof_tally_count nothing = {.self = {0, 0}};
    bool is_text = top->options->form == TOP_FORM_TEXT;
    bool is_first = true;
    uint32_t in_file = 0;
    if (!is_text)
        data_line(top, 0, &lines->counts[0], NULL, 0, &is_first);
    for (uint32_t line = 1;; line++) {
        size_t length = 0;
        const char *text = next_line(source, &length);
        if (text == NULL && line >= lines->count)
            return in_file;
        in_file += text != NULL;
        const binprof_tally_count *count = line < lines->count ? &lines->counts[line] : &nothing;
        if (!is_text)
            data_line(top, line, count, text, length, &is_first);
        else if (text != NULL || count->total.now > 0)
            text_line(top, line, count, text, length);
    }
}

static void print_file(const top_context *top, const annotated_lines *lines, binprof_string file)
{
    source_file source = {.file = open_source(top, file.text)};
    print_head(top, file);
    uint32_t in_file = print_lines(top, lines, &source);
    if (top->options->form == TOP_FORM_JSON)
        output_text_string(top->out, "\n]}\n");
    if (top->options->form == TOP_FORM_TEXT && lines->counts[0].total.now > 0)
        output_text_printf(top->out, "%9.2f%9.2f%8s  (no line known)\n",
                           top_percent(lines->counts[0].self.now, top->tally.samples.now),
                           top_percent(lines->counts[0].total.now, top->tally.samples.now), "");
    if (!top->options->quiet && source.file == NULL)
        message_note("%s: note: the source is not there%s", file.text,
                     top->options->source_root == NULL ? "; --source-root says where to look" : "");
    else if (!top->options->quiet && in_file + 1 < lines->count)
        message_note("%s: note: has %" PRIu32 " lines, but samples are at line %" PRIu32
                     ": this is not the file that ran",
                     file.text, in_file, lines->count - 1);
    if (source.file != NULL)
        (void)fclose(source.file);
    free(source.line);
}

binprof_status top_print_annotated(const top_context *top, binprof_error *error)
{
    annotated_lines lines = {.count = 0};
    uint32_t subject = 0;
    uint8_t *is_chosen = calloc((size_t)top->tally.frame_count + 1, 1);
    if (is_chosen == NULL)
        return error_set_memory(error);
    binprof_status status = top_choose_file(top, is_chosen, &subject, error);
    if (status == BINPROF_OK)
        status = count_lines(top, is_chosen, &lines, error);
    if (status == BINPROF_OK) {
        uint32_t file = binprof_profile_frame(top->profile, subject).filename;
        print_file(top, &lines, binprof_profile_string(top->profile, file));
    }
    free_lines(&lines);
    free(is_chosen);
    return status;
}
