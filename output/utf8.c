#include "output/utf8.h"

#include <stdlib.h>
#include <string.h>

/* How a sequence goes on after its first byte. The second byte has a narrower range where the form
 * would be too long, a surrogate or beyond U+10FFFF. */
typedef struct sequence_form {
    unsigned length; /* 0: not a first byte */
    uint8_t second_low;
    uint8_t second_high;
} sequence_form;

static sequence_form form_of(uint8_t first)
{
    if (first < 0x80)
        return (sequence_form){1, 0, 0};
    if (first < 0xc2)
        return (sequence_form){0, 0, 0};
    if (first < 0xe0)
        return (sequence_form){2, 0x80, 0xbf};
    if (first < 0xf0)
        return (sequence_form){3, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf};
    if (first < 0xf5)
        return (sequence_form){4, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf};
    return (sequence_form){0, 0, 0};
}

size_t output_utf8_get(const uint8_t *p, const uint8_t *end, uint32_t *code_point)
{
    static const uint8_t first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    sequence_form form = form_of(*p);
    *code_point = OUTPUT_REPLACEMENT;
    if (form.length == 0)
        return 1;
    uint32_t value = *p & first_bits[form.length];
    uint8_t low = form.second_low;
    uint8_t high = form.second_high;
    for (size_t i = 1; i < form.length; i++) {
        if (p + i == end || p[i] < low || p[i] > high)
            return i;
        value = value << 6 | (p[i] & 0x3f);
        low = 0x80;
        high = 0xbf;
    }
    *code_point = value;
    return form.length;
}

char *output_utf8_put_replacement(char *p)
{
    memcpy(p, "\xef\xbf\xbd", 3);
    return p + 3;
}

char *output_utf8_copy(const char *text)
{
    size_t length = strlen(text);
    char *copy = malloc(3 * length + 1); /* a byte becomes U+FFFD at worst */
    if (copy == NULL)
        return NULL;
    const uint8_t *p = (const uint8_t *)text;
    const uint8_t *end = p + length;
    char *out = copy;
    while (p < end) {
        uint32_t code_point;
        size_t size = output_utf8_get(p, end, &code_point);
        if (code_point == OUTPUT_REPLACEMENT) {
            out = output_utf8_put_replacement(out);
        } else {
            memcpy(out, p, size);
            out += size;
        }
        p += size;
    }
    *out = '\0';
    return copy;
}
