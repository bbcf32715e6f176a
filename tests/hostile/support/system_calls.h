/* The system calls of everything that is linked into the test, made to fail, to be interrupted and
 * to do less than they were asked to. The linker leads them here (--wrap). */
#ifndef SUPPORT_SYSTEM_CALLS_H
#define SUPPORT_SYSTEM_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum system_call {
    CALL_OPEN,
    CALL_CLOSE,
    CALL_READ,
    CALL_PREAD,
    CALL_WRITE,
    CALL_PWRITE,
    CALL_FSYNC,
    CALL_FTRUNCATE,
    CALL_FCHMOD,
    CALL_RENAME,
    CALL_COUNT
} system_call;

const char *system_call_name(system_call call);

/* The n-th call of this kind from now on, n counting from 1, fails with this errno. A close that
 * fails has closed the descriptor all the same. */
void system_calls_fail(system_call call, uint64_t n, int error);

/* Reads and writes pass at most `size` bytes at once; 0 for as many as they are asked to. */
void system_calls_shorten(size_t size);

/* Every second read and write is interrupted by a signal. */
void system_calls_interrupt(bool interrupt);

/* The n-th read of a file at an offset comes to the end of the file. */
void system_calls_end_file(uint64_t n);

/* All calls work again. Returns whether one failed since system_calls_fail. */
bool system_calls_stop_failing(void);

#endif
