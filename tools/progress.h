/* How far a conversion has come, shown on a terminal and only for work that lasts. */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress_bar {
    bool enabled;
    uint64_t start_us;
    int shown_percent; /* -1: nothing is shown */
} progress_bar;

/* With `quiet`, or where stderr is no terminal, nothing will be shown. */
progress_bar progress_begin(bool quiet);

void progress_update(progress_bar *progress, uint64_t done, uint64_t total);

/* Removes what is shown. */
void progress_end(progress_bar *progress);

#endif
