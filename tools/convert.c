/* binprof-convert: a capture becomes another format. */
#include "tools/convert_options.h"
#include "tools/input.h"
#include "tools/messages.h"
#include "tools/progress.h"
#include "tools/signals.h"

#include <binprof/binprof.h>
#include <stdio.h>
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

/* Whether input and output are the same file, whatever they are called. */
static bool is_same_file(const convert_options *options)
{
    struct stat input;
    struct stat output;
    return stat_file(options->input, STDIN_FILENO, &input) &&
           stat_file(options->output, STDOUT_FILENO, &output) && S_ISREG(input.st_mode) &&
           input.st_dev == output.st_dev && input.st_ino == output.st_ino;
}

static bool check_output(const convert_options *options)
{
    if (is_same_file(options)) {
        (void)message_error("%s: is both input and output", input_name(options->input));
        return false;
    }
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

static bool report_progress(void *context, uint64_t done, uint64_t total)
{
    progress_update(context, done, total);
    return !signals_caught();
}

static bool is_cancelled(void *context)
{
    (void)context;
    return signals_caught();
}

static binprof_status open_collector(const convert_options *options, const binprof_info *info,
                                     const binprof_profile *profile, binprof_collector **collector,
                                     binprof_error *error)
{
    binprof_output output = {.path = is_standard(options->output) ? NULL : options->output,
                             .fd = STDOUT_FILENO,
                             .name = "standard output",
                             .cancelled = is_cancelled};
    binprof_collector_options collector_options = {
        .profile = profile,
        .facts = &info->facts,
        .output = &output,
        .source = is_standard(options->input) ? NULL : options->input,
        .end_time_ms = end_time_ms(options->input),
        .gzip = options->gzip,
        .compression = options->compression,
        .level = options->level,
    };
    return binprof_format_open(options->format, &collector_options, collector, error);
}

static binprof_status convert(const convert_options *options, binprof_reader *reader,
                              binprof_profile *profile, uint64_t *samples, binprof_error *error)
{
    binprof_collector *collector;
    binprof_status status =
        open_collector(options, binprof_reader_info(reader), profile, &collector, error);
    if (status != BINPROF_OK)
        return status;
    progress_bar progress = progress_begin(options->quiet);
    binprof_replay_options replay = {report_progress, &progress};
    status = binprof_reader_replay(reader, profile, collector, &replay, error);
    progress_end(&progress);
    if (status == BINPROF_OK)
        status = binprof_collector_export(collector, error);
    *samples = binprof_collector_total_samples(collector);
    binprof_collector_close(collector);
    return status;
}

/* Where nobody would expect it, says that the output shows nothing. */
static void note_empty(const convert_options *options, const binprof_profile *profile,
                       uint64_t samples)
{
    if (options->quiet)
        return;
    bool has_stacks = binprof_profile_stack_count(profile) > BINPROF_EMPTY_STACK + 1;
    if (samples == 0)
        message_note("%s: note: the capture holds no samples", input_name(options->input));
    else if (options->format->text && !has_stacks)
        message_note("%s: note: no samples with frames: the output is empty",
                     input_name(options->input));
}

static int run(const convert_options *options)
{
    binprof_error error;
    binprof_reader *reader;
    if (input_open(options->input, &reader, &error) != BINPROF_OK)
        return message_library_error(&error);
    catch_signals(options); /* not before: it may take long until a pipe has been read */
    int exit_status = 0;
    uint64_t samples = 0;
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    if (profile == NULL)
        exit_status = message_error("out of memory");
    else if (convert(options, reader, profile, &samples, &error) != BINPROF_OK)
        exit_status = error.code == BINPROF_ERROR_CANCELLED ? EXIT_STATUS_FAILURE
                                                            : message_library_error(&error);
    else
        note_empty(options, profile, samples);
    binprof_profile_free(profile);
    binprof_reader_close(reader);
    return exit_status;
}

int main(int argc, char **argv)
{
    message_set_tool("binprof-convert");
    convert_options options;
    int exit_status;
    if (!convert_options_parse(argc, argv, &options, &exit_status))
        return exit_status;
    if (!check_output(&options))
        return EXIT_STATUS_FAILURE;
    exit_status = run(&options);
    signals_raise();
    return exit_status;
}
