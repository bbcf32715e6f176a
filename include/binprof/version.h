/* The version of the library. CMake reads it from here. */
#ifndef BINPROF_VERSION_H
#define BINPROF_VERSION_H

#include <binprof/export.h>

#define BINPROF_VERSION "0.1.0"

/* Returns the version of the library that is linked, as text ("0.1.0"); BINPROF_VERSION is the
 * version of the headers that were compiled against. The text is static. Thread-safe. */
BINPROF_API const char *binprof_version(void);

/* Whether this build can read and write zstd-compressed captures. Thread-safe. */
BINPROF_API int binprof_has_zstd(void);

#endif
