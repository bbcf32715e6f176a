#include <binprof/facts.h>
#include <binprof/reader.h>

#include <stddef.h>

const char *binprof_mode_name(int mode)
{
    static const char *const names[] = {"wall", "cpu", "gil", "all", "exception"};
    if (mode < 0 || (size_t)mode >= sizeof names / sizeof names[0])
        return "unknown";
    return names[mode];
}

/* The name of the only bit that is set in `bit`; NULL where there is no such name. */
static const char *bit_name(uint32_t bit, const char *const *names, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (bit == 1u << i)
            return names[i];
    return NULL;
}

const char *binprof_feature_name(uint32_t bit)
{
    static const char *const names[] = {"all_threads", "native", "gc", "opcodes", "blocking"};
    return bit_name(bit, names, 5);
}

const char *binprof_status_name(uint8_t bit)
{
    static const char *const names[] = {"has-gil",       "on-cpu",    "unknown",
                                        "gil-requested", "exception", "main-thread"};
    return bit_name(bit, names, 6);
}

const char *binprof_record_kind_name(binprof_record_kind kind)
{
    static const char *const names[] = {"repeat", "full", "suffix", "pop-push"};
    return (unsigned)kind < 4 ? names[kind] : "unknown";
}
