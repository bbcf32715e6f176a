#include "output/target.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* So many names are tried for the file beside, in case others use them. */
#define BESIDE_NAMES 100

static void free_names(output_target *target)
{
    free(target->name);
    free(target->path);
    free(target->beside);
    target->name = NULL;
    target->path = NULL;
    target->beside = NULL;
}

/* The part of the path that names the directory, up to and with the last slash. */
static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* Creates a new file in the directory of target->path. Its name is short, since that of the target
 * may already be as long as the file system allows. */
static binprof_status create_beside(output_target *target, binprof_error *error)
{
    size_t length = directory_length(target->path);
    size_t size = length + 64;
    target->beside = malloc(size);
    if (target->beside == NULL)
        return error_set_memory(error);
    memcpy(target->beside, target->path, length);
    for (int i = 0; i < BESIDE_NAMES; i++) {
        (void)snprintf(target->beside + length, size - length, ".binprof-%ld-%d.tmp",
                       (long)getpid(), i);
        target->fd = open(target->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (target->fd >= 0 || errno != EEXIST)
            break;
    }
    if (target->fd < 0) {
        binprof_status status = error_set_system(error, "%s: cannot create", target->name);
        free(target->beside);
        target->beside = NULL;
        return status;
    }
    target->owns_fd = true;
    return BINPROF_OK;
}

/* The file that is to be replaced must be one that may be written, and lends its mode. */
static binprof_status prepare_replacement(output_target *target, const char *path, mode_t mode,
                                          binprof_error *error)
{
    if (access(path, W_OK) != 0)
        return error_set_system(error, "%s: cannot write", target->name);
    target->path = realpath(path, NULL);
    if (target->path == NULL)
        return error_set_system(error, "%s: cannot write", target->name);
    binprof_status status = create_beside(target, error);
    if (status != BINPROF_OK)
        return status;
    if (fchmod(target->fd, mode & 07777) != 0)
        return error_set_system(error, "%s: cannot create", target->name);
    return BINPROF_OK;
}

static binprof_status open_directly(output_target *target, const char *path, binprof_error *error)
{
    target->fd = open(path, O_WRONLY | O_CLOEXEC);
    if (target->fd < 0)
        return error_set_system(error, "%s: cannot write", target->name);
    target->owns_fd = true;
    return BINPROF_OK;
}

static binprof_status open_path(output_target *target, const char *path, binprof_error *error)
{
    struct stat existing;
    if (stat(path, &existing) == 0) {
        if (S_ISREG(existing.st_mode))
            return prepare_replacement(target, path, existing.st_mode, error);
        return open_directly(target, path, error);
    }
    if (errno != ENOENT)
        return error_set_system(error, "%s: cannot create", target->name);
    target->path = strdup(path);
    if (target->path == NULL)
        return error_set_memory(error);
    return create_beside(target, error);
}

static binprof_status check_seekable(output_target *target, binprof_error *error)
{
    off_t position = lseek(target->fd, 0, SEEK_CUR);
    if (position < 0)
        return error_set(error, BINPROF_ERROR_ARGUMENT, BINPROF_NO_OFFSET,
                         "%s: cannot seek: a capture's header is written last, so it must be a "
                         "file, not a pipe or a terminal",
                         target->name);
    int flags = fcntl(target->fd, F_GETFL);
    if (flags < 0)
        return error_set_system(error, "%s: cannot write", target->name);
    if (position > 0 || (flags & O_APPEND) != 0)
        return error_set(error, BINPROF_ERROR_ARGUMENT, BINPROF_NO_OFFSET,
                         "%s: cannot append: a capture must start at the start of a file",
                         target->name);
    return BINPROF_OK;
}

static binprof_status open_any(output_target *target, const binprof_output *output, bool must_seek,
                               binprof_error *error)
{
    const char *name = output->path != NULL ? output->path : output->name;
    target->name = error_copy_name(name != NULL ? name : "output");
    if (target->name == NULL)
        return error_set_memory(error);
    if (output->path != NULL) {
        binprof_status status = open_path(target, output->path, error);
        if (status != BINPROF_OK)
            return status;
    } else {
        struct stat existing;
        target->fd = output->fd;
        target->truncates =
            must_seek && fstat(output->fd, &existing) == 0 && S_ISREG(existing.st_mode);
    }
    return must_seek ? check_seekable(target, error) : BINPROF_OK;
}

binprof_status output_target_open(output_target *target, const binprof_output *output,
                                  bool must_seek, binprof_error *error)
{
    *target = (output_target){
        .fd = -1, .sync = output->sync, .cancelled = output->cancelled, .context = output->context};
    binprof_status status = open_any(target, output, must_seek, error);
    if (status != BINPROF_OK)
        output_target_discard(target);
    return status;
}

static binprof_status fail_write(const output_target *target, binprof_error *error)
{
    return error_set_system(error, "%s: cannot write", target->name);
}

/* How far a write came: 0 for one that is to be repeated, -1 for a failure. One that makes no
 * progress and gives no reason found no room. */
static ssize_t progress_of(ssize_t written)
{
    if (written == 0) {
        errno = ENOSPC;
        return -1;
    }
    return written < 0 && errno == EINTR ? 0 : written;
}

binprof_status output_target_write(output_target *target, const void *data, size_t size,
                                   binprof_error *error)
{
    if (target->cancelled != NULL && target->cancelled(target->context))
        return error_set(error, BINPROF_ERROR_CANCELLED, BINPROF_NO_OFFSET, "%s: cancelled",
                         target->name);
    const char *next = data;
    while (size > 0) {
        ssize_t written = progress_of(write(target->fd, next, size));
        if (written < 0)
            return fail_write(target, error);
        next += written;
        size -= (size_t)written;
    }
    return BINPROF_OK;
}

binprof_status output_target_write_at(output_target *target, uint64_t offset, const void *data,
                                      size_t size, binprof_error *error)
{
    const char *next = data;
    while (size > 0) {
        ssize_t written = progress_of(pwrite(target->fd, next, size, (off_t)offset));
        if (written < 0)
            return fail_write(target, error);
        next += written;
        offset += (uint64_t)written;
        size -= (size_t)written;
    }
    return BINPROF_OK;
}

/* Pipes and some devices cannot be flushed to a disk, which is not an error. */
static bool sync_fd(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

/* Makes the new name itself last. Cuts the path to that of the directory. */
static bool sync_directory(char *path)
{
    size_t length = directory_length(path);
    path[length] = '\0';
    int fd = open(length == 0 ? "." : path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool synced = sync_fd(fd);
    (void)close(fd);
    return synced;
}

static binprof_status finish(output_target *target, binprof_error *error)
{
    if (target->truncates) {
        off_t end = lseek(target->fd, 0, SEEK_CUR);
        if (end < 0 || ftruncate(target->fd, end) != 0)
            return fail_write(target, error);
    }
    if (target->sync && !sync_fd(target->fd))
        return fail_write(target, error);
    if (target->owns_fd) {
        int fd = target->fd;
        target->fd = -1;
        target->owns_fd = false;
        if (close(fd) != 0 && errno != EINTR)
            return fail_write(target, error);
    }
    if (target->beside == NULL)
        return BINPROF_OK;
    if (rename(target->beside, target->path) != 0)
        return fail_write(target, error);
    free(target->beside);
    target->beside = NULL;
    if (target->sync && !sync_directory(target->path))
        return fail_write(target, error);
    return BINPROF_OK;
}

binprof_status output_target_commit(output_target *target, binprof_error *error)
{
    binprof_status status = finish(target, error);
    output_target_discard(target);
    return status;
}

void output_target_discard(output_target *target)
{
    if (target->owns_fd)
        (void)close(target->fd);
    target->fd = -1;
    target->owns_fd = false;
    if (target->beside != NULL)
        (void)unlink(target->beside);
    free_names(target);
}
