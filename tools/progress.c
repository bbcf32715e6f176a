#include "tools/progress.h"

#include <binprof/writer.h>
#include <stdio.h>
#include <unistd.h>

/* Work shorter than this shows nothing. */
#define PATIENCE_US 500000

progress_bar progress_begin(bool quiet)
{
    return (progress_bar){.enabled = !quiet && isatty(STDERR_FILENO),
                          .start_us = binprof_now_us(),
                          .shown_percent = -1};
}

void progress_update(progress_bar *progress, uint64_t done, uint64_t total)
{
    if (!progress->enabled || total == 0 || binprof_now_us() - progress->start_us < PATIENCE_US)
        return;
    int percent = (int)((double)done / (double)total * 100);
    if (percent == progress->shown_percent)
        return;
    progress->shown_percent = percent;
    fprintf(stderr, "\r%3d %%", percent);
}

void progress_end(progress_bar *progress)
{
    if (progress->shown_percent >= 0)
        fprintf(stderr, "\r     \r");
    progress->shown_percent = -1;
}
