#include "support/allocations.h"

#include <errno.h>
#include <jansson.h>
#include <malloc.h>
#include <string.h>
#include <zlib.h>

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

#ifdef BINPROF_WITH_ZSTD
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#endif

static struct {
    size_t live;
    size_t base; /* live bytes when the peak was forgotten */
    size_t peak;
    uint64_t until_failure; /* 0: nothing fails */
    allocations_mode mode;
    bool failed;
} allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *pointer, size_t size);
void __real_free(void *pointer);
char *__real_realpath(const char *path, char *resolved);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *pointer, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *pointer);
char *__wrap_realpath(const char *path, char *resolved);

static bool must_fail(void)
{
    if (allocations.until_failure == 0 || --allocations.until_failure > 0)
        return false;
    allocations.failed = true;
    if (allocations.mode == ALLOCATIONS_ALL_FAIL)
        allocations.until_failure = 1;
    return true;
}

/* Large blocks are kept for the next allocation of their size. Each is a mapping of its own
 * otherwise, which with AddressSanitizer takes longer than most of what is tested. */
#define LARGE ((size_t)48 * 1024)
#define KEPT 64

static struct {
    void *block;
    size_t size;
} kept[KEPT];
static size_t oldest_kept;

static void *allocate(size_t size)
{
    for (size_t i = 0; size >= LARGE && i < KEPT; i++)
        if (kept[i].block != NULL && kept[i].size == size) {
            void *block = kept[i].block;
            kept[i].block = NULL;
            ASAN_UNPOISON_MEMORY_REGION(block, size);
            return block;
        }
    return __real_malloc(size);
}

static void release(void *block)
{
    size_t size = block == NULL ? 0 : malloc_usable_size(block);
    if (size >= LARGE) {
        void *dropped = kept[oldest_kept].block;
        if (dropped != NULL)
            ASAN_UNPOISON_MEMORY_REGION(dropped, kept[oldest_kept].size);
        ASAN_POISON_MEMORY_REGION(block, size);
        kept[oldest_kept].block = block;
        kept[oldest_kept].size = size;
        oldest_kept = (oldest_kept + 1) % KEPT;
        block = dropped;
    }
    __real_free(block);
}

/* As realloc, by way of the blocks that are kept. */
static void *move(void *pointer, size_t old, size_t size)
{
    if (size < LARGE && old < LARGE)
        return __real_realloc(pointer, size);
    void *moved = allocate(size);
    if (moved == NULL)
        return NULL;
    if (pointer != NULL)
        memcpy(moved, pointer, old < size ? old : size);
    release(pointer);
    return moved;
}

static void *count_in(void *pointer)
{
    if (pointer == NULL)
        return NULL;
    allocations.live += malloc_usable_size(pointer);
    if (allocations.live > allocations.peak)
        allocations.peak = allocations.live;
    return pointer;
}

static void count_out(void *pointer)
{
    if (pointer != NULL)
        allocations.live -= malloc_usable_size(pointer);
}

void *__wrap_malloc(size_t size)
{
    return must_fail() ? NULL : count_in(allocate(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : count_in(__real_calloc(count, size));
}

/* Moving takes both places at once: the peak has to know. */
void *__wrap_realloc(void *pointer, size_t size)
{
    if (must_fail())
        return NULL;
    size_t old = pointer == NULL ? 0 : malloc_usable_size(pointer);
    void *moved = count_in(move(pointer, old, size));
    if (moved != NULL)
        allocations.live -= old;
    return moved;
}

char *__wrap_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = __wrap_malloc(size);
    return copy == NULL ? NULL : memcpy(copy, text, size);
}

void __wrap_free(void *pointer)
{
    count_out(pointer);
    release(pointer);
}

char *__wrap_realpath(const char *path, char *resolved)
{
    if (resolved == NULL && must_fail()) {
        errno = ENOMEM;
        return NULL;
    }
    return count_in(__real_realpath(path, resolved));
}

#ifdef BINPROF_WITH_ZSTD

ZSTD_CCtx *__wrap_ZSTD_createCCtx(void);
ZSTD_DCtx *__wrap_ZSTD_createDCtx(void);

static void *zstd_allocate(void *opaque, size_t size)
{
    (void)opaque;
    return __wrap_malloc(size);
}

static void zstd_free(void *opaque, void *pointer)
{
    (void)opaque;
    __wrap_free(pointer);
}

static const ZSTD_customMem zstd_memory = {zstd_allocate, zstd_free, NULL};

ZSTD_CCtx *__wrap_ZSTD_createCCtx(void)
{
    return ZSTD_createCCtx_advanced(zstd_memory);
}

ZSTD_DCtx *__wrap_ZSTD_createDCtx(void)
{
    return ZSTD_createDCtx_advanced(zstd_memory);
}

#endif

int __real_deflateInit2_(z_streamp stream, int level, int method, int window_bits, int memory_level,
                         int strategy, const char *version, int stream_size);
int __wrap_deflateInit2_(z_streamp stream, int level, int method, int window_bits, int memory_level,
                         int strategy, const char *version, int stream_size);

static voidpf zlib_allocate(voidpf opaque, uInt count, uInt size)
{
    (void)opaque;
    return __wrap_calloc(count, size);
}

static void zlib_free(voidpf opaque, voidpf pointer)
{
    (void)opaque;
    __wrap_free(pointer);
}

int __wrap_deflateInit2_(z_streamp stream, int level, int method, int window_bits, int memory_level,
                         int strategy, const char *version, int stream_size)
{
    stream->zalloc = zlib_allocate;
    stream->zfree = zlib_free;
    return __real_deflateInit2_(stream, level, method, window_bits, memory_level, strategy, version,
                                stream_size);
}

void allocations_begin(void)
{
    json_set_alloc_funcs(__wrap_malloc, __wrap_free);
}

void allocations_forget_peak(void)
{
    allocations.base = allocations.live;
    allocations.peak = allocations.live;
}

size_t allocations_peak(void)
{
    return allocations.peak - allocations.base;
}

size_t allocations_live(void)
{
    return allocations.live;
}

void allocations_fail(uint64_t n, allocations_mode mode)
{
    allocations.until_failure = n;
    allocations.mode = mode;
    allocations.failed = false;
}

bool allocations_stop_failing(void)
{
    allocations.until_failure = 0;
    return allocations.failed;
}
