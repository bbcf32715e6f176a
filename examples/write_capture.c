/* Writes a capture as a profiler would: 1000 samples of two stacks of one thread, 1 ms apart.
 *
 * Usage: write_capture FILE */
#include <binprof/binprof.h>
#include <stdio.h>

static int fail(const binprof_error *error)
{
    fprintf(stderr, "write_capture: %s\n", error->message);
    return 1;
}

/* Interns what the samples are made of: once for each new name, not for each sample. */
static binprof_status intern(binprof_profile *profile, uint32_t frames[3], uint32_t *thread,
                             binprof_error *error)
{
    binprof_status status =
        binprof_profile_intern_line(profile, "app.rb", "main", 3, &frames[2], error);
    if (status == BINPROF_OK)
        status = binprof_profile_intern_line(profile, "app.rb", "work", 12, &frames[1], error);
    if (status == BINPROF_OK)
        status = binprof_profile_intern_line(profile, "hash.rb", "digest", 40, &frames[0], error);
    if (status == BINPROF_OK)
        status = binprof_profile_intern_thread(profile, 4711, 0, thread, error);
    return status;
}

static binprof_status write_samples(binprof_writer *writer, binprof_profile *profile,
                                    uint64_t start_us, binprof_error *error)
{
    uint32_t frames[3]; /* innermost first: digest, work, main */
    uint32_t thread;
    binprof_status status = intern(profile, frames, &thread, error);
    for (uint64_t i = 0; i < 1000 && status == BINPROF_OK; i++) {
        const uint32_t *stack = i % 10 < 7 ? frames : frames + 1;
        size_t depth = i % 10 < 7 ? 3 : 2;
        status = binprof_writer_collect(writer, thread, stack, depth, start_us + i * 1000,
                                        BINPROF_STATUS_ON_CPU | BINPROF_STATUS_MAIN_THREAD, error);
    }
    return status == BINPROF_OK ? binprof_writer_finish(writer, error) : status;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "Usage: write_capture FILE\n");
        return 2;
    }
    binprof_writer_options options = binprof_writer_options_default();
    options.facts.interval_us = 1000;
    options.facts.start_us = binprof_now_us();
    options.facts.mode = BINPROF_MODE_CPU;

    binprof_output output = {.path = argv[1]};
    binprof_error error;
    binprof_writer *writer;
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    if (profile == NULL)
        return 1;
    binprof_status status = binprof_writer_open(&output, profile, &options, &writer, &error);
    if (status == BINPROF_OK) {
        status = write_samples(writer, profile, options.facts.start_us, &error);
        binprof_writer_close(writer); /* without a finish, nothing is left behind */
    }
    binprof_profile_free(profile);
    return status == BINPROF_OK ? 0 : fail(&error);
}
