#include "tools/top_options.h"

#include "tools/messages.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_LIMIT 20
#define DEFAULT_MIN_SHARE 1.0

/* Values of long options without a letter. */
enum {
    OPTION_ANNOTATE = 256,
    OPTION_CALLEES,
    OPTION_CALLERS,
    OPTION_CSV,
    OPTION_DEPTH,
    OPTION_DIFF,
    OPTION_FAIL_IF_GREW,
    OPTION_JSON,
    OPTION_MIN_SHARE,
    OPTION_MIXED_INTERVALS,
    OPTION_SORT,
    OPTION_SOURCE_ROOT,
    OPTION_TREE,
    OPTION_WIDTH
};

static const struct option own_options[] = {
    {"annotate", required_argument, NULL, OPTION_ANNOTATE},
    {"callees", required_argument, NULL, OPTION_CALLEES},
    {"callers", required_argument, NULL, OPTION_CALLERS},
    {"csv", no_argument, NULL, OPTION_CSV},
    {"depth", required_argument, NULL, OPTION_DEPTH},
    {"diff", required_argument, NULL, OPTION_DIFF},
    {"fail-if-grew", required_argument, NULL, OPTION_FAIL_IF_GREW},
    {"help", no_argument, NULL, 'h'},
    {"json", no_argument, NULL, OPTION_JSON},
    {"limit", required_argument, NULL, 'n'},
    {"min-share", required_argument, NULL, OPTION_MIN_SHARE},
    {"mixed-intervals", no_argument, NULL, OPTION_MIXED_INTERVALS},
    {"output", required_argument, NULL, 'o'},
    {"quiet", no_argument, NULL, 'q'},
    {"sort", required_argument, NULL, OPTION_SORT},
    {"source-root", required_argument, NULL, OPTION_SOURCE_ROOT},
    {"tree", no_argument, NULL, OPTION_TREE},
    {"version", no_argument, NULL, 'V'},
    {"width", required_argument, NULL, OPTION_WIDTH},
};

#define OWN_COUNT (sizeof own_options / sizeof own_options[0])

static const char *const by_names[TOP_BY_COUNT] = {
    [TOP_BY_FUNCTION] = "function",       [TOP_BY_LINE] = "line",
    [TOP_BY_INSTRUCTION] = "instruction", [TOP_BY_FILE] = "file",
    [TOP_BY_MODULE] = "module",           [TOP_BY_THREAD] = "thread"};

const char *top_by_name(top_by by)
{
    return by_names[by];
}

static int print_help(void)
{
    printf(
        "Usage: binprof-top [OPTION]... CAPTURE...\n"
        "Shows where the samples of captures are: a table of functions by the samples in\n"
        "themselves (self) and with what they call (total).\n"
        "\n"
        "      --by=WHAT             rows are functions (default), or each line, instruction,\n"
        "                            file, module or thread\n"
        "      --sort=KEY            by self (default), total or name\n"
        "  -n, --limit=N             this many rows; 0 for all; default %d, all with --json and\n"
        "                            --csv\n"
        "\n"
        "Instead of the table:\n"
        "      --callers=F           what calls the function F: a name, or file:name\n"
        "      --callees=F           what the function F calls\n"
        "      --tree                the tree of calls\n"
        "      --depth=N             of the tree, this many levels\n"
        "      --min-share=PERCENT   of the tree, calls with this share at least; default %g\n"
        "      --annotate=FILE       the lines of a source file with their samples\n"
        "      --source-root=DIR     where source files are to be found\n"
        "\n"
        "Compared with another capture:\n"
        "      --diff=BASE           show each share in BASE, and how it changed\n"
        "      --fail-if-grew=POINTS with --diff: show the rows whose share grew by more than\n"
        "                            this many percentage points, and exit with 1 if there are\n"
        "                            any; the share of what the table is sorted by\n"
        "\n"
        "Output:\n"
        "      --json, --csv         for programs\n"
        "  -o, --output=FILE         write to FILE instead of standard output, whole or not at\n"
        "                            all\n"
        "      --width=N             columns of the text; default: those of the terminal\n"
        "  -q, --quiet               show no progress and no notes\n"
        "  -h, --help                print this and exit\n"
        "  -V, --version             print the version and exit\n"
        "\n"
        "What goes in:\n"
        "%s"
        "      --mixed-intervals     also bring captures together that have different intervals\n"
        "\n"
        "CAPTURE may be \"-\" for standard input.\n"
        "\n"
        "Exit status: 0 success, 1 failure, 2 wrong usage.\n"
        "\n"
        "Examples:\n"
        "  binprof-top --thread main app.bin\n"
        "  binprof-top --callers json.loads app.bin\n"
        "  binprof-top --diff before.bin --fail-if-grew 5 after.bin\n",
        DEFAULT_LIMIT, DEFAULT_MIN_SHARE, choice_help);
    return message_finish_stdout();
}

