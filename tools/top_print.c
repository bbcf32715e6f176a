/* Rows as text, JSON and CSV. */
#include "collectors/detail.h"
#include "output/json.h"
#include "tools/fit.h"
#include "tools/human.h"
#include "tools/top.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef enum column_kind { COLUMN_NUMBER, COLUMN_PERCENT, COLUMN_CHANGE, COLUMN_TIME } column_kind;

typedef enum column_id {
    COLUMN_SELF_PERCENT,
    COLUMN_SELF,
    COLUMN_SELF_TIME,
    COLUMN_TOTAL_PERCENT,
    COLUMN_TOTAL,
    COLUMN_TOTAL_TIME,
    COLUMN_BASE_SELF_PERCENT,
    COLUMN_BASE_SELF,
    COLUMN_SELF_CHANGE,
    COLUMN_BASE_TOTAL_PERCENT,
    COLUMN_BASE_TOTAL,
    COLUMN_TOTAL_CHANGE,
    COLUMN_PERCENT_OF_ALL,
    COLUMN_SAMPLES,
    COLUMN_TIME_OF_ALL,
    COLUMN_COUNT
} column_id;

/* in_text, in_data: whether people see it, and programs; narrow: also where there is little room.
 */
static const struct {
    const char *key;
    const char *heading;
    column_kind kind;
    bool in_text, in_data, narrow;
} columns[COLUMN_COUNT] = {
    [COLUMN_SELF_PERCENT] = {"self_percent", "self %", COLUMN_PERCENT, true, true, true},
    [COLUMN_SELF] = {"self", "self", COLUMN_NUMBER, true, true, false},
    [COLUMN_SELF_TIME] = {NULL, "self time", COLUMN_TIME, true, false, false},
    [COLUMN_TOTAL_PERCENT] = {"total_percent", "total %", COLUMN_PERCENT, true, true, true},
    [COLUMN_TOTAL] = {"total", "total", COLUMN_NUMBER, true, true, false},
    [COLUMN_TOTAL_TIME] = {NULL, "total time", COLUMN_TIME, true, false, false},
    [COLUMN_BASE_SELF_PERCENT] = {"base_self_percent", "before", COLUMN_PERCENT, true, true, false},
    [COLUMN_BASE_SELF] = {"base_self", NULL, COLUMN_NUMBER, false, true, false},
    [COLUMN_SELF_CHANGE] = {"self_change", "change", COLUMN_CHANGE, true, true, true},
    [COLUMN_BASE_TOTAL_PERCENT] = {"base_total_percent", "before", COLUMN_PERCENT, true, true,
                                   false},
    [COLUMN_BASE_TOTAL] = {"base_total", NULL, COLUMN_NUMBER, false, true, false},
    [COLUMN_TOTAL_CHANGE] = {"total_change", "change", COLUMN_CHANGE, true, true, true},
    [COLUMN_PERCENT_OF_ALL] = {"percent", "%", COLUMN_PERCENT, true, true, true},
    [COLUMN_SAMPLES] = {"samples", "samples", COLUMN_NUMBER, true, true, true},
    [COLUMN_TIME_OF_ALL] = {NULL, "time", COLUMN_TIME, true, false, false},
};

static const column_id count_columns[] = {COLUMN_SELF_PERCENT,  COLUMN_SELF,  COLUMN_SELF_TIME,
                                          COLUMN_TOTAL_PERCENT, COLUMN_TOTAL, COLUMN_TOTAL_TIME};
static const column_id diff_columns[] = {COLUMN_SELF_PERCENT,
                                         COLUMN_SELF,
                                         COLUMN_BASE_SELF_PERCENT,
                                         COLUMN_BASE_SELF,
                                         COLUMN_SELF_CHANGE,
                                         COLUMN_TOTAL_PERCENT,
                                         COLUMN_TOTAL,
                                         COLUMN_BASE_TOTAL_PERCENT,
                                         COLUMN_BASE_TOTAL,
                                         COLUMN_TOTAL_CHANGE};
static const column_id sample_columns[] = {COLUMN_PERCENT_OF_ALL, COLUMN_SAMPLES,
                                           COLUMN_TIME_OF_ALL};
static const column_id sample_diff_columns[] = {COLUMN_TOTAL_PERCENT, COLUMN_TOTAL,
                                                COLUMN_BASE_TOTAL_PERCENT, COLUMN_BASE_TOTAL,
                                                COLUMN_TOTAL_CHANGE};

