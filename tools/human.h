/* Numbers and texts as people read them. */
#ifndef TOOLS_HUMAN_H
#define TOOLS_HUMAN_H

#include "output/text.h"

#include <stddef.h>
#include <stdint.h>

/* Each writes into `buffer`, which has HUMAN_SIZE bytes, and returns it. */
#define HUMAN_SIZE 160

/* A span of time: "250 µs", "1.500 ms", "2.000 s", "3 min 5 s". */
const char *human_time(char *buffer, uint64_t time_us);

/* A number of bytes: "812 bytes", "27.6 KiB (28,230 bytes)" without the comma. */
const char *human_size(char *buffer, uint64_t bytes);

/* Part of a whole: "12.3 %"; "-" where there is no whole. */
const char *human_percent(char *buffer, uint64_t part, uint64_t whole);

/* The names of a sample's status bits: "has-gil, main-thread", "none". */
const char *human_status(char *buffer, uint8_t status);

/* The names of capture features: "all_threads, gc", "none". */
const char *human_features(char *buffer, uint32_t features);

/* Appends a text from a capture so that it cannot do anything to a terminal: control characters
 * are escaped as in C, what is not UTF-8 becomes U+FFFD. */
void human_text(output_text *out, const char *text, size_t length);

#endif
