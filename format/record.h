/* The records of the sample data. */
#ifndef FORMAT_RECORD_H
#define FORMAT_RECORD_H

#include "format/bytes.h"
#include "format/varint.h"

#include <binprof/reader.h>
#include <stdbool.h>
#include <stdint.h>

/* Thread id, interpreter id, encoding: what every record starts with. */
#define FORMAT_RECORD_PREFIX 13
/* The longest head: prefix, delta, status, shared or pop, number of new frames. */
#define FORMAT_RECORD_HEAD_MAX (FORMAT_RECORD_PREFIX + 3 * FORMAT_VARINT_MAX + 1)
/* The longest entry of a repeat: delta and status. */
#define FORMAT_REPEAT_ENTRY_MAX (FORMAT_VARINT_MAX + 1)

_Static_assert(FORMAT_RECORD_HEAD_MAX <= FORMAT_PADDING, "a cut head must end in the padding");

/* Everything of a record before its variable part: the entries of a repeat or the frame indices. */
typedef struct format_record_head {
    uint64_t thread_id;
    uint32_t interpreter_id;
    uint8_t kind;          /* a binprof_record_kind */
    uint8_t status;        /* not for a repeat */
    uint64_t delta_us;     /* not for a repeat */
    uint64_t shared;       /* suffix only */
    uint64_t pop;          /* pop-push only */
    uint64_t frame_count;  /* frame indices that follow; 0 for a repeat */
    uint64_t repeat_count; /* entries that follow; repeat only */
} format_record_head;

/* Decodes the head at p, which has FORMAT_PADDING zero bytes somewhere behind it. Returns what
 * follows, possibly past the end of the data; NULL when the kind is not known (head->kind tells) or
 * a varint does not fit 64 bits. */
static inline const uint8_t *format_record_head_get(const uint8_t *p, bool big_endian,
                                                    format_record_head *head)
{
    head->thread_id = format_get_u64(p, big_endian);
    head->interpreter_id = format_get_u32(p + 8, big_endian);
    head->kind = p[12];
    head->shared = 0;
    head->pop = 0;
    head->frame_count = 0;
    p += FORMAT_RECORD_PREFIX;
    if (head->kind == BINPROF_RECORD_REPEAT)
        return format_varint_get(p, &head->repeat_count);
    if (head->kind > BINPROF_RECORD_POP_PUSH)
        return NULL;

    head->repeat_count = 0;
    p = format_varint_get(p, &head->delta_us);
    if (p == NULL)
        return NULL;
    head->status = *p++;
    if (head->kind != BINPROF_RECORD_FULL) {
        p = format_varint_get(p, head->kind == BINPROF_RECORD_SUFFIX ? &head->shared : &head->pop);
        if (p == NULL)
            return NULL;
    }
    return format_varint_get(p, &head->frame_count);
}

/* Encodes what every record starts with at p and returns what follows. */
static inline uint8_t *format_record_prefix_put(uint8_t *p, uint64_t thread_id,
                                                uint32_t interpreter_id, binprof_record_kind kind)
{
    format_put_u64(p, thread_id);
    format_put_u32(p + 8, interpreter_id);
    p[12] = (uint8_t)kind;
    return p + FORMAT_RECORD_PREFIX;
}

/* Encodes the head of a record that is no repeat at p and returns what follows. */
static inline uint8_t *format_record_head_put(uint8_t *p, const format_record_head *head)
{
    p = format_record_prefix_put(p, head->thread_id, head->interpreter_id,
                                 (binprof_record_kind)head->kind);
    p = format_varint_put(p, head->delta_us);
    *p++ = head->status;
    if (head->kind == BINPROF_RECORD_SUFFIX)
        p = format_varint_put(p, head->shared);
    if (head->kind == BINPROF_RECORD_POP_PUSH)
        p = format_varint_put(p, head->pop);
    return format_varint_put(p, head->frame_count);
}

#endif
