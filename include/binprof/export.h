/* What makes a function visible outside the shared library. */
#ifndef BINPROF_EXPORT_H
#define BINPROF_EXPORT_H

#ifdef __cplusplus
#define BINPROF_LINKAGE extern "C"
#else
#define BINPROF_LINKAGE extern
#endif

#if defined(__GNUC__)
#define BINPROF_API BINPROF_LINKAGE __attribute__((visibility("default")))
#define BINPROF_CHECK_RESULT __attribute__((warn_unused_result))
#else
#define BINPROF_API BINPROF_LINKAGE
#define BINPROF_CHECK_RESULT
#endif

#endif
