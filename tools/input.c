#include "tools/input.h"

#include <string.h>
#include <unistd.h>

const char *input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

binprof_status input_open(const char *path, binprof_reader **reader, binprof_error *error)
{
    if (strcmp(path, "-") == 0)
        return binprof_reader_open_fd(STDIN_FILENO, input_name(path), reader, error);
    return binprof_reader_open(path, reader, error);
}
