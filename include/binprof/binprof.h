/* binprof: reads, writes and converts the binary captures of sampling profilers.
 *
 * This header includes all others. What holds for the whole library:
 *
 * Errors. A function that can fail returns a binprof_status, BINPROF_OK (0) on success, and fills
 * the binprof_error that the caller passes last. The caller owns that struct and may pass NULL.
 * The library never prints, never exits and installs no signal handler.
 *
 * Threads. The library has no global state. Different objects may be used by different threads at
 * the same time. One object must be used by one thread at a time; this includes the profile that
 * a reader fills and a collector or writer reads.
 *
 * Ownership. What a function named _new, _open or ..._collector_open returns is the caller's to
 * give back with the matching _free or _close. Everything else that is returned by pointer is
 * borrowed; its comment says for how long.
 *
 * Units. Times are microseconds in 64 bits, on a monotonic clock; they may wrap around. Text is
 * bytes with a length, UTF-8 by convention but never relied upon, and may hold NUL.
 */
#ifndef BINPROF_H
#define BINPROF_H

#include <binprof/collector.h>
#include <binprof/error.h>
#include <binprof/facts.h>
#include <binprof/filter.h>
#include <binprof/formats.h>
#include <binprof/output.h>
#include <binprof/profile.h>
#include <binprof/reader.h>
#include <binprof/tally.h>
#include <binprof/version.h>
#include <binprof/writer.h>

#endif
