/* Does with a capture all that the library can do with one, and checks what must hold whatever the
 * bytes are: an answer or an error that says what is wrong, and memory in proportion. */
#ifndef HOSTILE_EVERYTHING_H
#define HOSTILE_EVERYTHING_H

#include <binprof/error.h>
#include <stddef.h>

typedef struct everything_options {
    size_t most_memory;   /* bytes beyond the capture itself; 0 for what everything_memory says */
    unsigned most_writes; /* an output that is written in more pieces is cancelled; 0 for 256 */
} everything_options;

/* The most memory that a capture of `size` bytes may take. */
size_t everything_memory(size_t size);

/* options: may be NULL. Returns what the replay returned, or opening the capture if that failed. */
binprof_status everything_use(const void *data, size_t size, const everything_options *options);

#endif
