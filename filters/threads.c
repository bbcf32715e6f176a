#include "filters/threads.h"

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>

/* The most threads that a message lists. */
#define LIST_MAX 12

void filters_threads_init(filters_threads *threads, const binprof_choice *choice,
                          binprof_profile *target, bool keep_ids_apart)
{
    *threads =
        (filters_threads){.choice = choice, .target = target, .keep_ids_apart = keep_ids_apart};
}

void filters_threads_free(filters_threads *threads)
{
    free(threads->entries);
    free(threads->seen);
}

void filters_threads_begin(filters_threads *threads, const binprof_profile *source,
                           uint32_t capture)
{
    threads->source = source;
    threads->capture = capture;
    threads->count = 0;
    threads->has_merged = false;
}

static filters_verdict judge(const binprof_choice *choice, const binprof_thread *thread)
{
    bool interpreter_chosen = choice->interpreter_count == 0;
    for (size_t i = 0; i < choice->interpreter_count; i++)
        interpreter_chosen |= choice->interpreters[i] == thread->interpreter_id;
    if (!interpreter_chosen)
        return FILTERS_VERDICT_NOTHING;
    if (choice->thread_count == 0 && !choice->main_thread)
        return FILTERS_VERDICT_ALL;
    for (size_t i = 0; i < choice->thread_count; i++)
        if (choice->threads[i] == thread->thread_id)
            return FILTERS_VERDICT_ALL;
    return choice->main_thread ? FILTERS_VERDICT_MAIN : FILTERS_VERDICT_NOTHING;
}

/* Finds the thread an id that no other thread has. A thread that is in the target already is
 * another one, of an earlier capture, since each is resolved once a capture. */
static binprof_status intern_apart(filters_threads *threads, binprof_thread thread, uint32_t *id,
                                   binprof_error *error)
{
    thread.capture = 0;
    for (;;) {
        uint32_t count = binprof_profile_thread_count(threads->target);
        binprof_status status =
            binprof_profile_intern_captured_thread(threads->target, &thread, id, error);
        if (status != BINPROF_OK)
            return status;
        if (thread.thread_id >= threads->next_apart)
            threads->next_apart = thread.thread_id + 1;
        if (*id == count)
            return status;
        thread.thread_id = threads->next_apart;
    }
}

static binprof_status intern(filters_threads *threads, binprof_thread thread, uint32_t *id,
                             binprof_error *error)
{
    thread.capture = threads->capture;
    if (threads->keep_ids_apart)
        return intern_apart(threads, thread, id, error);
    return binprof_profile_intern_captured_thread(threads->target, &thread, id, error);
}

/* All threads of a capture are one: only the first is interned. */
static binprof_status intern_merged(filters_threads *threads, uint32_t *id, binprof_error *error)
{
    if (!threads->has_merged) {
        binprof_thread thread = {.thread_id = 0};
        binprof_status status = intern(threads, thread, &threads->merged, error);
        if (status != BINPROF_OK)
            return status;
        threads->has_merged = true;
    }
    *id = threads->merged;
    return BINPROF_OK;
}

static bool note_seen(filters_threads *threads, const binprof_thread *thread)
{
    binprof_thread *seen = array_reserve(threads->seen, &threads->seen_capacity,
                                         threads->seen_count + 1, sizeof *seen);
    if (seen == NULL)
        return false;
    threads->seen = seen;
    seen[threads->seen_count++] = *thread;
    return true;
}

static bool cover(filters_threads *threads, uint32_t thread)
{
    size_t needed = (size_t)thread + 1;
    filters_thread *entries =
        array_reserve(threads->entries, &threads->capacity, needed, sizeof *entries);
    if (entries == NULL)
        return false;
    threads->entries = entries;
    for (; threads->count < needed; threads->count++)
        entries[threads->count] = (filters_thread){0, FILTERS_VERDICT_UNKNOWN};
    return true;
}

binprof_status filters_threads_resolve(filters_threads *threads, uint32_t thread,
                                       binprof_error *error)
{
    binprof_thread source = binprof_profile_thread(threads->source, thread);
    if (!cover(threads, thread) || !note_seen(threads, &source))
        return error_set_memory(error);
    filters_thread resolved = {thread, judge(threads->choice, &source)};
    if (threads->source != threads->target && resolved.verdict != FILTERS_VERDICT_NOTHING) {
        binprof_status status = threads->choice->merge_threads
                                    ? intern_merged(threads, &resolved.id, error)
                                    : intern(threads, source, &resolved.id, error);
        if (status != BINPROF_OK)
            return status;
    }
    threads->entries[thread] = resolved;
    return BINPROF_OK;
}

