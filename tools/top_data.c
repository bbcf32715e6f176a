/* Rows for programs: JSON and CSV. */
#include "output/json.h"
#include "output/utf8.h"
#include "tools/top_columns.h"

#include <inttypes.h>
#include <string.h>

/* What names rows, in JSON and CSV. */
typedef enum name_id {
    NAME_FUNCTION,
    NAME_FILE,
    NAME_MODULE,
    NAME_LINE,
    NAME_DETAIL,
    NAME_THREAD,
    NAME_INTERPRETER,
    NAME_CAPTURE,
    NAME_END
} name_id;

static const char *const name_keys[NAME_END] = {[NAME_FUNCTION] = "function",
                                                [NAME_FILE] = "file",
                                                [NAME_MODULE] = "module",
                                                [NAME_LINE] = "line",
                                                [NAME_DETAIL] = "detail",
                                                [NAME_THREAD] = "thread_id",
                                                [NAME_INTERPRETER] = "interpreter_id",
                                                [NAME_CAPTURE] = "capture"};

/* The names that rows have; NAME_END after the last. */
static const name_id *list_names(top_by by)
{
    static const name_id names[TOP_BY_COUNT][5] = {
        [TOP_BY_FUNCTION] = {NAME_FUNCTION, NAME_FILE, NAME_END},
        [TOP_BY_LINE] = {NAME_FUNCTION, NAME_FILE, NAME_LINE, NAME_END},
        [TOP_BY_INSTRUCTION] = {NAME_FUNCTION, NAME_FILE, NAME_LINE, NAME_DETAIL, NAME_END},
        [TOP_BY_FILE] = {NAME_FILE, NAME_END},
        [TOP_BY_MODULE] = {NAME_MODULE, NAME_END},
        [TOP_BY_THREAD] = {NAME_THREAD, NAME_INTERPRETER, NAME_CAPTURE, NAME_END}};
    return names[by];
}

/* A name is a text, a number or a line; nothing where there is none. */
typedef struct name_value {
    bool is_text, is_number, is_line;
    binprof_string text;
    uint64_t number;
    int32_t line;
} name_value;

static name_value text_value(binprof_string text)
{
    return (name_value){.is_text = true, .text = text};
}

static name_value get_thread_name(const top_context *top, uint32_t id, name_id name)
{
    binprof_thread thread = binprof_profile_thread(top->profile, id);
    if (name == NAME_CAPTURE) {
        const char *capture = top->set->captures[thread.capture].name;
        return text_value((binprof_string){capture, strlen(capture)});
    }
    return (name_value){.is_number = true,
                        .number = name == NAME_THREAD ? thread.thread_id : thread.interpreter_id};
}

/* names: of the row's frame, filled. */
static name_value get_name(const top_names *names, name_id name)
{
    switch (name) {
    case NAME_FUNCTION:
        return text_value(names->function);
    case NAME_FILE:
    case NAME_MODULE:
        return text_value(names->file);
    case NAME_LINE:
        if (names->line == BINPROF_NO_LOCATION)
            return (name_value){.is_text = false};
        return (name_value){.is_line = true, .line = names->line};
    default:
        if (names->detail.length == 0)
            return (name_value){.is_text = false};
        return text_value(names->detail);
    }
}

/* Calls `put` for each name of a row. */
static void each_name(const top_context *top, uint32_t id,
                      void (*put)(output_text *out, name_id name, const name_value *value))
{
    top_names names;
    bool by_thread = top->options->by == TOP_BY_THREAD;
    if (!by_thread && id != TOP_NOTHING)
        top_get_names(top, id, &names);
    for (const name_id *name = list_names(top->options->by); *name != NAME_END; name++) {
        name_value value = {.is_text = false};
        if (by_thread)
            value = get_thread_name(top, id, *name);
        else if (id != TOP_NOTHING)
            value = get_name(&names, *name);
        put(top->out, *name, &value);
    }
}

static void json_name(output_text *out, name_id name, const name_value *value)
{
    output_text_printf(out, "\"%s\":", name_keys[name]);
    if (value->is_text)
        output_json_string(out, value->text.text, value->text.length);
    else if (value->is_number)
        output_text_u64(out, value->number);
    else if (value->is_line)
        output_text_i64(out, value->line);
    else
        output_text_string(out, "null");
    output_text_char(out, ',');
}

