/* The rows of tables: made, sorted, chosen. */
#include "base/error.h"
#include "base/text.h"
#include "output/utf8.h"
#include "profile/paths.h"
#include "tools/top.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The most names that a message lists. */
#define LIST_MAX 8

double top_percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

static uint64_t part_of(const top_row *row, top_sort key)
{
    return key == TOP_SORT_SELF ? row->count.self.now : row->count.total.now;
}

static binprof_tally_samples samples_of(const top_row *row, top_sort key)
{
    return key == TOP_SORT_SELF ? row->count.self : row->count.total;
}

static int compare_strings(binprof_string a, binprof_string b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = memcmp(a.text, b.text, shorter);
    if (order != 0)
        return order;
    return (a.length > b.length) - (a.length < b.length);
}

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* The name that a row of the frame begins with. */
static binprof_string first_name(const top_context *top, binprof_frame frame)
{
    binprof_string file = binprof_profile_string(top->profile, frame.filename);
    if (top_is_of_files(top) && !profile_is_no_code(file))
        return file;
    return binprof_profile_string(top->profile, frame.function);
}

static int compare_frames(const top_context *top, uint32_t a, uint32_t b)
{
    if (a == TOP_NOTHING || b == TOP_NOTHING)
        return (a == TOP_NOTHING) - (b == TOP_NOTHING);
    const binprof_profile *profile = top->profile;
    binprof_frame left = binprof_profile_frame(profile, a);
    binprof_frame right = binprof_profile_frame(profile, b);
    int order = compare_strings(first_name(top, left), first_name(top, right));
    if (order == 0)
        order = compare_strings(binprof_profile_string(profile, left.filename),
                                binprof_profile_string(profile, right.filename));
    if (order == 0)
        order = compare_numbers(left.line, right.line);
    if (order == 0)
        order = compare_numbers(left.column, right.column);
    return order != 0 ? order : compare_numbers(a, b);
}

/* A row with what it is sorted by; qsort passes no context. */
typedef struct sortable {
    const top_context *top;
    top_sort key;
    double change;
    top_row row;
} sortable;

static int compare_samples(const top_row *a, const top_row *b, top_sort key)
{
    uint64_t left = part_of(a, key);
    uint64_t right = part_of(b, key);
    return (left < right) - (left > right);
}

static int compare_rows(const void *a, const void *b)
{
    const sortable *left = a;
    const sortable *right = b;
    top_sort key = left->key;
    if (left->change < right->change || left->change > right->change)
        return left->change > right->change ? -1 : 1;
    int order = key == TOP_SORT_NAME ? 0 : compare_samples(&left->row, &right->row, key);
    if (order == 0 && key == TOP_SORT_SELF)
        order = compare_samples(&left->row, &right->row, TOP_SORT_TOTAL);
    if (order != 0)
        return order;
    if (left->top->options->by == TOP_BY_THREAD)
        return compare_numbers(left->row.id, right->row.id);
    return compare_frames(left->top, left->row.id, right->row.id);
}

/* How much the share of a row grew, in percentage points. */
static double change_of(const top_context *top, const top_row *row, top_sort key)
{
    binprof_tally_samples samples = samples_of(row, key);
    return top_percent(samples.now, top->tally.samples.now) -
           top_percent(samples.base, top->tally.samples.base);
}

/* Rows that are compared come in the order of how much they changed, either way. */
void top_sort_rows(const top_context *top, top_sort key, top_rows *rows)
{
    bool by_change = top->options->base != NULL && key != TOP_SORT_NAME;
    sortable *sorted = malloc((rows->count + 1) * sizeof *sorted);
    if (sorted == NULL)
        return; /* rows in any order are better than none */
    for (size_t i = 0; i < rows->count; i++)
        sorted[i] = (sortable){top, key, by_change ? fabs(change_of(top, &rows->rows[i], key)) : 0,
                               rows->rows[i]};
    qsort(sorted, rows->count, sizeof *sorted, compare_rows);
    for (size_t i = 0; i < rows->count; i++)
        rows->rows[i] = sorted[i].row;
    free(sorted);
}

void top_keep_grown(const top_context *top, top_rows *rows)
{
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++)
        if (change_of(top, &rows->rows[i], top->options->sort) >
            top->options->fail_if_grew + TOP_ROUNDING)
            rows->rows[kept++] = rows->rows[i];
    rows->count = kept;
}

static bool is_empty(binprof_tally_samples samples)
{
    return samples.now == 0 && samples.base == 0;
}

binprof_status top_make_rows(const top_context *top, top_rows *rows, binprof_error *error)
{
    const binprof_tally *tally = &top->tally;
    bool by_thread = top->options->by == TOP_BY_THREAD;
    uint32_t count = by_thread ? tally->thread_count : tally->frame_count;
    *rows = (top_rows){malloc(((size_t)count + 1) * sizeof *rows->rows), 0};
    if (rows->rows == NULL)
        return error_set_memory(error);
    for (uint32_t id = 0; id < count; id++) {
        top_row row = {.id = id};
        if (by_thread)
            row.count.total = tally->threads[id];
        else
            row.count = tally->frames[id];
        if (!is_empty(row.count.total))
            rows->rows[rows->count++] = row;
    }
    bool has_total_only = by_thread && top->options->sort == TOP_SORT_SELF;
    top_sort_rows(top, has_total_only ? TOP_SORT_TOTAL : top->options->sort, rows);
    return BINPROF_OK;
}

