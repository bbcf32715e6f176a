#include "filters/pattern.h"

#include "base/error.h"

#include <stddef.h>

binprof_status filters_pattern_compile(filters_pattern *pattern, const char *text, const char *role,
                                       binprof_error *error)
{
    pattern->is_given = false;
    if (text == NULL)
        return BINPROF_OK;
    int result = regcomp(&pattern->regex, text, REG_EXTENDED | REG_NOSUB);
    if (result == 0) {
        pattern->is_given = true;
        return BINPROF_OK;
    }
    if (result == REG_ESPACE)
        return error_set_memory(error);
    char reason[128];
    (void)regerror(result, &pattern->regex, reason, sizeof reason);
    return error_set(error, BINPROF_ERROR_ARGUMENT, BINPROF_NO_OFFSET,
                     "%s: '%s' is no regular expression: %s", role, text, reason);
}

void filters_pattern_free(filters_pattern *pattern)
{
    if (pattern->is_given)
        regfree(&pattern->regex);
    pattern->is_given = false;
}

static bool matches(const filters_pattern *pattern, const char *text)
{
    return regexec(&pattern->regex, text, 0, NULL, 0) == 0;
}

bool filters_pattern_matches(const filters_pattern *pattern, const filters_names *names)
{
    return pattern->is_given && (matches(pattern, names->function) ||
                                 matches(pattern, names->file) || matches(pattern, names->both));
}
