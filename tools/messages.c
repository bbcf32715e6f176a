#include "tools/messages.h"

#include "output/utf8.h"

#include <binprof/version.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static char tool[32] = "binprof";

void message_set_tool(const char *name)
{
    (void)snprintf(tool, sizeof tool, "%s", name);
}

#define TEXT_SIZE 1024

/* Copies text to `safe`, which has room for OUTPUT_UTF8_MAX bytes a byte and a NUL, such that it
 * cannot do anything to a terminal. */
static void make_safe(char *safe, const char *text)
{
    const uint8_t *p = (const uint8_t *)text;
    const uint8_t *end = p + strlen(text);
    while (p < end) {
        uint32_t code_point;
        size_t size = output_utf8_get(p, end, &code_point);
        if (code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0)) {
            *safe++ = '?';
        } else if (code_point == OUTPUT_REPLACEMENT) {
            safe = output_utf8_put_replacement(safe);
        } else {
            memcpy(safe, p, size);
            safe += size;
        }
        p += size;
    }
    *safe = '\0';
}

static void print(const char *format, va_list arguments)
{
    char text[TEXT_SIZE];
    char safe[TEXT_SIZE * OUTPUT_UTF8_MAX + 1];
    (void)vsnprintf(text, sizeof text, format, arguments);
    make_safe(safe, text);
    fprintf(stderr, "%s: %s\n", tool, safe);
}

int message_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
    return EXIT_STATUS_FAILURE;
}

int message_library_error(const binprof_error *error)
{
    return message_error("%s", error->message);
}

int message_usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
    fprintf(stderr, "Try '%s --help' for more information.\n", tool);
    return EXIT_STATUS_USAGE;
}

static bool has_letter(const struct option *options, int letter)
{
    for (; options->name != NULL; options++)
        if (options->val == letter)
            return true;
    return false;
}

/* Whether "--NAME" or "--NAME=…" is the start of more than one option. */
static bool is_ambiguous(const char *argument, const struct option *options)
{
    const char *name = argument + strlen("--");
    size_t length = strcspn(name, "=");
    int matches = 0;
    for (; options->name != NULL; options++)
        if (strncmp(options->name, name, length) == 0)
            matches++;
    return matches > 1;
}

int message_bad_option(int result, char **argv, const struct option *options)
{
    const char *argument = argv[optind - 1];
    if (result == ':')
        return message_usage("option '%s' requires an argument", argument);
    if (optopt == 0 && is_ambiguous(argument, options))
        return message_usage("option '%s' is ambiguous", argument);
    if (optopt == 0)
        return message_usage("unrecognized option '%s'", argument);
    if (!has_letter(options, optopt))
        return message_usage("invalid option -- '%c'", optopt);
    return message_usage("option '%s' doesn't allow an argument", argument);
}

void message_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
}

int message_version(void)
{
    printf("%s %s (zstd: %s)\n", tool, binprof_version(), binprof_has_zstd() ? "yes" : "no");
    return message_finish_stdout();
}

int message_finish_stdout(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    return message_error("standard output: cannot write: %s", strerror(errno));
}
