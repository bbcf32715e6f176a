/* binprof-convert: a capture becomes another format. */
#include "tools/captures.h"
#include "tools/convert_options.h"
#include "tools/input.h"
#include "tools/messages.h"
#include "tools/signals.h"

#include <binprof/binprof.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_standard(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool stat_file(const char *path, int standard_fd, struct stat *status)
{
    return (is_standard(path) ? fstat(standard_fd, status) : stat(path, status)) == 0;
}

/* Whether an input and the output are the same file, whatever they are called. */
static bool is_output(const convert_options *options, const char *path)
{
    struct stat input;
    struct stat output;
    return stat_file(path, STDIN_FILENO, &input) &&
           stat_file(options->output, STDOUT_FILENO, &output) && S_ISREG(input.st_mode) &&
           input.st_dev == output.st_dev && input.st_ino == output.st_ino;
}

static bool check_inputs(const convert_options *options)
{
    const char *same = NULL;
    for (size_t i = 0; i < options->input_count; i++)
        if (is_output(options, options->inputs[i]))
            same = options->inputs[i];
    if (options->base != NULL && is_output(options, options->base))
        same = options->base;
    if (same != NULL)
        (void)message_error("%s: is both input and output", input_name(same));
    return same == NULL;
}

static bool check_output(const convert_options *options)
{
    if (!check_inputs(options))
        return false;
    if (!options->format->text && is_standard(options->output) && isatty(STDOUT_FILENO)) {
        (void)message_error(
            "standard output: will not write a binary capture onto a terminal; use -o FILE");
        return false;
    }
    if (options->gzip && is_standard(options->output) && isatty(STDOUT_FILENO)) {
        (void)message_error(
            "standard output: will not write compressed text onto a terminal; use -o FILE");
        return false;
    }
    return true;
}

/* Signals are caught for a file, which must not stay behind half written. What goes into a pipe
 * leaves nothing behind, and must end at once also while the other side takes nothing. */
static void catch_signals(const convert_options *options)
{
    struct stat output;
    if (!stat_file(options->output, STDOUT_FILENO, &output) || S_ISREG(output.st_mode))
        signals_catch();
}

/* When the capture's file was last written, which is when the profiler finished it. */
static uint64_t end_time_ms(const char *input)
{
    struct stat status;
    if (!stat_file(input, STDIN_FILENO, &status) || !S_ISREG(status.st_mode) ||
        status.st_mtim.tv_sec < 0)
        return 0;
    return (uint64_t)status.st_mtim.tv_sec * 1000 + (uint64_t)status.st_mtim.tv_nsec / 1000000;
}

static bool is_cancelled(void *context)
{
    (void)context;
    return signals_caught();
}

static binprof_status open_collector(const convert_options *options, const capture_set *set,
                                     const binprof_profile *profile, binprof_collector **collector,
                                     binprof_error *error)
{
    binprof_output output = {.path = is_standard(options->output) ? NULL : options->output,
                             .fd = STDOUT_FILENO,
                             .name = "standard output",
                             .cancelled = is_cancelled};
    bool has_source = set->count == 1 && !is_standard(options->inputs[0]);
    binprof_collector_options collector_options = {
        .profile = profile,
        .facts = &set->facts,
        .output = &output,
        .source = has_source ? options->inputs[0] : NULL,
        .choice = &options->choice.choice,
        .captures = set->captures,
        .capture_count = set->count,
        .end_time_ms = set->count == 1 ? end_time_ms(options->inputs[0]) : 0,
        .gzip = options->gzip,
        .compression = options->compression,
        .level = options->level,
    };
    return binprof_format_open(options->format, &collector_options, collector, error);
}

/* Sends what was chosen of the captures to a collector. */
static binprof_status convert_chosen(const convert_options *options, const capture_set *set,
                                     binprof_profile *profile, binprof_collector *collector,
                                     binprof_filter_counts *counts, binprof_error *error)
{
    binprof_filter_options filter_options = {
        .choice = &options->choice.choice,
        .profile = profile,
        .next = collector,
        .in_order = options->format->in_order,
        .captures = set->captures,
        .capture_count = set->count,
        .name_in_stacks = !options->format->tells_captures_apart,
    };
    binprof_collector *filter;
    binprof_status status = binprof_filter_open(&filter_options, &filter, error);
    if (status != BINPROF_OK)
        return status;
    status = captures_replay(set, filter, options->quiet, error);
    if (status == BINPROF_OK)
        status = binprof_collector_export(filter, error);
    *counts = binprof_filter_get_counts(filter);
    binprof_collector_close(filter);
    return status;
}

static binprof_status convert(const convert_options *options, const capture_set *set,
                              binprof_profile *profile, binprof_filter_counts *counts,
                              binprof_error *error)
{
    binprof_collector *collector;
    binprof_status status = open_collector(options, set, profile, &collector, error);
    if (status != BINPROF_OK)
        return status;
    status = convert_chosen(options, set, profile, collector, counts, error);
    binprof_collector_close(collector);
    return status;
}

/* Says what nobody would expect of the output. */
static void note_surprises(const convert_options *options, const capture_set *set,
                           const binprof_profile *profile, binprof_filter_counts counts)
{
    if (options->quiet)
        return;
    captures_note_choice(set, &options->choice.choice, counts);
    bool has_stacks = binprof_profile_stack_count(profile) > BINPROF_EMPTY_STACK + 1;
    if (counts.chosen > 0 && options->format->text && !has_stacks)
        message_note("%s: note: no samples with frames: the output is empty", captures_name(set));
    captures_note_difference(set);
}

static int run(const convert_options *options)
{
    capture_set set;
    binprof_filter_counts counts = {.samples = 0};
    binprof_error error;
    binprof_profile *profile = NULL;
    int exit_status =
        captures_open(&set, &(capture_set_request){options->inputs, options->input_count,
                                                   options->base, options->mixed_intervals});
    if (exit_status != 0)
        goto end;
    catch_signals(options); /* not before: it may take long until a pipe has been read */
    profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    if (profile == NULL)
        exit_status = message_error("out of memory");
    else if (convert(options, &set, profile, &counts, &error) != BINPROF_OK)
        exit_status = error.code == BINPROF_ERROR_CANCELLED ? EXIT_STATUS_FAILURE
                                                            : message_library_error(&error);
    else
        note_surprises(options, &set, profile, counts);
end:
    binprof_profile_free(profile);
    captures_close(&set);
    return exit_status;
}

int main(int argc, char **argv)
{
    message_set_tool("binprof-convert");
    convert_options options;
    int exit_status;
    if (!convert_options_parse(argc, argv, &options, &exit_status))
        goto end;
    exit_status = check_output(&options) ? run(&options) : EXIT_STATUS_FAILURE;
    signals_raise();
end:
    convert_options_free(&options);
    return exit_status;
}
