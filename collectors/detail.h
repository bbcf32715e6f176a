/* What tells instructions of one line apart. */
#ifndef COLLECTORS_DETAIL_H
#define COLLECTORS_DETAIL_H

#include <binprof/profile.h>
#include <stddef.h>
#include <stdint.h>

#define COLLECTORS_DETAIL_SIZE 128

/* Writes where in its line a frame is, and what it does there, "column 4–18 LOAD_ATTR", as far as
 * the frame knows; returns the length. python: the version, for the names of opcodes. */
size_t collectors_detail(char buffer[COLLECTORS_DETAIL_SIZE], const binprof_frame *frame,
                         const uint8_t python[3]);

#endif
