/* Reading text that should be UTF-8 but may not be. */
#ifndef OUTPUT_UTF8_H
#define OUTPUT_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define OUTPUT_REPLACEMENT 0xfffdu

/* The longest encoding of a code point. */
#define OUTPUT_UTF8_MAX 4

/* Decodes the code point at p, which must lie before end. Returns how many bytes it takes. Where
 * they are not UTF-8, the code point is U+FFFD and the length that of the longest start of a valid
 * sequence, at least 1, as Unicode recommends and CPython does. */
size_t output_utf8_get(const uint8_t *p, const uint8_t *end, uint32_t *code_point);

/* Encodes U+FFFD at p and returns what follows. */
char *output_utf8_put_replacement(char *p);

/* Returns a copy of the text that is UTF-8 throughout, to be freed; NULL when there is no memory.
 */
char *output_utf8_copy(const char *text);

#endif
