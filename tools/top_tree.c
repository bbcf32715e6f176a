/* The tree of calls. */
#include "base/error.h"
#include "tools/top.h"

#include <inttypes.h>
#include <stdlib.h>

/* A call that is to be printed. Trees can be deeper than the C stack, so calls wait on a stack of
 * our own. */
typedef struct tree_call {
    uint32_t node;
    uint32_t depth; /* 1 for the outermost calls */
} tree_call;

typedef struct tree_walk {
    const top_context *top;
    tree_call *calls; /* room for all nodes: each waits once */
    size_t count;
    uint32_t *children; /* scratch, likewise */
} tree_walk;

/* qsort passes no context. */
static const binprof_tally_node *sorted_nodes;

static int compare_nodes(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;
    uint64_t left_total = sorted_nodes[left].count.total.now;
    uint64_t right_total = sorted_nodes[right].count.total.now;
    if (left_total != right_total)
        return left_total > right_total ? -1 : 1;
    return (left > right) - (left < right);
}

static bool is_shown(const top_context *top, uint32_t node)
{
    binprof_tally_samples total = top->tally.nodes[node].count.total;
    double share = top_percent(total.now, top->tally.samples.now);
    double base_share = top_percent(total.base, top->tally.samples.base);
    double enough = top->options->min_share - TOP_ROUNDING;
    return share >= enough || base_share >= enough;
}

/* Puts the calls of a node on the stack, the one with most samples on top. */
static void push_children(tree_walk *walk, uint32_t node, uint32_t depth)
{
    const top_context *top = walk->top;
    const binprof_tally *tally = &top->tally;
    if (top->options->depth > 0 && depth >= top->options->depth)
        return;
    size_t count = 0;
    for (uint32_t child = tally->first_children[node]; child != 0;
         child = tally->next_siblings[child])
        if (is_shown(top, child))
            walk->children[count++] = child;
    sorted_nodes = tally->nodes;
    qsort(walk->children, count, sizeof *walk->children, compare_nodes);
    while (count > 0)
        walk->calls[walk->count++] = (tree_call){walk->children[--count], depth + 1};
}

static bool pop(tree_walk *walk, tree_call *call)
{
    if (walk->count == 0)
        return false;
    *call = walk->calls[--walk->count];
    push_children(walk, call->node, call->depth);
    return true;
}

static void print_numbers(const top_context *top, const binprof_tally_count *count)
{
    binprof_tally_samples all = top->tally.samples;
    double total = top_percent(count->total.now, all.now);
    output_text_printf(top->out, "%9.2f%9.2f", total, top_percent(count->self.now, all.now));
    if (top->options->base != NULL)
        output_text_printf(top->out, "%+9.2f", total - top_percent(count->total.base, all.base));
    output_text_string(top->out, "  ");
}

static void print_text(tree_walk *walk)
{
    const top_context *top = walk->top;
    bool compares = top->options->base != NULL;
    size_t columns = top_text_columns(top);
    size_t used = compares ? 29 : 20;
    top_print_heading(top);
    output_text_printf(top->out, "%9s%9s%s  call\n", "total %", "self %",
                       compares ? "   change" : "");
    tree_call call;
    while (pop(walk, &call)) {
        const binprof_tally_node *node = &top->tally.nodes[call.node];
        print_numbers(top, &node->count);
        /* Deep calls are not pushed out of sight. */
        size_t indent = 2 * ((size_t)call.depth - 1);
        size_t most = columns > used + 30 ? columns - used - 30 : 0;
        indent = indent < most ? indent : most;
        for (size_t i = 0; i < indent; i++)
            output_text_char(top->out, ' ');
        size_t room = columns > used + indent ? columns - used - indent : 1;
        top_text_frame(top, node->frame, room);
        output_text_char(top->out, '\n');
    }
}

static void put_json_counts(const top_context *top, const binprof_tally_count *count)
{
    output_text_printf(top->out, "\"self\":%" PRIu64 ",\"total\":%" PRIu64, count->self.now,
                       count->total.now);
    if (top->options->base != NULL)
        output_text_printf(top->out, ",\"base_self\":%" PRIu64 ",\"base_total\":%" PRIu64,
                           count->self.base, count->total.base);
}

static void print_json(tree_walk *walk)
{
    const top_context *top = walk->top;
    top_json_head(top);
    output_text_string(top->out, ",\"children\":[");
    uint32_t depth = 0;
    tree_call call;
    while (pop(walk, &call)) {
        for (uint32_t closed = depth + 1; closed > call.depth; closed--)
            output_text_string(top->out, "]}");
        if (depth >= call.depth)
            output_text_char(top->out, ',');
        depth = call.depth;
        const binprof_tally_node *node = &top->tally.nodes[call.node];
        output_text_string(top->out, "\n{");
        top_json_names(top, node->frame);
        put_json_counts(top, &node->count);
        output_text_string(top->out, ",\"children\":[");
    }
    for (; depth > 0; depth--)
        output_text_string(top->out, "]}");
    output_text_string(top->out, "\n]}\n");
}

binprof_status top_print_tree(const top_context *top, binprof_error *error)
{
    size_t node_count = top->tally.node_count;
    tree_walk walk = {.top = top,
                      .calls = malloc(node_count * sizeof *walk.calls),
                      .children = malloc(node_count * sizeof *walk.children)};
    binprof_status status = BINPROF_OK;
    if (walk.calls == NULL || walk.children == NULL) {
        status = error_set_memory(error);
    } else {
        push_children(&walk, 0, 0);
        if (top->options->form == TOP_FORM_JSON)
            print_json(&walk);
        else
            print_text(&walk);
    }
    free(walk.calls);
    free(walk.children);
    return status;
}
