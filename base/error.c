#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest name of a file in a message. */
#define NAME_MAX_LENGTH ((size_t)240)

static void fill(binprof_error *error, binprof_status code, uint64_t offset, const char *format,
                 va_list arguments)
{
    error->code = code;
    error->system_error = 0;
    error->offset = offset;
    (void)vsnprintf(error->message, sizeof error->message, format, arguments);
}

binprof_status error_set(binprof_error *error, binprof_status code, uint64_t offset,
                         const char *format, ...)
{
    if (error == NULL)
        return code;
    va_list arguments;
    va_start(arguments, format);
    fill(error, code, offset, format, arguments);
    va_end(arguments);
    return code;
}

binprof_status error_set_system(binprof_error *error, const char *format, ...)
{
    int number = errno;
    if (number == ENOMEM)
        return error_set_memory(error);
    if (error == NULL)
        return BINPROF_ERROR_IO;
    va_list arguments;
    va_start(arguments, format);
    fill(error, BINPROF_ERROR_IO, BINPROF_NO_OFFSET, format, arguments);
    va_end(arguments);
    error->system_error = number;

    /* A long file name must not push out the reason. */
    char reason[128];
    if (strerror_r(number, reason, sizeof reason) != 0)
        (void)snprintf(reason, sizeof reason, "system error %d", number);
    size_t length = strlen(error->message);
    size_t room = sizeof error->message - sizeof reason - sizeof ": ";
    if (length > room)
        length = room;
    (void)snprintf(error->message + length, sizeof error->message - length, ": %s", reason);
    return BINPROF_ERROR_IO;
}

binprof_status error_set_memory(binprof_error *error)
{
    return error_set(error, BINPROF_ERROR_MEMORY, BINPROF_NO_OFFSET, "out of memory");
}

/* The end of the name, which says more than its start, from the start of a character on. */
static const char *end_of_name(const char *name, size_t length)
{
    const char *end = name + (length - NAME_MAX_LENGTH);
    while (((unsigned char)*end & 0xc0) == 0x80)
        end++;
    return end;
}

char *error_copy_name(const char *name)
{
    size_t length = strlen(name);
    bool is_long = length > NAME_MAX_LENGTH;
    if (is_long)
        name = end_of_name(name, length);
    const char *start = is_long ? "..." : "";
    size_t size = strlen(start) + strlen(name) + 1;
    char *copy = malloc(size);
    if (copy == NULL)
        return NULL;
    (void)snprintf(copy, size, "%s%s", start, name);
    for (char *p = copy; *p != '\0'; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    return copy;
}
