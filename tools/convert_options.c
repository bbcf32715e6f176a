#include "tools/convert_options.h"

#include "tools/messages.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FORMATS 32
#define MAX_LEVEL 19

/* Values of long options without a letter. Those of formats follow after the last. */
enum {
    OPTION_COMPRESSION = 256,
    OPTION_DIFF,
    OPTION_GZIP,
    OPTION_LEVEL,
    OPTION_LIST_FORMATS,
    OPTION_MIXED_INTERVALS,
    OPTION_FORMAT
};

static const struct option fixed_options[] = {
    {"output", required_argument, NULL, 'o'},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {"compression", required_argument, NULL, OPTION_COMPRESSION},
    {"level", required_argument, NULL, OPTION_LEVEL},
    {"diff", required_argument, NULL, OPTION_DIFF},
    {"gzip", no_argument, NULL, OPTION_GZIP},
    {"mixed-intervals", no_argument, NULL, OPTION_MIXED_INTERVALS},
    {"list-formats", no_argument, NULL, OPTION_LIST_FORMATS},
};

#define FIXED_COUNT (sizeof fixed_options / sizeof fixed_options[0])
#define OPTION_COUNT_MAX (FIXED_COUNT + CHOICE_OPTION_COUNT + MAX_FORMATS + 1)

/* The longer of a width and that of a text. */
static int widen(int width, const char *text)
{
    int length = (int)strlen(text);
    return length > width ? length : width;
}

static void print_formats(FILE *file, const char *prefix)
{
    const binprof_format *format;
    int name_width = 0;
    int suffix_width = 0;
    for (size_t i = 0; (format = binprof_format_at(i)) != NULL; i++) {
        name_width = widen(name_width, format->name);
        suffix_width = widen(suffix_width, format->suffix);
    }
    for (size_t i = 0; (format = binprof_format_at(i)) != NULL; i++)
        fprintf(file, "%s%-*s  %-*s  %s\n", prefix, name_width, format->name, suffix_width,
                format->suffix, format->description);
}

static int print_help(void)
{
    printf("Usage: binprof-convert [--FORMAT] [OPTION]... [-o FILE] CAPTURE...\n"
           "Converts captures of CPython's sampling profiler to another format. Several captures\n"
           "become one output, in which their threads are kept apart.\n"
           "\n"
           "The format is told by an option or by the ending of FILE:\n");
    print_formats(stdout, "  --");
    printf(
        "\n"
        "  -o, --output=FILE     write to FILE instead of standard output, whole or not at all;\n"
        "                        \"-\" is standard output\n"
        "      --gzip            compress a text format; also told by the ending .gz\n"
        "      --compression=C   of a binary capture: auto (default), zstd or none\n"
        "      --level=N         of zstd, 1 to %d; default 5\n"
        "      --diff=BASE       show how the captures differ from this one; flame graph only\n"
        "      --mixed-intervals also bring captures together that have different intervals\n"
        "      --list-formats    print the formats and exit\n"
        "  -q, --quiet           show no progress and no notes\n"
        "  -h, --help            print this and exit\n"
        "  -V, --version         print the version and exit\n"
        "\n"
        "What goes in:\n"
        "%s"
        "      --by=WHAT             what frames are told apart by: file, function, line or\n"
        "                            instruction, as far as the format has a choice\n"
        "\n"
        "CAPTURE may be \"-\" for standard input.\n"
        "\n"
        "Exit status: 0 success, 1 failure, 2 wrong usage.\n"
        "\n"
        "Examples:\n"
        "  binprof-convert -o app.html app.bin       a flame graph, for any browser\n"
        "  binprof-convert -o app.json.gz app.bin    for profiler.firefox.com\n"
        "  binprof-convert --collapsed app.bin | flamegraph.pl > app.svg\n"
        "  binprof-convert --thread main --from 50%% -o late.bin app.bin\n",
        MAX_LEVEL, choice_help);
    return message_finish_stdout();
}

static bool parse_compression(const char *text, binprof_compression *compression)
{
    static const struct {
        const char *name;
        binprof_compression compression;
    } names[] = {{"auto", BINPROF_COMPRESSION_AUTO},
                 {"none", BINPROF_COMPRESSION_NONE},
                 {"zstd", BINPROF_COMPRESSION_ZSTD}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(text, names[i].name) == 0) {
            *compression = names[i].compression;
            return true;
        }
    return false;
}

static bool parse_level(const char *text, int *level)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0 || *end != '\0' || end == text || value < 1 || value > MAX_LEVEL)
        return false;
    *level = (int)value;
    return true;
}

/* The fixed options, those that choose, and one for each format. */
static void build_long_options(struct option all[OPTION_COUNT_MAX])
{
    memcpy(all, fixed_options, sizeof fixed_options);
    memcpy(all + FIXED_COUNT, choice_long_options, sizeof choice_long_options);
    size_t count = FIXED_COUNT + CHOICE_OPTION_COUNT;
    const binprof_format *format;
    for (size_t i = 0; (format = binprof_format_at(i)) != NULL && i < MAX_FORMATS; i++)
        all[count++] = (struct option){format->name, no_argument, NULL, OPTION_FORMAT + (int)i};
    all[count] = (struct option){NULL, 0, NULL, 0};
}

/* What was on the command line, before it is checked as a whole. */
typedef struct command_line {
    convert_options *options;
    bool has_compression;
    bool has_level;
} command_line;

/* Takes one option that getopt_long knows. Returns true to go on; else the program is to end with
 * *exit_status. */
