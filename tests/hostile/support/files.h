/* Files for tests. All of these fail the test where the system fails them. */
#ifndef SUPPORT_FILES_H
#define SUPPORT_FILES_H

#include <stddef.h>
#include <stdint.h>

typedef struct file_bytes {
    uint8_t *bytes; /* to be freed */
    size_t size;
} file_bytes;

file_bytes files_read(const char *path);
void files_write(const char *path, const void *data, size_t size);

/* Makes a new directory for temporary files; files_remove_directory removes it with all in it. */
void files_make_directory(char path[64]);
void files_remove_directory(const char *path);

/* How many files are in the directory. */
size_t files_count(const char *path);

/* Calls what is given for each capture of tests/captures, in the order of their names. */
void files_each_capture(void (*visit)(const char *path, const char *name, void *context),
                        void *context);

#endif
