/* The views of binprof-top. */
#ifndef TOOLS_TOP_H
#define TOOLS_TOP_H

#include "output/text.h"
#include "tools/captures.h"
#include "tools/top_options.h"

#include <binprof/tally.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a view works with. */
typedef struct top_context {
    const top_options *options;
    const capture_set *set;
    const binprof_profile *profile;
    const binprof_collector *collector; /* a tally */
    binprof_tally tally;
    uint8_t python[3]; /* the version of all captures; 0 where they differ */
    output_text *out;
} top_context;

/* top_row.id of what has no frame: nothing called it, nothing is called. */
#define TOP_NOTHING UINT32_MAX

typedef struct top_row {
    uint32_t id;               /* of a frame or, by thread, of a thread */
    binprof_tally_count count; /* of a thread, a caller or a callee: total only */
} top_row;

typedef struct top_rows {
    top_row *rows;
    size_t count;
} top_rows;

/* Whether rows are of files, or of modules, which stand in for files. */
static inline bool top_is_of_files(const top_context *top)
{
    return top->options->by == TOP_BY_FILE || top->options->by == TOP_BY_MODULE;
}

/* What the rows of the options are, sorted. rows: to be freed in any case. */
binprof_status top_make_rows(const top_context *top, top_rows *rows, binprof_error *error);

/* Sorts rows; key: TOP_SORT_TOTAL for those that have a total only. */
void top_sort_rows(const top_context *top, top_sort key, top_rows *rows);

/* Leaves those rows whose share grew by more than the options say. */
void top_keep_grown(const top_context *top, top_rows *rows);

/* Finds the frames of the one function, or file, that the options name. is_chosen: a byte a frame.
 * Fails with BINPROF_ERROR_ARGUMENT, and a message that lists what there is, unless there is just
 * one. Stores one of the frames in *subject. */
binprof_status top_choose_frames(const top_context *top, uint8_t *is_chosen, uint32_t *subject,
                                 binprof_error *error);

/* The same for the file to annotate, which is named by the end of its path. */
binprof_status top_choose_file(const top_context *top, uint8_t *is_chosen, uint32_t *subject,
                               binprof_error *error);

/* A difference of percentages that is none: what computing them leaves. */
#define TOP_ROUNDING 1e-9

/* Part of the samples of its side, in percent. */
double top_percent(uint64_t part, uint64_t whole);

/* How rows are printed. */
typedef struct top_list {
    const char *name;  /* what JSON calls them */
    const top_row *of; /* the row that they belong to, NULL for none */
    bool samples_only; /* the rows have a total only, which is called samples */
} top_list;

/* Prints rows as text, JSON or CSV. */
void top_print_rows(const top_context *top, const top_rows *rows, const top_list *list);

/* Appends a field of CSV. */
void top_csv_text(output_text *out, const char *text, size_t length);

/* Begins a JSON object with what was counted. */
void top_json_head(const top_context *top);

/* Prints the names of a frame as text, in `room` columns. */
void top_text_frame(const top_context *top, uint32_t id, size_t room);

/* Returns how many columns a line of text may have. */
size_t top_text_columns(const top_context *top);

/* Prints, as the members of a JSON object, what names a row. */
void top_json_names(const top_context *top, uint32_t id);

/* Each prints one view. */
binprof_status top_print_tree(const top_context *top, binprof_error *error);
binprof_status top_print_annotated(const top_context *top, binprof_error *error);

/* Begins a text with what was counted, and what percentages are of. */
void top_print_heading(const top_context *top);

#endif
