/* The data's encoding. */
#include "base/array.h"
#include "collectors/detail.h"
#include "collectors/flamegraph/base64.h"
#include "collectors/flamegraph/flamegraph.h"
#include "collectors/tree.h"
#include "output/utf8.h"
#include "profile/hash.h"
#include "profile/paths.h"
#include "profile/string_table.h"

#include <stdlib.h>

/* Numbers of the page; in page_frame.detail also "none". */
#define NONE UINT32_MAX

typedef struct page_function {
    uint32_t name, file, module; /* texts */
    uint32_t file_id, name_id;   /* string ids of the profile, which are its key */
} page_function;

typedef struct page_frame {
    uint32_t function;
    int32_t line;
    uint32_t detail; /* text */
} page_frame;

typedef struct page_data {
    const flamegraph_collector *flamegraph;
    const binprof_profile *profile;
    base64_writer out;
    collectors_tree tree;
    profile_string_table texts;
    page_function *functions;
    size_t function_count, function_capacity;
    profile_index function_index;
    uint64_t seed;
    uint32_t *frame_rows; /* by frame id of the profile: its number in the page, or NONE */
    page_frame *frames;
    size_t frame_count, frame_capacity;
    char *scratch;
    size_t scratch_capacity;
} page_data;

static char *reserve_scratch(page_data *data, size_t size)
{
    char *scratch = array_reserve(data->scratch, &data->scratch_capacity, size, 1);
    if (scratch != NULL)
        data->scratch = scratch;
    return scratch;
}

/* Interns a text; what is not UTF-8 becomes U+FFFD. */
static binprof_status intern_text(page_data *data, binprof_string string, uint32_t *text)
{
    char *scratch = reserve_scratch(data, 3 * string.length + 1);
    if (scratch == NULL)
        return BINPROF_ERROR_MEMORY;
    char *p = scratch;
    const uint8_t *next = (const uint8_t *)string.text;
    const uint8_t *end = next + string.length;
    while (next < end) {
        uint32_t code_point;
        size_t size = output_utf8_get(next, end, &code_point);
        if (code_point == OUTPUT_REPLACEMENT) {
            p = output_utf8_put_replacement(p);
        } else {
            memcpy(p, next, size);
            p += size;
        }
        next += size;
    }
    return profile_string_table_intern(&data->texts, scratch, (size_t)(p - scratch), false, text);
}

static binprof_status intern_module(page_data *data, binprof_string file, uint32_t *text)
{
    char *name = malloc(file.length + 1);
    if (name == NULL)
        return BINPROF_ERROR_MEMORY;
    binprof_string module = {name, profile_module_name(file, name)};
    binprof_status status = intern_text(data, module, text);
    free(name);
    return status;
}

static binprof_status make_function(page_data *data, const binprof_frame *frame,
                                    page_function *function)
{
    binprof_string file = binprof_profile_string(data->profile, frame->filename);
    binprof_string name = binprof_profile_string(data->profile, frame->function);
    if (name.length == 0)
        name = profile_base_name(file); /* of stacks of files */
    function->file_id = frame->filename;
    function->name_id = frame->function;
    binprof_status status = intern_text(data, name, &function->name);
    if (status == BINPROF_OK)
        status = intern_text(data, file, &function->file);
    if (status == BINPROF_OK)
        status = intern_module(data, file, &function->module);
    return status;
}

static binprof_status intern_function(page_data *data, const binprof_frame *frame, uint32_t *id)
{
    uint32_t key[2] = {frame->filename, frame->function};
    uint32_t hash = profile_hash(key, sizeof key, data->seed);
    uint32_t position = hash;
    while (profile_index_next(&data->function_index, hash, &position, id))
        if (data->functions[*id].file_id == frame->filename &&
            data->functions[*id].name_id == frame->function)
            return BINPROF_OK;
    page_function *functions = array_reserve(data->functions, &data->function_capacity,
                                             data->function_count + 1, sizeof *functions);
    if (functions == NULL)
        return BINPROF_ERROR_MEMORY;
    data->functions = functions;
    binprof_status status = make_function(data, frame, &functions[data->function_count]);
    if (status != BINPROF_OK)
        return status;
    if (!profile_index_reserve(&data->function_index))
        return BINPROF_ERROR_MEMORY;
    *id = (uint32_t)data->function_count++;
    profile_index_insert(&data->function_index, hash, *id);
    return BINPROF_OK;
}

static binprof_status intern_detail(page_data *data, const binprof_frame *frame, uint32_t *text)
{
    char buffer[COLLECTORS_DETAIL_SIZE];
    binprof_string detail = {buffer, collectors_detail(buffer, frame, data->flamegraph->python)};
    *text = NONE;
    return detail.length == 0 ? BINPROF_OK : intern_text(data, detail, text);
}

