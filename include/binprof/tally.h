/* Sums over samples: how many each function, stack and thread has, as itself and with what it
 * calls.
 *
 * A tally is a collector without an output. Frames are what it counts by: put a filter before it to
 * tell functions apart, or files, rather than instructions.
 */
#ifndef BINPROF_TALLY_H
#define BINPROF_TALLY_H

#include <binprof/collector.h>
#include <binprof/error.h>
#include <binprof/filter.h>
#include <binprof/profile.h>
#include <stddef.h>
#include <stdint.h>

/* Samples: of the captures that are looked at, and of the one that they are compared with. */
typedef struct binprof_tally_samples {
    uint64_t now;
    uint64_t base;
} binprof_tally_samples;

typedef struct binprof_tally_count {
    binprof_tally_samples self;  /* samples whose innermost frame it is */
    binprof_tally_samples total; /* samples whose stack it is in, each once */
} binprof_tally_count;

/* A node of the tree of stacks, without the profiler's own frames and stacks without samples. */
typedef struct binprof_tally_node {
    uint32_t parent; /* of node 0, the root: 0 */
    uint32_t frame;  /* frame id of the profile; of node 0: UINT32_MAX */
    binprof_tally_count count;
} binprof_tally_node;

/* What a tally holds; the arrays live as long as it. */
typedef struct binprof_tally {
    binprof_tally_samples samples;        /* all of them */
    uint32_t frame_count;                 /* of the profile */
    const binprof_tally_count *frames;    /* by frame id */
    uint32_t thread_count;                /* of the profile */
    const binprof_tally_samples *threads; /* by thread id */
    uint32_t node_count;                  /* parents come before their children */
    const binprof_tally_node *nodes;
    const uint32_t *first_children; /* by node; 0 for none */
    const uint32_t *next_siblings;  /* likewise */
} binprof_tally;

/* Opens a tally, to be closed with binprof_collector_close.
 *
 * profile: what the runs' ids are of; must outlive the tally.
 * captures, capture_count: tell whether a thread is of the base; NULL and 0 where there is none.
 *
 * Fails with BINPROF_ERROR_MEMORY; its export with that, or with BINPROF_ERROR_LIMIT. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status binprof_tally_open(const binprof_profile *profile,
                                                                   const binprof_capture *captures,
                                                                   size_t capture_count,
                                                                   binprof_collector **tally,
                                                                   binprof_error *error);

/* Returns the sums of a collector from binprof_tally_open that was exported. */
BINPROF_API binprof_tally binprof_tally_get(const binprof_collector *tally);

/* Where the samples of some frames come from and go to. */
typedef struct binprof_tally_neighbours {
    binprof_tally_count count;      /* of the frames together */
    binprof_tally_samples *callers; /* by frame id; at frame_count: nothing called them */
    binprof_tally_samples *callees; /* by frame id; at frame_count: nothing, they ran themselves */
} binprof_tally_neighbours;

/* Splits the samples that have one of some frames in their stack by the caller of the outermost of
 * these frames, and by what that one calls; so both add up to the total.
 *
 * is_chosen: a byte for each frame id, not 0 for those frames. neighbours: to be given back with
 * binprof_tally_neighbours_free. Fails with BINPROF_ERROR_MEMORY. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status
binprof_tally_find_neighbours(const binprof_collector *tally, const uint8_t *is_chosen,
                              binprof_tally_neighbours *neighbours, binprof_error *error);

BINPROF_API void binprof_tally_neighbours_free(binprof_tally_neighbours *neighbours);

#endif
