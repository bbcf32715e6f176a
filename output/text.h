/* Text on its way into a target, through a buffer and, if wanted, gzip.
 *
 * Failures stick: after the first one everything is ignored, and finish reports it. So text can be
 * put together without a check a word. */
#ifndef OUTPUT_TEXT_H
#define OUTPUT_TEXT_H

#include "output/target.h"

#include <binprof/error.h>
#include <string.h>

#define OUTPUT_TEXT_BUFFER ((size_t)256 * 1024)

/* The most that may be reserved at once. */
#define OUTPUT_TEXT_RESERVE_MAX ((size_t)4096)

/* The longest text of output_text_u64 and output_text_i64. */
#define OUTPUT_NUMBER_MAX 20

typedef struct output_text {
    char *buffer; /* OUTPUT_TEXT_BUFFER bytes */
    size_t used;
    struct output_gzip *gzip; /* NULL: not compressed */
    output_target target;
    binprof_status status;
    binprof_error error; /* of the first failure */
} output_text;

binprof_status output_text_open(output_text *text, const binprof_output *output, bool gzip,
                                binprof_error *error);

/* Writes what is buffered and commits the target; reports the first failure of all. The text is
 * closed then. */
binprof_status output_text_finish(output_text *text, binprof_error *error);

/* Throws away what was written and closes the text. After a finish it does nothing. */
void output_text_discard(output_text *text);

/* Sends the buffer on its way. */
void output_text_flush(output_text *text);

/* Appends more than fits the buffer. */
void output_text_append_long(output_text *text, const char *data, size_t size);

/* Returns room for `size` bytes, at most OUTPUT_TEXT_RESERVE_MAX; whoever fills it says with
 * output_text_advance how far. */
static inline char *output_text_reserve(output_text *text, size_t size)
{
    if (OUTPUT_TEXT_BUFFER - text->used < size)
        output_text_flush(text);
    return text->buffer + text->used;
}

static inline void output_text_advance(output_text *text, const char *end)
{
    text->used = (size_t)(end - text->buffer);
}

static inline void output_text_append(output_text *text, const char *data, size_t size)
{
    if (OUTPUT_TEXT_BUFFER - text->used < size) {
        output_text_append_long(text, data, size);
        return;
    }
    memcpy(text->buffer + text->used, data, size);
    text->used += size;
}

static inline void output_text_string(output_text *text, const char *string)
{
    output_text_append(text, string, strlen(string));
}

static inline void output_text_char(output_text *text, char character)
{
    char *p = output_text_reserve(text, 1);
    *p = character;
    output_text_advance(text, p + 1);
}

/* Writes a number in decimal at p, which has room for OUTPUT_NUMBER_MAX bytes, without a NUL;
 * returns what follows. */
char *output_put_u64(char *p, uint64_t value);
char *output_put_i64(char *p, int64_t value);

void output_text_u64(output_text *text, uint64_t value);
void output_text_i64(output_text *text, int64_t value);

/* Appends what printf would print, at most OUTPUT_TEXT_RESERVE_MAX bytes. */
void output_text_printf(output_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
