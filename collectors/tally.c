#include "base/array.h"
#include "base/error.h"
#include "collectors/tree.h"

#include <binprof/tally.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct tally_collector {
    binprof_collector base;
    const binprof_profile *profile;
    const binprof_capture *captures;
    size_t capture_count;
    binprof_tally_samples *stacks; /* by stack id */
    size_t stack_count, stack_capacity;
    binprof_tally_samples *threads; /* by thread id */
    size_t thread_count, thread_capacity;
    binprof_tally_samples samples;

    /* Made by the export. */
    binprof_tally_count *frames;
    uint32_t frame_count;
    binprof_tally_node *nodes;
    uint32_t node_count;
    uint32_t *first_children; /* by node; 0 for none */
    uint32_t *next_siblings;  /* likewise */
} tally_collector;

static void add(binprof_tally_samples *sum, binprof_tally_samples samples)
{
    sum->now += samples.now;
    sum->base += samples.base;
}

/* Makes an array of sums cover `needed` items. */
static bool cover(binprof_tally_samples **sums, size_t *count, size_t *capacity, size_t needed)
{
    if (needed <= *count)
        return true;
    binprof_tally_samples *grown = array_reserve(*sums, capacity, needed, sizeof *grown);
    if (grown == NULL)
        return false;
    *sums = grown;
    memset(grown + *count, 0, (*capacity - *count) * sizeof *grown);
    *count = *capacity;
    return true;
}

static bool is_of_base(const tally_collector *tally, uint32_t thread)
{
    if (tally->capture_count < 2)
        return false;
    return tally->captures[binprof_profile_thread(tally->profile, thread).capture].is_base;
}

static binprof_status tally_collect(binprof_collector *base, const binprof_run *run,
                                    binprof_error *error)
{
    tally_collector *tally = (tally_collector *)base;
    if (!cover(&tally->stacks, &tally->stack_count, &tally->stack_capacity,
               (size_t)run->stack + 1) ||
        !cover(&tally->threads, &tally->thread_count, &tally->thread_capacity,
               (size_t)run->thread + 1))
        return error_set_memory(error);
    binprof_tally_samples samples = {run->count, 0};
    if (is_of_base(tally, run->thread))
        samples = (binprof_tally_samples){0, run->count};
    add(&tally->stacks[run->stack], samples);
    add(&tally->threads[run->thread], samples);
    add(&tally->samples, samples);
    return BINPROF_OK;
}

/* Makes the nodes of a tree, without their samples. */
static binprof_status make_nodes(tally_collector *tally, const collectors_tree *tree)
{
    tally->nodes = calloc(tree->count, sizeof *tally->nodes);
    if (tally->nodes == NULL)
        return BINPROF_ERROR_MEMORY;
    tally->node_count = tree->count;
    tally->nodes[0].frame = UINT32_MAX;
    for (collectors_tree_iterator at = collectors_tree_begin(tree); collectors_tree_next(&at);) {
        tally->nodes[at.node].parent = at.parent;
        tally->nodes[at.node].frame = at.frame;
    }
    return BINPROF_OK;
}

static bool has_samples(const tally_collector *tally, uint32_t stack)
{
    return tally->stacks[stack].now > 0 || tally->stacks[stack].base > 0;
}

/* Makes the nodes with their own samples. */
static binprof_status sum_nodes(tally_collector *tally)
{
    collectors_tree tree;
    if (!cover(&tally->stacks, &tally->stack_count, &tally->stack_capacity,
               binprof_profile_stack_count(tally->profile)) ||
        !collectors_tree_init(&tree, tally->profile))
        return BINPROF_ERROR_MEMORY;
    for (uint32_t stack = 0; stack < tree.stack_count; stack++)
        if (has_samples(tally, stack))
            collectors_tree_need(&tree, stack);
    binprof_status status = collectors_tree_number(&tree, tally->profile);
    if (status == BINPROF_OK)
        status = make_nodes(tally, &tree);
    for (uint32_t stack = 0; stack < tree.stack_count && status == BINPROF_OK; stack++)
        if (has_samples(tally, stack))
            add(&tally->nodes[tree.node_of[stack]].count.self, tally->stacks[stack]);
    collectors_tree_free(&tree);
    return status;
}

