/* The profile's insides, for the rooms that fill or walk it in hot loops. */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "profile/index.h"
#include "profile/stack_table.h"
#include "profile/string_table.h"

#include <binprof/profile.h>
#include <stdbool.h>

struct binprof_profile {
    bool keep_duplicates;
    profile_string_table strings;

    binprof_frame *frames;
    uint32_t frame_count;
    size_t frame_capacity;
    profile_index frame_index;

    profile_stack_table stacks;

    binprof_thread *threads;
    uint32_t thread_count;
    size_t thread_capacity;
    profile_index thread_index;

    uint64_t seed;
};

#endif
