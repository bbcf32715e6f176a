/* The allocations of everything that is linked into the test: counted, and made to fail. The linker
 * leads malloc and its family here (--wrap), also those of zstd, zlib and jansson. */
#ifndef SUPPORT_ALLOCATIONS_H
#define SUPPORT_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* To be called first: jansson is told its allocator, it is not led. */
void allocations_begin(void);

/* Forgets the peak: it starts again at what is live now. */
void allocations_forget_peak(void);

/* The most bytes that were live at once since allocations_forget_peak, beyond those live then. */
size_t allocations_peak(void);

/* Bytes that are live now. */
size_t allocations_live(void);

typedef enum allocations_mode {
    ALLOCATIONS_ONE_FAILS, /* only the n-th */
    ALLOCATIONS_ALL_FAIL,  /* the n-th and all after it */
} allocations_mode;

/* The n-th allocation from now on fails, n counting from 1. */
void allocations_fail(uint64_t n, allocations_mode mode);

/* No allocation fails any more. Returns whether one did since allocations_fail. */
bool allocations_stop_failing(void);

#endif
