/* The flame graph collector's insides. What the page holds is said in
 * collectors/flamegraph/README.md. */
#ifndef COLLECTORS_FLAMEGRAPH_FLAMEGRAPH_H
#define COLLECTORS_FLAMEGRAPH_FLAMEGRAPH_H

#include "collectors/flamegraph/cells.h"
#include "output/text.h"

#include <binprof/formats.h>

typedef struct flamegraph_collector {
    binprof_collector base;
    const binprof_profile *profile;
    const binprof_choice *choice;
    const binprof_capture *captures; /* at least one */
    size_t capture_count;
    binprof_capture only; /* what captures points to when none were named */
    char *source;
    uint8_t python[3]; /* the version of all captures; 0 where they differ */
    output_text text;
    flamegraph_cells cells;
    uint64_t samples;
} flamegraph_collector;

/* Appends the data to the text. Fails with BINPROF_ERROR_MEMORY or BINPROF_ERROR_LIMIT. */
binprof_status flamegraph_write_data(flamegraph_collector *flamegraph);

/* Returns the facts as JSON text, to be freed; NULL when there is no memory. */
char *flamegraph_facts(const flamegraph_collector *flamegraph);

#endif
