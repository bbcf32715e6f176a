/* JSON's strings and numbers. */
#ifndef OUTPUT_JSON_H
#define OUTPUT_JSON_H

#include "output/text.h"

/* Appends a JSON string, quotes included, that is strict UTF-8 whatever the bytes are. */
void output_json_string(output_text *text, const char *string, size_t length);

/* Appends a number; null where JSON has none (NaN, infinity). */
void output_json_double(output_text *text, double value);

#endif