/* Adds what nodes call to their totals, and links them with their children. */
static binprof_status link_nodes(tally_collector *tally)
{
    tally->first_children = calloc(tally->node_count, sizeof(uint32_t));
    tally->next_siblings = calloc(tally->node_count, sizeof(uint32_t));
    if (tally->first_children == NULL || tally->next_siblings == NULL)
        return BINPROF_ERROR_MEMORY;
    binprof_tally_node *nodes = tally->nodes;
    for (uint32_t node = tally->node_count; node-- > 1;) {
        uint32_t parent = nodes[node].parent;
        add(&nodes[node].count.total, nodes[node].count.self);
        add(&nodes[parent].count.total, nodes[node].count.total);
        tally->next_siblings[node] = tally->first_children[parent];
        tally->first_children[parent] = node;
    }
    add(&nodes[0].count.total, nodes[0].count.self);
    return BINPROF_OK;
}

/* Steps through the nodes such that each comes after its parent and with its whole subtree before
 * the next sibling. `leave` is called for each node that is done. Returns 0 after the last. */
static uint32_t next_node(const tally_collector *tally, uint32_t node,
                          void (*leave)(void *context, uint32_t node), void *context)
{
    if (tally->first_children[node] != 0)
        return tally->first_children[node];
    while (node != 0) {
        leave(context, node);
        if (tally->next_siblings[node] != 0)
            return tally->next_siblings[node];
        node = tally->nodes[node].parent;
    }
    return 0;
}

/* Which frames are on the path to a node. */
typedef struct frame_path {
    const tally_collector *tally;
    uint32_t *depths; /* by frame id: how often */
} frame_path;

static void leave_frame(void *context, uint32_t node)
{
    const frame_path *path = context;
    path->depths[path->tally->nodes[node].frame]--;
}

/* Sums by frame. A sample counts once for a frame, however often that is in its stack. */
static binprof_status sum_frames(tally_collector *tally)
{
    tally->frame_count = binprof_profile_frame_count(tally->profile);
    tally->frames = calloc((size_t)tally->frame_count + 1, sizeof *tally->frames);
    frame_path path = {tally, calloc((size_t)tally->frame_count + 1, sizeof *path.depths)};
    if (tally->frames == NULL || path.depths == NULL) {
        free(path.depths);
        return BINPROF_ERROR_MEMORY;
    }
    for (uint32_t node = next_node(tally, 0, leave_frame, &path); node != 0;
         node = next_node(tally, node, leave_frame, &path)) {
        const binprof_tally_node *at = &tally->nodes[node];
        add(&tally->frames[at->frame].self, at->count.self);
        if (path.depths[at->frame]++ == 0)
            add(&tally->frames[at->frame].total, at->count.total);
    }
    free(path.depths);
    return BINPROF_OK;
}

static binprof_status tally_export(binprof_collector *base, binprof_error *error)
{
    tally_collector *tally = (tally_collector *)base;
    binprof_status status = sum_nodes(tally);
    if (status == BINPROF_OK)
        status = link_nodes(tally);
    if (status == BINPROF_OK)
        status = sum_frames(tally);
    if (status == BINPROF_OK &&
        !cover(&tally->threads, &tally->thread_count, &tally->thread_capacity,
               binprof_profile_thread_count(tally->profile)))
        status = BINPROF_ERROR_MEMORY;
    if (status == BINPROF_ERROR_MEMORY)
        return error_set_memory(error);
    if (status != BINPROF_OK)
        return error_set(error, status, BINPROF_NO_OFFSET, "more stacks than can be numbered");
    return BINPROF_OK;
}

static void tally_close(binprof_collector *base)
{
    tally_collector *tally = (tally_collector *)base;
    free(tally->stacks);
    free(tally->threads);
    free(tally->frames);
    free(tally->nodes);
    free(tally->first_children);
    free(tally->next_siblings);
    free(tally);
}