/* Finds a word in a list; -1 where it is not. */
static int find_word(const char *const *words, int count, const char *word)
{
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return -1;
}

static bool parse_count(const char *text, unsigned long maximum, unsigned long *count)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || errno != 0 || *end != '\0' || value > maximum)
        return false;
    *count = value;
    return true;
}

static bool parse_percent(const char *text, double *percent)
{
    char *end;
    double value = strtod(text, &end);
    if (end != text && *end == '%')
        end++;
    if (end == text || *end != '\0' || !isfinite(value) || value < 0 || value > 100)
        return false;
    *percent = value;
    return true;
}

static int take_count(const char *name, const char *argument, unsigned *count)
{
    unsigned long value;
    if (!parse_count(argument, 1000000000, &value))
        return message_usage("--%s '%s', expected a number", name, argument);
    *count = (unsigned)value;
    return 0;
}

static int take_percent(const char *name, const char *argument, double *percent)
{
    if (parse_percent(argument, percent))
        return 0;
    return message_usage("--%s '%s', expected a number from 0 to 100", name, argument);
}

static int take_by(top_options *options, const char *argument)
{
    int found = find_word(by_names, TOP_BY_COUNT, argument);
    if (found < 0)
        return message_usage(
            "--by '%s', expected function, line, instruction, file, module or thread", argument);
    options->by = (top_by)found;
    return 0;
}

static int take_sort(top_options *options, const char *argument)
{
    static const char *const names[] = {"self", "total", "name"};
    int found = find_word(names, 3, argument);
    if (found < 0)
        return message_usage("--sort '%s', expected self, total or name", argument);
    options->sort = (top_sort)found;
    return 0;
}

static int take_view(top_options *options, top_view view, const char *subject)
{
    if (options->view != TOP_VIEW_TABLE)
        return message_usage(
            "--callers, --callees, --tree and --annotate: one at a time, and once");
    options->view = view;
    options->subject = subject;
    return 0;
}

static int take_form(top_options *options, top_form form)
{
    if (options->form != TOP_FORM_TEXT && options->form != form)
        return message_usage("--json or --csv, not both");
    options->form = form;
    return 0;
}

static int take_limit(top_options *options, const char *argument)
{
    unsigned limit = 0;
    int exit_status = take_count("limit", argument, &limit);
    options->has_limit = true;
    options->limit = limit;
    return exit_status;
}

/* Takes an option that chooses a view or how it is shown. Returns 0, or the exit status of a
 * complaint. */
static int take_own(top_options *options, int option)
{
    switch (option) {
    case OPTION_ANNOTATE:
        return take_view(options, TOP_VIEW_ANNOTATE, optarg);
    case OPTION_CALLEES:
        return take_view(options, TOP_VIEW_CALLEES, optarg);
    case OPTION_CALLERS:
        return take_view(options, TOP_VIEW_CALLERS, optarg);
    case OPTION_TREE:
        return take_view(options, TOP_VIEW_TREE, NULL);
    case OPTION_CSV:
        return take_form(options, TOP_FORM_CSV);
    case OPTION_JSON:
        return take_form(options, TOP_FORM_JSON);
    case OPTION_DEPTH:
        return take_count("depth", optarg, &options->depth);
    case OPTION_WIDTH:
        return take_count("width", optarg, &options->width);
    case OPTION_FAIL_IF_GREW:
        options->has_fail_if_grew = true;
        return take_percent("fail-if-grew", optarg, &options->fail_if_grew);
    case OPTION_MIN_SHARE:
        return take_percent("min-share", optarg, &options->min_share);
    case OPTION_SORT:
        return take_sort(options, optarg);
    case 'n':
        return take_limit(options, optarg);
    case OPTION_DIFF:
        options->base = optarg;
        return 0;
    case OPTION_SOURCE_ROOT:
        options->source_root = optarg;
        return 0;
    case OPTION_MIXED_INTERVALS:
        options->mixed_intervals = true;
        return 0;
    case 'o':
        options->output = optarg;
        return 0;
    default:
        options->quiet = true;
        return 0;
    }
}

