/* Where a tool's output goes. */
#ifndef TOOLS_DESTINATION_H
#define TOOLS_DESTINATION_H

#include "tools/captures.h"

#include <binprof/output.h>
#include <stdbool.h>

/* Whether a path means standard input or output. */
bool destination_is_standard(const char *path);

/* Complains, and returns false, when one of the captures is the output, whatever they are called.
 */
bool destination_check(const char *output, const capture_set_request *request);

/* Lets signals be noticed where the output is a file, which must not stay behind half written. What
 * goes into a pipe leaves nothing behind, and must end at once also while the other side takes
 * nothing. */
void destination_catch_signals(const char *path);

/* The output as the library takes it; it is given up when a signal was caught. */
binprof_output destination_output(const char *path);

#endif
