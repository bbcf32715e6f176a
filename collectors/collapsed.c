/* Collapsed stacks: one line a stack, "tid:N;outermost;…;innermost count".
 *
 * Frames that print alike are one here, so that the lines are a prefix tree of their own, over
 * texts instead of frames and with the thread as first text. Each text is rendered once. */
#include "base/array.h"
#include "base/error.h"
#include "collectors/collectors.h"
#include "collectors/stack_counts.h"
#include "output/text.h"
#include "output/utf8.h"
#include "profile/paths.h"
#include "profile/stack_table.h"
#include "profile/string_table.h"

#include <stdlib.h>
#include <string.h>

/* frame_texts: not rendered yet; not to be printed. */
#define TEXT_UNKNOWN UINT32_MAX
#define TEXT_NONE (UINT32_MAX - 1)

typedef struct collapsed_collector {
    binprof_collector base;
    const binprof_profile *profile;
    const binprof_choice *choice; /* NULL for everything */
    const binprof_capture *captures;
    size_t capture_count;
    collectors_stack_counts counts;
    uint64_t samples;
    output_text text;
} collapsed_collector;

/* What the export works with. */
typedef struct collapsed_lines {
    const collapsed_collector *collapsed;
    const binprof_profile *profile;
    bool has_functions, has_lines; /* what a frame's text shows besides its file */
    bool full_names;               /* files are printed as the profile names them */
    profile_string_table texts;
    profile_stack_table stacks;     /* over texts */
    collectors_stack_counts counts; /* by the stack over texts; the thread is always 0 */
    uint32_t *frame_texts;          /* by frame id */
    char *scratch;
    size_t scratch_capacity;
    uint32_t *path;
    size_t path_capacity;
} collapsed_lines;

/* A line to be sorted. */
typedef struct collapsed_line {
    uint64_t samples;
    uint32_t stack;
    uint32_t chain; /* the outermost of the stacks that end in this one with ids in a row */
    const collapsed_lines *lines;
} collapsed_line;

static binprof_status collapsed_collect(binprof_collector *base, const binprof_run *run,
                                        binprof_error *error)
{
    collapsed_collector *collapsed = (collapsed_collector *)base;
    binprof_status status = BINPROF_OK;
    if (run->stack != BINPROF_EMPTY_STACK)
        status =
            collectors_stack_counts_add(&collapsed->counts, run->thread, run->stack, run->count);
    if (status == BINPROF_ERROR_MEMORY)
        return error_set_memory(error);
    if (status != BINPROF_OK)
        return error_set(error, status, BINPROF_NO_OFFSET,
                         "more distinct stacks than can be counted");
    collapsed->samples += run->count;
    return BINPROF_OK;
}

static bool is_control(uint32_t code_point)
{
    return code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0);
}

/* Copies a name so that it cannot break a line or a stack: ";" becomes ":", control characters
 * become spaces and what is not UTF-8 becomes U+FFFD. At most three times as long. */
static char *put_name(char *p, const char *name, size_t length)
{
    const uint8_t *next = (const uint8_t *)name;
    const uint8_t *end = next + length;
    while (next < end) {
        uint32_t code_point;
        size_t size = output_utf8_get(next, end, &code_point);
        if (code_point == ';') {
            *p++ = ':';
        } else if (is_control(code_point)) {
            *p++ = ' ';
        } else if (code_point == OUTPUT_REPLACEMENT) {
            p = output_utf8_put_replacement(p);
        } else {
            memcpy(p, next, size);
            p += size;
        }
        next += size;
    }
    return p;
}

static binprof_status intern_text(collapsed_lines *lines, const char *end, uint32_t *text)
{
    return profile_string_table_intern(&lines->texts, lines->scratch,
                                       (size_t)(end - lines->scratch), false, text);
}

/* Makes room in scratch for two names, a number and what stands between them. */
static bool reserve_scratch(collapsed_lines *lines, size_t names_length)
{
    char *scratch = array_reserve(lines->scratch, &lines->scratch_capacity,
                                  3 * names_length + OUTPUT_NUMBER_MAX + 16, 1);
    if (scratch != NULL)
        lines->scratch = scratch;
    return scratch != NULL;
}

