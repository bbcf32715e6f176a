#include "profile/profile.h"

#include "base/array.h"
#include "base/error.h"
#include "profile/hash.h"

#include <inttypes.h>
#include <string.h>

binprof_profile *binprof_profile_new(binprof_profile_flags flags)
{
    binprof_profile *profile = calloc(1, sizeof *profile);
    if (profile == NULL)
        return NULL;
    profile->keep_duplicates = (flags & BINPROF_PROFILE_KEEP_DUPLICATES) != 0;
    profile->seed = profile_seed(profile);
    profile_string_table_init(&profile->strings);
    if (!profile_stack_table_init(&profile->stacks)) {
        free(profile);
        return NULL;
    }
    return profile;
}

void binprof_profile_free(binprof_profile *profile)
{
    if (profile == NULL)
        return;
    profile_string_table_free(&profile->strings);
    profile_stack_table_free(&profile->stacks);
    profile_index_free(&profile->frame_index);
    profile_index_free(&profile->thread_index);
    free(profile->frames);
    free(profile->threads);
    free(profile);
}

static binprof_status fail(binprof_status status, const char *what, binprof_error *error)
{
    if (status == BINPROF_ERROR_MEMORY)
        return error_set_memory(error);
    return error_set(error, BINPROF_ERROR_LIMIT, BINPROF_NO_OFFSET,
                     "more %s than 32-bit ids can number", what);
}

static binprof_status fail_id(const char *what, uint32_t id, uint32_t count, binprof_error *error)
{
    return error_set(error, BINPROF_ERROR_ARGUMENT, BINPROF_NO_OFFSET,
                     "%s %" PRIu32 " is not in the profile, which has %" PRIu32, what, id, count);
}

binprof_status binprof_profile_intern_string(binprof_profile *profile, const char *text,
                                             size_t length, uint32_t *id, binprof_error *error)
{
    binprof_status status =
        profile_string_table_intern(&profile->strings, text, length, profile->keep_duplicates, id);
    return status == BINPROF_OK ? BINPROF_OK : fail(status, "strings", error);
}

static uint32_t hash_frame(const binprof_profile *profile, const binprof_frame *frame)
{
    /* Without the padding of the struct. */
    uint32_t key[7] = {frame->filename,
                       frame->function,
                       (uint32_t)frame->line,
                       (uint32_t)frame->end_line,
                       (uint32_t)frame->column,
                       (uint32_t)frame->end_column,
                       frame->opcode};
    return profile_hash(key, sizeof key, profile->seed);
}

static bool equal_frames(const binprof_frame *a, const binprof_frame *b)
{
    return a->filename == b->filename && a->function == b->function && a->line == b->line &&
           a->end_line == b->end_line && a->column == b->column && a->end_column == b->end_column &&
           a->opcode == b->opcode;
}

binprof_status binprof_profile_intern_frame(binprof_profile *profile, const binprof_frame *frame,
                                            uint32_t *id, binprof_error *error)
{
    uint32_t string_count = profile->strings.count;
    if (frame->filename >= string_count || frame->function >= string_count) {
        uint32_t wrong = frame->filename >= string_count ? frame->filename : frame->function;
        return fail_id("string", wrong, string_count, error);
    }

    bool keep_duplicates = profile->keep_duplicates;
    uint32_t hash = keep_duplicates ? 0 : hash_frame(profile, frame);
    uint32_t position = hash;
    while (!keep_duplicates && profile_index_next(&profile->frame_index, hash, &position, id))
        if (equal_frames(&profile->frames[*id], frame))
            return BINPROF_OK;

    if (profile->frame_count == PROFILE_ID_LIMIT)
        return fail(BINPROF_ERROR_LIMIT, "frames", error);
    binprof_frame *frames = array_reserve(profile->frames, &profile->frame_capacity,
                                          (size_t)profile->frame_count + 1, sizeof *frames);
    if (frames == NULL)
        return error_set_memory(error);
    profile->frames = frames;
    if (!keep_duplicates && !profile_index_reserve(&profile->frame_index))
        return error_set_memory(error);
    frames[profile->frame_count] = *frame;
    if (!keep_duplicates)
        profile_index_insert(&profile->frame_index, hash, profile->frame_count);
    *id = profile->frame_count++;
    return BINPROF_OK;
}

