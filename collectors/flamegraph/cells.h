/* How many samples each stack has, by kind (thread and status) and by time. */
#ifndef COLLECTORS_FLAMEGRAPH_CELLS_H
#define COLLECTORS_FLAMEGRAPH_CELLS_H

#include <binprof/collector.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Times are told apart this well: more can't be seen on a screen or chosen with a pointer. */
#define FLAMEGRAPH_BUCKETS 256

typedef struct flamegraph_cell {
    uint32_t next; /* the next older cell of the stack */
    uint32_t kind;
    uint32_t bucket;
    uint32_t samples;
} flamegraph_cell;

#define FLAMEGRAPH_NO_CELL UINT32_MAX

typedef struct flamegraph_kind {
    uint32_t thread;
    uint32_t next; /* the next kind of this thread, or FLAMEGRAPH_NO_CELL */
    uint8_t status;
} flamegraph_kind;

/* Where the last samples of a thread went. */
typedef struct flamegraph_thread {
    uint32_t kinds; /* the first of its kinds; FLAMEGRAPH_NO_CELL before any sample */
    uint32_t stack;
    uint32_t cell;
} flamegraph_thread;

typedef struct flamegraph_cells {
    uint32_t *heads; /* by stack id: the newest cell */
    size_t stack_count, stack_capacity;
    flamegraph_cell *cells;
    size_t count, capacity;
    size_t limit; /* more cells are too many */
    flamegraph_kind *kinds;
    size_t kind_count, kind_capacity;
    flamegraph_thread *threads; /* by thread id */
    size_t thread_count, thread_capacity;
    flamegraph_cell *scratch;
    size_t scratch_capacity;
    uint64_t start_us;
    uint64_t bucket_us; /* the width of a bucket */
    uint32_t bucket_count;
    uint64_t bucket_from_us, bucket_to_us; /* of the bucket that came last */
    uint32_t bucket;
} flamegraph_cells;

/* bucket_us: how wide buckets are to begin with; they double whenever there are too many. */
void flamegraph_cells_init(flamegraph_cells *cells, uint64_t start_us, uint64_t bucket_us);
void flamegraph_cells_free(flamegraph_cells *cells);

/* Adds a run. stack_count: of the profile. Fails with BINPROF_ERROR_MEMORY. */
binprof_status flamegraph_cells_add(flamegraph_cells *cells, const binprof_run *run,
                                    size_t stack_count);

/* Moves the cells of one stack to another. */
void flamegraph_cells_move(flamegraph_cells *cells, uint32_t from, uint32_t to);

/* Makes one of the cells of a stack that have the same kind and bucket, and stores in *count how
 * many are left. Returns false when there is no memory. */
bool flamegraph_cells_tidy(flamegraph_cells *cells, uint32_t stack, size_t *count);

#endif
