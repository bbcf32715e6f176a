#include "support/system_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

static struct {
    system_call call;
    uint64_t until_failure; /* 0: nothing fails */
    int error;
    bool failed;
    size_t most; /* bytes; 0 for no limit */
    bool interrupts;
    bool interrupted; /* the last read or write was */
    uint64_t until_end;
} calls;

int __real_open(const char *path, int flags, ...);
int __real_close(int fd);
ssize_t __real_read(int fd, void *buffer, size_t size);
ssize_t __real_pread(int fd, void *buffer, size_t size, off_t offset);
ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __real_pwrite(int fd, const void *data, size_t size, off_t offset);
int __real_fsync(int fd);
int __real_ftruncate(int fd, off_t size);
int __real_fchmod(int fd, mode_t mode);
int __real_rename(const char *from, const char *to);
int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int fd);
ssize_t __wrap_read(int fd, void *buffer, size_t size);
ssize_t __wrap_pread(int fd, void *buffer, size_t size, off_t offset);
ssize_t __wrap_write(int fd, const void *data, size_t size);
ssize_t __wrap_pwrite(int fd, const void *data, size_t size, off_t offset);
int __wrap_fsync(int fd);
int __wrap_ftruncate(int fd, off_t size);
int __wrap_fchmod(int fd, mode_t mode);
int __wrap_rename(const char *from, const char *to);

const char *system_call_name(system_call call)
{
    static const char *const names[CALL_COUNT] = {"open",   "close",  "read",  "pread",
                                                  "write",  "pwrite", "fsync", "ftruncate",
                                                  "fchmod", "rename"};
    return names[call];
}

static bool must_fail(system_call call)
{
    if (call != calls.call || calls.until_failure == 0 || --calls.until_failure > 0)
        return false;
    calls.failed = true;
    errno = calls.error;
    return true;
}

static bool must_interrupt(void)
{
    calls.interrupted = calls.interrupts && !calls.interrupted;
    if (calls.interrupted)
        errno = EINTR;
    return calls.interrupted;
}

static size_t shorten(size_t size)
{
    return calls.most > 0 && size > calls.most ? calls.most : size;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return must_fail(CALL_OPEN) ? -1 : __real_open(path, flags, mode);
}

int __wrap_close(int fd)
{
    int result = __real_close(fd);
    return must_fail(CALL_CLOSE) ? -1 : result;
}

ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
    if (must_fail(CALL_READ) || must_interrupt())
        return -1;
    return __real_read(fd, buffer, shorten(size));
}

ssize_t __wrap_pread(int fd, void *buffer, size_t size, off_t offset)
{
    if (must_fail(CALL_PREAD) || must_interrupt())
        return -1;
    if (calls.until_end > 0 && --calls.until_end == 0) {
        calls.failed = true;
        return 0;
    }
    return __real_pread(fd, buffer, shorten(size), offset);
}

ssize_t __wrap_write(int fd, const void *data, size_t size)
{
    if (must_fail(CALL_WRITE) || must_interrupt())
        return -1;
    return __real_write(fd, data, shorten(size));
}

ssize_t __wrap_pwrite(int fd, const void *data, size_t size, off_t offset)
{
    if (must_fail(CALL_PWRITE) || must_interrupt())
        return -1;
    return __real_pwrite(fd, data, shorten(size), offset);
}

int __wrap_fsync(int fd)
{
    return must_fail(CALL_FSYNC) ? -1 : __real_fsync(fd);
}

int __wrap_ftruncate(int fd, off_t size)
{
    return must_fail(CALL_FTRUNCATE) ? -1 : __real_ftruncate(fd, size);
}

int __wrap_fchmod(int fd, mode_t mode)
{
    return must_fail(CALL_FCHMOD) ? -1 : __real_fchmod(fd, mode);
}

int __wrap_rename(const char *from, const char *to)
{
    return must_fail(CALL_RENAME) ? -1 : __real_rename(from, to);
}

void system_calls_fail(system_call call, uint64_t n, int error)
{
    calls.call = call;
    calls.until_failure = n;
    calls.error = error;
    calls.failed = false;
}

void system_calls_shorten(size_t size)
{
    calls.most = size;
}

void system_calls_interrupt(bool interrupt)
{
    calls.interrupts = interrupt;
}

void system_calls_end_file(uint64_t n)
{
    calls.until_end = n;
    calls.failed = false;
}

bool system_calls_stop_failing(void)
{
    calls.until_failure = 0;
    calls.until_end = 0;
    return calls.failed;
}