/* Checks the options against each other. Returns 0, or the exit status of a complaint. */
static int check(top_options *options)
{
    const char *subject = options->subject != NULL ? options->subject : "-";
    if (*options->output == '\0' || *subject == '\0' ||
        (options->base != NULL && *options->base == '\0'))
        return message_usage("a name is empty");
    if (options->has_fail_if_grew && options->base == NULL)
        return message_usage("--fail-if-grew needs --diff");
    if (options->has_fail_if_grew && options->view != TOP_VIEW_TABLE)
        return message_usage("--fail-if-grew is for the table");
    if (options->has_fail_if_grew && options->sort == TOP_SORT_NAME)
        return message_usage("--fail-if-grew needs --sort self or total");
    if (options->base != NULL && options->view == TOP_VIEW_ANNOTATE)
        return message_usage("--diff does not go with --annotate");
    if (options->by == TOP_BY_THREAD && options->view != TOP_VIEW_TABLE)
        return message_usage("--by thread is for the table");
    if (options->by == TOP_BY_THREAD && options->base != NULL)
        return message_usage("--by thread does not go with --diff: no thread is in both");
    if (options->form == TOP_FORM_CSV && options->view == TOP_VIEW_TREE)
        return message_usage("--csv has rows, --tree has none; use --json");
    return choice_options_finish(&options->choice);
}

/* What frames the filter has to tell apart for the rows. */
static void set_granularity(top_options *options)
{
    static const binprof_granularity granularities[TOP_BY_COUNT] = {
        [TOP_BY_FUNCTION] = BINPROF_BY_FUNCTION,
        [TOP_BY_LINE] = BINPROF_BY_LINE,
        [TOP_BY_INSTRUCTION] = BINPROF_BY_INSTRUCTION,
        [TOP_BY_FILE] = BINPROF_BY_FILE,
        [TOP_BY_MODULE] = BINPROF_BY_FILE,
        [TOP_BY_THREAD] = BINPROF_BY_FUNCTION};
    binprof_choice *choice = &options->choice.choice;
    choice->by = granularities[options->by];
    if (options->by == TOP_BY_MODULE)
        choice->paths = BINPROF_PATHS_MODULE;
    if (options->view == TOP_VIEW_ANNOTATE)
        choice->by = BINPROF_BY_LINE;
    if (!options->has_limit && options->form == TOP_FORM_TEXT && !options->has_fail_if_grew)
        options->limit = DEFAULT_LIMIT;
}

bool top_options_parse(int argc, char **argv, top_options *options, int *exit_status)
{
    struct option long_options[OWN_COUNT + CHOICE_OPTION_COUNT + 1];
    memcpy(long_options, own_options, sizeof own_options);
    memcpy(long_options + OWN_COUNT, choice_long_options, sizeof choice_long_options);
    long_options[OWN_COUNT + CHOICE_OPTION_COUNT] = (struct option){NULL, 0, NULL, 0};
    *options = (top_options){.output = "-", .min_share = DEFAULT_MIN_SHARE};
    choice_options_init(&options->choice);
    opterr = 0;
    *exit_status = 0;
    int option;
    while (*exit_status == 0 &&
           (option = getopt_long(argc, argv, ":n:o:qhV", long_options, NULL)) != -1) {
        if (option == ':' || option == '?') {
            *exit_status = message_bad_option(option, argv, long_options);
        } else if (option == 'h' || option == 'V') {
            *exit_status = option == 'h' ? print_help() : message_version();
            return false;
        } else if (option == CHOICE_OPTION_BY) {
            *exit_status = take_by(options, optarg);
        } else if (option >= CHOICE_OPTION_FIRST) {
            *exit_status = choice_options_take(&options->choice, option, optarg);
        } else {
            *exit_status = take_own(options, option);
        }
    }
    options->inputs = argv + optind;
    options->input_count = (size_t)(argc - optind);
    if (*exit_status == 0 && options->input_count == 0)
        *exit_status = message_usage("no capture to look at");
    if (*exit_status == 0)
        *exit_status = check(options);
    set_granularity(options);
    return *exit_status == 0;
}

void top_options_free(top_options *options)
{
    choice_options_free(&options->choice);
}
