/* Text in columns of a terminal. */
#ifndef TOOLS_FIT_H
#define TOOLS_FIT_H

#include "output/text.h"

#include <stddef.h>

/* Which end of a text that is too long is left out. */
typedef enum fit_cut { FIT_CUT_END, FIT_CUT_START } fit_cut;

/* Returns how many columns a text from a capture takes when it is printed safely. */
size_t fit_width(const char *text, size_t length);

/* Prints a text from a capture so that it takes at most `columns` columns and cannot do anything to
 * a terminal; an ellipsis stands for what is left out. pad: fills up with spaces. */
void fit_print(output_text *out, const char *text, size_t length, size_t columns, fit_cut cut,
               int pad);

/* Returns the columns of the terminal that standard output is; 0 where it is none. */
size_t fit_terminal_columns(void);

#endif
