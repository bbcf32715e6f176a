#include "support/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

file_bytes files_read(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    struct stat status;
    assert_int_equal(fstat(fd, &status), 0);
    file_bytes file = {malloc((size_t)status.st_size + 1), (size_t)status.st_size};
    assert_non_null(file.bytes);
    assert_true(read(fd, file.bytes, file.size) == (ssize_t)file.size);
    (void)close(fd);
    return file;
}

void files_write(const char *path, const void *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    assert_true(fd >= 0);
    assert_true(write(fd, data, size) == (ssize_t)size);
    (void)close(fd);
}

void files_make_directory(char path[64])
{
    (void)snprintf(path, 64, "/tmp/binprof-test-XXXXXX");
    assert_non_null(mkdtemp(path));
}

/* Calls `visit` for each file in the directory; returns how many there are. */
static size_t each_file(const char *path, void (*visit)(const char *path))
{
    size_t count = 0;
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char full[512];
        (void)snprintf(full, sizeof full, "%s/%s", path, entry->d_name);
        if (visit != NULL)
            visit(full);
        count++;
    }
    (void)closedir(directory);
    return count;
}

static void remove_file(const char *path)
{
    (void)remove(path);
}

void files_remove_directory(const char *path)
{
    (void)each_file(path, remove_file);
    assert_int_equal(rmdir(path), 0);
}

size_t files_count(const char *path)
{
    return each_file(path, NULL);
}

static int is_capture(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".bin") == 0;
}

void files_each_capture(void (*visit)(const char *path, const char *name, void *context),
                        void *context)
{
    struct dirent **entries;
    int count = scandir(TESTS_DIRECTORY "/captures", &entries, is_capture, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/captures/%s", TESTS_DIRECTORY, entries[i]->d_name);
        visit(path, entries[i]->d_name, context);
        free(entries[i]);
    }
    free(entries);
}
