/* Adds a collector: counts the samples in which each function was innermost, and prints them.
 *
 * Usage: self_time CAPTURE */
#include <binprof/binprof.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct self_time {
    binprof_collector base; /* first, so that the library's pointer is ours */
    const binprof_profile *profile;
    uint64_t *samples; /* by string id of the function's name */
} self_time;

static binprof_status collect(binprof_collector *base, const binprof_run *run, binprof_error *error)
{
    (void)error;
    self_time *self = (self_time *)base;
    if (run->stack == BINPROF_EMPTY_STACK)
        return BINPROF_OK;
    binprof_stack stack = binprof_profile_stack(self->profile, run->stack);
    binprof_frame frame = binprof_profile_frame(self->profile, stack.frame);
    self->samples[frame.function] += run->count;
    return BINPROF_OK;
}

static binprof_status print(binprof_collector *base, binprof_error *error)
{
    (void)error;
    self_time *self = (self_time *)base;
    uint32_t count = binprof_profile_string_count(self->profile);
    for (uint32_t i = 0; i < count; i++)
        if (self->samples[i] > 0)
            printf("%8llu %s\n", (unsigned long long)self->samples[i],
                   binprof_profile_string(self->profile, i).text);
    return BINPROF_OK;
}

static const binprof_collector_operations operations = {.collect = collect, .export_output = print};

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "Usage: self_time CAPTURE\n");
        return 2;
    }
    binprof_error error;
    binprof_reader *reader;
    if (binprof_reader_open(argv[1], &reader, &error) != BINPROF_OK) {
        fprintf(stderr, "self_time: %s\n", error.message);
        return 1;
    }
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    uint64_t *samples = calloc(binprof_reader_info(reader)->string_count + 1, sizeof *samples);
    if (profile == NULL || samples == NULL)
        return 1;
    self_time self = {.base = {&operations}, .profile = profile, .samples = samples};

    binprof_status status = binprof_reader_replay(reader, profile, &self.base, NULL, &error);
    if (status == BINPROF_OK)
        status = binprof_collector_export(&self.base, &error);
    if (status != BINPROF_OK)
        fprintf(stderr, "self_time: %s\n", error.message);
    binprof_reader_close(reader);
    binprof_profile_free(profile);
    free(samples);
    return status == BINPROF_OK ? 0 : 1;
}
