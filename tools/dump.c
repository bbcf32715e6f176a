/* binprof-dump: shows what is in a capture. */
#include "tools/dump.h"

#include "tools/input.h"
#include "tools/messages.h"

#include <binprof/formats.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A view: its option, what it is for, and the function that prints it. */
typedef struct dump_view {
    const char *name;
    const char *description;
    binprof_status (*print)(const dump_context *dump, binprof_error *error);
} dump_view;

static const dump_view views[] = {
    {"info", "what the header, the statistics and the footer say (default)", dump_info},
    {"threads", "the threads and what their samples say", dump_threads},
    {"strings", "the string table", dump_strings},
    {"frames", "the frame table", dump_frames},
    {"records", "the records as they are encoded", dump_records},
    {"samples", "every sample with its stack", dump_samples},
    {"stats", "how the samples are encoded", dump_stats},
    {"verify", "decode everything and check every count", dump_verify},
};

#define VIEW_COUNT (sizeof views / sizeof views[0])

/* Values of long options without a letter; those of views follow after the last. */
enum { OPTION_JSON = 256, OPTION_VIEW };

typedef struct dump_options {
    const dump_view *view;
    const char *input;
    bool json;
} dump_options;

static int print_help(void)
{
    printf("Usage: binprof-dump [--VIEW] [--json] CAPTURE\n"
           "Shows what is in a capture of CPython's sampling profiler.\n"
           "\n"
           "Views, one at a time:\n");
    for (size_t i = 0; i < VIEW_COUNT; i++)
        printf("      --%-10s %s\n", views[i].name, views[i].description);
    printf("\n"
           "      --json       print JSON: one object, or one object a line\n"
           "  -h, --help       print this and exit\n"
           "  -V, --version    print the version and exit\n"
           "\n"
           "CAPTURE may be \"-\" for standard input.\n"
           "\n"
           "Exit status: 0 success, 1 failure (with --verify also: something is wrong),\n"
           "2 wrong usage.\n");
    return message_finish_stdout();
}

static void build_long_options(struct option all[VIEW_COUNT + 4])
{
    static const struct option fixed[] = {{"json", no_argument, NULL, OPTION_JSON},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'V'}};
    memcpy(all, fixed, sizeof fixed);
    for (size_t i = 0; i < VIEW_COUNT; i++)
        all[3 + i] = (struct option){views[i].name, no_argument, NULL, OPTION_VIEW + (int)i};
    all[3 + VIEW_COUNT] = (struct option){NULL, 0, NULL, 0};
}

/* Takes one option that getopt_long knows. Returns true to go on; else the program is to end with
 * *exit_status. */
static bool take_option(int option, dump_options *options, int *exit_status)
{
    if (option == OPTION_JSON) {
        options->json = true;
        return true;
    }
    if (option == 'h' || option == 'V') {
        *exit_status = option == 'h' ? print_help() : message_version();
        return false;
    }
    const dump_view *view = &views[option - OPTION_VIEW];
    if (options->view != NULL && options->view != view) {
        *exit_status = message_usage("two views, --%s and --%s; one at a time", options->view->name,
                                     view->name);
        return false;
    }
    options->view = view;
    return true;
}

/* Returns true when there is something to show; else the program is to end with *exit_status. */
static bool parse_options(int argc, char **argv, dump_options *options, int *exit_status)
{
    struct option long_options[VIEW_COUNT + 4];
    build_long_options(long_options);
    *options = (dump_options){.view = NULL};
    opterr = 0;
    int option;
    while ((option = getopt_long(argc, argv, ":hV", long_options, NULL)) != -1) {
        if (option == ':' || option == '?') {
            *exit_status = message_bad_option(option, argv, long_options);
            return false;
        }
        if (!take_option(option, options, exit_status))
            return false;
    }
    if (options->view == NULL)
        options->view = &views[0];
    if (optind == argc) {
        *exit_status = message_usage("no capture to show");
        return false;
    }
    if (optind + 1 < argc) {
        *exit_status = message_usage("one capture at a time, but also '%s'", argv[optind + 1]);
        return false;
    }
    options->input = argv[optind];
    if (*options->input == '\0') {
        *exit_status = message_usage("the file name is empty");
        return false;
    }
    return true;
}

binprof_status dump_fail_memory(binprof_error *error)
{
    *error = (binprof_error){
        .code = BINPROF_ERROR_MEMORY, .offset = BINPROF_NO_OFFSET, .message = "out of memory"};
    return BINPROF_ERROR_MEMORY;
}

binprof_profile *dump_new_profile(binprof_error *error)
{
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_KEEP_DUPLICATES);
    if (profile == NULL)
        (void)dump_fail_memory(error);
    return profile;
}

binprof_status dump_count(const dump_context *dump, dump_counted *counted, binprof_error *error)
{
    *counted = (dump_counted){.profile = dump_new_profile(error)};
    if (counted->profile == NULL)
        return BINPROF_ERROR_MEMORY;
    binprof_status status = binprof_counting_collector_open(&counted->collector, error);
    if (status != BINPROF_OK)
        return status;
    return binprof_reader_replay(dump->reader, counted->profile, counted->collector, NULL, error);
}

void dump_counted_free(dump_counted *counted)
{
    binprof_collector_close(counted->collector);
    binprof_profile_free(counted->profile);
}

static int show(const dump_options *options, binprof_reader *reader)
{
    binprof_error error;
    binprof_output output = {.fd = STDOUT_FILENO, .name = "standard output"};
    output_text out;
    if (output_text_open(&out, &output, false, &error) != BINPROF_OK)
        return message_library_error(&error);
    dump_context dump = {.reader = reader,
                         .info = binprof_reader_info(reader),
                         .name = input_name(options->input),
                         .json = options->json,
                         .out = &out};
    binprof_error output_error;
    binprof_status status = options->view->print(&dump, &error);
    binprof_status output_status = output_text_finish(&out, &output_error);
    if (output_status != BINPROF_OK)
        return message_library_error(&output_error);
    return status == BINPROF_OK ? 0 : message_library_error(&error);
}

int main(int argc, char **argv)
{
    message_set_tool("binprof-dump");
    dump_options options;
    int exit_status;
    if (!parse_options(argc, argv, &options, &exit_status))
        return exit_status;
    binprof_error error;
    binprof_reader *reader;
    if (input_open(options.input, &reader, &error) != BINPROF_OK)
        return message_library_error(&error);
    exit_status = show(&options, reader);
    binprof_reader_close(reader);
    return exit_status;
}
