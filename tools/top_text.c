/* Rows for people, in the columns of their terminal. */
#include "tools/fit.h"
#include "tools/human.h"
#include "tools/top_columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

static bool is_shown(const top_context *top, top_column id)
{
    return top_column_rows[id].heading != NULL &&
           (top_column_rows[id].narrow || top_text_columns(top) >= ROOMY_COLUMNS);
}

static double seconds_of(const top_context *top, const top_row *row, top_column id)
{
    return (double)top_number(row, id) * (double)top->set->facts.interval_us / 1e6;
}

static void text_number(const top_context *top, const top_row *row, top_column id)
{
    switch (top_column_rows[id].kind) {
    case TOP_COLUMN_NUMBER:
        output_text_printf(top->out, "%*" PRIu64, NUMBER_COLUMNS, top_number(row, id));
        break;
    case TOP_COLUMN_PERCENT:
        output_text_printf(top->out, "%*.2f", NUMBER_COLUMNS, top_column_percent(top, row, id));
        break;
    case TOP_COLUMN_CHANGE:
        output_text_printf(top->out, "%+*.2f", NUMBER_COLUMNS, top_column_percent(top, row, id));
        break;
    case TOP_COLUMN_TIME:
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
    top_names names;
    top_get_names(top, id, &names);
    bool has_function = names.function.length > 0;
    size_t used = 0;
    if (has_function) {
        size_t function_room = names.is_code && room < UNLIMITED ? room * 3 / 5 : room;
        size_t width = fit_width(names.function.text, names.function.length);
        used = width < function_room ? width : function_room;
        fit_print(top->out, names.function.text, names.function.length, used, FIT_CUT_END, 0);
    }
    if (!names.is_code)
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

void top_print_text(const top_context *top, const top_rows *rows, const top_list *list)
{
    top_column_list numbers = top_list_columns(top, list);
    size_t used = 2;
    for (size_t i = 0; i < numbers.count; i++)
        if (is_shown(top, numbers.ids[i])) {
            output_text_printf(top->out, "%*s", NUMBER_COLUMNS,
                               top_column_rows[numbers.ids[i]].heading);
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
