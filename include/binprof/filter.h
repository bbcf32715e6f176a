/* Choosing what goes into an output: which samples, and which parts of their stacks.
 *
 * A filter is a collector that hands on to another what was chosen. It also brings several
 * captures together in one profile, keeping their threads apart:
 *
 *     binprof_filter_options options = {.choice = &choice, .profile = profile, .next = output};
 *     binprof_filter_open(&options, &filter, &error);
 *     binprof_filter_replay(filter, reader, 0, NULL, &error);   // for each capture
 *     binprof_collector_export(filter, &error);                 // exports the output
 *     binprof_collector_close(filter);
 *     binprof_collector_close(output);
 *
 * Not thread-safe: one thread at a time may use a filter.
 */
#ifndef BINPROF_FILTER_H
#define BINPROF_FILTER_H

#include <binprof/collector.h>
#include <binprof/error.h>
#include <binprof/facts.h>
#include <binprof/profile.h>
#include <binprof/reader.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What tells two frames apart. Frames that are the same become one, and so do their stacks. */
typedef enum binprof_granularity {
    BINPROF_BY_DEFAULT,     /* frames stay as they are */
    BINPROF_BY_FILE,        /* its file; the function's name is empty, but for what is no code */
    BINPROF_BY_FUNCTION,    /* also the function */
    BINPROF_BY_LINE,        /* also the line */
    BINPROF_BY_INSTRUCTION, /* everything: also end line, columns and opcode */
} binprof_granularity;

/* How files are named. */
typedef enum binprof_paths {
    BINPROF_PATHS_DEFAULT, /* as in the capture, unless the output has a habit of its own */
    BINPROF_PATHS_FULL,    /* as in the capture */
    BINPROF_PATHS_BASE,    /* what follows the last slash: "encoder.py" */
    BINPROF_PATHS_MODULE,  /* as import names it, as far as the path tells: "json.encoder" */
} binprof_paths;

/* A time since the start of the capture. */
typedef struct binprof_moment {
    bool is_percent; /* of the time from the capture's start to its latest sample */
    uint64_t us;     /* microseconds, unless it is a percentage */
    double percent;
} binprof_moment;

/* What to choose. Zero throughout chooses everything and changes nothing. Regular expressions are
 * POSIX extended ones; a frame matches where its function, its file or "file:function" does,
 * anywhere unless anchored, all as the capture spells them. Characters are UTF-8 whatever the
 * locale, where the system can do that; what is not UTF-8 matches no ".". */
typedef struct binprof_choice {
    /* Samples of these threads; with main_thread also those that are marked as of a main thread.
     * With neither, of all threads. */
    const uint64_t *threads;
    size_t thread_count;
    bool main_thread;
    const uint32_t *interpreters; /* samples of these interpreters; none for all */
    size_t interpreter_count;
    bool has_from, has_to;
    binprof_moment from, to; /* samples from this time on, and before that one */
    uint8_t status_set;      /* samples with all of these status bits */
    uint8_t status_clear;    /* samples with none of these status bits */
    bool skip_idle;          /* no samples that have neither the GIL nor a CPU */
    const char *focus;       /* samples with a frame that matches; NULL for all */
    const char *ignore;      /* no samples with a frame that matches */
    const char *trim_root;   /* stacks start at their outermost frame that matches; those without
                                one stay whole */
    bool collapse_recursion; /* of a function that calls itself directly, the innermost frame */
    bool merge_threads;      /* the threads of a capture become one, of thread id 0 */
    binprof_granularity by;
    binprof_paths paths;
    const char *text; /* the choice as people write it, for outputs that show it; may be NULL */
} binprof_choice;

/* One of several captures that are brought together. */
typedef struct binprof_capture {
    const char *name; /* tells it from the others */
    const binprof_facts *facts;
    uint64_t sample_count; /* whatever is chosen of them */
    bool is_base;          /* what the others are compared with, in outputs that compare */
} binprof_capture;

typedef struct binprof_filter_options {
    const binprof_choice *choice; /* what it points to must outlive the filter */
    binprof_profile *profile;     /* where the ids come from that `next` is given; must outlive */
    binprof_collector *next;      /* takes what was chosen; stays the caller's; must outlive */
    bool in_order;                /* threads that are merged are sorted by time, for a collector
                                     that needs it, at 24 bytes a sample */
    /* With several captures: */
    const binprof_capture *captures; /* by their number; must outlive; may be NULL for one */
    size_t capture_count;
    bool name_in_stacks; /* for a collector that cannot tell captures apart: each stack starts
                            with a frame named like its capture, and threads whose ids clash get
                            other ids */
} binprof_filter_options;

/* Whether a choice changes anything: something is left out, or stacks or threads are changed. */
BINPROF_API bool binprof_choice_is_everything(const binprof_choice *choice);

/* Whether a choice leaves out samples of threads whose other samples stay, so that a thread's next
 * sample may be of a later time than the profiler took it. */
BINPROF_API bool binprof_choice_makes_gaps(const binprof_choice *choice);

/* Opens a filter, to be closed with binprof_collector_close, before its profile is freed.
 *
 * Its export fails with BINPROF_ERROR_ARGUMENT, and does not export `next`, when a thread or an
 * interpreter was chosen that no capture has; the message lists those that are there.
 *
 * Fails with BINPROF_ERROR_ARGUMENT for a regular expression that is none and with
 * BINPROF_ERROR_MEMORY. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status binprof_filter_open(
    const binprof_filter_options *options, binprof_collector **filter, binprof_error *error);

/* Replays a capture through a filter from binprof_filter_open. capture: its number, 0 where there
 * is one. Times of all captures count from the start of the first, as if they had started
 * together.
 *
 * Fails as binprof_reader_replay. */
BINPROF_API BINPROF_CHECK_RESULT binprof_status
binprof_filter_replay(binprof_collector *filter, binprof_reader *reader, uint32_t capture,
                      const binprof_replay_options *options, binprof_error *error);

/* What a filter met, to tell why nothing is left. */
typedef struct binprof_filter_counts {
    uint64_t samples;                                      /* that came in */
    uint64_t chosen;                                       /* that were handed on */
    bool focus_matched, ignore_matched, trim_root_matched; /* any frame */
    uint64_t last_us; /* time of the last sample that came in, since its capture's start */
} binprof_filter_counts;

/* Returns the counts so far of a filter from binprof_filter_open. */
BINPROF_API binprof_filter_counts binprof_filter_get_counts(const binprof_collector *filter);

/* Puts together what several captures say of themselves: what they agree on; the rest is unknown.
 * Interval and start are those of the first. count: at least 1. */
BINPROF_API binprof_facts binprof_facts_merge(const binprof_capture *captures, size_t count);

/* Says in `message`, which has `size` bytes, in which ways captures were not recorded alike: by
 * mode, interval or features. Returns false, and an empty message, when they were. Thread-safe. */
BINPROF_API bool binprof_captures_differ(const binprof_capture *captures, size_t count,
                                         char *message, size_t size);

#endif
