#include "tools/messages.h"

#include <binprof/version.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char tool[32] = "binprof";

void message_set_tool(const char *name)
{
    (void)snprintf(tool, sizeof tool, "%s", name);
}

void message_name_getopt(char **argv)
{
    argv[0] = tool;
}

static void print(const char *format, va_list arguments)
{
    char text[1024];
    (void)vsnprintf(text, sizeof text, format, arguments);
    for (char *p = text; *p != '\0'; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    fprintf(stderr, "%s: %s\n", tool, text);
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
