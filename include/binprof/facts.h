/* What a capture says of itself beside its samples: how it was recorded, and how well. */
#ifndef BINPROF_FACTS_H
#define BINPROF_FACTS_H

#include <binprof/export.h>
#include <stdbool.h>
#include <stdint.h>

/* What the profiler counted as a sample. */
typedef enum binprof_mode {
    BINPROF_MODE_UNKNOWN = -1, /* not recorded */
    BINPROF_MODE_WALL = 0,     /* every thread at every interval */
    BINPROF_MODE_CPU = 1,      /* threads on a CPU */
    BINPROF_MODE_GIL = 2,      /* threads that hold the global interpreter lock */
    BINPROF_MODE_ALL = 3,      /* every thread, with both GIL and CPU measured */
    BINPROF_MODE_EXCEPTION = 4 /* threads with an active exception */
} binprof_mode;

/* What the profiler was told to capture: the bits of binprof_facts.features. */
#define BINPROF_FEATURE_ALL_THREADS 0x01u /* not only the main thread */
#define BINPROF_FEATURE_NATIVE 0x02u      /* <native> frames */
#define BINPROF_FEATURE_GC 0x04u          /* <GC> frames */
#define BINPROF_FEATURE_OPCODES 0x08u     /* the opcode in each frame */
#define BINPROF_FEATURE_BLOCKING 0x10u    /* the process was stopped for each sample */

/* The state of a thread when a sample was taken: the bits of a sample's status. On-CPU is measured
 * in the modes cpu and all only; elsewhere UNKNOWN is set and ON_CPU says nothing. */
#define BINPROF_STATUS_HAS_GIL 0x01u
#define BINPROF_STATUS_ON_CPU 0x02u
#define BINPROF_STATUS_UNKNOWN 0x04u
#define BINPROF_STATUS_GIL_REQUESTED 0x08u
#define BINPROF_STATUS_EXCEPTION 0x10u
#define BINPROF_STATUS_MAIN_THREAD 0x20u

/* Measured by the profiler over the whole capture. */
typedef struct binprof_statistics {
    bool present;       /* false: nothing below is known */
    double duration_s;  /* seconds */
    double sample_rate; /* samples a second */
    bool has_failed;    /* whether failed_percent was measured */
    double failed_percent;
    bool has_missed; /* whether missed_percent was measured */
    double missed_percent;
} binprof_statistics;

typedef struct binprof_facts {
    uint64_t interval_us; /* the time between two samples that was asked for */
    uint64_t start_us;    /* monotonic clock; what timestamps count from */
    uint8_t python[3];    /* version of the profiled Python: 3, 15, 2; 0, 0, 0 for none */
    int mode;             /* a binprof_mode, or a later one's number, at most 6 */
    bool has_features;    /* false: features is not known */
    uint32_t features;    /* BINPROF_FEATURE_ bits */
    binprof_statistics statistics;
} binprof_facts;

/* Returns the name of a mode as the profiler's command line spells it ("wall"), "unknown" for
 * anything that is not a binprof_mode. The text is static. Thread-safe. */
BINPROF_API const char *binprof_mode_name(int mode);

/* Returns the name of one feature or status bit ("all_threads", "has-gil"), NULL for a bit without
 * a name. The text is static. Thread-safe. */
BINPROF_API const char *binprof_feature_name(uint32_t bit);
BINPROF_API const char *binprof_status_name(uint8_t bit);

#endif
