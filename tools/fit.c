#include "tools/fit.h"

#include "output/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

/* A code point as it is printed. */
typedef struct printed {
    char text[12];
    size_t length;
    size_t columns;
} printed;

/* Control characters, and those that turn the direction of text around, must not reach a terminal.
 */
static bool is_dangerous(uint32_t code_point)
{
    return code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0) ||
           (code_point >= 0x202a && code_point <= 0x202e) ||
           (code_point >= 0x2066 && code_point <= 0x2069);
}

/* Reads the code point at *p and steps over it. */
static printed next_printed(const uint8_t **p, const uint8_t *end)
{
    printed result = {.columns = 1};
    uint32_t code_point;
    size_t size = output_utf8_get(*p, end, &code_point);
    if (is_dangerous(code_point)) {
        const char *form = code_point < 0x100 ? "\\x%02x" : "\\u%04x";
        result.length = (size_t)snprintf(result.text, sizeof result.text, form, code_point);
        result.columns = result.length;
    } else if (code_point == OUTPUT_REPLACEMENT) {
        result.length = (size_t)(output_utf8_put_replacement(result.text) - result.text);
    } else {
        memcpy(result.text, *p, size);
        result.length = size;
        int columns = code_point < 0x80 ? 1 : wcwidth((wchar_t)code_point);
        result.columns = columns < 0 ? 1 : (size_t)columns;
    }
    *p += size;
    return result;
}

size_t fit_width(const char *text, size_t length)
{
    const uint8_t *p = (const uint8_t *)text;
    const uint8_t *end = p + length;
    size_t columns = 0;
    while (p < end)
        columns += next_printed(&p, end).columns;
    return columns;
}

static void print_ellipsis(output_text *out)
{
    output_text_string(out, "…");
}

/* Prints code points up to `columns` columns; returns how many they took. */
static size_t print_start(output_text *out, const uint8_t *p, const uint8_t *end, size_t columns)
{
    size_t used = 0;
    while (p < end) {
        printed next = next_printed(&p, end);
        if (used + next.columns > columns)
            break;
        output_text_append(out, next.text, next.length);
        used += next.columns;
    }
    return used;
}

/* Skips code points until what is left takes at most `columns` columns. */
static const uint8_t *skip_start(const uint8_t *p, const uint8_t *end, size_t width, size_t columns)
{
    while (p < end && width > columns)
        width -= next_printed(&p, end).columns;
    return p;
}

void fit_print(output_text *out, const char *text, size_t length, size_t columns, fit_cut cut,
               int pad)
{
    const uint8_t *p = (const uint8_t *)text;
    const uint8_t *end = p + length;
    size_t width = fit_width(text, length);
    size_t used;
    if (width <= columns) {
        used = print_start(out, p, end, columns);
    } else if (columns == 0) {
        used = 0;
    } else if (cut == FIT_CUT_START) {
        print_ellipsis(out);
        used = 1 + print_start(out, skip_start(p, end, width, columns - 1), end, columns - 1);
    } else {
        used = print_start(out, p, end, columns - 1) + 1;
        print_ellipsis(out);
    }
    for (; pad != 0 && used < columns; used++)
        output_text_char(out, ' ');
}

size_t fit_terminal_columns(void)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO))
        return 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}
