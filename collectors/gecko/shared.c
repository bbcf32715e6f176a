/* The tables that all threads share: the profile's strings, functions, frames and stacks. */
#include "collectors/gecko/gecko.h"
#include "output/json.h"
#include "profile/hash.h"
#include "profile/index.h"
#include "profile/paths.h"

#include <stdlib.h>

/* Writes ',' before every element but the first. */
static void separate(output_text *text, uint64_t index)
{
    if (index > 0)
        output_text_char(text, ',');
}

/* Writes `count` times the same value. */
static void write_constant(output_text *text, uint64_t count, const char *value)
{
    for (uint64_t i = 0; i < count; i++) {
        separate(text, i);
        output_text_string(text, value);
    }
}

/* Writes a column in which every row has the same value. */
static void write_constant_column(output_text *text, const char *key, uint64_t count,
                                  const char *value)
{
    output_text_string(text, key);
    write_constant(text, count, value);
}

static void write_length(output_text *text, uint64_t count)
{
    output_text_string(text, "],\"length\":");
    output_text_u64(text, count);
    output_text_char(text, '}');
}

static void write_stack_frames(const gecko_export *export)
{
    const binprof_stack *stacks = binprof_profile_stacks(export->profile);
    const gecko_collector *gecko = export->collector;
    uint32_t count = binprof_profile_stack_count(export->profile);
    uint64_t written = 0;
    for (uint32_t stack = 1; stack < count; stack++) {
        uint32_t frame = stacks[stack].frame;
        if (gecko->frame_kinds[frame] == GECKO_FRAME_INTERNAL)
            continue;
        uint8_t states = gecko->stack_states[stack] | 1;
        for (unsigned state = 0; state < GECKO_STATE_COUNT; state++) {
            if ((states >> state & 1) == 0)
                continue;
            separate(export->text, written++);
            output_text_u64(export->text,
                            gecko_state_row(export->frame_rows[frame], export->frame_states[frame],
                                            (gecko_state)state));
        }
    }
}

/* A row's distance to its parent's row; 0 for a root. */
static uint64_t write_prefix_offsets(const gecko_export *export)
{
    const binprof_stack *stacks = binprof_profile_stacks(export->profile);
    const gecko_collector *gecko = export->collector;
    uint32_t count = binprof_profile_stack_count(export->profile);
    uint64_t row = 0;
    for (uint32_t stack = 1; stack < count; stack++) {
        if (gecko->frame_kinds[stacks[stack].frame] == GECKO_FRAME_INTERNAL)
            continue;
        uint32_t parent_row = export->stack_rows[stacks[stack].parent];
        uint32_t rows = gecko_row_count(gecko->stack_states[stack]);
        for (uint32_t i = 0; i < rows; i++, row++) {
            separate(export->text, row);
            output_text_u64(export->text, parent_row == GECKO_NO_ROW ? 0 : row - parent_row);
        }
    }
    return row;
}

static void write_stack_table(const gecko_export *export)
{
    output_text_string(export->text, "{\"frame\":[");
    write_stack_frames(export);
    output_text_string(export->text, "],\"prefixOffset\":[");
    write_length(export->text, write_prefix_offsets(export));
}

/* Functions and sources, numbered in the order of the frames that bring them. A function is its
 * name in its file. */
typedef struct function_table {
    uint32_t *of_frame; /* by frame id: its function */
    uint32_t *names;    /* by function: the string id of its name */
    uint32_t *files;    /* by function: the string id of its file */
    uint32_t count;
    uint32_t *source_of_file; /* by string id: its source, or UINT32_MAX */
    uint32_t *source_files;   /* by source: the string id */
    uint32_t source_count;
} function_table;

static void free_functions(function_table *functions)
{
    free(functions->of_frame);
    free(functions->names);
    free(functions->files);
    free(functions->source_of_file);
    free(functions->source_files);
}

static uint32_t *allocate(size_t count)
{
    return malloc((count + 1) * sizeof(uint32_t));
}

static void add_source(function_table *functions, const binprof_profile *profile, uint32_t file)
{
    if (functions->source_of_file[file] != UINT32_MAX ||
        profile_is_no_code(binprof_profile_string(profile, file)))
        return;
    functions->source_files[functions->source_count] = file;
    functions->source_of_file[file] = functions->source_count++;
}

