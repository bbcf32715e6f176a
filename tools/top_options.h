/* The command line of binprof-top. */
#ifndef TOOLS_TOP_OPTIONS_H
#define TOOLS_TOP_OPTIONS_H

#include "tools/choice_options.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum top_view {
    TOP_VIEW_TABLE,
    TOP_VIEW_CALLERS,
    TOP_VIEW_CALLEES,
    TOP_VIEW_TREE,
    TOP_VIEW_ANNOTATE,
} top_view;

typedef enum top_by {
    TOP_BY_FUNCTION,
    TOP_BY_LINE,
    TOP_BY_INSTRUCTION,
    TOP_BY_FILE,
    TOP_BY_MODULE,
    TOP_BY_THREAD,
    TOP_BY_COUNT
} top_by;

typedef enum top_sort { TOP_SORT_SELF, TOP_SORT_TOTAL, TOP_SORT_NAME } top_sort;

typedef enum top_form { TOP_FORM_TEXT, TOP_FORM_JSON, TOP_FORM_CSV } top_form;

typedef struct top_options {
    char *const *inputs;
    size_t input_count;
    const char *base; /* NULL for no comparison */
    const char *output;
    top_view view;
    const char *subject; /* the function of callers and callees, the file to annotate */
    top_by by;
    top_sort sort;
    top_form form;
    const char *source_root; /* NULL for none */
    size_t limit;            /* of rows; 0 for all */
    bool has_limit;
    unsigned depth; /* of a tree; 0 for no limit */
    double min_share;
    bool has_fail_if_grew;
    double fail_if_grew; /* percentage points */
    unsigned width;      /* of the text; 0 for what the terminal has */
    bool quiet;
    bool mixed_intervals;
    choice_options choice;
} top_options;

const char *top_by_name(top_by by);

/* Reads the command line. Returns true when there is something to show; else the program is to end
 * with *exit_status, and everything is said. To be freed in any case. */
bool top_options_parse(int argc, char **argv, top_options *options, int *exit_status);
void top_options_free(top_options *options);

#endif
