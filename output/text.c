#include "output/text.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#define GZIP_BUFFER ((size_t)64 * 1024)
/* zlib's way to ask for a gzip header around the largest window. */
#define GZIP_WINDOW (15 + 16)

struct output_gzip {
    z_stream stream;
    unsigned char buffer[GZIP_BUFFER];
};

static binprof_status open_gzip(output_text *text, binprof_error *error)
{
    text->gzip = calloc(1, sizeof *text->gzip);
    if (text->gzip == NULL)
        return error_set_memory(error);
    if (deflateInit2(&text->gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
                     Z_DEFAULT_STRATEGY) == Z_OK)
        return BINPROF_OK;
    free(text->gzip);
    text->gzip = NULL;
    return error_set_memory(error);
}

binprof_status output_text_open(output_text *text, const binprof_output *output, bool gzip,
                                binprof_error *error)
{
    *text = (output_text){.status = BINPROF_OK};
    binprof_status status = output_target_open(&text->target, output, false, error);
    if (status != BINPROF_OK)
        return status;
    text->buffer = malloc(OUTPUT_TEXT_BUFFER);
    if (text->buffer == NULL)
        status = error_set_memory(error);
    else if (gzip)
        status = open_gzip(text, error);
    if (status != BINPROF_OK)
        output_text_discard(text);
    return status;
}

static void close_text(output_text *text)
{
    free(text->buffer);
    text->buffer = NULL;
    if (text->gzip != NULL)
        (void)deflateEnd(&text->gzip->stream);
    free(text->gzip);
    text->gzip = NULL;
}

static void write_out(output_text *text, const void *data, size_t size)
{
    if (text->status == BINPROF_OK && size > 0)
        text->status = output_target_write(&text->target, data, size, &text->error);
}

/* Sends data through gzip; with Z_FINISH, also the end of the stream. */
static void compress_out(output_text *text, const char *data, size_t size, int flush)
{
    z_stream *stream = &text->gzip->stream;
    stream->next_in = (const unsigned char *)data;
    stream->avail_in = (uInt)size;
    int result;
    do {
        stream->next_out = text->gzip->buffer;
        stream->avail_out = GZIP_BUFFER;
        result = deflate(stream, flush);
        write_out(text, text->gzip->buffer, GZIP_BUFFER - stream->avail_out);
    } while (text->status == BINPROF_OK && result == Z_OK &&
             (stream->avail_out == 0 || stream->avail_in > 0 || flush == Z_FINISH));
}

void output_text_flush(output_text *text)
{
    if (text->gzip != NULL)
        compress_out(text, text->buffer, text->used, Z_NO_FLUSH);
    else
        write_out(text, text->buffer, text->used);
    text->used = 0;
}

void output_text_append_long(output_text *text, const char *data, size_t size)
{
    while (size > 0) {
        output_text_flush(text);
        size_t part = size < OUTPUT_TEXT_BUFFER ? size : OUTPUT_TEXT_BUFFER;
        memcpy(text->buffer, data, part);
        text->used = part;
        data += part;
        size -= part;
    }
}

binprof_status output_text_finish(output_text *text, binprof_error *error)
{
    output_text_flush(text);
    if (text->gzip != NULL)
        compress_out(text, NULL, 0, Z_FINISH);
    close_text(text);
    if (text->status == BINPROF_OK)
        return output_target_commit(&text->target, error);
    if (error != NULL)
        *error = text->error;
    output_target_discard(&text->target);
    return text->status;
}

void output_text_discard(output_text *text)
{
    close_text(text);
    output_target_discard(&text->target);
}

/* 00 to 99. */
static const char pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

static unsigned count_digits(uint64_t value)
{
    unsigned digits = 1;
    for (;;) {
        if (value < 10)
            return digits;
        if (value < 100)
            return digits + 1;
        if (value < 1000)
            return digits + 2;
        if (value < 10000)
            return digits + 3;
        value /= 10000;
        digits += 4;
    }
}

char *output_put_u64(char *p, uint64_t value)
{
    char *end = p + count_digits(value);
    char *at = end;
    while (value >= 100) {
        at -= 2;
        memcpy(at, &pairs[value % 100 * 2], 2);
        value /= 100;
    }
    if (value >= 10)
        memcpy(p, &pairs[value * 2], 2);
    else
        *p = (char)('0' + value);
    return end;
}

char *output_put_i64(char *p, int64_t value)
{
    if (value >= 0)
        return output_put_u64(p, (uint64_t)value);
    *p = '-';
    return output_put_u64(p + 1, 0 - (uint64_t)value);
}

void output_text_u64(output_text *text, uint64_t value)
{
    output_text_advance(text, output_put_u64(output_text_reserve(text, OUTPUT_NUMBER_MAX), value));
}

void output_text_i64(output_text *text, int64_t value)
{
    output_text_advance(text, output_put_i64(output_text_reserve(text, OUTPUT_NUMBER_MAX), value));
}

void output_text_printf(output_text *text, const char *format, ...)
{
    char *p = output_text_reserve(text, OUTPUT_TEXT_RESERVE_MAX);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(p, OUTPUT_TEXT_RESERVE_MAX, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    size_t kept = (size_t)length;
    if (kept > OUTPUT_TEXT_RESERVE_MAX - 1)
        kept = OUTPUT_TEXT_RESERVE_MAX - 1;
    output_text_advance(text, p + kept);
}
