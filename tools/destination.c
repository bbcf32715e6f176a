#include "tools/destination.h"

#include "tools/input.h"
#include "tools/messages.h"
#include "tools/signals.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool destination_is_standard(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool stat_file(const char *path, int standard_fd, struct stat *status)
{
    return (destination_is_standard(path) ? fstat(standard_fd, status) : stat(path, status)) == 0;
}

static bool is_same(const char *path, const struct stat *output)
{
    struct stat input;
    return stat_file(path, STDIN_FILENO, &input) && S_ISREG(input.st_mode) &&
           input.st_dev == output->st_dev && input.st_ino == output->st_ino;
}

bool destination_check(const char *path, const capture_set_request *request)
{
    struct stat output;
    if (!stat_file(path, STDOUT_FILENO, &output))
        return true;
    const char *same = NULL;
    for (size_t i = 0; i < request->input_count; i++)
        if (is_same(request->inputs[i], &output))
            same = request->inputs[i];
    if (request->base != NULL && is_same(request->base, &output))
        same = request->base;
    if (same != NULL)
        (void)message_error("%s: is both input and output", input_name(same));
    return same == NULL;
}

void destination_catch_signals(const char *path)
{
    struct stat output;
    if (!stat_file(path, STDOUT_FILENO, &output) || S_ISREG(output.st_mode))
        signals_catch();
}

static bool is_cancelled(void *context)
{
    (void)context;
    return signals_caught();
}

binprof_output destination_output(const char *path)
{
    return (binprof_output){.path = destination_is_standard(path) ? NULL : path,
                            .fd = STDOUT_FILENO,
                            .name = "standard output",
                            .cancelled = is_cancelled};
}
