#include "tools/choice_options.h"

#include "base/array.h"
#include "tools/messages.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct option choice_long_options[CHOICE_OPTION_COUNT] = {
    {"by", required_argument, NULL, CHOICE_OPTION_BY},
    {"collapse-recursion", no_argument, NULL, CHOICE_OPTION_COLLAPSE_RECURSION},
    {"focus", required_argument, NULL, CHOICE_OPTION_FOCUS},
    {"from", required_argument, NULL, CHOICE_OPTION_FROM},
    {"ignore", required_argument, NULL, CHOICE_OPTION_IGNORE},
    {"interpreter", required_argument, NULL, CHOICE_OPTION_INTERPRETER},
    {"merge-threads", no_argument, NULL, CHOICE_OPTION_MERGE_THREADS},
    {"paths", required_argument, NULL, CHOICE_OPTION_PATHS},
    {"skip-idle", no_argument, NULL, CHOICE_OPTION_SKIP_IDLE},
    {"status", required_argument, NULL, CHOICE_OPTION_STATUS},
    {"thread", required_argument, NULL, CHOICE_OPTION_THREAD},
    {"to", required_argument, NULL, CHOICE_OPTION_TO},
    {"trim-root", required_argument, NULL, CHOICE_OPTION_TRIM_ROOT},
};

const char choice_help[] =
    "      --thread=ID|main      only this thread; may be repeated\n"
    "      --interpreter=N       only this interpreter; may be repeated\n"
    "      --from=T, --to=T      only samples from this time on, or before it, since the start\n"
    "                            of the capture: 1.5s, 200ms, 90us, or 90% of its duration\n"
    "      --status=STATUS       only samples of this status: has-gil, on-cpu, gil-requested,\n"
    "                            exception, main-thread or unknown, or without it: '!on-cpu';\n"
    "                            may be repeated, or a list with commas: all must hold\n"
    "      --skip-idle           no samples without both the GIL and a CPU\n"
    "      --focus=REGEX         only samples with a frame that matches: its function, its file\n"
    "                            or \"file:function\"\n"
    "      --ignore=REGEX        no samples with a frame that matches\n"
    "      --trim-root=REGEX     stacks start at their first frame that matches\n"
    "      --collapse-recursion  a function that calls itself directly is one frame\n"
    "      --merge-threads       the threads of a capture become one\n"
    "      --paths=HOW           name files by their full path, their base name or their module\n";

void choice_options_init(choice_options *options)
{
    *options = (choice_options){.threads = NULL};
    options->text = base_text_begin(options->buffer, sizeof options->buffer);
}

void choice_options_free(choice_options *options)
{
    free(options->threads);
    free(options->interpreters);
}

void choice_options_describe(choice_options *options, const char *name, const char *argument)
{
    bool has_space = argument != NULL && strchr(argument, ' ') != NULL;
    const char *quote = has_space ? "'" : "";
    base_text_append(&options->text, "%s--%s", options->text.length > 0 ? " " : "", name);
    if (argument != NULL)
        base_text_append(&options->text, " %s%s%s", quote, argument, quote);
}

static bool parse_number(const char *text, uint64_t maximum, uint64_t *number)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || errno != 0 || *end != '\0' || value > maximum)
        return false;
    *number = value;
    return true;
}

static int take_thread(choice_options *options, const char *argument)
{
    if (strcmp(argument, "main") == 0) {
        options->choice.main_thread = true;
        return 0;
    }
    uint64_t id;
    if (!parse_number(argument, UINT64_MAX, &id))
        return message_usage("thread '%s', expected a thread's id or main", argument);
    size_t count = options->choice.thread_count;
    uint64_t *threads =
        array_reserve(options->threads, &options->thread_capacity, count + 1, sizeof *threads);
    if (threads == NULL)
        return message_error("out of memory");
    options->threads = threads;
    threads[options->choice.thread_count++] = id;
    options->choice.threads = threads;
    return 0;
}

static int take_interpreter(choice_options *options, const char *argument)
{
    uint64_t id;
    if (!parse_number(argument, UINT32_MAX, &id))
        return message_usage("interpreter '%s', expected an interpreter's number", argument);
    size_t count = options->choice.interpreter_count;
    uint32_t *interpreters = array_reserve(options->interpreters, &options->interpreter_capacity,
                                           count + 1, sizeof *interpreters);
    if (interpreters == NULL)
        return message_error("out of memory");
    options->interpreters = interpreters;
    interpreters[options->choice.interpreter_count++] = (uint32_t)id;
    options->choice.interpreters = interpreters;
    return 0;
}

static bool parse_moment(const char *text, binprof_moment *moment)
{
    static const struct {
        const char *name;
        double us;
    } units[] = {{"s", 1e6}, {"ms", 1e3}, {"us", 1}, {"µs", 1}};
    char *end;
    double value = strtod(text, &end);
    /* Digits and a point only: strtod would also take 0x10, 1e3 and nan. */
    if (end == text || strspn(text, "0123456789.") != (size_t)(end - text))
        return false;
    *moment = (binprof_moment){.is_percent = strcmp(end, "%") == 0, .percent = value};
    if (moment->is_percent)
        return value <= 100;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(end, units[i].name) != 0 || value * units[i].us > 1e18)
            continue;
        moment->us = (uint64_t)llround(value * units[i].us);
        return true;
    }
    return false;
}

