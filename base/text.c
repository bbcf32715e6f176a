#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

base_text base_text_begin(char *buffer, size_t size)
{
    buffer[0] = '\0';
    return (base_text){buffer, size, 0};
}

void base_text_append(base_text *text, const char *format, ...)
{
    size_t room = text->size - text->length;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->buffer + text->length, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        text->length += (size_t)length < room ? (size_t)length : room - 1;
}