typedef struct column_list {
    const column_id *ids;
    size_t count;
} column_list;

#define LIST(ids)                                                                                  \
    (column_list)                                                                                  \
    {                                                                                              \
        ids, sizeof(ids) / sizeof(ids)[0]                                                          \
    }

static column_list list_columns(const top_context *top, const top_list *list)
{
    bool compares = top->options->base != NULL;
    if (list->samples_only)
        return compares ? LIST(sample_diff_columns) : LIST(sample_columns);
    return compares ? LIST(diff_columns) : LIST(count_columns);
}

static uint64_t number_of(const top_row *row, column_id id)
{
    switch (id) {
    case COLUMN_SELF_PERCENT:
    case COLUMN_SELF:
    case COLUMN_SELF_TIME:
        return row->count.self.now;
    case COLUMN_BASE_SELF_PERCENT:
    case COLUMN_BASE_SELF:
        return row->count.self.base;
    case COLUMN_BASE_TOTAL_PERCENT:
    case COLUMN_BASE_TOTAL:
        return row->count.total.base;
    default:
        return row->count.total.now;
    }
}

static double percent_of(const top_context *top, const top_row *row, column_id id)
{
    binprof_tally_samples all = top->tally.samples;
    switch (id) {
    case COLUMN_SELF_CHANGE:
        return top_percent(row->count.self.now, all.now) -
               top_percent(row->count.self.base, all.base);
    case COLUMN_TOTAL_CHANGE:
        return top_percent(row->count.total.now, all.now) -
               top_percent(row->count.total.base, all.base);
    case COLUMN_BASE_SELF_PERCENT:
    case COLUMN_BASE_TOTAL_PERCENT:
        return top_percent(number_of(row, id), all.base);
    default:
        return top_percent(number_of(row, id), all.now);
    }
}

/* The names of a row's frame. */
typedef struct row_names {
    binprof_string function, file, detail;
    int32_t line;
    char buffer[COLLECTORS_DETAIL_SIZE];
} row_names;

static void get_names(const top_context *top, uint32_t id, row_names *names)
{
    binprof_frame frame = binprof_profile_frame(top->profile, id);
    names->function = binprof_profile_string(top->profile, frame.function);
    names->file = binprof_profile_string(top->profile, frame.filename);
    names->line = frame.line;
    size_t length = collectors_detail(names->buffer, &frame, top->set->facts.python);
    names->detail = (binprof_string){names->buffer, length};
}

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

