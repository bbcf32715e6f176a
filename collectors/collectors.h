/* The output formats' constructors: one file each, listed in formats.c. */
#ifndef COLLECTORS_COLLECTORS_H
#define COLLECTORS_COLLECTORS_H

#include <binprof/formats.h>

binprof_status collectors_binary_open(const binprof_collector_options *options,
                                      binprof_collector **collector, binprof_error *error);
binprof_status collectors_collapsed_open(const binprof_collector_options *options,
                                         binprof_collector **collector, binprof_error *error);
binprof_status collectors_flamegraph_open(const binprof_collector_options *options,
                                          binprof_collector **collector, binprof_error *error);
binprof_status collectors_gecko_open(const binprof_collector_options *options,
                                     binprof_collector **collector, binprof_error *error);

#endif
