/* Holds samples back and hands them on in the order of time, for threads that were merged. */
#ifndef FILTERS_SORTER_H
#define FILTERS_SORTER_H

#include <binprof/collector.h>

/* next: takes the sorted runs when the sorter is exported; stays the caller's. Fails with
 * BINPROF_ERROR_MEMORY. */
binprof_status filters_sorter_open(binprof_collector *next, binprof_collector **collector,
                                   binprof_error *error);

#endif
