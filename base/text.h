/* Text put together in a buffer of fixed size; what does not fit is cut. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>

typedef struct base_text {
    char *buffer; /* always ends with a NUL */
    size_t size;
    size_t length;
} base_text;

/* size: at least 1. */
base_text base_text_begin(char *buffer, size_t size);

void base_text_append(base_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