/* Gives a frame its number, with its function and texts. */
static binprof_status number_frame(page_data *data, uint32_t id)
{
    if (data->frame_rows[id] != NONE)
        return BINPROF_OK;
    page_frame *frames =
        array_reserve(data->frames, &data->frame_capacity, data->frame_count + 1, sizeof *frames);
    if (frames == NULL)
        return BINPROF_ERROR_MEMORY;
    data->frames = frames;
    binprof_frame frame = binprof_profile_frame(data->profile, id);
    page_frame *row = &frames[data->frame_count];
    row->line = frame.line == BINPROF_NO_LOCATION ? 0 : frame.line;
    binprof_status status = intern_function(data, &frame, &row->function);
    if (status == BINPROF_OK)
        status = intern_detail(data, &frame, &row->detail);
    if (status == BINPROF_OK)
        data->frame_rows[id] = (uint32_t)data->frame_count++;
    return status;
}

static binprof_status number_frames(page_data *data)
{
    size_t size = ((size_t)binprof_profile_frame_count(data->profile) + 1) * sizeof(uint32_t);
    data->frame_rows = malloc(size);
    if (data->frame_rows == NULL)
        return BINPROF_ERROR_MEMORY;
    memset(data->frame_rows, 0xff, size); /* NONE */
    for (collectors_tree_iterator at = collectors_tree_begin(&data->tree);
         collectors_tree_next(&at);) {
        binprof_status status = number_frame(data, at.frame);
        if (status != BINPROF_OK)
            return status;
    }
    return BINPROF_OK;
}

/* Builds the tree of the stacks that have cells. */
static binprof_status build_tree(page_data *data)
{
    const flamegraph_cells *cells = &data->flamegraph->cells;
    if (!collectors_tree_init(&data->tree, data->profile))
        return BINPROF_ERROR_MEMORY;
    for (uint32_t stack = 0; stack < cells->stack_count && stack < data->tree.stack_count; stack++)
        if (cells->heads[stack] != FLAMEGRAPH_NO_CELL)
            collectors_tree_need(&data->tree, stack);
    return collectors_tree_number(&data->tree, data->profile);
}

static void put_text(base64_writer *out, const char *text, size_t length)
{
    base64_put_number(out, length);
    base64_put_bytes(out, text, length);
}

