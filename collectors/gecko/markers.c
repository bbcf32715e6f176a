/* Markers: the intervals in which a thread was in a state, from its own samples. A marker begins
 * with the first sample in the state and ends with the first one that is not, or where a gap or the
 * thread's end leaves nothing known, one period after the last sample. */
#include "collectors/gecko/gecko.h"

#include "collectors/opcodes.h"
#include "profile/profile.h"

typedef struct gecko_interval {
    gecko_marker marker;
    uint64_t start_us;
    uint64_t end_us;
    uint32_t frame; /* of an opcode */
} gecko_interval;

/* A column: writes the value of one marker. */
typedef void (*column_writer)(const gecko_export *export, const gecko_interval *interval);

/* Goes through a thread's samples and writes one column, interval by interval as they end. */
typedef struct marker_walk {
    const gecko_export *export;
    column_writer write;
    uint64_t count;
    uint32_t active; /* a bit for each marker that is open */
    uint64_t start_us[GECKO_MARKER_COUNT];
    uint32_t opcode_frame;
} marker_walk;

static void close_marker(marker_walk *walk, gecko_marker marker, uint64_t end_us)
{
    if (walk->count++ > 0)
        output_text_char(walk->export->text, ',');
    gecko_interval interval = {marker, walk->start_us[marker], end_us, walk->opcode_frame};
    walk->write(walk->export, &interval);
}

/* Closes the markers of `ended` and opens those of `begun`. */
static void change_markers(marker_walk *walk, uint32_t ended, uint32_t begun, uint64_t end_us,
                           uint64_t time_us)
{
    for (unsigned marker = 0; marker < GECKO_MARKER_COUNT; marker++) {
        if ((ended >> marker & 1) != 0)
            close_marker(walk, (gecko_marker)marker, end_us);
        if ((begun >> marker & 1) != 0)
            walk->start_us[marker] = time_us;
    }
    walk->active = (walk->active & ~ended) | begun;
}

/* The markers that a sample is in, without opcodes. */
static uint32_t active_markers(const gecko_export *export, uint32_t stack, uint8_t status)
{
    uint32_t active = 0;
    bool has_gil = (status & BINPROF_STATUS_HAS_GIL) != 0;
    if (has_gil)
        active |= 1u << GECKO_MARKER_HAS_GIL;
    if (!has_gil && (status & BINPROF_STATUS_GIL_REQUESTED) != 0)
        active |= 1u << GECKO_MARKER_WAITING;
    if (export->has_cpu && (status & BINPROF_STATUS_ON_CPU) != 0)
        active |= 1u << GECKO_MARKER_ON_CPU;
    if ((status & BINPROF_STATUS_EXCEPTION) != 0)
        active |= 1u << GECKO_MARKER_EXCEPTION;
    if ((export->collector->stack_states[stack] & GECKO_STACK_IN_GC) != 0)
        active |= 1u << GECKO_MARKER_GC;
    return active;
}

/* Whether the sample's leaf frame has an opcode. */
static bool has_opcode(const gecko_export *export, uint32_t stack, uint32_t frame)
{
    return stack != BINPROF_EMPTY_STACK &&
           export->profile->frames[frame].opcode != BINPROF_NO_OPCODE;
}

/* Walks over all samples of the thread; returns how many markers there are. */
static uint64_t walk_markers(const gecko_export *export, const gecko_thread *thread,
                             column_writer write)
{
    const binprof_stack *stacks = binprof_profile_stacks(export->profile);
    marker_walk walk = {.export = export, .write = write};
    gecko_sample_iterator at = gecko_samples_begin(&thread->samples);
    uint64_t last_us = 0;
    bool first = true;
    while (gecko_sample_next(&at)) {
        if (!first && gecko_is_gap(export, last_us, at.time_us))
            change_markers(&walk, walk.active, 0, last_us + export->period_us, 0);
        uint32_t active = active_markers(export, at.stack, at.status);
        uint32_t frame = stacks[at.stack].frame;
        if (has_opcode(export, at.stack, frame))
            active |= 1u << GECKO_MARKER_OPCODE;
        uint32_t changed = active ^ walk.active;
        if (frame != walk.opcode_frame) /* another opcode, even where both have one */
            changed |= (active | walk.active) & 1u << GECKO_MARKER_OPCODE;
        if (changed != 0) {
            change_markers(&walk, walk.active & changed, active & changed, at.time_us, at.time_us);
            walk.opcode_frame = frame;
        }
        last_us = at.time_us;
        first = false;
    }
    change_markers(&walk, walk.active, 0, last_us + export->period_us, 0);
    return walk.count;
}

static void write_name(const gecko_export *export, const gecko_interval *interval)
{
    output_text_u64(export->text, gecko_marker_name_index(export, interval->marker));
}

static void write_start(const gecko_export *export, const gecko_interval *interval)
{
    gecko_put_ms(export->text, interval->start_us);
}

static void write_end(const gecko_export *export, const gecko_interval *interval)
{
    gecko_put_ms(export->text, interval->end_us);
}

static void write_phase(const gecko_export *export, const gecko_interval *interval)
{
    (void)interval;
    output_text_char(export->text, '1');
}

static void write_category(const gecko_export *export, const gecko_interval *interval)
{
    output_text_u64(export->text, gecko_marker_category(interval->marker));
}

static void write_opcode(const gecko_export *export, uint32_t frame_id)
{
    output_text *text = export->text;
    binprof_frame frame = binprof_profile_frame(export->profile, frame_id);
    const char *name = collectors_opcode_name(export->collector->facts->python, frame.opcode);
    output_text_string(text, "{\"type\":\"Opcode\",\"opcode\":\"");
    if (name != NULL)
        output_text_string(text, name);
    else
        output_text_u64(text, frame.opcode);
    output_text_string(text, "\",\"function\":");
    output_text_u64(text, frame.function);
    output_text_string(text, ",\"line\":");
    output_text_i64(text, frame.line);
    output_text_char(text, '}');
}

static void write_data(const gecko_export *export, const gecko_interval *interval)
{
    if (interval->marker == GECKO_MARKER_OPCODE) {
        write_opcode(export, interval->frame);
        return;
    }
    output_text_string(export->text, "{\"type\":\"");
    output_text_string(export->text, gecko_marker_name(interval->marker));
    output_text_string(export->text, "\"}");
}

void gecko_write_markers(const gecko_export *export, const gecko_thread *thread)
{
    static const struct {
        const char *key;
        column_writer write;
    } columns[] = {
        {"{\"data\":[", write_data},        {"],\"name\":[", write_name},
        {"],\"startTime\":[", write_start}, {"],\"endTime\":[", write_end},
        {"],\"phase\":[", write_phase},     {"],\"category\":[", write_category},
    };
    uint64_t count = 0;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        output_text_string(export->text, columns[i].key);
        count = walk_markers(export, thread, columns[i].write);
    }
    output_text_string(export->text, "],\"length\":");
    output_text_u64(export->text, count);
    output_text_char(export->text, '}');
}
