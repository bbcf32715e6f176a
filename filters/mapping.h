/* Stacks and frames of a capture become those that outputs see. */
#ifndef FILTERS_MAPPING_H
#define FILTERS_MAPPING_H

#include "filters/pattern.h"

#include <binprof/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known of a source frame or stack. */
enum {
    MAPPING_KNOWN = 1,
    MAPPING_FOCUS = 2,  /* matches the pattern; of a stack: one of its frames does */
    MAPPING_IGNORE = 4, /* likewise */
    MAPPING_TRIM = 8,   /* likewise */
};

#define FILTERS_UNKNOWN UINT32_MAX

typedef struct filters_mapped {
    uint32_t id; /* in the target */
    uint8_t flags;
} filters_mapped;

/* A table of what ids of the source became. Of stacks there are many: without patterns, ids are all
 * that has to be kept. */
typedef struct filters_stacks {
    uint32_t *ids;  /* FILTERS_UNKNOWN for what is not known yet */
    uint8_t *flags; /* NULL without patterns */
    size_t count, capacity, flags_capacity;
} filters_stacks;

typedef struct filters_mapping {
    const binprof_choice *choice;
    filters_pattern focus, ignore, trim_root;
    uint8_t matched; /* the flags that any frame had */

    binprof_profile *target;
    const binprof_profile *source;
    bool has_patterns;
    bool is_identity; /* every stack is chosen and stays itself */
    uint32_t root;    /* of the target's stacks: what every stack starts with */

    /* By the source's ids. */
    filters_mapped *frames;
    size_t frame_count, frame_capacity;
    filters_stacks stacks;
    uint32_t *files;     /* string ids in the target, or FILTERS_UNKNOWN */
    uint32_t *functions; /* likewise */
    size_t file_count, file_capacity, function_count, function_capacity;

    uint32_t *path; /* scratch */
    size_t path_capacity;
    char *text; /* scratch */
    size_t text_capacity;
} filters_mapping;

/* Fails with BINPROF_ERROR_ARGUMENT (a pattern) or BINPROF_ERROR_MEMORY. */
binprof_status filters_mapping_init(filters_mapping *mapping, const binprof_choice *choice,
                                    binprof_profile *target, binprof_error *error);
void filters_mapping_free(filters_mapping *mapping);

/* Forgets the source before, and starts with another. It may be the target itself where the choice
 * changes no stacks. name: of a frame that all its stacks start with; NULL for none. */
binprof_status filters_mapping_begin(filters_mapping *mapping, const binprof_profile *source,
                                     const char *name, binprof_error *error);

/* Finds out what a stack of the source becomes. */
binprof_status filters_mapping_resolve(filters_mapping *mapping, uint32_t stack,
                                       binprof_error *error);

/* Stores in *mapped the stack of the target. Returns false in *is_chosen when the samples of this
 * stack are left out. */
static inline binprof_status filters_map_stack(filters_mapping *mapping, uint32_t stack,
                                               uint32_t *mapped, bool *is_chosen,
                                               binprof_error *error)
{
    if (mapping->is_identity) {
        *mapped = stack;
        *is_chosen = true;
        return BINPROF_OK;
    }
    if (stack >= mapping->stacks.count || mapping->stacks.ids[stack] == FILTERS_UNKNOWN) {
        binprof_status status = filters_mapping_resolve(mapping, stack, error);
        if (status != BINPROF_OK)
            return status;
    }
    *mapped = mapping->stacks.ids[stack];
    *is_chosen = true;
    if (mapping->has_patterns) {
        uint8_t flags = mapping->stacks.flags[stack];
        *is_chosen = (flags & MAPPING_IGNORE) == 0 &&
                     (!mapping->focus.is_given || (flags & MAPPING_FOCUS) != 0);
    }
    return BINPROF_OK;
}

#endif
