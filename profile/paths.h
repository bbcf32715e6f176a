/* What the path of a frame's file tells. */
#ifndef PROFILE_PATHS_H
#define PROFILE_PATHS_H

#include <binprof/profile.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether the file is the profiler's own: its frames are left out of what people look at. */
bool profile_is_internal(binprof_string file);

/* Whether the file stands for what is no code, such as <native> and <GC>. */
bool profile_is_no_code(binprof_string file);

/* What follows the last slash; part of `path`. */
binprof_string profile_base_name(binprof_string path);

/* Writes what import calls the module of a file, as far as its path tells, to `name`, which has
 * room for path.length bytes; returns the length, at most path.length. What lies under
 * site-packages or a Python library is named from there on, a relative path from its start, any
 * other file by its last component (with its package for __init__ and __main__). What is no file
 * ("~", "<string>") stays as it is. */
size_t profile_module_name(binprof_string path, char *name);

#endif