/* Returns the function of this name in this file, made where there is none. */
static uint32_t find_function(function_table *functions, profile_index *index, uint64_t seed,
                              uint32_t file, uint32_t name)
{
    uint32_t key[2] = {file, name};
    uint32_t hash = profile_hash(key, sizeof key, seed);
    uint32_t position = hash;
    uint32_t id;
    while (profile_index_next(index, hash, &position, &id))
        if (functions->files[id] == file && functions->names[id] == name)
            return id;
    functions->files[functions->count] = file;
    functions->names[functions->count] = name;
    profile_index_insert(index, hash, functions->count);
    return functions->count++;
}

static bool build_functions(const binprof_profile *profile, function_table *functions)
{
    uint32_t frames = binprof_profile_frame_count(profile);
    uint32_t strings = binprof_profile_string_count(profile);
    *functions = (function_table){.of_frame = allocate(frames),
                                  .names = allocate(frames),
                                  .files = allocate(frames),
                                  .source_of_file = allocate(strings),
                                  .source_files = allocate(strings)};
    if (functions->of_frame == NULL || functions->names == NULL || functions->files == NULL ||
        functions->source_of_file == NULL || functions->source_files == NULL)
        return false;
    memset(functions->source_of_file, 0xff, strings * sizeof(uint32_t));
    profile_index index = {.slots = NULL};
    uint64_t seed = profile_seed(functions);
    bool has_memory = true;
    for (uint32_t i = 0; i < frames && has_memory; i++) {
        has_memory = profile_index_reserve(&index);
        if (!has_memory)
            break;
        binprof_frame frame = binprof_profile_frame(profile, i);
        functions->of_frame[i] =
            find_function(functions, &index, seed, frame.filename, frame.function);
        add_source(functions, profile, frame.filename);
    }
    profile_index_free(&index);
    return has_memory;
}

/* The columns of the frame table that differ from row to row. */
typedef enum frame_column {
    COLUMN_CATEGORY,
    COLUMN_FUNCTION,
    COLUMN_LINE,
    COLUMN_COLUMN
} frame_column;

static unsigned category_of(gecko_frame_kind kind, unsigned state)
{
    if (state == GECKO_STATE_WAITING)
        return GECKO_WAITING;
    if (state == GECKO_STATE_WITHOUT_GIL)
        return GECKO_WITHOUT_GIL;
    return kind == GECKO_FRAME_INTERNAL ? GECKO_OTHER : (unsigned)kind;
}

/* The profiler counts columns from 1, captures from 0. */
static void write_location(output_text *text, int32_t position, int64_t first)
{
    if (position == BINPROF_NO_LOCATION)
        output_text_string(text, "null");
    else
        output_text_i64(text, position + first);
}

static uint64_t write_frame_column(const gecko_export *export, const function_table *functions,
                                   frame_column column)
{
    output_text *text = export->text;
    uint32_t count = binprof_profile_frame_count(export->profile);
    uint64_t row = 0;
    for (uint32_t i = 0; i < count; i++) {
        binprof_frame frame = binprof_profile_frame(export->profile, i);
        unsigned states = export->frame_states[i] | 1u;
        for (unsigned state = 0; state < GECKO_STATE_COUNT; state++) {
            if ((states >> state & 1) == 0)
                continue;
            separate(text, row++);
            if (column == COLUMN_CATEGORY)
                output_text_u64(
                    text, category_of((gecko_frame_kind) export->collector->frame_kinds[i], state));
            else if (column == COLUMN_FUNCTION)
                output_text_u64(text, functions->of_frame[i]);
            else if (column == COLUMN_LINE)
                write_location(text, frame.line, 0);
            else
                write_location(text, frame.column, 1);
        }
    }
    return row;
}

