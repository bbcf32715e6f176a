#include <binprof/version.h>

const char *binprof_version(void)
{
    return BINPROF_VERSION;
}

int binprof_has_zstd(void)
{
#ifdef BINPROF_WITH_ZSTD
    return 1;
#else
    return 0;
#endif
}
