#include "reader/threads.h"

#include "base/array.h"
#include "profile/hash.h"

void reader_threads_init(reader_threads *threads)
{
    *threads = (reader_threads){.threads = NULL, .seed = profile_seed(threads)};
}

void reader_threads_free(reader_threads *threads)
{
    free(threads->threads);
    profile_index_free(&threads->index);
}

static bool is_thread(const reader_thread *thread, uint64_t thread_id, uint32_t interpreter_id)
{
    return thread->thread_id == thread_id && thread->interpreter_id == interpreter_id;
}

static uint32_t hash_thread(const reader_threads *threads, uint64_t thread_id,
                            uint32_t interpreter_id)
{
    uint64_t key[2] = {thread_id, interpreter_id};
    return profile_hash(key, sizeof key, threads->seed);
}

reader_thread *reader_threads_find(reader_threads *threads, uint64_t thread_id,
                                   uint32_t interpreter_id)
{
    /* A sampler goes through its threads in the same order again and again, which is the order in
     * which they were added: the next one is often the one after the last. */
    uint32_t guess = threads->last + 1 < threads->count ? threads->last + 1 : 0;
    if (guess < threads->count && is_thread(&threads->threads[guess], thread_id, interpreter_id)) {
        threads->last = guess;
        return &threads->threads[guess];
    }
    uint32_t hash = hash_thread(threads, thread_id, interpreter_id);
    uint32_t position = hash;
    uint32_t id;
    while (profile_index_next(&threads->index, hash, &position, &id))
        if (is_thread(&threads->threads[id], thread_id, interpreter_id)) {
            threads->last = id;
            return &threads->threads[id];
        }
    return NULL;
}

reader_thread *reader_threads_add(reader_threads *threads, uint64_t thread_id,
                                  uint32_t interpreter_id)
{
    reader_thread *grown = array_reserve(threads->threads, &threads->capacity,
                                         (size_t)threads->count + 1, sizeof *grown);
    if (grown == NULL)
        return NULL;
    threads->threads = grown;
    if (!profile_index_reserve(&threads->index))
        return NULL;
    profile_index_insert(&threads->index, hash_thread(threads, thread_id, interpreter_id),
                         threads->count);
    threads->last = threads->count;
    reader_thread *thread = &grown[threads->count++];
    *thread = (reader_thread){
        .thread_id = thread_id, .interpreter_id = interpreter_id, .stack = BINPROF_EMPTY_STACK};
    return thread;
}