static void write_frame_table(const gecko_export *export, const function_table *functions)
{
    output_text *text = export->text;
    output_text_string(text, "{\"category\":[");
    uint64_t count = write_frame_column(export, functions, COLUMN_CATEGORY);
    output_text_string(text, "],\"func\":[");
    (void)write_frame_column(export, functions, COLUMN_FUNCTION);
    output_text_string(text, "],\"line\":[");
    (void)write_frame_column(export, functions, COLUMN_LINE);
    output_text_string(text, "],\"column\":[");
    (void)write_frame_column(export, functions, COLUMN_COLUMN);
    write_constant_column(text, "],\"address\":[", count, "-1");
    write_constant_column(text, "],\"lib\":[", count, "-1");
    write_constant_column(text, "],\"inlineDepth\":[", count, "0");
    write_constant_column(text, "],\"subcategory\":[", count, "0");
    write_constant_column(text, "],\"nativeSymbol\":[", count, "null");
    write_constant_column(text, "],\"innerWindowID\":[", count, "null");
    write_constant_column(text, "],\"originalLocation\":[", count, "null");
    write_length(text, count);
}

/* The line where a function begins is not in a capture, so that it has none. */
static void write_func_table(const gecko_export *export, const function_table *functions)
{
    output_text *text = export->text;
    uint32_t count = functions->count;
    output_text_string(text, "{\"name\":[");
    for (uint32_t i = 0; i < count; i++) {
        separate(text, i);
        output_text_u64(text, functions->names[i]);
    }
    output_text_string(text, "],\"source\":[");
    for (uint32_t i = 0; i < count; i++) {
        separate(text, i);
        uint32_t source = functions->source_of_file[functions->files[i]];
        if (source == UINT32_MAX)
            output_text_string(text, "null");
        else
            output_text_u64(text, source);
    }
    write_constant_column(text, "],\"isJS\":[", count, "false");
    write_constant_column(text, "],\"relevantForJS\":[", count, "false");
    write_constant_column(text, "],\"resource\":[", count, "-1");
    write_constant_column(text, "],\"lineNumber\":[", count, "null");
    write_constant_column(text, "],\"columnNumber\":[", count, "null");
    write_constant_column(text, "],\"originalLocation\":[", count, "null");
    write_length(text, count);
}

static void write_sources(const gecko_export *export, const function_table *functions)
{
    output_text *text = export->text;
    uint32_t count = functions->source_count;
    output_text_string(text, "{\"filename\":[");
    for (uint32_t i = 0; i < count; i++) {
        separate(text, i);
        output_text_u64(text, functions->source_files[i]);
    }
    write_constant_column(text, "],\"id\":[", count, "null");
    write_constant_column(text, "],\"startLine\":[", count, "1");
    write_constant_column(text, "],\"startColumn\":[", count, "1");
    write_constant_column(text, "],\"sourceMapURL\":[", count, "null");
    write_constant_column(text, "],\"content\":[", count, "null");
    write_length(text, count);
}

static void write_strings(const gecko_export *export)
{
    output_text *text = export->text;
    uint32_t count = binprof_profile_string_count(export->profile);
    output_text_char(text, '[');
    for (uint32_t i = 0; i < count; i++) {
        separate(text, i);
        binprof_string string = binprof_profile_string(export->profile, i);
        output_json_string(text, string.text, string.length);
    }
    for (unsigned marker = 0; marker < GECKO_MARKER_COUNT; marker++) {
        separate(text, (uint64_t)count + marker);
        const char *name = gecko_marker_name((gecko_marker)marker);
        output_json_string(text, name, strlen(name));
    }
    output_text_char(text, ']');
}

binprof_status gecko_write_shared(const gecko_export *export)
{
    output_text *text = export->text;
    function_table functions;
    if (!build_functions(export->profile, &functions)) {
        free_functions(&functions);
        return BINPROF_ERROR_MEMORY;
    }
    output_text_string(text, "{\"stackTable\":");
    write_stack_table(export);
    output_text_string(text, ",\"frameTable\":");
    write_frame_table(export, &functions);
    output_text_string(text, ",\"funcTable\":");
    write_func_table(export, &functions);
    output_text_string(text,
                       ",\"resourceTable\":{\"name\":[],\"host\":[],\"type\":[],\"length\":0},"
                       "\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],"
                       "\"functionSize\":[],\"length\":0},\"sources\":");
    write_sources(export, &functions);
    output_text_string(text, ",\"sourceLocationTable\":{\"source\":[],\"line\":[],\"column\":[],"
                             "\"length\":0},\"stringArray\":");
    write_strings(export);
    output_text_char(text, '}');
    free_functions(&functions);
    return BINPROF_OK;
}
