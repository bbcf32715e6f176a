/* The file that an output becomes: written whole or not at all. See <binprof/output.h>. */
#ifndef OUTPUT_TARGET_H
#define OUTPUT_TARGET_H

#include <binprof/output.h>
#include <stddef.h>
#include <stdint.h>

typedef struct output_target {
    char *name; /* for messages */
    int fd;
    bool owns_fd;
    bool truncates; /* the caller's regular file, to be cut where the output ends */
    char *path;     /* what the file is renamed to in the end; NULL where it is written directly */
    char *beside;   /* what it is called until then; NULL when there is nothing to remove */
    bool sync;
    bool (*cancelled)(void *context);
    void *context;
} output_target;

/* Opens the target. With must_seek, one that cannot be written at any offset is an error. A target
 * that failed to open needs no discard. */
binprof_status output_target_open(output_target *target, const binprof_output *output,
                                  bool must_seek, binprof_error *error);

/* Writes at the end of what was written; asks first whether the output is cancelled. */
binprof_status output_target_write(output_target *target, const void *data, size_t size,
                                   binprof_error *error);

/* Writes over what was written at `offset`. */
binprof_status output_target_write_at(output_target *target, uint64_t offset, const void *data,
                                      size_t size, binprof_error *error);

/* Everything is written: gives the file its name. Closes the target, whether or not it worked. */
binprof_status output_target_commit(output_target *target, binprof_error *error);

/* Closes the target and removes what was written. After a commit it does nothing. */
void output_target_discard(output_target *target);

#endif