void top_json_names(const top_context *top, uint32_t id)
{
    each_name(top, id, json_name);
}

/* The numbers of a row as members of a JSON object, or fields of a line. */
static void put_numbers(const top_context *top, const top_row *row, top_column_list list,
                        bool with_keys)
{
    bool is_first = true;
    for (size_t i = 0; i < list.count; i++) {
        top_column id = list.ids[i];
        if (top_column_rows[id].key == NULL)
            continue;
        if (!is_first)
            output_text_char(top->out, ',');
        is_first = false;
        if (with_keys)
            output_text_printf(top->out, "\"%s\":", top_column_rows[id].key);
        if (top_column_rows[id].kind == TOP_COLUMN_NUMBER)
            output_text_u64(top->out, top_number(row, id));
        else
            output_json_double(top->out, top_column_percent(top, row, id));
    }
}

static void json_row(const top_context *top, const top_row *row, top_column_list list)
{
    output_text_char(top->out, '{');
    top_json_names(top, row->id);
    put_numbers(top, row, list, true);
    output_text_char(top->out, '}');
}

void top_json_head(const top_context *top)
{
    output_text_printf(top->out, "{\"by\":\"%s\",\"samples\":%" PRIu64,
                       top_by_name(top->options->by), top->tally.samples.now);
    if (top->options->base != NULL)
        output_text_printf(top->out, ",\"base_samples\":%" PRIu64, top->tally.samples.base);
    output_text_printf(top->out, ",\"interval_us\":%" PRIu64, top->set->facts.interval_us);
}

void top_print_json(const top_context *top, const top_rows *rows, const top_list *list)
{
    top_column_list numbers = top_list_columns(top, list);
    top_json_head(top);
    if (list->of != NULL) {
        output_text_string(top->out, ",\"of\":");
        json_row(top, list->of, top_count_columns(top));
    }
    output_text_printf(top->out, ",\"%s\":[", list->name);
    for (size_t i = 0; i < rows->count; i++) {
        output_text_string(top->out, i > 0 ? ",\n" : "\n");
        json_row(top, &rows->rows[i], numbers);
    }
    output_text_string(top->out, "\n]}\n");
}

/* Appends a text in quotes; what is not UTF-8 becomes U+FFFD. */
void top_csv_text(output_text *out, const char *text, size_t length)
{
    const uint8_t *p = (const uint8_t *)text;
    const uint8_t *end = p + length;
    output_text_char(out, '"');
    while (p < end) {
        uint32_t code_point;
        size_t size = output_utf8_get(p, end, &code_point);
        if (code_point == OUTPUT_REPLACEMENT) {
            char *room = output_text_reserve(out, OUTPUT_UTF8_MAX);
            output_text_advance(out, output_utf8_put_replacement(room));
        } else {
            output_text_append(out, code_point == '"' ? "\"\"" : (const char *)p,
                               code_point == '"' ? 2 : size);
        }
        p += size;
    }
    output_text_char(out, '"');
}

static void csv_name(output_text *out, name_id name, const name_value *value)
{
    (void)name;
    if (value->is_number)
        output_text_u64(out, value->number);
    if (value->is_line)
        output_text_i64(out, value->line);
    if (value->is_text)
        top_csv_text(out, value->text.text, value->text.length);
    output_text_char(out, ',');
}

void top_print_csv(const top_context *top, const top_rows *rows, const top_list *list)
{
    top_column_list numbers = top_list_columns(top, list);
    for (const name_id *name = list_names(top->options->by); *name != NAME_END; name++)
        output_text_printf(top->out, "%s,", name_keys[*name]);
    bool is_first = true;
    for (size_t i = 0; i < numbers.count; i++)
        if (top_column_rows[numbers.ids[i]].key != NULL) {
            output_text_printf(top->out, "%s%s", is_first ? "" : ",",
                               top_column_rows[numbers.ids[i]].key);
            is_first = false;
        }
    output_text_string(top->out, "\r\n");
    for (size_t i = 0; i < rows->count; i++) {
        each_name(top, rows->rows[i].id, csv_name);
        put_numbers(top, &rows->rows[i], numbers, false);
        output_text_string(top->out, "\r\n");
    }
}