/* Renders a frame as "file:function:line", as far as the choice tells these apart. */
static binprof_status render_frame(collapsed_lines *lines, uint32_t frame_id, uint32_t *text)
{
    binprof_frame frame = binprof_profile_frame(lines->profile, frame_id);
    binprof_string file = binprof_profile_string(lines->profile, frame.filename);
    binprof_string function = binprof_profile_string(lines->profile, frame.function);
    if (profile_is_internal(file)) {
        *text = TEXT_NONE;
        return BINPROF_OK;
    }
    if (!reserve_scratch(lines, file.length + function.length))
        return BINPROF_ERROR_MEMORY;

    int32_t line = frame.line == BINPROF_NO_LOCATION ? 0 : frame.line;
    char *p = lines->scratch;
    if (profile_is_no_code(file) && line == 0)
        return intern_text(lines, put_name(p, function.text, function.length), text);
    binprof_string name = lines->full_names ? file : profile_base_name(file);
    p = put_name(p, name.text, name.length);
    if (lines->has_functions) {
        *p++ = ':';
        p = put_name(p, function.text, function.length);
    }
    if (lines->has_lines) {
        *p++ = ':';
        p = output_put_i64(p, line);
    }
    return intern_text(lines, p, text);
}

static binprof_status render_thread(collapsed_lines *lines, uint32_t thread, uint32_t *text)
{
    if (!reserve_scratch(lines, 0))
        return BINPROF_ERROR_MEMORY;
    char *p = lines->scratch;
    memcpy(p, "tid:", 4);
    p = output_put_u64(p + 4, binprof_profile_thread(lines->profile, thread).thread_id);
    return intern_text(lines, p, text);
}

/* Stores the frames' texts of a stack in lines->path, innermost first. */
static binprof_status render_stack(collapsed_lines *lines, uint32_t stack, size_t *depth)
{
    const binprof_stack *stacks = binprof_profile_stacks(lines->profile);
    size_t count = 0;
    for (; stack != BINPROF_EMPTY_STACK; stack = stacks[stack].parent) {
        uint32_t frame = stacks[stack].frame;
        if (lines->frame_texts[frame] == TEXT_UNKNOWN) {
            binprof_status status = render_frame(lines, frame, &lines->frame_texts[frame]);
            if (status != BINPROF_OK)
                return status;
        }
        if (lines->frame_texts[frame] == TEXT_NONE)
            continue;
        uint32_t *path = array_reserve(lines->path, &lines->path_capacity, count + 1, sizeof *path);
        if (path == NULL)
            return BINPROF_ERROR_MEMORY;
        lines->path = path;
        path[count++] = lines->frame_texts[frame];
    }
    *depth = count;
    return BINPROF_OK;
}

static binprof_status render_capture(collapsed_lines *lines, uint32_t capture, uint32_t *text)
{
    const char *name = lines->collapsed->captures[capture].name;
    size_t length = strlen(name);
    if (!reserve_scratch(lines, length))
        return BINPROF_ERROR_MEMORY;
    return intern_text(lines, put_name(lines->scratch, name, length), text);
}

/* Starts a line with its capture, where there are several, and its thread, where there is one. */
static binprof_status push_thread(collapsed_lines *lines, uint32_t thread, uint32_t *stack)
{
    const collapsed_collector *collapsed = lines->collapsed;
    binprof_status status = BINPROF_OK;
    uint32_t text;
    if (collapsed->capture_count > 1) {
        uint32_t capture = binprof_profile_thread(lines->profile, thread).capture;
        status = render_capture(lines, capture, &text);
        if (status == BINPROF_OK)
            status = profile_stack_table_push(&lines->stacks, *stack, text, stack);
    }
    if (status != BINPROF_OK || (collapsed->choice != NULL && collapsed->choice->merge_threads))
        return status;
    status = render_thread(lines, thread, &text);
    if (status == BINPROF_OK)
        status = profile_stack_table_push(&lines->stacks, *stack, text, stack);
    return status;
}

/* Adds the samples of one stack of one thread to the line that they print as. */
static binprof_status add_line(collapsed_lines *lines, const collectors_stack_count *count)
{
    size_t depth;
    binprof_status status = render_stack(lines, count->stack, &depth);
    if (status != BINPROF_OK || depth == 0)
        return status;
    uint32_t stack = BINPROF_EMPTY_STACK;
    status = push_thread(lines, count->thread, &stack);
    while (status == BINPROF_OK && depth-- > 0)
        status = profile_stack_table_push(&lines->stacks, stack, lines->path[depth], &stack);
    if (status != BINPROF_OK)
        return status;
    return collectors_stack_counts_add(&lines->counts, 0, stack, count->samples);
}