binprof_status binprof_profile_intern_line(binprof_profile *profile, const char *filename,
                                           const char *function, int32_t line, uint32_t *id,
                                           binprof_error *error)
{
    binprof_frame frame = {.line = line,
                           .end_line = line,
                           .column = BINPROF_NO_LOCATION,
                           .end_column = BINPROF_NO_LOCATION,
                           .opcode = BINPROF_NO_OPCODE};
    binprof_status status =
        binprof_profile_intern_string(profile, filename, strlen(filename), &frame.filename, error);
    if (status != BINPROF_OK)
        return status;
    status =
        binprof_profile_intern_string(profile, function, strlen(function), &frame.function, error);
    if (status != BINPROF_OK)
        return status;
    return binprof_profile_intern_frame(profile, &frame, id, error);
}

binprof_status binprof_profile_intern_stack(binprof_profile *profile, uint32_t parent,
                                            uint32_t frame, uint32_t *id, binprof_error *error)
{
    if (parent >= profile->stacks.count)
        return fail_id("stack", parent, profile->stacks.count, error);
    if (frame >= profile->frame_count)
        return fail_id("frame", frame, profile->frame_count, error);
    binprof_status status = profile_stack_table_push(&profile->stacks, parent, frame, id);
    return status == BINPROF_OK ? BINPROF_OK : fail(status, "stacks", error);
}

binprof_status binprof_profile_intern_thread(binprof_profile *profile, uint64_t thread_id,
                                             uint32_t interpreter_id, uint32_t *id,
                                             binprof_error *error)
{
    binprof_thread thread = {.thread_id = thread_id, .interpreter_id = interpreter_id};
    return binprof_profile_intern_captured_thread(profile, &thread, id, error);
}

binprof_status binprof_profile_intern_captured_thread(binprof_profile *profile,
                                                      const binprof_thread *thread, uint32_t *id,
                                                      binprof_error *error)
{
    uint64_t key[2] = {thread->thread_id, (uint64_t)thread->capture << 32 | thread->interpreter_id};
    uint32_t hash = profile_hash(key, sizeof key, profile->seed);
    uint32_t position = hash;
    while (profile_index_next(&profile->thread_index, hash, &position, id)) {
        const binprof_thread *found = &profile->threads[*id];
        if (found->thread_id == thread->thread_id &&
            found->interpreter_id == thread->interpreter_id && found->capture == thread->capture)
            return BINPROF_OK;
    }

    if (profile->thread_count == PROFILE_ID_LIMIT)
        return fail(BINPROF_ERROR_LIMIT, "threads", error);
    binprof_thread *threads = array_reserve(profile->threads, &profile->thread_capacity,
                                            (size_t)profile->thread_count + 1, sizeof *threads);
    if (threads == NULL)
        return error_set_memory(error);
    profile->threads = threads;
    if (!profile_index_reserve(&profile->thread_index))
        return error_set_memory(error);
    threads[profile->thread_count] = *thread;
    profile_index_insert(&profile->thread_index, hash, profile->thread_count);
    *id = profile->thread_count++;
    return BINPROF_OK;
}

uint32_t binprof_profile_string_count(const binprof_profile *profile)
{
    return profile->strings.count;
}

uint32_t binprof_profile_frame_count(const binprof_profile *profile)
{
    return profile->frame_count;
}

uint32_t binprof_profile_stack_count(const binprof_profile *profile)
{
    return profile->stacks.count;
}

uint32_t binprof_profile_thread_count(const binprof_profile *profile)
{
    return profile->thread_count;
}

binprof_string binprof_profile_string(const binprof_profile *profile, uint32_t id)
{
    return profile->strings.strings[id];
}

binprof_frame binprof_profile_frame(const binprof_profile *profile, uint32_t id)
{
    return profile->frames[id];
}

binprof_stack binprof_profile_stack(const binprof_profile *profile, uint32_t id)
{
    return profile->stacks.nodes[id];
}

binprof_thread binprof_profile_thread(const binprof_profile *profile, uint32_t id)
{
    return profile->threads[id];
}

const binprof_stack *binprof_profile_stacks(const binprof_profile *profile)
{
    return profile->stacks.nodes;
}
