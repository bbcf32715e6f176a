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
    /* A thread's repeats are followed by its next stack; after that comes most often the thread
     * that was added next, since a sampler goes through its threads in the same order always. */
    if (threads->count == 0)
        return NULL;
    if (is_thread(&threads->threads[threads->last], thread_id, interpreter_id))
        return &threads->threads[threads->last];
    uint32_t next = threads->last + 1 < threads->count ? threads->last + 1 : 0;
    if (is_thread(&threads->threads[next], thread_id, interpreter_id)) {
        threads->last = next;
        return &threads->threads[next];
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