/* A list in a message that does not grow without end. */
typedef struct id_list {
    char buffer[320];
    base_text text;
    size_t count;
    uint64_t last;
} id_list;

static void list_begin(id_list *list)
{
    list->text = base_text_begin(list->buffer, sizeof list->buffer);
    list->count = 0;
}

static void list_add(id_list *list, uint64_t id)
{
    if (list->count > 0 && list->last == id)
        return;
    list->last = id;
    if (list->count++ < LIST_MAX)
        base_text_append(&list->text, "%s%" PRIu64, list->count > 1 ? ", " : "", id);
}

static const char *list_end(id_list *list)
{
    if (list->count == 0)
        return "none";
    if (list->count > LIST_MAX)
        base_text_append(&list->text, " and %zu more", list->count - LIST_MAX);
    return list->buffer;
}

static int compare_threads(const void *a, const void *b)
{
    const binprof_thread *left = a;
    const binprof_thread *right = b;
    if (left->thread_id != right->thread_id)
        return left->thread_id < right->thread_id ? -1 : 1;
    return (left->interpreter_id > right->interpreter_id) -
           (left->interpreter_id < right->interpreter_id);
}

static int compare_interpreters(const void *a, const void *b)
{
    const binprof_thread *left = a;
    const binprof_thread *right = b;
    return (left->interpreter_id > right->interpreter_id) -
           (left->interpreter_id < right->interpreter_id);
}

static void sort_seen(const filters_threads *threads, int (*compare)(const void *, const void *))
{
    if (threads->seen_count > 0)
        qsort(threads->seen, threads->seen_count, sizeof *threads->seen, compare);
}

static binprof_status fail_thread(const filters_threads *threads, const char *what,
                                  binprof_error *error)
{
    id_list list;
    list_begin(&list);
    sort_seen(threads, compare_threads);
    for (size_t i = 0; i < threads->seen_count; i++)
        list_add(&list, threads->seen[i].thread_id);
    return error_set(error, BINPROF_ERROR_ARGUMENT, BINPROF_NO_OFFSET, "%s; the threads are: %s",
                     what, list_end(&list));
}

static binprof_status fail_interpreter(const filters_threads *threads, uint32_t interpreter,
                                       binprof_error *error)
{
    id_list list;
    list_begin(&list);
    sort_seen(threads, compare_interpreters);
    for (size_t i = 0; i < threads->seen_count; i++)
        list_add(&list, threads->seen[i].interpreter_id);
    return error_set(error, BINPROF_ERROR_ARGUMENT, BINPROF_NO_OFFSET,
                     "no interpreter %" PRIu32 "; the interpreters are: %s", interpreter,
                     list_end(&list));
}

static bool has_thread(const filters_threads *threads, uint64_t id)
{
    for (size_t i = 0; i < threads->seen_count; i++)
        if (threads->seen[i].thread_id == id)
            return true;
    return false;
}

static bool has_interpreter(const filters_threads *threads, uint32_t id)
{
    for (size_t i = 0; i < threads->seen_count; i++)
        if (threads->seen[i].interpreter_id == id)
            return true;
    return false;
}

binprof_status filters_threads_check(const filters_threads *threads, binprof_error *error)
{
    const binprof_choice *choice = threads->choice;
    for (size_t i = 0; i < choice->thread_count; i++) {
        char what[64];
        (void)snprintf(what, sizeof what, "no thread %" PRIu64, choice->threads[i]);
        if (!has_thread(threads, choice->threads[i]))
            return fail_thread(threads, what, error);
    }
    if (choice->main_thread && (threads->statuses & BINPROF_STATUS_MAIN_THREAD) == 0)
        return fail_thread(threads, "no sample is marked as of the main thread", error);
    for (size_t i = 0; i < choice->interpreter_count; i++)
        if (!has_interpreter(threads, choice->interpreters[i]))
            return fail_interpreter(threads, choice->interpreters[i], error);
    return BINPROF_OK;
}
