#include "reader/source.h"

#include "base/array.h"
#include "base/error.h"
#include "format/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static binprof_status set_name(reader_source *source, const char *name, binprof_error *error)
{
    *source = (reader_source){.fd = -1, .name = error_copy_name(name)};
    return source->name == NULL ? error_set_memory(error) : BINPROF_OK;
}

/* read, repeated after signals. */
static ssize_t read_some(int fd, void *buffer, size_t size)
{
    ssize_t got;
    do
        got = read(fd, buffer, size);
    while (got < 0 && errno == EINTR);
    return got;
}

/* What is no capture is told by its first bytes: it may be a stream that never ends. */
static binprof_status read_to_end(reader_source *source, binprof_error *error)
{
    size_t capacity = 0;
    size_t size = 0;
    bool is_checked = false;
    for (;;) {
        uint8_t *grown = array_reserve(source->owned_memory, &capacity, size + 65536, 1);
        if (grown == NULL)
            return error_set_memory(error);
        source->owned_memory = grown;
        ssize_t got = read_some(source->fd, grown + size, capacity - size);
        if (got < 0)
            return error_set_system(error, "%s: cannot read", source->name);
        if (got == 0)
            break;
        size += (size_t)got;
        if (is_checked || size < FORMAT_HEADER_SIZE)
            continue;
        binprof_status status = format_start_check(grown, source->name, error);
        if (status != BINPROF_OK)
            return status;
        is_checked = true;
    }
    source->memory = source->owned_memory;
    source->size = size;
    return BINPROF_OK;
}

static binprof_status examine(reader_source *source, binprof_error *error)
{
    struct stat status;
    if (fstat(source->fd, &status) != 0)
        return error_set_system(error, "%s: cannot read", source->name);
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return error_set_system(error, "%s: cannot read", source->name);
    }
    if (!S_ISREG(status.st_mode))
        return read_to_end(source, error);
    source->size = (uint64_t)status.st_size;
    return BINPROF_OK;
}

binprof_status reader_source_open_path(reader_source *source, const char *path,
                                       binprof_error *error)
{
    binprof_status status = set_name(source, path, error);
    if (status != BINPROF_OK)
        return status;
    source->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (source->fd < 0)
        return error_set_system(error, "%s: cannot open", source->name);
    source->owns_fd = true;
    return examine(source, error);
}

binprof_status reader_source_open_fd(reader_source *source, int fd, const char *name,
                                     binprof_error *error)
{
    binprof_status status = set_name(source, name, error);
    if (status != BINPROF_OK)
        return status;
    source->fd = fd;
    return examine(source, error);
}

binprof_status reader_source_open_memory(reader_source *source, const void *data, size_t size,
                                         const char *name, binprof_error *error)
{
    binprof_status status = set_name(source, name, error);
    if (status != BINPROF_OK)
        return status;
    source->memory = data;
    source->size = size;
    return BINPROF_OK;
}

void reader_source_close(reader_source *source)
{
    if (source->owns_fd)
        (void)close(source->fd);
    free(source->owned_memory);
    free(source->name);
}

binprof_status reader_source_read(const reader_source *source, uint64_t offset, void *buffer,
                                  size_t size, binprof_error *error)
{
    if (source->memory != NULL) {
        memcpy(buffer, source->memory + offset, size);
        return BINPROF_OK;
    }
    uint8_t *next = buffer;
    while (size > 0) {
        ssize_t got = pread(source->fd, next, size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set_system(error, "%s: cannot read at offset %" PRIu64, source->name,
                                    offset);
        if (got == 0)
            return error_set(error, BINPROF_ERROR_TRUNCATED, offset,
                             "%s: truncated while it was read: it had %" PRIu64
                             " bytes when it was opened, now it ends at offset %" PRIu64,
                             source->name, source->size, offset);
        next += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return BINPROF_OK;
}
