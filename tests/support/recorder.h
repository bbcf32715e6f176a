/* A collector that keeps every sample, and what tests do with such lists. */
#ifndef SUPPORT_RECORDER_H
#define SUPPORT_RECORDER_H

#include <binprof/binprof.h>
#include <stddef.h>
#include <stdint.h>

typedef struct recorded_sample {
    uint64_t thread_id;
    uint32_t interpreter_id;
    uint8_t status;
    uint64_t time_us;
    uint32_t stack; /* of the recorder's profile */
} recorded_sample;

typedef struct sample_recorder {
    binprof_collector base;
    binprof_profile *profile;
    recorded_sample *samples;
    size_t count;
    size_t capacity;
} sample_recorder;

/* Starts with a profile of its own. */
void recorder_init(sample_recorder *recorder, binprof_profile_flags flags);
void recorder_free(sample_recorder *recorder);

/* Replays the reader's capture into the recorder. Fails the test where that fails. */
void recorder_replay(sample_recorder *recorder, binprof_reader *reader);
void recorder_replay_file(sample_recorder *recorder, const char *path);

/* Stores the stack's frames, innermost first, and returns how many there are. */
size_t recorder_frames(const binprof_profile *profile, uint32_t stack, uint32_t *frames,
                       size_t capacity);

/* Fails the test unless both hold the same samples in the same order, names compared by text. */
void recorder_assert_equal(const sample_recorder *a, const sample_recorder *b);

/* Replays the capture `from` into a format's collector that writes `to`. */
void convert_file(const char *from, const char *format, const char *to,
                  binprof_compression compression);

/* Reads a whole file; to be freed. A NUL follows that does not count. */
char *read_file(const char *path, size_t *size);

/* A name for a temporary file of this process; static. */
const char *temporary_path(const char *name);

#endif
