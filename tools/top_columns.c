#include "tools/top_columns.h"

#include "profile/paths.h"

const top_column_row top_column_rows[TOP_COLUMN_COUNT] = {
    [TOP_COLUMN_SELF_PERCENT] = {"self_percent", "self %", TOP_COLUMN_PERCENT, true},
    [TOP_COLUMN_SELF] = {"self", "self", TOP_COLUMN_NUMBER, false},
    [TOP_COLUMN_SELF_TIME] = {NULL, "self time", TOP_COLUMN_TIME, false},
    [TOP_COLUMN_TOTAL_PERCENT] = {"total_percent", "total %", TOP_COLUMN_PERCENT, true},
    [TOP_COLUMN_TOTAL] = {"total", "total", TOP_COLUMN_NUMBER, false},
    [TOP_COLUMN_TOTAL_TIME] = {NULL, "total time", TOP_COLUMN_TIME, false},
    [TOP_COLUMN_BASE_SELF_PERCENT] = {"base_self_percent", "before", TOP_COLUMN_PERCENT, false},
    [TOP_COLUMN_BASE_SELF] = {"base_self", NULL, TOP_COLUMN_NUMBER, false},
    [TOP_COLUMN_SELF_CHANGE] = {"self_change", "change", TOP_COLUMN_CHANGE, true},
    [TOP_COLUMN_BASE_TOTAL_PERCENT] = {"base_total_percent", "before", TOP_COLUMN_PERCENT, false},
    [TOP_COLUMN_BASE_TOTAL] = {"base_total", NULL, TOP_COLUMN_NUMBER, false},
    [TOP_COLUMN_TOTAL_CHANGE] = {"total_change", "change", TOP_COLUMN_CHANGE, true},
    [TOP_COLUMN_PERCENT_OF_ALL] = {"percent", "%", TOP_COLUMN_PERCENT, true},
    [TOP_COLUMN_SAMPLES] = {"samples", "samples", TOP_COLUMN_NUMBER, true},
    [TOP_COLUMN_TIME_OF_ALL] = {NULL, "time", TOP_COLUMN_TIME, false},
};

static const top_column count_columns[] = {TOP_COLUMN_SELF_PERCENT, TOP_COLUMN_SELF,
                                           TOP_COLUMN_SELF_TIME,    TOP_COLUMN_TOTAL_PERCENT,
                                           TOP_COLUMN_TOTAL,        TOP_COLUMN_TOTAL_TIME};
static const top_column diff_columns[] = {TOP_COLUMN_SELF_PERCENT,
                                          TOP_COLUMN_SELF,
                                          TOP_COLUMN_BASE_SELF_PERCENT,
                                          TOP_COLUMN_BASE_SELF,
                                          TOP_COLUMN_SELF_CHANGE,
                                          TOP_COLUMN_TOTAL_PERCENT,
                                          TOP_COLUMN_TOTAL,
                                          TOP_COLUMN_BASE_TOTAL_PERCENT,
                                          TOP_COLUMN_BASE_TOTAL,
                                          TOP_COLUMN_TOTAL_CHANGE};
static const top_column sample_columns[] = {TOP_COLUMN_PERCENT_OF_ALL, TOP_COLUMN_SAMPLES,
                                            TOP_COLUMN_TIME_OF_ALL};
static const top_column sample_diff_columns[] = {TOP_COLUMN_TOTAL_PERCENT, TOP_COLUMN_TOTAL,
                                                 TOP_COLUMN_BASE_TOTAL_PERCENT,
                                                 TOP_COLUMN_BASE_TOTAL, TOP_COLUMN_TOTAL_CHANGE};

#define LIST(ids) ((top_column_list){ids, sizeof(ids) / sizeof(ids)[0]})

top_column_list top_count_columns(const top_context *top)
{
    return top->options->base != NULL ? LIST(diff_columns) : LIST(count_columns);
}

top_column_list top_list_columns(const top_context *top, const top_list *list)
{
    if (!list->samples_only)
        return top_count_columns(top);
    return top->options->base != NULL ? LIST(sample_diff_columns) : LIST(sample_columns);
}

uint64_t top_number(const top_row *row, top_column id)
{
    switch (id) {
    case TOP_COLUMN_SELF_PERCENT:
    case TOP_COLUMN_SELF:
    case TOP_COLUMN_SELF_TIME:
        return row->count.self.now;
    case TOP_COLUMN_BASE_SELF_PERCENT:
    case TOP_COLUMN_BASE_SELF:
        return row->count.self.base;
    case TOP_COLUMN_BASE_TOTAL_PERCENT:
    case TOP_COLUMN_BASE_TOTAL:
        return row->count.total.base;
    default:
        return row->count.total.now;
    }
}

double top_column_percent(const top_context *top, const top_row *row, top_column id)
{
    binprof_tally_samples all = top->tally.samples;
    switch (id) {
    case TOP_COLUMN_SELF_CHANGE:
        return top_percent(row->count.self.now, all.now) -
               top_percent(row->count.self.base, all.base);
    case TOP_COLUMN_TOTAL_CHANGE:
        return top_percent(row->count.total.now, all.now) -
               top_percent(row->count.total.base, all.base);
    case TOP_COLUMN_BASE_SELF_PERCENT:
    case TOP_COLUMN_BASE_TOTAL_PERCENT:
        return top_percent(top_number(row, id), all.base);
    default:
        return top_percent(top_number(row, id), all.now);
    }
}

void top_get_names(const top_context *top, uint32_t id, top_names *names)
{
    binprof_frame frame = binprof_profile_frame(top->profile, id);
    names->function = binprof_profile_string(top->profile, frame.function);
    names->file = binprof_profile_string(top->profile, frame.filename);
    names->is_code = !profile_is_no_code(names->file);
    names->line = frame.line;
    size_t length = collectors_detail(names->buffer, &frame, top->python);
    names->detail = (binprof_string){names->buffer, length};
    if (top_is_of_files(top) && !names->is_code)
        names->file = names->function;
}
