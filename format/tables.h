/* The entries of the string table and the frame table. */
#ifndef FORMAT_TABLES_H
#define FORMAT_TABLES_H

#include <binprof/profile.h>
#include <stddef.h>
#include <stdint.h>

/* The shortest and the longest frame entry: two varints, four signed varints, the opcode. */
#define FORMAT_FRAME_MIN 7
#define FORMAT_FRAME_MAX 61

/* Decodes the frame entry at p, which has FORMAT_PADDING zero bytes somewhere behind it. Filename
 * and function are left as they are, not checked against any table. Returns what follows, possibly
 * past the end of the data; NULL, with *problem saying why, for an entry that cannot be. */
const uint8_t *format_frame_get(const uint8_t *p, binprof_frame *frame, const char **problem);

/* Encodes frame at p, which has room for FORMAT_FRAME_MAX bytes; returns what follows. */
uint8_t *format_frame_put(uint8_t *p, const binprof_frame *frame);

#endif
