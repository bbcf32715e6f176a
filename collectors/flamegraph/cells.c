#include "collectors/flamegraph/cells.h"

#include "base/array.h"

#include <string.h>

/* How many of a stack's cells are looked at for the one that a sample belongs to. Where it is not
 * among them, there are two until the cells are tidied. */
#define LOOK_BACK 8

/* So many cells are tidied, and their buckets made wider if that is not enough: a page must stay
 * small enough for a browser. */
#define CELLS_MAX ((size_t)2000000)

void flamegraph_cells_init(flamegraph_cells *cells, uint64_t start_us, uint64_t bucket_us)
{
    *cells = (flamegraph_cells){
        .limit = CELLS_MAX, .start_us = start_us, .bucket_us = bucket_us > 0 ? bucket_us : 1};
}

void flamegraph_cells_free(flamegraph_cells *cells)
{
    free(cells->heads);
    free(cells->cells);
    free(cells->kinds);
    free(cells->threads);
    free(cells->scratch);
}

/* Makes an array whose new items are all bits 1 cover `needed` items. */
static void *cover(void *array, size_t *count, size_t *capacity, size_t needed, size_t item_size)
{
    char *grown = array_reserve(array, capacity, needed, item_size);
    if (grown == NULL)
        return NULL;
    memset(grown + *count * item_size, 0xff, (*capacity - *count) * item_size);
    *count = *capacity;
    return grown;
}

static bool cover_run(flamegraph_cells *cells, uint32_t thread, size_t stack_count)
{
    if (stack_count > cells->stack_count) {
        uint32_t *heads = cover(cells->heads, &cells->stack_count, &cells->stack_capacity,
                                stack_count, sizeof *heads);
        if (heads == NULL)
            return false;
        cells->heads = heads;
    }
    if (thread >= cells->thread_count) {
        flamegraph_thread *threads =
            cover(cells->threads, &cells->thread_count, &cells->thread_capacity, (size_t)thread + 1,
                  sizeof *threads);
        if (threads == NULL)
            return false;
        cells->threads = threads;
    }
    return true;
}

/* Stores in *kind the number of this thread and status. */
static bool find_kind(flamegraph_cells *cells, uint32_t thread, uint8_t status, uint32_t *kind)
{
    uint32_t first = cells->threads[thread].kinds;
    for (uint32_t i = first; i != FLAMEGRAPH_NO_CELL; i = cells->kinds[i].next)
        if (cells->kinds[i].status == status) {
            *kind = i;
            return true;
        }
    flamegraph_kind *kinds =
        array_reserve(cells->kinds, &cells->kind_capacity, cells->kind_count + 1, sizeof *kinds);
    if (kinds == NULL)
        return false;
    cells->kinds = kinds;
    *kind = (uint32_t)cells->kind_count++;
    kinds[*kind] = (flamegraph_kind){thread, first, status};
    cells->threads[thread].kinds = *kind;
    return true;
}

static bool is_cell(const flamegraph_cell *cell, uint32_t kind, uint32_t bucket, uint32_t samples)
{
    return cell->kind == kind && cell->bucket == bucket && samples <= UINT32_MAX - cell->samples;
}

/* Returns the stack's cell of this kind and bucket, if it is among the newest ones. Samples come
 * nearly in the order of time: beyond an older bucket there is nothing to be found. */
static uint32_t find_cell(const flamegraph_cells *cells, uint32_t stack, uint32_t kind,
                          uint32_t bucket, uint32_t samples)
{
    uint32_t at = cells->heads[stack];
    for (unsigned steps = 0; steps < LOOK_BACK && at != FLAMEGRAPH_NO_CELL; steps++) {
        const flamegraph_cell *cell = &cells->cells[at];
        if (is_cell(cell, kind, bucket, samples))
            return at;
        if (cell->bucket < bucket)
            break;
        at = cell->next;
    }
    return FLAMEGRAPH_NO_CELL;
}

static bool add_cell(flamegraph_cells *cells, uint32_t stack, uint32_t kind, uint32_t *cell)
{
    if (cells->count == FLAMEGRAPH_NO_CELL)
        return false;
    flamegraph_cell *grown =
        array_reserve(cells->cells, &cells->capacity, cells->count + 1, sizeof *grown);
    if (grown == NULL)
        return false;
    cells->cells = grown;
    *cell = (uint32_t)cells->count++;
    grown[*cell] = (flamegraph_cell){cells->heads[stack], kind, cells->bucket, 0};
    cells->heads[stack] = *cell;
    return true;
}