static bool equals(binprof_string string, const char *text, size_t length)
{
    return string.length == length && memcmp(string.text, text, length) == 0;
}

static bool ends_with(binprof_string string, const char *text, size_t length)
{
    return string.length >= length &&
           memcmp(string.text + string.length - length, text, length) == 0;
}

/* Whether a path is the wanted one, or ends in it after a slash. */
static bool is_path(binprof_string path, const char *wanted, size_t length)
{
    if (!ends_with(path, wanted, length))
        return false;
    return path.length == length || path.text[path.length - length - 1] == '/';
}

/* Whether a frame is of the function "name" or "file:name", or of the file "name". */
static bool is_subject(const top_context *top, uint32_t frame_id, const char *subject)
{
    binprof_frame frame = binprof_profile_frame(top->profile, frame_id);
    binprof_string function = binprof_profile_string(top->profile, frame.function);
    binprof_string file = binprof_profile_string(top->profile, frame.filename);
    size_t length = strlen(subject);
    if (function.length == 0)
        return is_path(file, subject, length);
    if (equals(function, subject, length))
        return true;
    return length > function.length + 1 &&
           ends_with((binprof_string){subject, length}, function.text, function.length) &&
           subject[length - function.length - 1] == ':' &&
           is_path(file, subject, length - function.length - 1);
}

static bool is_file(const top_context *top, uint32_t frame_id, const char *subject)
{
    binprof_frame frame = binprof_profile_frame(top->profile, frame_id);
    return is_path(binprof_profile_string(top->profile, frame.filename), subject, strlen(subject));
}

/* Adds "file:function" to a list in a message, or only the file. */
static void list_add(base_text *list, const top_context *top, uint32_t frame_id, bool file_only)
{
    binprof_frame frame = binprof_profile_frame(top->profile, frame_id);
    binprof_string function = binprof_profile_string(top->profile, frame.function);
    binprof_string file = binprof_profile_string(top->profile, frame.filename);
    bool has_both = function.length > 0 && !file_only && !profile_is_no_code(file);
    const char *joint = list->length > 0 ? ", " : "";
    if (has_both || file_only || function.length == 0)
        base_text_append(list, "%s%s%s%s", joint, file.text, has_both ? ":" : "",
                         has_both ? function.text : "");
    else
        base_text_append(list, "%s%s", joint, function.text);
}

/* Whether two frames are of one function and file; or of one file. */
static bool is_same(const top_context *top, uint32_t a, uint32_t b, bool file_only)
{
    binprof_frame left = binprof_profile_frame(top->profile, a);
    binprof_frame right = binprof_profile_frame(top->profile, b);
    return left.filename == right.filename && (file_only || left.function == right.function);
}

/* Lists the names with most samples among the rows that `is_listed` has; what is listed already
 * stands in `listed`. */
static void list_rows(base_text *list, const top_context *top, const top_rows *rows,
                      const uint8_t *is_listed, bool file_only)
{
    uint32_t listed[LIST_MAX];
    size_t count = 0;
    size_t more = 0;
    for (size_t i = 0; i < rows->count; i++) {
        uint32_t id = rows->rows[i].id;
        bool is_new = is_listed == NULL || is_listed[id] != 0;
        for (size_t before = 0; is_new && before < count; before++)
            is_new = !is_same(top, listed[before], id, file_only);
        if (!is_new)
            continue;
        if (count == LIST_MAX) {
            more++;
            continue;
        }
        listed[count++] = id;
        list_add(list, top, id, file_only);
    }
    if (more > 0)
        base_text_append(list, ", …");
}

/* Chooses the frames that match; they must be of one function, or file. */
static binprof_status choose(const top_context *top, bool file_only, uint8_t *is_chosen,
                             uint32_t *subject, binprof_error *error)
{
    const char *wanted = top->options->subject;
    char names[400];
    base_text list = base_text_begin(names, sizeof names);
    top_rows rows;
    binprof_status status = top_make_rows(top, &rows, error);
    if (status != BINPROF_OK)
        return status;
    top_sort_rows(top, TOP_SORT_TOTAL, &rows);
    size_t matches = 0;
    bool is_one = true;
    for (size_t i = 0; i < rows.count; i++) {
        uint32_t id = rows.rows[i].id;
        if (!(file_only ? is_file(top, id, wanted) : is_subject(top, id, wanted)))
            continue;
        is_chosen[id] = 1;
        if (matches++ == 0)
            *subject = id;
        is_one = is_one && is_same(top, *subject, id, file_only);
    }
    list_rows(&list, top, &rows, matches > 0 ? is_chosen : NULL, file_only);
    free(rows.rows);
    if (matches > 0 && is_one)
        return BINPROF_OK;
    return error_set(error, BINPROF_ERROR_ARGUMENT, BINPROF_NO_OFFSET,
                     matches == 0 ? "'%s' has no samples; most have: %s"
                                  : "'%s' is not one but several: %s",
                     wanted, names);
}

binprof_status top_choose_frames(const top_context *top, uint8_t *is_chosen, uint32_t *subject,
                                 binprof_error *error)
{
    return choose(top, false, is_chosen, subject, error);
}

binprof_status top_choose_file(const top_context *top, uint8_t *is_chosen, uint32_t *subject,
                               binprof_error *error)
{
    return choose(top, true, is_chosen, subject, error);
}
