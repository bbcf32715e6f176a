/* The state that decoding keeps for each thread. */
#ifndef READER_THREADS_H
#define READER_THREADS_H

#include "profile/index.h"

#include <binprof/profile.h>
#include <stddef.h>
#include <stdint.h>

typedef struct reader_thread {
    uint64_t thread_id;
    uint32_t interpreter_id;
    uint32_t profile_id;
    uint64_t time_us; /* of the previous sample */
    uint32_t stack;   /* of the previous sample */
    uint32_t depth;   /* of that stack */
} reader_thread;

typedef struct reader_threads {
    reader_thread *threads;
    uint32_t count;
    size_t capacity;
    uint32_t last; /* the one found last */
    profile_index index;
    uint64_t seed;
} reader_threads;

void reader_threads_init(reader_threads *threads);
void reader_threads_free(reader_threads *threads);

/* Returns the thread, or NULL where it was not added yet. Valid until the next one is added. */
reader_thread *reader_threads_find(reader_threads *threads, uint64_t thread_id,
                                   uint32_t interpreter_id);

/* Adds a thread that is not there, with an empty stack. Returns NULL when there is no memory. */
reader_thread *reader_threads_add(reader_threads *threads, uint64_t thread_id,
                                  uint32_t interpreter_id);

#endif