/* Adds samples of the bucket that was found last. */
static bool add(flamegraph_cells *cells, uint32_t thread_id, uint32_t stack, uint32_t kind,
                uint32_t samples)
{
    flamegraph_thread *thread = &cells->threads[thread_id];
    uint32_t at = thread->cell;
    if (thread->stack != stack || at == FLAMEGRAPH_NO_CELL ||
        !is_cell(&cells->cells[at], kind, cells->bucket, samples)) {
        at = find_cell(cells, stack, kind, cells->bucket, samples);
        if (at == FLAMEGRAPH_NO_CELL && !add_cell(cells, stack, kind, &at))
            return false;
        thread->stack = stack;
        thread->cell = at;
    }
    cells->cells[at].samples += samples;
    return true;
}

/* Cells in the order of time, then of kind. */
static uint64_t sort_key(const flamegraph_cell *cell)
{
    return (uint64_t)cell->bucket << 32 | cell->kind;
}

static int compare_cells(const void *a, const void *b)
{
    uint64_t left = sort_key(a);
    uint64_t right = sort_key(b);
    return (left > right) - (left < right);
}

/* Sorts cells that are nearly sorted. Gives up, and returns false, when they are not. */
static bool sort_nearly_sorted(flamegraph_cell *cells, size_t count)
{
    size_t moves = 0;
    for (size_t i = 1; i < count; i++) {
        flamegraph_cell cell = cells[i];
        size_t at = i;
        for (; at > 0 && sort_key(&cells[at - 1]) > sort_key(&cell); at--)
            cells[at] = cells[at - 1];
        cells[at] = cell;
        moves += i - at;
        if (moves > 8 * count)
            return false;
    }
    return true;
}

/* Cells come in the order of time, the newest first. */
static void sort_cells(flamegraph_cell *cells, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        flamegraph_cell cell = cells[i];
        cells[i] = cells[count - 1 - i];
        cells[count - 1 - i] = cell;
    }
    if (!sort_nearly_sorted(cells, count))
        qsort(cells, count, sizeof *cells, compare_cells);
}

/* Copies a stack's cells to the scratch. */
static bool gather(flamegraph_cells *cells, uint32_t stack, size_t *count)
{
    *count = 0;
    for (uint32_t at = cells->heads[stack]; at != FLAMEGRAPH_NO_CELL; at = cells->cells[at].next) {
        flamegraph_cell *scratch =
            array_reserve(cells->scratch, &cells->scratch_capacity, *count + 1, sizeof *scratch);
        if (scratch == NULL)
            return false;
        cells->scratch = scratch;
        scratch[(*count)++] = cells->cells[at];
    }
    return true;
}

/* Makes one of the sorted cells that are the same. Returns how many are left. */
static size_t merge_sorted(flamegraph_cell *sorted, size_t count)
{
    size_t kept = 0;
    for (size_t i = 1; i < count; i++) {
        if (sort_key(&sorted[kept]) == sort_key(&sorted[i]) &&
            sorted[i].samples <= UINT32_MAX - sorted[kept].samples)
            sorted[kept].samples += sorted[i].samples;
        else
            sorted[++kept] = sorted[i];
    }
    return kept + 1;
}

/* Puts the sorted cells of the scratch into the places that the stack's cells have, the newest
 * first.
 */
static void put_back(flamegraph_cells *cells, uint32_t stack, size_t count)
{
    uint32_t at = cells->heads[stack];
    for (size_t i = 0; i < count; i++) {
        flamegraph_cell *cell = &cells->cells[at];
        at = i + 1 < count ? cell->next : FLAMEGRAPH_NO_CELL;
        *cell = cells->scratch[count - 1 - i];
        cell->next = at;
    }
}

/* Counts a stack's cells. Returns false when they are not in the order in which samples come, the
 * newest first, or some are the same. */
static bool count_tidy(const flamegraph_cells *cells, uint32_t stack, size_t *count)
{
    const flamegraph_cell *newer = NULL;
    *count = 0;
    for (uint32_t at = cells->heads[stack]; at != FLAMEGRAPH_NO_CELL;) {
        const flamegraph_cell *cell = &cells->cells[at];
        if (newer != NULL && sort_key(cell) >= sort_key(newer))
            return false;
        (*count)++;
        newer = cell;
        at = cell->next;
    }
    return true;
}

bool flamegraph_cells_tidy(flamegraph_cells *cells, uint32_t stack, size_t *count)
{
    if (count_tidy(cells, stack, count))
        return true;
    if (!gather(cells, stack, count))
        return false;
    sort_cells(cells->scratch, *count);
    *count = merge_sorted(cells->scratch, *count);
    put_back(cells, stack, *count);
    return true;
}

/* Closes the gaps that tidying has left. */
static bool compact(flamegraph_cells *cells, size_t count)
{
    flamegraph_cell *kept = malloc((count + 1) * sizeof *kept);
    if (kept == NULL)
        return false;
    size_t used = 0;
    for (size_t stack = 0; stack < cells->stack_count; stack++) {
        uint32_t *link = &cells->heads[stack];
        for (uint32_t at = *link; at != FLAMEGRAPH_NO_CELL;) {
            kept[used] = cells->cells[at];
            at = kept[used].next;
            *link = (uint32_t)used;
            link = &kept[used++].next;
        }
    }
    free(cells->cells);
    cells->cells = kept;
    cells->count = used;
    cells->capacity = count + 1;
    for (size_t thread = 0; thread < cells->thread_count; thread++)
        cells->threads[thread].cell = FLAMEGRAPH_NO_CELL;
    return true;
}