/* Compares two texts as they stand in their lines, where all but the last are followed by ";". */
static int compare_texts(binprof_string a, bool a_is_last, binprof_string b, bool b_is_last)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = memcmp(a.text, b.text, shorter);
    if (order != 0)
        return order;
    int a_next = a.length > shorter ? (uint8_t)a.text[shorter] : a_is_last ? -1 : ';';
    int b_next = b.length > shorter ? (uint8_t)b.text[shorter] : b_is_last ? -1 : ';';
    return a_next - b_next;
}

/* Compares the texts of two stacks. They are the same up to where their paths part; a stack's id is
 * higher than its parent's, so that stepping up from the higher of two finds that place. */
static int compare_stacks(const collapsed_line *left, const collapsed_line *right)
{
    const collapsed_lines *lines = left->lines;
    const binprof_stack *nodes = lines->stacks.nodes;
    uint32_t a = left->stack;
    uint32_t b = right->stack;
    uint32_t a_end = a;
    uint32_t b_end = b;
    uint32_t a_child = BINPROF_EMPTY_STACK;
    uint32_t b_child = BINPROF_EMPTY_STACK;
    /* Most of a deep stack is one chain: all of it is beyond where the paths part. */
    if (left->chain > b) {
        a_child = left->chain;
        a = nodes[a_child].parent;
    } else if (right->chain > a) {
        b_child = right->chain;
        b = nodes[b_child].parent;
    }
    while (a != b) {
        if (a > b) {
            a_child = a;
            a = nodes[a].parent;
        } else {
            b_child = b;
            b = nodes[b].parent;
        }
    }
    if (a_child == BINPROF_EMPTY_STACK || b_child == BINPROF_EMPTY_STACK)
        return (a_child != BINPROF_EMPTY_STACK) - (b_child != BINPROF_EMPTY_STACK);
    const binprof_string *texts = lines->texts.strings;
    return compare_texts(texts[nodes[a_child].frame], a_child == a_end, texts[nodes[b_child].frame],
                         b_child == b_end);
}

static int compare_lines(const void *a, const void *b)
{
    const collapsed_line *left = a;
    const collapsed_line *right = b;
    if (left->samples != right->samples)
        return left->samples > right->samples ? -1 : 1;
    return compare_stacks(left, right);
}

static uint32_t chain_of(const binprof_stack *nodes, uint32_t stack)
{
    while (nodes[stack].parent == stack - 1 && stack > 1)
        stack--;
    return stack;
}

static collapsed_line *sort_lines(const collapsed_lines *lines)
{
    size_t count = lines->counts.count;
    collapsed_line *sorted = malloc((count + 1) * sizeof *sorted);
    if (sorted == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const collectors_stack_count *entry = &lines->counts.entries[i];
        sorted[i] = (collapsed_line){entry->samples, entry->stack,
                                     chain_of(lines->stacks.nodes, entry->stack), lines};
    }
    qsort(sorted, count, sizeof *sorted, compare_lines);
    return sorted;
}

/* Stores the texts of a line in lines->path, innermost first. */
static binprof_status line_path(collapsed_lines *lines, uint32_t stack, size_t *depth)
{
    const binprof_stack *nodes = lines->stacks.nodes;
    size_t count = 0;
    for (; stack != BINPROF_EMPTY_STACK; stack = nodes[stack].parent) {
        uint32_t *path = array_reserve(lines->path, &lines->path_capacity, count + 1, sizeof *path);
        if (path == NULL)
            return BINPROF_ERROR_MEMORY;
        lines->path = path;
        path[count++] = nodes[stack].frame;
    }
    *depth = count;
    return BINPROF_OK;
}

static binprof_status print_line(collapsed_lines *lines, const collapsed_line *line,
                                 output_text *out)
{
    size_t depth;
    binprof_status status = line_path(lines, line->stack, &depth);
    if (status != BINPROF_OK)
        return status;
    while (depth-- > 0) {
        binprof_string text = lines->texts.strings[lines->path[depth]];
        output_text_append(out, text.text, text.length);
        output_text_char(out, depth > 0 ? ';' : ' ');
    }
    output_text_u64(out, line->samples);
    output_text_char(out, '\n');
    return BINPROF_OK;
}

