/* binprof-top: where the samples of captures are, as tables in the terminal. */
#include "tools/top.h"

#include "base/error.h"
#include "tools/destination.h"
#include "tools/messages.h"
#include "tools/signals.h"
#include "tools/top_columns.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static const char *sort_name(top_sort sort)
{
    return sort == TOP_SORT_TOTAL ? "total" : "self";
}

void top_print_rows(const top_context *top, const top_rows *rows, const top_list *list)
{
    top_rows limited = *rows;
    if (top->options->limit > 0 && limited.count > top->options->limit)
        limited.count = top->options->limit;
    if (top->options->form == TOP_FORM_JSON)
        top_print_json(top, &limited, list);
    else if (top->options->form == TOP_FORM_CSV)
        top_print_csv(top, &limited, list);
    else
        top_print_text(top, rows, list);
}

/* The table, or of it the rows that grew. */
static binprof_status print_table(const top_context *top, bool *has_grown, binprof_error *error)
{
    const top_options *options = top->options;
    top_rows rows;
    binprof_status status = top_make_rows(top, &rows, error);
    if (status != BINPROF_OK)
        return status;
    if (options->has_fail_if_grew) {
        top_keep_grown(top, &rows);
        *has_grown = rows.count > 0;
    }
    if (options->form == TOP_FORM_TEXT)
        top_print_heading(top);
    if (options->form == TOP_FORM_TEXT && options->has_fail_if_grew && rows.count == 0)
        output_text_printf(top->out, "no %s grew by more than %g points of %s\n",
                           top_by_name(options->by), options->fail_if_grew,
                           sort_name(options->sort));
    else
        top_print_rows(top, &rows,
                       &(top_list){.name = "rows", .samples_only = options->by == TOP_BY_THREAD});
    free(rows.rows);
    return BINPROF_OK;
}

/* Makes rows of the callers or callees. */
static top_rows neighbour_rows(const top_context *top, const binprof_tally_samples *samples,
                               top_row *room)
{
    top_rows rows = {room, 0};
    uint32_t frame_count = top->tally.frame_count;
    for (uint32_t frame = 0; frame <= frame_count; frame++) {
        if (samples[frame].now == 0 && samples[frame].base == 0)
            continue;
        uint32_t id = frame == frame_count ? TOP_NOTHING : frame;
        rows.rows[rows.count++] = (top_row){.id = id, .count = {.total = samples[frame]}};
    }
    top_sort_rows(top, top->options->sort == TOP_SORT_NAME ? TOP_SORT_NAME : TOP_SORT_TOTAL, &rows);
    return rows;
}

static void print_neighbours(const top_context *top, const binprof_tally_neighbours *found,
                             uint32_t subject, top_row *room)
{
    bool of_callers = top->options->view == TOP_VIEW_CALLERS;
    top_row of = {subject, found->count};
    top_rows rows = neighbour_rows(top, of_callers ? found->callers : found->callees, room);
    if (top->options->form == TOP_FORM_TEXT) {
        top_print_heading(top);
        output_text_string(top->out, of_callers ? "callers of " : "callees of ");
        top_text_frame(top, subject, top_text_columns(top));
        output_text_printf(top->out, "\nself %.2f %%, total %.2f %%\n\n",
                           top_percent(of.count.self.now, top->tally.samples.now),
                           top_percent(of.count.total.now, top->tally.samples.now));
    }
    top_print_rows(
        top, &rows,
        &(top_list){.name = of_callers ? "callers" : "callees", .of = &of, .samples_only = true});
}

static binprof_status show_neighbours(const top_context *top, binprof_error *error)
{
    size_t frame_count = (size_t)top->tally.frame_count + 1;
    uint8_t *is_chosen = calloc(frame_count, 1);
    top_row *room = malloc(frame_count * sizeof *room);
    binprof_tally_neighbours found = {.callers = NULL};
    uint32_t subject = 0;
    binprof_status status = error_set_memory(error);
    if (is_chosen == NULL || room == NULL)
        goto end;
    status = top_choose_frames(top, is_chosen, &subject, error);
    if (status == BINPROF_OK)
        status = binprof_tally_find_neighbours(top->collector, is_chosen, &found, error);
    if (status == BINPROF_OK)
        print_neighbours(top, &found, subject, room);
end:
    binprof_tally_neighbours_free(&found);
    free(is_chosen);
    free(room);
    return status;
}

