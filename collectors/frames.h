/* What outputs ask about a frame's file. */
#ifndef COLLECTORS_FRAMES_H
#define COLLECTORS_FRAMES_H

#include <binprof/profile.h>
#include <stdbool.h>
#include <string.h>

/* Whether the file is the profiler's own: its frames are left out of what people look at. */
static inline bool collectors_is_internal(binprof_string file)
{
    static const char suffix[] = "_sync_coordinator.py";
    const size_t length = sizeof suffix - 1;
    return file.length >= length && memcmp(file.text + file.length - length, suffix, length) == 0;
}

/* Whether the file stands for what is no code, such as <native> and <GC>. */
static inline bool collectors_is_no_code(binprof_string file)
{
    return file.length == 1 && file.text[0] == '~';
}

#endif
