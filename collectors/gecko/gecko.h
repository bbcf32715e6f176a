/* The Gecko collector's insides. What the output has to look like, and why, is said in
 * collectors/gecko/README.md. */
#ifndef COLLECTORS_GECKO_GECKO_H
#define COLLECTORS_GECKO_GECKO_H

#include "collectors/gecko/samples.h"
#include "output/text.h"

#include <binprof/formats.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The profiler's categories, in the order of the table in meta.c. */
typedef enum gecko_category {
    GECKO_OTHER, /* the default, which must be grey */
    GECKO_PYTHON,
    GECKO_NATIVE,
    GECKO_GC,
    GECKO_WAITING,
    GECKO_WITHOUT_GIL,
    GECKO_GIL,
    GECKO_CPU,
    GECKO_EXCEPTION,
    GECKO_OPCODE,
    GECKO_CATEGORY_COUNT
} gecko_category;

/* What a frame is. The first four are also the frame's category. */
typedef enum gecko_frame_kind {
    GECKO_FRAME_OTHER = GECKO_OTHER,
    GECKO_FRAME_PYTHON = GECKO_PYTHON,
    GECKO_FRAME_NATIVE = GECKO_NATIVE,
    GECKO_FRAME_GC = GECKO_GC,
    GECKO_FRAME_INTERNAL, /* the profiler's own, left out */
} gecko_frame_kind;

/* The state in which a stack was sampled. It becomes visible as the category of the leaf frame:
 * there is a row of the frame table, and of the stack table, for each state that occurs. */
typedef enum gecko_state {
    GECKO_STATE_OWN, /* the category is the frame's own */
    GECKO_STATE_WAITING,
    GECKO_STATE_WITHOUT_GIL,
    GECKO_STATE_COUNT
} gecko_state;

/* The interval markers. */
typedef enum gecko_marker {
    GECKO_MARKER_HAS_GIL,
    GECKO_MARKER_WAITING,
    GECKO_MARKER_ON_CPU,
    GECKO_MARKER_EXCEPTION,
    GECKO_MARKER_GC,
    GECKO_MARKER_OPCODE,
    GECKO_MARKER_COUNT
} gecko_marker;

typedef struct gecko_thread {
    gecko_samples samples;
    uint64_t with_frames; /* samples */
    uint64_t busy;        /* samples with the GIL or on a CPU */
    bool is_main;
} gecko_thread;

typedef struct gecko_collector {
    binprof_collector base;
    const binprof_profile *profile;
    const binprof_facts *facts;
    const binprof_choice *choice; /* NULL for everything */
    const binprof_capture *captures;
    size_t capture_count; /* 0 or 1 where there are not several */
    char *source;
    uint64_t end_time_ms; /* see binprof_collector_options */
    output_text text;
    uint64_t samples;
    uint64_t failed;
    uint8_t statuses; /* all bits that any sample has */

    gecko_thread *threads; /* by the profile's thread id */
    size_t thread_count;
    size_t thread_capacity;
    uint8_t *frame_kinds; /* by frame id */
    size_t frame_count;
    size_t frame_capacity;
    uint8_t *stack_states; /* by stack id: a bit for each state in which it was sampled */
    size_t stack_count;
    size_t stack_capacity;
} gecko_collector;

/* Set in stack_states for the stacks inside a garbage collection; only during the export. */
#define GECKO_STACK_IN_GC 0x80u

/* What the parts of an export share. */
typedef struct gecko_export {
    gecko_collector *collector;
    const binprof_profile *profile;
    output_text *text;
    bool has_gil;           /* whether the capture knows of a GIL */
    bool has_cpu;           /* whether on-CPU was measured */
    bool has_gaps;          /* whether samples are missing where a thread did not qualify */
    uint64_t period_us;     /* between two samples of a thread */
    uint32_t *stack_rows;   /* by stack id: its row for GECKO_STATE_OWN, the other states follow */
    uint32_t *frame_rows;   /* by frame id, likewise */
    uint8_t *frame_states;  /* by frame id: a bit for each state that it was a leaf in */
    uint32_t *thread_order; /* profile thread ids in the order of the output */
    uint32_t thread_count;
    bool has_interpreters; /* whether there are several */
    uint64_t end_us;       /* when the last sample of all ends */
} gecko_export;

/* gecko_export.stack_rows of a stack without visible frames. */
#define GECKO_NO_ROW UINT32_MAX

/* The state of a sample whose leaf frame is of this kind. */
static inline gecko_state gecko_state_of(gecko_frame_kind leaf, uint8_t status)
{
    bool has_gil = (status & BINPROF_STATUS_HAS_GIL) != 0;
    if (has_gil || leaf == GECKO_FRAME_GC)
        return GECKO_STATE_OWN;
    if ((status & BINPROF_STATUS_GIL_REQUESTED) != 0)
        return GECKO_STATE_WAITING;
    return leaf == GECKO_FRAME_PYTHON ? GECKO_STATE_WITHOUT_GIL : GECKO_STATE_OWN;
}

/* The row of one of the states in `states` where the row of GECKO_STATE_OWN is `row`. */
static inline uint32_t gecko_state_row(uint32_t row, uint8_t states, gecko_state state)
{
    for (unsigned before = 1; before < (unsigned)state; before++)
        row += states >> before & 1;
    return row + (state != GECKO_STATE_OWN);
}

/* How many rows there are for one frame or stack: its own and one for each further state. */
static inline uint32_t gecko_row_count(uint8_t states)
{
    uint32_t rows = 1;
    for (unsigned state = 1; state < GECKO_STATE_COUNT; state++)
        rows += (states >> state & 1) != 0;
    return rows;
}

/* The stack without internal frames at its inner end. */
static inline uint32_t gecko_visible_stack(const gecko_collector *gecko,
                                           const binprof_stack *stacks, uint32_t stack)
{
    while (stack != BINPROF_EMPTY_STACK &&
           gecko->frame_kinds[stacks[stack].frame] == GECKO_FRAME_INTERNAL)
        stack = stacks[stack].parent;
    return stack;
}

/* The profile's strings come first in the string array, then these. */
uint32_t gecko_marker_name_index(const gecko_export *export, gecko_marker marker);
const char *gecko_marker_name(gecko_marker marker);
gecko_category gecko_marker_category(gecko_marker marker);

/* Whether the sample is followed by a gap in which nothing is known of the thread. */
static inline bool gecko_is_gap(const gecko_export *export, uint64_t from_us, uint64_t to_us)
{
    return export->has_gaps && to_us - from_us > 3 * export->period_us;
}

/* Appends a time in milliseconds, exact to the microsecond. */
void gecko_put_ms(output_text *text, uint64_t time_us);

/* The parts of the file. Each writes one value. */
binprof_status gecko_write_meta(const gecko_export *export);
binprof_status gecko_write_shared(const gecko_export *export);
void gecko_write_thread(const gecko_export *export, uint32_t thread);
void gecko_write_markers(const gecko_export *export, const gecko_thread *thread);

#endif