static void put_signed(base64_writer *out, int64_t number)
{
    base64_put_number(out, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

static void put_names(page_data *data)
{
    base64_writer *out = &data->out;
    base64_put_number(out, data->texts.count);
    for (uint32_t i = 0; i < data->texts.count; i++)
        put_text(out, data->texts.strings[i].text, data->texts.strings[i].length);
    base64_put_number(out, data->function_count);
    for (size_t i = 0; i < data->function_count; i++) {
        base64_put_number(out, data->functions[i].name);
        base64_put_number(out, data->functions[i].file);
        base64_put_number(out, data->functions[i].module);
    }
    base64_put_number(out, data->frame_count);
    for (size_t i = 0; i < data->frame_count; i++) {
        const page_frame *frame = &data->frames[i];
        base64_put_number(out, frame->function);
        put_signed(out, frame->line);
        base64_put_number(out, frame->detail == NONE ? 0 : (uint64_t)frame->detail + 1);
    }
}

static void put_nodes(page_data *data)
{
    base64_put_number(&data->out, data->tree.count);
    for (collectors_tree_iterator at = collectors_tree_begin(&data->tree);
         collectors_tree_next(&at);) {
        base64_put_number(&data->out, at.node - at.parent);
        base64_put_number(&data->out, data->frame_rows[at.frame]);
    }
}

/* Threads that have samples, and kinds, which name them by their number in the page. */
static binprof_status put_kinds(page_data *data)
{
    const flamegraph_cells *cells = &data->flamegraph->cells;
    uint32_t *rows = malloc((cells->thread_count + 1) * sizeof *rows);
    if (rows == NULL)
        return BINPROF_ERROR_MEMORY;
    uint32_t count = 0;
    for (size_t thread = 0; thread < cells->thread_count; thread++)
        if (cells->threads[thread].kinds != FLAMEGRAPH_NO_CELL)
            rows[thread] = count++;
    base64_put_number(&data->out, count);
    for (size_t thread = 0; thread < cells->thread_count; thread++) {
        if (cells->threads[thread].kinds == FLAMEGRAPH_NO_CELL)
            continue;
        binprof_thread ids = binprof_profile_thread(data->profile, (uint32_t)thread);
        char number[OUTPUT_NUMBER_MAX];
        put_text(&data->out, number, (size_t)(output_put_u64(number, ids.thread_id) - number));
        base64_put_number(&data->out, ids.interpreter_id);
        base64_put_number(&data->out, ids.capture);
    }
    base64_put_number(&data->out, cells->kind_count);
    for (size_t i = 0; i < cells->kind_count; i++) {
        base64_put_number(&data->out, rows[cells->kinds[i].thread]);
        base64_put_number(&data->out, cells->kinds[i].status);
    }
    free(rows);
    return BINPROF_OK;
}

/* Where several stacks may be one node: gives the cells of them all to the first of them, and
 * returns the nodes' first stacks, to be freed; NULL when there is no memory. */
static uint32_t *merge_cells(const page_data *data, flamegraph_cells *cells)
{
    const collectors_tree *tree = &data->tree;
    size_t size = (size_t)tree->count * sizeof(uint32_t);
    uint32_t *stack_of = malloc(size);
    if (stack_of == NULL)
        return NULL;
    memset(stack_of, 0xff, size); /* NONE */
    for (uint32_t stack = 0; stack < cells->stack_count && stack < tree->stack_count; stack++) {
        if (cells->heads[stack] == FLAMEGRAPH_NO_CELL)
            continue;
        uint32_t node = tree->node_of[stack];
        if (stack_of[node] == NONE)
            stack_of[node] = stack;
        else
            flamegraph_cells_move(cells, stack, stack_of[node]);
    }
    return stack_of;
}

/* Tidies all cells and counts them. */
static binprof_status count_cells(flamegraph_cells *cells, uint64_t *count)
{
    *count = 0;
    for (size_t stack = 0; stack < cells->stack_count; stack++) {
        size_t stack_cells;
        if (!flamegraph_cells_tidy(cells, (uint32_t)stack, &stack_cells))
            return BINPROF_ERROR_MEMORY;
        *count += stack_cells;
    }
    return BINPROF_OK;
}

/* Puts the cells of a stack, which is this node. */
static void put_stack(page_data *data, const flamegraph_cells *cells, uint32_t stack, uint32_t node,
                      uint32_t *last_node)
{
    for (uint32_t at = cells->heads[stack]; at != FLAMEGRAPH_NO_CELL; at = cells->cells[at].next) {
        const flamegraph_cell *cell = &cells->cells[at];
        base64_put_number(&data->out, node - *last_node);
        base64_put_number(&data->out, cell->kind);
        base64_put_number(&data->out, cell->bucket);
        base64_put_number(&data->out, cell->samples);
        *last_node = node;
    }
}

static void put_cells_by_stack(page_data *data, const flamegraph_cells *cells)
{
    const collectors_tree *tree = &data->tree;
    uint32_t last_node = 0;
    for (uint32_t stack = 0; stack < cells->stack_count && stack < tree->stack_count; stack++)
        put_stack(data, cells, stack, tree->node_of[stack], &last_node);
}

static void put_cells_by_node(page_data *data, const flamegraph_cells *cells,
                              const uint32_t *stack_of)
{
    uint32_t last_node = 0;
    for (uint32_t node = 0; node < data->tree.count; node++)
        if (stack_of[node] != NONE)
            put_stack(data, cells, stack_of[node], node, &last_node);
}

static binprof_status put_cells(page_data *data, flamegraph_cells *cells)
{
    uint32_t *stack_of = NULL;
    uint64_t count;
    if (data->tree.has_merged && (stack_of = merge_cells(data, cells)) == NULL)
        return BINPROF_ERROR_MEMORY;
    binprof_status status = count_cells(cells, &count);
    if (status == BINPROF_OK) {
        base64_put_number(&data->out, count);
        if (stack_of != NULL)
            put_cells_by_node(data, cells, stack_of);
        else
            put_cells_by_stack(data, cells);
    }
    free(stack_of);
    return status;
}

static binprof_status put_data(page_data *data, flamegraph_collector *flamegraph)
{
    static const char magic[] = "binprof-page 1";
    char *facts = flamegraph_facts(flamegraph);
    if (facts == NULL)
        return BINPROF_ERROR_MEMORY;
    put_text(&data->out, magic, sizeof magic - 1);
    put_text(&data->out, facts, strlen(facts));
    free(facts);
    put_names(data);
    put_nodes(data);
    binprof_status status = put_kinds(data);
    if (status == BINPROF_OK)
        status = put_cells(data, &flamegraph->cells);
    base64_flush(&data->out);
    return status;
}

binprof_status flamegraph_write_data(flamegraph_collector *flamegraph)
{
    page_data data = {.flamegraph = flamegraph,
                      .profile = flamegraph->profile,
                      .out = {.text = &flamegraph->text}};
    data.seed = profile_seed(&data);
    profile_string_table_init(&data.texts);
    binprof_status status = build_tree(&data);
    if (status == BINPROF_OK)
        status = number_frames(&data);
    if (status == BINPROF_OK)
        status = put_data(&data, flamegraph);
    collectors_tree_free(&data.tree);
    profile_string_table_free(&data.texts);
    profile_index_free(&data.function_index);
    free(data.functions);
    free(data.frame_rows);
    free(data.frames);
    free(data.scratch);
    return status;
}
