#include "output/json.h"

#include "output/utf8.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* Bytes that stand for themselves inside a JSON string. */
static bool is_plain(uint8_t byte)
{
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

/* The longest that one code point becomes: \u0000. */
#define ESCAPE_MAX 6

static char *put_ascii(char *p, uint8_t byte)
{
    if (byte == '"' || byte == '\\') {
        *p++ = '\\';
        *p++ = (char)byte;
        return p;
    }
    if (byte == '\n') {
        memcpy(p, "\\n", 2);
        return p + 2;
    }
    static const char digits[] = "0123456789abcdef";
    memcpy(p, "\\u00", 4);
    p[4] = digits[byte >> 4];
    p[5] = digits[byte & 15];
    return p + 6;
}

void output_json_string(output_text *text, const char *string, size_t length)
{
    const uint8_t *p = (const uint8_t *)string;
    const uint8_t *end = p + length;
    output_text_char(text, '"');
    while (p < end) {
        const uint8_t *plain = p;
        while (p < end && is_plain(*p))
            p++;
        output_text_append(text, (const char *)plain, (size_t)(p - plain));
        if (p == end)
            break;
        char *out = output_text_reserve(text, ESCAPE_MAX);
        uint32_t code_point;
        size_t size = output_utf8_get(p, end, &code_point);
        if (code_point < 0x80) {
            out = put_ascii(out, (uint8_t)code_point);
        } else if (code_point == OUTPUT_REPLACEMENT) {
            out = output_utf8_put_replacement(out);
        } else {
            memcpy(out, p, size);
            out += size;
        }
        output_text_advance(text, out);
        p += size;
    }
    output_text_char(text, '"');
}

void output_json_double(output_text *text, double value)
{
    if (!isfinite(value)) {
        output_text_string(text, "null");
        return;
    }
    /* The shortest of these that reads back as the same number. */
    char number[32];
    for (int precision = 15; precision <= 17; precision++) {
        (void)snprintf(number, sizeof number, "%.*g", precision, value);
        double back;
        if (sscanf(number, "%lf", &back) == 1 && back == value)
            break;
    }
    /* The program that uses the library may have set a locale with another decimal point. */
    char *comma = strchr(number, ',');
    if (comma != NULL)
        *comma = '.';
    output_text_string(text, number);
}