static bool init_lines(collapsed_lines *lines, const collapsed_collector *collapsed)
{
    static const binprof_choice everything = {.thread_count = 0};
    const binprof_choice *choice = collapsed->choice != NULL ? collapsed->choice : &everything;
    const binprof_profile *profile = collapsed->profile;
    *lines = (collapsed_lines){.collapsed = collapsed,
                               .profile = profile,
                               .has_functions = choice->by != BINPROF_BY_FILE,
                               .has_lines = choice->by != BINPROF_BY_FILE &&
                                            choice->by != BINPROF_BY_FUNCTION,
                               .full_names = choice->paths != BINPROF_PATHS_DEFAULT};
    profile_string_table_init(&lines->texts);
    collectors_stack_counts_init(&lines->counts);
    if (!profile_stack_table_init(&lines->stacks))
        return false;
    size_t size = ((size_t)binprof_profile_frame_count(profile) + 1) * sizeof *lines->frame_texts;
    lines->frame_texts = malloc(size);
    if (lines->frame_texts == NULL)
        return false;
    memset(lines->frame_texts, 0xff, size); /* TEXT_UNKNOWN */
    return true;
}

static void free_lines(collapsed_lines *lines)
{
    profile_string_table_free(&lines->texts);
    collectors_stack_counts_free(&lines->counts);
    profile_stack_table_free(&lines->stacks);
    free(lines->frame_texts);
    free(lines->scratch);
    free(lines->path);
}

static binprof_status print_lines(collapsed_collector *collapsed, collapsed_lines *lines)
{
    if (!init_lines(lines, collapsed))
        return BINPROF_ERROR_MEMORY;
    for (size_t i = 0; i < collapsed->counts.count; i++) {
        binprof_status status = add_line(lines, &collapsed->counts.entries[i]);
        if (status != BINPROF_OK)
            return status;
    }
    collapsed_line *sorted = sort_lines(lines);
    if (sorted == NULL)
        return BINPROF_ERROR_MEMORY;
    binprof_status status = BINPROF_OK;
    for (size_t i = 0; i < lines->counts.count && status == BINPROF_OK; i++)
        status = print_line(lines, &sorted[i], &collapsed->text);
    free(sorted);
    return status;
}

static binprof_status collapsed_export(binprof_collector *base, binprof_error *error)
{
    collapsed_collector *collapsed = (collapsed_collector *)base;
    collapsed_lines lines;
    binprof_status status = print_lines(collapsed, &lines);
    free_lines(&lines);
    if (status == BINPROF_OK)
        return output_text_finish(&collapsed->text, error);
    if (status == BINPROF_ERROR_MEMORY)
        return error_set_memory(error);
    return error_set(error, status, BINPROF_NO_OFFSET, "more distinct lines than can be counted");
}

static void collapsed_close(binprof_collector *base)
{
    collapsed_collector *collapsed = (collapsed_collector *)base;
    output_text_discard(&collapsed->text);
    collectors_stack_counts_free(&collapsed->counts);
    free(collapsed);
}

static uint64_t collapsed_total_samples(const binprof_collector *base)
{
    return ((const collapsed_collector *)base)->samples;
}

static const binprof_collector_operations collapsed_operations = {
    .collect = collapsed_collect,
    .export_output = collapsed_export,
    .close = collapsed_close,
    .total_samples = collapsed_total_samples,
};

binprof_status collectors_collapsed_open(const binprof_collector_options *options,
                                         binprof_collector **collector, binprof_error *error)
{
    collapsed_collector *collapsed = calloc(1, sizeof *collapsed);
    if (collapsed == NULL)
        return error_set_memory(error);
    collapsed->base.operations = &collapsed_operations;
    collapsed->profile = options->profile;
    collapsed->choice = options->choice;
    collapsed->captures = options->captures;
    collapsed->capture_count = options->capture_count;
    binprof_status status =
        output_text_open(&collapsed->text, options->output, options->gzip, error);
    if (status != BINPROF_OK) {
        free(collapsed);
        return status;
    }
    collectors_stack_counts_init(&collapsed->counts);
    *collector = &collapsed->base;
    return BINPROF_OK;
}
