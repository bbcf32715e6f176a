/* The columns of tables, whatever they are printed as. */
#ifndef TOOLS_TOP_COLUMNS_H
#define TOOLS_TOP_COLUMNS_H

#include "collectors/detail.h"
#include "tools/top.h"

typedef enum top_column_kind {
    TOP_COLUMN_NUMBER,
    TOP_COLUMN_PERCENT,
    TOP_COLUMN_CHANGE,
    TOP_COLUMN_TIME
} top_column_kind;

typedef enum top_column {
    TOP_COLUMN_SELF_PERCENT,
    TOP_COLUMN_SELF,
    TOP_COLUMN_SELF_TIME,
    TOP_COLUMN_TOTAL_PERCENT,
    TOP_COLUMN_TOTAL,
    TOP_COLUMN_TOTAL_TIME,
    TOP_COLUMN_BASE_SELF_PERCENT,
    TOP_COLUMN_BASE_SELF,
    TOP_COLUMN_SELF_CHANGE,
    TOP_COLUMN_BASE_TOTAL_PERCENT,
    TOP_COLUMN_BASE_TOTAL,
    TOP_COLUMN_TOTAL_CHANGE,
    TOP_COLUMN_PERCENT_OF_ALL,
    TOP_COLUMN_SAMPLES,
    TOP_COLUMN_TIME_OF_ALL,
    TOP_COLUMN_COUNT
} top_column;

/* What a column is: its key for programs and its heading for people; one that is NULL is not for
 * them. narrow: also where there is little room. */
typedef struct top_column_row {
    const char *key;
    const char *heading;
    top_column_kind kind;
    bool narrow;
} top_column_row;

extern const top_column_row top_column_rows[TOP_COLUMN_COUNT];

typedef struct top_column_list {
    const top_column *ids;
    size_t count;
} top_column_list;

/* The columns of a list's rows, or of the row that they belong to. */
top_column_list top_list_columns(const top_context *top, const top_list *list);
top_column_list top_count_columns(const top_context *top);

/* The value of a column of numbers, of percentages or changes. */
uint64_t top_number(const top_row *row, top_column id);
double top_column_percent(const top_context *top, const top_row *row, top_column id);

/* The names of a row's frame. By file, what is no code has its name in place of the file. */
typedef struct top_names {
    binprof_string function, file, detail;
    int32_t line;
    bool is_code;
    char buffer[COLLECTORS_DETAIL_SIZE];
} top_names;

void top_get_names(const top_context *top, uint32_t id, top_names *names);

/* Print rows; see top_print_rows. */
void top_print_json(const top_context *top, const top_rows *rows, const top_list *list);
void top_print_csv(const top_context *top, const top_rows *rows, const top_list *list);
void top_print_text(const top_context *top, const top_rows *rows, const top_list *list);

#endif
