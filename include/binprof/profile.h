/* The model in memory: strings, frames, stacks and threads, each known by a small integer.
 *
 * Ids count from 0 in the order of first use and never change. A stack is a node of a prefix tree:
 * its parent is the stack of its callers and its frame is the innermost one. Stack 0,
 * BINPROF_EMPTY_STACK, is the root: a stack without frames. A parent's id is always lower than its
 * children's, so that one pass over the ids sees callers first.
 *
 * Not thread-safe: one thread at a time may use a profile, also for reading while none interns.
 */
#ifndef BINPROF_PROFILE_H
#define BINPROF_PROFILE_H

#include <binprof/error.h>
#include <stddef.h>
#include <stdint.h>

typedef struct binprof_profile binprof_profile;

#define BINPROF_EMPTY_STACK 0u

/* The opcode of a frame where none was captured. */
#define BINPROF_NO_OPCODE 255u

/* The line (and then also the columns) of a frame without a source location; a column that is not
 * known. */
#define BINPROF_NO_LOCATION (-1)

typedef struct binprof_string {
    const char *text; /* `length` bytes, followed by a NUL that does not count */
    size_t length;
} binprof_string;

/* One line of code that was running. Lines count from 1, columns from 0 (in UTF-8 bytes). Other
 * values occur in captures and are kept as they are: 0 or negative lines, ends before starts. */
typedef struct binprof_frame {
    uint32_t filename; /* string id; the file is "~" for what is no code, such as <native> */
    uint32_t function; /* string id */
    int32_t line;
    int32_t end_line;
    int32_t column;
    int32_t end_column;
    uint8_t opcode;
} binprof_frame;

typedef struct binprof_stack {
    uint32_t parent; /* stack id of the callers; of stack 0: 0 */
    uint32_t frame;  /* frame id of the innermost frame; of stack 0: UINT32_MAX */
} binprof_stack;

typedef struct binprof_thread {
    uint64_t thread_id;
    uint32_t interpreter_id; /* 0 where there are no interpreters */
    uint32_t capture;        /* which of several captures it is of, from 0; 0 where there is one */
} binprof_thread;

typedef enum binprof_profile_flags {
    BINPROF_PROFILE_DEFAULT = 0,
    /* Every string and frame that comes in gets an id of its own, even where an equal one is
     * there: the ids are then the indices of the capture's own tables. */
    BINPROF_PROFILE_KEEP_DUPLICATES = 1,
} binprof_profile_flags;

/* Returns a new, empty profile, to be given back with binprof_profile_free; NULL when there is no
 * memory. */
BINPROF_API BINPROF_CHECK_RESULT binprof_profile *binprof_profile_new(binprof_profile_flags flags);

/* Frees the profile and everything borrowed from it. NULL is allowed. */
BINPROF_API void binprof_profile_free(binprof_profile *profile);

/* Each of the following stores in *id the id of an equal entry, made where there is none. They fail
 * with BINPROF_ERROR_MEMORY; with BINPROF_ERROR_LIMIT when all 32-bit ids are taken; with
 * BINPROF_ERROR_ARGUMENT when an id that they are given names nothing. A failed call changes
 * nothing. */

/* text: `length` bytes, copied; at most UINT32_MAX. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status binprof_profile_intern_string(
    binprof_profile *profile, const char *text, size_t length, uint32_t *id, binprof_error *error);

/* frame: its filename and function are string ids of this profile. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status binprof_profile_intern_frame(
    binprof_profile *profile, const binprof_frame *frame, uint32_t *id, binprof_error *error);

/* For profilers whose frames come as text: interns both names (NUL-terminated), then the frame
 * with this line, no end, no columns and no opcode. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status
binprof_profile_intern_line(binprof_profile *profile, const char *filename, const char *function,
                            int32_t line, uint32_t *id, binprof_error *error);

/* parent: the stack of the callers; frame: the frame id of what they call. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status binprof_profile_intern_stack(
    binprof_profile *profile, uint32_t parent, uint32_t frame, uint32_t *id, binprof_error *error);

/* The thread of these ids in capture 0. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status
binprof_profile_intern_thread(binprof_profile *profile, uint64_t thread_id, uint32_t interpreter_id,
                              uint32_t *id, binprof_error *error);

/* The same for a thread of any of several captures. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status binprof_profile_intern_captured_thread(
    binprof_profile *profile, const binprof_thread *thread, uint32_t *id, binprof_error *error);

/* How many there are; every id below is valid. The stack count includes stack 0. */
BINPROF_API uint32_t binprof_profile_string_count(const binprof_profile *profile);
BINPROF_API uint32_t binprof_profile_frame_count(const binprof_profile *profile);
BINPROF_API uint32_t binprof_profile_stack_count(const binprof_profile *profile);
BINPROF_API uint32_t binprof_profile_thread_count(const binprof_profile *profile);

/* What an id stands for. The id must be valid. A string's text lives as long as the profile. */
BINPROF_API binprof_string binprof_profile_string(const binprof_profile *profile, uint32_t id);
BINPROF_API binprof_frame binprof_profile_frame(const binprof_profile *profile, uint32_t id);
BINPROF_API binprof_stack binprof_profile_stack(const binprof_profile *profile, uint32_t id);
BINPROF_API binprof_thread binprof_profile_thread(const binprof_profile *profile, uint32_t id);

/* All stacks as an array that their ids index, for loops over the tree. Valid until the next
 * stack is interned. */
BINPROF_API const binprof_stack *binprof_profile_stacks(const binprof_profile *profile);

#endif