static uint64_t tally_total_samples(const binprof_collector *base)
{
    const tally_collector *tally = (const tally_collector *)base;
    return tally->samples.now + tally->samples.base;
}

static const binprof_collector_operations tally_operations = {
    .collect = tally_collect,
    .export_output = tally_export,
    .close = tally_close,
    .total_samples = tally_total_samples,
};

binprof_status binprof_tally_open(const binprof_profile *profile, const binprof_capture *captures,
                                  size_t capture_count, binprof_collector **collector,
                                  binprof_error *error)
{
    tally_collector *tally = calloc(1, sizeof *tally);
    *collector = (binprof_collector *)tally;
    if (tally == NULL)
        return error_set_memory(error);
    tally->base.operations = &tally_operations;
    tally->profile = profile;
    tally->captures = captures;
    tally->capture_count = capture_count;
    return BINPROF_OK;
}

binprof_tally binprof_tally_get(const binprof_collector *collector)
{
    const tally_collector *tally = (const tally_collector *)collector;
    return (binprof_tally){.samples = tally->samples,
                           .frame_count = tally->frame_count,
                           .frames = tally->frames,
                           .thread_count = binprof_profile_thread_count(tally->profile),
                           .threads = tally->threads,
                           .node_count = tally->node_count,
                           .nodes = tally->nodes,
                           .first_children = tally->first_children,
                           .next_siblings = tally->next_siblings};
}

/* How many chosen frames are on the path to a node. */
typedef struct chosen_path {
    const tally_collector *tally;
    const uint8_t *is_chosen;
    uint32_t depth;
} chosen_path;

static void leave_chosen(void *context, uint32_t node)
{
    chosen_path *path = context;
    path->depth -= path->is_chosen[path->tally->nodes[node].frame] != 0;
}

/* Adds the samples of an outermost chosen node to its caller and to what it calls. */
static void split_node(const tally_collector *tally, uint32_t node,
                       binprof_tally_neighbours *neighbours)
{
    const binprof_tally_node *at = &tally->nodes[node];
    uint32_t nothing = tally->frame_count;
    uint32_t caller = at->parent == 0 ? nothing : tally->nodes[at->parent].frame;
    add(&neighbours->callers[caller], at->count.total);
    add(&neighbours->callees[nothing], at->count.self);
    for (uint32_t child = tally->first_children[node]; child != 0;
         child = tally->next_siblings[child])
        add(&neighbours->callees[tally->nodes[child].frame], tally->nodes[child].count.total);
    add(&neighbours->count.total, at->count.total);
}

binprof_status binprof_tally_find_neighbours(const binprof_collector *collector,
                                             const uint8_t *is_chosen,
                                             binprof_tally_neighbours *neighbours,
                                             binprof_error *error)
{
    const tally_collector *tally = (const tally_collector *)collector;
    size_t size = (size_t)tally->frame_count + 1;
    *neighbours = (binprof_tally_neighbours){
        .callers = calloc(size, sizeof *neighbours->callers),
        .callees = calloc(size, sizeof *neighbours->callees),
    };
    if (neighbours->callers == NULL || neighbours->callees == NULL) {
        binprof_tally_neighbours_free(neighbours);
        return error_set_memory(error);
    }
    chosen_path path = {tally, is_chosen, 0};
    for (uint32_t node = next_node(tally, 0, leave_chosen, &path); node != 0;
         node = next_node(tally, node, leave_chosen, &path)) {
        if (is_chosen[tally->nodes[node].frame] == 0)
            continue;
        add(&neighbours->count.self, tally->nodes[node].count.self);
        if (path.depth++ == 0)
            split_node(tally, node, neighbours);
    }
    return BINPROF_OK;
}

void binprof_tally_neighbours_free(binprof_tally_neighbours *neighbours)
{
    free(neighbours->callers);
    free(neighbours->callees);
    *neighbours = (binprof_tally_neighbours){.callers = NULL};
}
