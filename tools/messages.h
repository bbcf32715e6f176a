/* Everything that a tool says on stderr. */
#ifndef TOOLS_MESSAGES_H
#define TOOLS_MESSAGES_H

#include <binprof/error.h>
#include <getopt.h>

/* Exit statuses. */
#define EXIT_STATUS_FAILURE 1
#define EXIT_STATUS_USAGE 2

/* Sets the name that messages begin with. */
void message_set_tool(const char *name);

/* Prints "TOOL: text" as one line. Control characters, which may come from names of files, are
 * printed as "?", what is not UTF-8 as U+FFFD. Returns EXIT_STATUS_FAILURE. */
int message_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for an error of the library. */
int message_library_error(const binprof_error *error);

/* Prints "TOOL: text" and where help is to be found. Returns EXIT_STATUS_USAGE. */
int message_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says what is wrong with the option that getopt_long has just answered with `result`, ":" or "?".
 * Every option with a letter must be in `options`. Returns EXIT_STATUS_USAGE. */
int message_bad_option(int result, char **argv, const struct option *options);

/* Prints something worth knowing that is no failure. */
void message_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the answer to --version on stdout. Returns the exit status. */
int message_version(void);

/* Sees to it that what was printed on stdout arrived. Returns the exit status. */
int message_finish_stdout(void);

#endif