/* A name is a text or a number; neither where there is none. */
typedef struct name_value {
    bool is_text, is_number;
    binprof_string text;
    uint64_t number;
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

/* names: of the row's frame, filled; what is no code has its name in place of a file. */
static name_value get_name(const row_names *names, name_id name)
{
    switch (name) {
    case NAME_FUNCTION:
        return text_value(names->function);
    case NAME_FILE:
    case NAME_MODULE:
        return text_value(names->file);
    case NAME_LINE:
        if (names->line == BINPROF_NO_LOCATION || names->line < 0)
            return (name_value){.is_text = false};
        return (name_value){.is_number = true, .number = (uint64_t)names->line};
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
    row_names names;
    bool by_thread = top->options->by == TOP_BY_THREAD;
    if (!by_thread && id != TOP_NOTHING)
        get_names(top, id, &names);
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
    else
        output_text_string(out, "null");
    output_text_char(out, ',');
}

void top_json_names(const top_context *top, uint32_t id)
{
    each_name(top, id, json_name);
}

/* The numbers of a row as members of a JSON object, or fields of a line. */
static void put_numbers(const top_context *top, const top_row *row, column_list list,
                        bool with_keys)
{
    bool is_first = true;
    for (size_t i = 0; i < list.count; i++) {
        column_id id = list.ids[i];
        if (!columns[id].in_data)
            continue;
        if (!is_first)
            output_text_char(top->out, ',');
        is_first = false;
        if (with_keys)
            output_text_printf(top->out, "\"%s\":", columns[id].key);
        if (columns[id].kind == COLUMN_NUMBER)
            output_text_u64(top->out, number_of(row, id));
        else
            output_json_double(top->out, percent_of(top, row, id));
    }
}

static void json_row(const top_context *top, const top_row *row, column_list list)
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

static void print_json(const top_context *top, const top_rows *rows, const top_list *list)
{
    column_list numbers = list_columns(top, list);
    top_json_head(top);
    if (list->of != NULL) {
        column_list counts = top->options->base != NULL ? LIST(diff_columns) : LIST(count_columns);
        output_text_string(top->out, ",\"of\":");
        json_row(top, list->of, counts);
    }
    output_text_printf(top->out, ",\"%s\":[", list->name);
    for (size_t i = 0; i < rows->count; i++) {
        output_text_string(top->out, i > 0 ? ",\n" : "\n");
        json_row(top, &rows->rows[i], numbers);
    }
    output_text_string(top->out, "\n]}\n");
}

static void csv_name(output_text *out, name_id name, const name_value *value)
{
    (void)name;
    if (value->is_number)
        output_text_u64(out, value->number);
    if (value->is_text) {
        output_text_char(out, '"');
        for (size_t i = 0; i < value->text.length; i++) {
            if (value->text.text[i] == '"')
                output_text_char(out, '"');
            output_text_char(out, value->text.text[i]);
        }
        output_text_char(out, '"');
    }
    output_text_char(out, ',');
}

static void print_csv(const top_context *top, const top_rows *rows, const top_list *list)
{
    column_list numbers = list_columns(top, list);
    for (const name_id *name = list_names(top->options->by); *name != NAME_END; name++)
        output_text_printf(top->out, "%s,", name_keys[*name]);
    bool is_first = true;
    for (size_t i = 0; i < numbers.count; i++)
        if (columns[numbers.ids[i]].in_data) {
            output_text_printf(top->out, "%s%s", is_first ? "" : ",", columns[numbers.ids[i]].key);
            is_first = false;
        }
    output_text_string(top->out, "\r\n");
    for (size_t i = 0; i < rows->count; i++) {
        each_name(top, rows->rows[i].id, csv_name);
        put_numbers(top, &rows->rows[i], numbers, false);
        output_text_string(top->out, "\r\n");
    }
}

/* Narrower terminals show percentages alone. */
#define ROOMY_COLUMNS 90

/* The width of a column of numbers. */
#define NUMBER_COLUMNS 11

/* Names have this much room at least. */
#define NAME_COLUMNS_MIN 24

/* Without a terminal, text is not cut. */
#define UNLIMITED ((size_t)1 << 30)

size_t top_text_columns(const top_context *top)
{
    if (top->options->width > 0)
        return top->options->width;
    size_t columns_there = strcmp(top->options->output, "-") == 0 ? fit_terminal_columns() : 0;
    return columns_there > 0 ? columns_there : UNLIMITED;
}

static bool is_shown(const top_context *top, column_id id)
{
    return columns[id].in_text && (columns[id].narrow || top_text_columns(top) >= ROOMY_COLUMNS);
}

static double seconds_of(const top_context *top, const top_row *row, column_id id)
{
    return (double)number_of(row, id) * (double)top->set->facts.interval_us / 1e6;
}

static void text_number(const top_context *top, const top_row *row, column_id id)
{
    switch (columns[id].kind) {
    case COLUMN_NUMBER:
        output_text_printf(top->out, "%*" PRIu64, NUMBER_COLUMNS, number_of(row, id));
        break;
    case COLUMN_PERCENT:
        output_text_printf(top->out, "%*.2f", NUMBER_COLUMNS, percent_of(top, row, id));
        break;
    case COLUMN_CHANGE:
        output_text_printf(top->out, "%+*.2f", NUMBER_COLUMNS, percent_of(top, row, id));
        break;
    case COLUMN_TIME:
        output_text_printf(top->out, "%*.3f s", NUMBER_COLUMNS - 2, seconds_of(top, row, id));
        break;
    }
}

/* What is called a thread in text. */
static void text_thread(const top_context *top, uint32_t id)
{
    binprof_thread thread = binprof_profile_thread(top->profile, id);
    if (top->options->choice.choice.merge_threads)
        output_text_string(top->out, "all threads");
    else
        output_text_printf(top->out, "%" PRIu64, thread.thread_id);
    if (thread.interpreter_id != 0)
        output_text_printf(top->out, " interpreter %" PRIu32, thread.interpreter_id);
    if (top->set->count > 1) {
        const char *name = top->set->captures[thread.capture].name;
        output_text_string(top->out, "  ");
        fit_print(top->out, name, strlen(name), UNLIMITED, FIT_CUT_END, 0);
    }
}

void top_text_frame(const top_context *top, uint32_t id, size_t room)
{
    row_names names;
    get_names(top, id, &names);
    bool has_function = names.function.length > 0;
    bool is_code = names.file.length != 1 || names.file.text[0] != '~';
    size_t used = 0;
    if (has_function) {
        size_t function_room = is_code && room < UNLIMITED ? room * 3 / 5 : room;
        size_t width = fit_width(names.function.text, names.function.length);
        used = width < function_room ? width : function_room;
        fit_print(top->out, names.function.text, names.function.length, used, FIT_CUT_END, 0);
    }
    if (!is_code)
        return;
    char place[64] = "";
    if (names.line > 0)
        (void)snprintf(place, sizeof place, ":%" PRId32, names.line);
    if (has_function && used + 2 < room) {
        output_text_string(top->out, "  ");
        used += 2;
    }
    size_t place_width = strlen(place);
    size_t left = room > used ? room - used : 0;
    size_t file_room = left > place_width ? left - place_width : 0;
    fit_print(top->out, names.file.text, names.file.length, file_room, FIT_CUT_START, 0);
    output_text_string(top->out, place);
    if (top->options->by == TOP_BY_INSTRUCTION && room >= UNLIMITED)
        output_text_printf(top->out, "  %s", names.buffer);
}

static void text_name(const top_context *top, uint32_t id, size_t room)
{
    if (top->options->by == TOP_BY_THREAD)
        text_thread(top, id);
    else if (id == TOP_NOTHING)
        output_text_string(top->out, "(nothing)");
    else
        top_text_frame(top, id, room);
}

static void print_text(const top_context *top, const top_rows *rows, const top_list *list)
{
    column_list numbers = list_columns(top, list);
    size_t used = 2;
    for (size_t i = 0; i < numbers.count; i++)
        if (is_shown(top, numbers.ids[i])) {
            output_text_printf(top->out, "%*s", NUMBER_COLUMNS, columns[numbers.ids[i]].heading);
            used += NUMBER_COLUMNS;
        }
    output_text_printf(top->out, "  %s\n", top_by_name(top->options->by));
    size_t all = top_text_columns(top);
    size_t room = all > used + NAME_COLUMNS_MIN ? all - used : NAME_COLUMNS_MIN;
    size_t limit = top->options->limit;
    size_t shown = limit > 0 && limit < rows->count ? limit : rows->count;
    for (size_t i = 0; i < shown; i++) {
        for (size_t c = 0; c < numbers.count; c++)
            if (is_shown(top, numbers.ids[c]))
                text_number(top, &rows->rows[i], numbers.ids[c]);
        output_text_string(top->out, "  ");
        text_name(top, rows->rows[i].id, room);
        output_text_char(top->out, '\n');
    }
    if (shown < rows->count)
        output_text_printf(top->out, "(%zu more; --limit 0 shows all)\n", rows->count - shown);
}

void top_print_rows(const top_context *top, const top_rows *rows, const top_list *list)
{
    top_rows limited = *rows;
    if (top->options->limit > 0 && limited.count > top->options->limit)
        limited.count = top->options->limit;
    if (top->options->form == TOP_FORM_JSON)
        print_json(top, &limited, list);
    else if (top->options->form == TOP_FORM_CSV)
        print_csv(top, &limited, list);
    else
        print_text(top, rows, list);
}

void top_print_heading(const top_context *top)
{
    const capture_set *set = top->set;
    for (size_t i = 0; i < set->count; i++) {
        const binprof_capture *capture = &set->captures[i];
        if (i > 0)
            output_text_string(top->out, capture->is_base ? " against " : ", ");
        fit_print(top->out, capture->name, strlen(capture->name), UNLIMITED, FIT_CUT_END, 0);
    }
    if (top->options->choice.choice.text != NULL) {
        const char *text = top->options->choice.choice.text;
        output_text_char(top->out, ' ');
        fit_print(top->out, text, strlen(text), UNLIMITED, FIT_CUT_END, 0);
    }
    char interval[HUMAN_SIZE];
    uint64_t interval_us = set->facts.interval_us;
    uint64_t samples = top->tally.samples.now;
    output_text_printf(top->out, "\n100 %% = %" PRIu64 " samples%s", samples,
                       top_text_columns(top) >= ROOMY_COLUMNS ? ", " : "\n");
    output_text_printf(top->out, "one every %s: %.3f s of its threads",
                       human_time(interval, interval_us),
                       (double)samples * (double)interval_us / 1e6);
    if (top->options->base != NULL)
        output_text_printf(top->out,
                           "\nbefore: 100 %% = %" PRIu64 " samples; change in percentage points",
                           top->tally.samples.base);
    output_text_string(top->out, "\n\n");
}