static bool tidy_all(flamegraph_cells *cells)
{
    size_t sum = 0;
    for (size_t stack = 0; stack < cells->stack_count; stack++) {
        size_t count;
        if (!flamegraph_cells_tidy(cells, (uint32_t)stack, &count))
            return false;
        sum += count;
    }
    return compact(cells, sum);
}

/* Makes buckets 2^doublings times as wide. */
static bool widen(flamegraph_cells *cells, unsigned doublings)
{
    unsigned shift = doublings < 31 ? doublings : 31; /* nothing is left of a bucket then */
    for (size_t i = 0; i < cells->count; i++)
        cells->cells[i].bucket >>= shift;
    cells->bucket_us <<= doublings;
    if (cells->bucket_count > 0)
        cells->bucket_count = ((cells->bucket_count - 1) >> shift) + 1;
    cells->bucket_to_us = 0; /* the bucket that came last is another one now */
    return tidy_all(cells);
}

/* Makes fewer cells of too many, as far as times may be told apart less well. */
static bool reduce(flamegraph_cells *cells)
{
    if (!tidy_all(cells))
        return false;
    while (cells->count > CELLS_MAX / 2 && cells->bucket_count > 1)
        if (!widen(cells, 1))
            return false;
    cells->limit = cells->count < CELLS_MAX / 2 ? CELLS_MAX : 2 * cells->count;
    return true;
}

/* Finds the bucket of a time since the start. */
static bool find_bucket(flamegraph_cells *cells, uint64_t time_us)
{
    unsigned doublings = 0;
    while ((time_us / cells->bucket_us) >> doublings >= FLAMEGRAPH_BUCKETS)
        doublings++;
    if (doublings > 0 && !widen(cells, doublings))
        return false;
    cells->bucket = (uint32_t)(time_us / cells->bucket_us);
    cells->bucket_from_us = cells->bucket * cells->bucket_us;
    cells->bucket_to_us = cells->bucket_from_us + cells->bucket_us;
    if (cells->bucket >= cells->bucket_count)
        cells->bucket_count = cells->bucket + 1;
    return true;
}

/* Times before the start count as the start. */
static uint64_t since_start(const flamegraph_cells *cells, uint64_t time_us)
{
    uint64_t passed = time_us - cells->start_us;
    return passed > (uint64_t)INT64_MAX ? 0 : passed;
}

static bool is_in_bucket(const flamegraph_cells *cells, uint64_t time_us)
{
    return time_us >= cells->bucket_from_us && time_us < cells->bucket_to_us;
}

/* Returns how many samples of the run, from `first` on, are of one status and bucket, which is
 * found; 0 when there is no memory. */
static size_t find_part(flamegraph_cells *cells, const binprof_run *run, size_t first)
{
    uint64_t time_us = since_start(cells, run->timestamps_us[first]);
    if (!is_in_bucket(cells, time_us) && !find_bucket(cells, time_us))
        return 0;
    size_t end = first + 1;
    while (end < run->count && run->statuses[end] == run->statuses[first] &&
           is_in_bucket(cells, since_start(cells, run->timestamps_us[end])))
        end++;
    return end - first;
}

binprof_status flamegraph_cells_add(flamegraph_cells *cells, const binprof_run *run,
                                    size_t stack_count)
{
    if (!cover_run(cells, run->thread, stack_count))
        return BINPROF_ERROR_MEMORY;
    for (size_t first = 0; first < run->count;) {
        uint32_t kind;
        size_t count = find_part(cells, run, first);
        if (count == 0 || !find_kind(cells, run->thread, run->statuses[first], &kind))
            return BINPROF_ERROR_MEMORY;
        if (!add(cells, run->thread, run->stack, kind, (uint32_t)count))
            return BINPROF_ERROR_MEMORY;
        first += count;
    }
    if (cells->count > cells->limit && !reduce(cells))
        return BINPROF_ERROR_MEMORY;
    return BINPROF_OK;
}

void flamegraph_cells_move(flamegraph_cells *cells, uint32_t from, uint32_t to)
{
    /* In front of the others, so that a stack that many are moved to is not walked each time. */
    uint32_t *end = &cells->heads[from];
    while (*end != FLAMEGRAPH_NO_CELL)
        end = &cells->cells[*end].next;
    *end = cells->heads[to];
    cells->heads[to] = cells->heads[from];
    cells->heads[from] = FLAMEGRAPH_NO_CELL;
}