static int take_moment(const char *name, const char *argument, bool *has, binprof_moment *moment)
{
    *has = true;
    if (parse_moment(argument, moment))
        return 0;
    return message_usage("--%s '%s', expected a time such as 1.5s, 200ms or 90us, or 90%%", name,
                         argument);
}

/* Takes one word of a list of statuses, `length` bytes. */
static bool take_status_word(binprof_choice *choice, const char *word, size_t length)
{
    bool is_not = length > 0 && word[0] == '!';
    word += is_not;
    length -= is_not;
    for (unsigned bit = 0; bit < 8; bit++) {
        const char *name = binprof_status_name((uint8_t)(1u << bit));
        if (name == NULL || strlen(name) != length || memcmp(name, word, length) != 0)
            continue;
        uint8_t *bits = is_not ? &choice->status_clear : &choice->status_set;
        *bits |= (uint8_t)(1u << bit);
        return true;
    }
    return false;
}

static int take_status(choice_options *options, const char *argument)
{
    for (const char *word = argument;;) {
        size_t length = strcspn(word, ",");
        if (!take_status_word(&options->choice, word, length))
            return message_usage("status '%.*s', expected has-gil, on-cpu, gil-requested, "
                                 "exception, main-thread or unknown, perhaps after a '!'",
                                 (int)length, word);
        if (word[length] == '\0')
            return 0;
        word += length + 1;
    }
}

static int take_by(choice_options *options, const char *argument)
{
    static const struct {
        const char *name;
        binprof_granularity by;
    } names[] = {{"file", BINPROF_BY_FILE},
                 {"function", BINPROF_BY_FUNCTION},
                 {"line", BINPROF_BY_LINE},
                 {"instruction", BINPROF_BY_INSTRUCTION}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(argument, names[i].name) == 0) {
            options->choice.by = names[i].by;
            return 0;
        }
    return message_usage("--by '%s', expected file, function, line or instruction", argument);
}

static int take_paths(choice_options *options, const char *argument)
{
    static const struct {
        const char *name;
        binprof_paths paths;
    } names[] = {{"full", BINPROF_PATHS_FULL},
                 {"base", BINPROF_PATHS_BASE},
                 {"module", BINPROF_PATHS_MODULE}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(argument, names[i].name) == 0) {
            options->choice.paths = names[i].paths;
            return 0;
        }
    return message_usage("--paths '%s', expected full, base or module", argument);
}

int choice_options_take(choice_options *options, int option, const char *argument)
{
    binprof_choice *choice = &options->choice;
    choice_options_describe(options, choice_long_options[option - CHOICE_OPTION_FIRST].name,
                            argument);
    switch (option) {
    case CHOICE_OPTION_BY:
        return take_by(options, argument);
    case CHOICE_OPTION_COLLAPSE_RECURSION:
        choice->collapse_recursion = true;
        return 0;
    case CHOICE_OPTION_FOCUS:
        choice->focus = argument;
        return 0;
    case CHOICE_OPTION_FROM:
        return take_moment("from", argument, &choice->has_from, &choice->from);
    case CHOICE_OPTION_IGNORE:
        choice->ignore = argument;
        return 0;
    case CHOICE_OPTION_INTERPRETER:
        return take_interpreter(options, argument);
    case CHOICE_OPTION_MERGE_THREADS:
        choice->merge_threads = true;
        return 0;
    case CHOICE_OPTION_PATHS:
        return take_paths(options, argument);
    case CHOICE_OPTION_SKIP_IDLE:
        choice->skip_idle = true;
        return 0;
    case CHOICE_OPTION_STATUS:
        return take_status(options, argument);
    case CHOICE_OPTION_THREAD:
        return take_thread(options, argument);
    case CHOICE_OPTION_TO:
        return take_moment("to", argument, &choice->has_to, &choice->to);
    default:
        choice->trim_root = argument;
        return 0;
    }
}

/* Whether the times, where both are of one kind, leave nothing between them. */
static bool is_nothing_between(const binprof_choice *choice)
{
    if (!choice->has_from || !choice->has_to || choice->from.is_percent != choice->to.is_percent)
        return false;
    if (choice->from.is_percent)
        return choice->from.percent >= choice->to.percent;
    return choice->from.us >= choice->to.us;
}

int choice_options_finish(choice_options *options)
{
    binprof_choice *choice = &options->choice;
    choice->text = options->text.length > 0 ? options->buffer : NULL;
    if (is_nothing_between(choice))
        return message_usage("--from is not before --to");
    if ((choice->status_set & choice->status_clear) != 0)
        return message_usage("--status: no sample has a status and has it not");
    return 0;
}