static binprof_status show(const top_context *top, bool *has_grown, binprof_error *error)
{
    switch (top->options->view) {
    case TOP_VIEW_CALLERS:
    case TOP_VIEW_CALLEES:
        return show_neighbours(top, error);
    case TOP_VIEW_TREE:
        return top_print_tree(top, error);
    case TOP_VIEW_ANNOTATE:
        return top_print_annotated(top, error);
    default:
        return print_table(top, has_grown, error);
    }
}

/* Writes the view whole or not at all. */
static binprof_status write_view(top_context *top, bool *has_grown, binprof_error *error)
{
    binprof_output output = destination_output(top->options->output);
    output_text out;
    binprof_status status = output_text_open(&out, &output, false, error);
    if (status != BINPROF_OK)
        return status;
    top->out = &out;
    status = show(top, has_grown, error);
    top->out = NULL;
    if (status == BINPROF_OK)
        return output_text_finish(&out, error);
    output_text_discard(&out);
    return status;
}

static binprof_status count_and_show(const top_options *options, const capture_set *set,
                                     binprof_profile *profile, bool *has_grown,
                                     binprof_error *error)
{
    binprof_collector *tally;
    binprof_collector *filter = NULL;
    binprof_status status = binprof_tally_open(profile, set->captures, set->count, &tally, error);
    binprof_filter_options filter_options = {.choice = &options->choice.choice,
                                             .profile = profile,
                                             .next = tally,
                                             .captures = set->captures,
                                             .capture_count = set->count};
    if (status == BINPROF_OK)
        status = binprof_filter_open(&filter_options, &filter, error);
    if (status == BINPROF_OK)
        status = captures_replay(set, filter, options->quiet, error);
    if (status == BINPROF_OK)
        status = binprof_collector_export(filter, error);
    if (status == BINPROF_OK) {
        top_context top = {.options = options,
                           .set = set,
                           .profile = profile,
                           .collector = tally,
                           .tally = binprof_tally_get(tally)};
        binprof_facts facts = binprof_facts_merge(set->captures, set->count);
        memcpy(top.python, facts.python, sizeof facts.python);
        status = write_view(&top, has_grown, error);
        if (status == BINPROF_OK && !options->quiet)
            captures_note_choice(set, &options->choice.choice, binprof_filter_get_counts(filter));
    }
    binprof_collector_close(filter);
    binprof_collector_close(tally);
    return status;
}

static int run(const top_options *options)
{
    capture_set set;
    bool has_grown = false;
    binprof_error error;
    binprof_profile *profile = NULL;
    const capture_set_request request = {options->inputs, options->input_count, options->base,
                                         options->mixed_intervals};
    if (!destination_check(options->output, &request))
        return EXIT_STATUS_FAILURE;
    int exit_status = captures_open(&set, &request);
    if (exit_status != 0)
        goto end;
    destination_catch_signals(options->output);
    profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    if (profile == NULL)
        exit_status = message_error("out of memory");
    else if (count_and_show(options, &set, profile, &has_grown, &error) != BINPROF_OK)
        exit_status = error.code == BINPROF_ERROR_CANCELLED ? EXIT_STATUS_FAILURE
                                                            : message_library_error(&error);
    if (exit_status == 0 && has_grown)
        exit_status = EXIT_STATUS_FAILURE;
end:
    if (exit_status == 0 && !options->quiet)
        captures_note_difference(&set);
    binprof_profile_free(profile);
    captures_close(&set);
    return exit_status;
}

int main(int argc, char **argv)
{
    (void)setlocale(LC_CTYPE, ""); /* how wide characters are */
    message_set_tool("binprof-top");
    top_options options;
    int exit_status;
    if (top_options_parse(argc, argv, &options, &exit_status))
        exit_status = run(&options);
    signals_raise();
    top_options_free(&options);
    return exit_status;
}
