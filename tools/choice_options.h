/* The options that choose what goes into an output, the same for every tool. */
#ifndef TOOLS_CHOICE_OPTIONS_H
#define TOOLS_CHOICE_OPTIONS_H

#include "base/text.h"

#include <binprof/filter.h>
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#define CHOICE_TEXT_SIZE 1024

typedef struct choice_options {
    binprof_choice choice;
    uint64_t *threads;
    size_t thread_capacity;
    uint32_t *interpreters;
    size_t interpreter_capacity;
    char buffer[CHOICE_TEXT_SIZE]; /* of choice.text */
    base_text text;
} choice_options;

/* The values of the options; a tool's own must be lower. */
enum {
    CHOICE_OPTION_FIRST = 1000,
    CHOICE_OPTION_BY = CHOICE_OPTION_FIRST,
    CHOICE_OPTION_COLLAPSE_RECURSION,
    CHOICE_OPTION_FOCUS,
    CHOICE_OPTION_FROM,
    CHOICE_OPTION_IGNORE,
    CHOICE_OPTION_INTERPRETER,
    CHOICE_OPTION_MERGE_THREADS,
    CHOICE_OPTION_PATHS,
    CHOICE_OPTION_SKIP_IDLE,
    CHOICE_OPTION_STATUS,
    CHOICE_OPTION_THREAD,
    CHOICE_OPTION_TO,
    CHOICE_OPTION_TRIM_ROOT,
    CHOICE_OPTION_END
};

#define CHOICE_OPTION_COUNT ((size_t)(CHOICE_OPTION_END - CHOICE_OPTION_FIRST))

/* For getopt_long's table. */
extern const struct option choice_long_options[CHOICE_OPTION_COUNT];

/* The part of --help on these options, without that of --by. */
extern const char choice_help[];

void choice_options_init(choice_options *options);
void choice_options_free(choice_options *options);

/* Takes one of the options. Returns 0, or the exit status of a complaint. */
int choice_options_take(choice_options *options, int option, const char *argument);

/* Adds an option to the text that describes the choice. */
void choice_options_describe(choice_options *options, const char *name, const char *argument);

/* Checks the options against each other. Returns 0, or the exit status of a complaint. */
int choice_options_finish(choice_options *options);

#endif
