/* binprof-convert: a capture becomes another format. */
#include "tools/captures.h"
#include "tools/convert_options.h"
#include "tools/destination.h"
#include "tools/messages.h"
#include "tools/signals.h"

#include <binprof/binprof.h>
#include <sys/stat.h>
#include <unistd.h>

/* What goes onto a terminal must be text. */
static bool check_terminal(const convert_options *options)
{
    if (!options->format->text && destination_is_standard(options->output) &&
        isatty(STDOUT_FILENO)) {
        (void)message_error(
            "standard output: will not write a binary capture onto a terminal; use -o FILE");
        return false;
    }
    if (options->gzip && destination_is_standard(options->output) && isatty(STDOUT_FILENO)) {
        (void)message_error(
            "standard output: will not write compressed text onto a terminal; use -o FILE");
        return false;
    }
    return true;
}

/* When the capture's file was last written, which is when the profiler finished it. */
static uint64_t end_time_ms(const char *input)
{
    struct stat status;
    int result =
        destination_is_standard(input) ? fstat(STDIN_FILENO, &status) : stat(input, &status);
    if (result != 0 || !S_ISREG(status.st_mode) || status.st_mtim.tv_sec < 0)
        return 0;
    return (uint64_t)status.st_mtim.tv_sec * 1000 + (uint64_t)status.st_mtim.tv_nsec / 1000000;
}

static binprof_status open_collector(const convert_options *options, const capture_set *set,
                                     const binprof_profile *profile, binprof_collector **collector,
                                     binprof_error *error)
{
    binprof_output output = destination_output(options->output);
    bool has_source = set->count == 1 && !destination_is_standard(options->inputs[0]);
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
    const capture_set_request request = {options->inputs, options->input_count, options->base,
                                         options->mixed_intervals};
    if (!destination_check(options->output, &request) || !check_terminal(options))
        return EXIT_STATUS_FAILURE;
    int exit_status = captures_open(&set, &request);
    if (exit_status != 0)
        goto end;
    destination_catch_signals(options->output); /* not before: reading a pipe may take long */
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
    exit_status = run(&options);
    signals_raise();
end:
    convert_options_free(&options);
    return exit_status;
}
