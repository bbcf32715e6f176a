#include "tools/captures.h"

#include "base/error.h"
#include "output/utf8.h"
#include "tools/human.h"
#include "tools/input.h"
#include "tools/messages.h"
#include "tools/progress.h"
#include "tools/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static bool is_given(const capture_set *set, const char *name, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(set->names[i], name) == 0)
            return true;
    return false;
}

static bool is_unique(const capture_set *set, const char *name, size_t index)
{
    for (size_t i = 0; i < set->count; i++)
        if (i != index && strcmp(base_name(input_name(set->paths[i])), name) == 0)
            return false;
    return true;
}

/* Adds a number to a path until no other capture is called that. */
static char *make_numbered(const capture_set *set, const char *path, size_t index)
{
    size_t size = strlen(path) + 32;
    char *name = malloc(size);
    if (name == NULL)
        return NULL;
    (void)snprintf(name, size, "%s", path);
    for (size_t number = 2; is_given(set, name, index); number++)
        (void)snprintf(name, size, "%s (%zu)", path, number);
    return name;
}

/* Names a capture such that it is told from the others: by its base name, by its path, or by its
 * path and a number. */
static char *make_name(const capture_set *set, size_t index)
{
    const char *path = input_name(set->paths[index]);
    bool is_told = is_unique(set, base_name(path), index);
    char *copy = output_utf8_copy(is_told ? base_name(path) : path);
    char *name = copy == NULL ? NULL : make_numbered(set, copy, index);
    free(copy);
    return name;
}

static bool allocate(capture_set *set, const capture_set_request *request)
{
    size_t count = request->input_count + (request->base != NULL);
    set->paths = calloc(count, sizeof *set->paths);
    set->readers = calloc(count, sizeof(binprof_reader *));
    set->captures = calloc(count, sizeof *set->captures);
    set->names = calloc(count, sizeof *set->names);
    if (set->paths == NULL || set->readers == NULL || set->captures == NULL || set->names == NULL)
        return false;
    set->count = count;
    for (size_t i = 0; i < request->input_count; i++)
        set->paths[i] = request->inputs[i];
    if (request->base != NULL)
        set->paths[request->input_count] = request->base;
    return true;
}

static int open_readers(capture_set *set, const capture_set_request *request)
{
    size_t from_stdin = 0;
    for (size_t i = 0; i < set->count; i++) {
        from_stdin += strcmp(set->paths[i], "-") == 0;
        if (from_stdin > 1)
            return message_usage("standard input can be given once only");
    }
    for (size_t i = 0; i < set->count; i++) {
        binprof_error error;
        if (input_open(set->paths[i], &set->readers[i], &error) != BINPROF_OK)
            return message_library_error(&error);
        set->names[i] = make_name(set, i);
        if (set->names[i] == NULL)
            return message_error("out of memory");
        const binprof_info *info = binprof_reader_info(set->readers[i]);
        set->captures[i] = (binprof_capture){.name = set->names[i],
                                             .facts = &info->facts,
                                             .sample_count = info->sample_count,
                                             .is_base = i == request->input_count};
    }
    return 0;
}

static int check_intervals(const capture_set *set, const capture_set_request *request)
{
    char first[HUMAN_SIZE];
    char other[HUMAN_SIZE];
    uint64_t interval_us = binprof_reader_info(set->readers[0])->facts.interval_us;
    for (size_t i = 1; i < request->input_count; i++) {
        uint64_t this_us = binprof_reader_info(set->readers[i])->facts.interval_us;
        if (this_us != interval_us && !request->mixed_intervals)
            return message_error(
                "%s: has a sample every %s, but %s every %s, so that their samples "
                "weigh differently; --mixed-intervals counts them all the same",
                set->paths[i], human_time(other, this_us), set->paths[0],
                human_time(first, interval_us));
    }
    return 0;
}

int captures_open(capture_set *set, const capture_set_request *request)
{
    *set = (capture_set){.count = 0};
    if (!allocate(set, request))
        return message_error("out of memory");
    int exit_status = open_readers(set, request);
    if (exit_status == 0)
        exit_status = check_intervals(set, request);
    if (exit_status == 0)
        set->facts = binprof_facts_merge(set->captures, request->input_count);
    return exit_status;
}

void captures_close(capture_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        binprof_reader_close(set->readers[i]);
        free(set->names[i]);
    }
    free(set->paths);
    free(set->readers);
    free(set->captures);
    free(set->names);
}

/* Progress over all captures. */
typedef struct replay_progress {
    progress_bar bar;
    uint64_t before; /* bytes of the captures that are done */
    uint64_t total;
} replay_progress;

static bool report_progress(void *context, uint64_t done, uint64_t total)
{
    (void)total;
    replay_progress *progress = context;
    progress_update(&progress->bar, progress->before + done, progress->total);
    return !signals_caught();
}

binprof_status captures_replay(const capture_set *set, binprof_collector *filter, bool quiet,
                               binprof_error *error)
{
    replay_progress progress = {.bar = progress_begin(quiet)};
    for (size_t i = 0; i < set->count; i++)
        progress.total += binprof_reader_info(set->readers[i])->data_size;
    binprof_replay_options options = {report_progress, &progress};
    binprof_status status = BINPROF_OK;
    for (size_t i = 0; i < set->count && status == BINPROF_OK; i++) {
        status = binprof_filter_replay(filter, set->readers[i], (uint32_t)i, &options, error);
        progress.before += binprof_reader_info(set->readers[i])->data_size;
    }
    progress_end(&progress.bar);
    return status;
}

const char *captures_name(const capture_set *set)
{
    return input_name(set->paths[0]);
}

static void note_unmatched(const capture_set *set, const char *option, const char *regex,
                           bool matched)
{
    if (regex != NULL && !matched)
        message_note("%s: note: --%s '%s' matches no frame", captures_name(set), option, regex);
}

void captures_note_choice(const capture_set *set, const binprof_choice *choice,
                          binprof_filter_counts counts)
{
    char end[HUMAN_SIZE];
    if (counts.samples == 0) {
        message_note("%s: note: the capture holds no samples", captures_name(set));
        return;
    }
    note_unmatched(set, "focus", choice->focus, counts.focus_matched);
    note_unmatched(set, "ignore", choice->ignore, counts.ignore_matched);
    note_unmatched(set, "trim-root", choice->trim_root, counts.trim_root_matched);
    if (counts.chosen > 0)
        return;
    if (choice->has_from && !choice->from.is_percent && choice->from.us > counts.last_us)
        message_note("%s: note: no samples were chosen: the last one is at %s", captures_name(set),
                     human_time(end, counts.last_us));
    else
        message_note("%s: note: no samples were chosen", captures_name(set));
}

void captures_note_difference(const capture_set *set)
{
    char difference[512];
    if (binprof_captures_differ(set->captures, set->count, difference, sizeof difference))
        message_note("note: the captures were not recorded alike: %s", difference);
}