static bool take_option(int option, command_line *parsed, int *exit_status)
{
    convert_options *options = parsed->options;
    if (option >= CHOICE_OPTION_FIRST) {
        *exit_status = choice_options_take(&options->choice, option, optarg);
        return *exit_status == 0;
    }
    switch (option) {
    case 'o':
        options->output = optarg;
        return true;
    case 'q':
        options->quiet = true;
        return true;
    case OPTION_DIFF:
        options->base = optarg;
        return true;
    case OPTION_MIXED_INTERVALS:
        options->mixed_intervals = true;
        return true;
    case OPTION_GZIP:
        options->gzip = true;
        return true;
    case OPTION_COMPRESSION:
        parsed->has_compression = true;
        if (parse_compression(optarg, &options->compression))
            return true;
        *exit_status = message_usage("compression '%s', expected auto, zstd or none", optarg);
        return false;
    case OPTION_LEVEL:
        parsed->has_level = true;
        if (parse_level(optarg, &options->level))
            return true;
        *exit_status = message_usage("level '%s', expected 1 to %d", optarg, MAX_LEVEL);
        return false;
    case 'h':
        *exit_status = print_help();
        return false;
    case 'V':
        *exit_status = message_version();
        return false;
    case OPTION_LIST_FORMATS:
        print_formats(stdout, "");
        *exit_status = message_finish_stdout();
        return false;
    default:
        break;
    }
    const binprof_format *format = binprof_format_at((size_t)(option - OPTION_FORMAT));
    if (options->format != NULL && options->format != format) {
        *exit_status = message_usage("two formats, --%s and --%s; one at a time",
                                     options->format->name, format->name);
        return false;
    }
    options->format = format;
    return true;
}

static int complain_of_no_format(void)
{
    (void)message_error("which format? Give one of these as an option, or an output file with one "
                        "of these endings:");
    print_formats(stderr, "  --");
    return EXIT_STATUS_USAGE;
}

/* Finds the format where no option told it, and checks what goes with it. */
static bool choose_format(command_line *parsed, int *exit_status)
{
    convert_options *options = parsed->options;
    bool gzip_by_name = false;
    const binprof_format *by_name = binprof_format_by_path(options->output, &gzip_by_name);
    if (options->format == NULL)
        options->format = by_name;
    if (options->format == NULL) {
        *exit_status = complain_of_no_format();
        return false;
    }
    const char *output = options->output;
    size_t length = strlen(output);
    if (options->format->text && length > 3 && strcmp(output + length - 3, ".gz") == 0)
        options->gzip = true;
    if (options->gzip && !options->format->text) {
        *exit_status =
            message_usage("--gzip is for text formats, not for --%s", options->format->name);
        return false;
    }
    if ((parsed->has_compression || parsed->has_level) && options->format->text) {
        *exit_status =
            message_usage("--%s is for binary captures, not for --%s",
                          parsed->has_compression ? "compression" : "level", options->format->name);
        return false;
    }
    if (parsed->has_level && options->compression == BINPROF_COMPRESSION_NONE) {
        *exit_status = message_usage("--level is of zstd and does nothing with --compression=none");
        return false;
    }
    return true;
}

static const char *granularity_name(binprof_granularity by)
{
    switch (by) {
    case BINPROF_BY_FILE:
        return "file";
    case BINPROF_BY_FUNCTION:
        return "function";
    case BINPROF_BY_LINE:
        return "line";
    default:
        return "instruction";
    }
}

/* Checks that the format can show what the other options ask for. */
static int check_format(const convert_options *options)
{
    const binprof_format *format = options->format;
    binprof_granularity by = options->choice.choice.by;
    if (by != BINPROF_BY_DEFAULT && (format->granularities >> by & 1) == 0)
        return message_usage("--by %s does not go with --%s, which does not tell as much",
                             granularity_name(by), format->name);
    if (options->base != NULL && !format->compares)
        return message_usage("--diff does not go with --%s, which shows no differences",
                             format->name);
    return 0;
}

static bool take_operands(int argc, char **argv, convert_options *options, int *exit_status)
{
    if (optind == argc) {
        *exit_status = message_usage("no capture to convert");
        return false;
    }
    options->inputs = argv + optind;
    options->input_count = (size_t)(argc - optind);
    bool has_empty = *options->output == '\0' || (options->base != NULL && *options->base == '\0');
    for (size_t i = 0; i < options->input_count; i++)
        has_empty |= *options->inputs[i] == '\0';
    if (has_empty)
        *exit_status = message_usage("a file name is empty");
    return !has_empty;
}

bool convert_options_parse(int argc, char **argv, convert_options *options, int *exit_status)
{
    struct option long_options[OPTION_COUNT_MAX];
    build_long_options(long_options);
    *options = (convert_options){.output = "-"};
    choice_options_init(&options->choice);
    command_line parsed = {.options = options};
    opterr = 0;
    int option;
    while ((option = getopt_long(argc, argv, ":o:qhV", long_options, NULL)) != -1) {
        if (option == ':' || option == '?') {
            *exit_status = message_bad_option(option, argv, long_options);
            return false;
        }
        if (!take_option(option, &parsed, exit_status))
            return false;
    }
    if (!take_operands(argc, argv, options, exit_status) || !choose_format(&parsed, exit_status))
        return false;
    *exit_status = choice_options_finish(&options->choice);
    if (*exit_status == 0)
        *exit_status = check_format(options);
    return *exit_status == 0;
}

void convert_options_free(convert_options *options)
{
    choice_options_free(&options->choice);
}
