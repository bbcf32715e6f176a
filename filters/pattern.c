#include "filters/pattern.h"

#include "base/error.h"

#include <stddef.h>

/* Names are UTF-8 wherever the program runs. Where the system has no such locale, a byte is a
 * character. */
static locale_t open_locale(void)
{
    static const char *const names[] = {"C.UTF-8", "en_US.UTF-8", "C"};
    locale_t locale = (locale_t)0;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && locale == (locale_t)0; i++)
        locale = newlocale(LC_CTYPE_MASK, names[i], (locale_t)0);
    return locale;
}

static int compile(filters_pattern *pattern, const char *text)
{
    locale_t before = uselocale(pattern->locale);
    int result = regcomp(&pattern->regex, text, REG_EXTENDED | REG_NOSUB);
    (void)uselocale(before);
    return result;
}

binprof_status filters_pattern_compile(filters_pattern *pattern, const char *text, const char *role,
                                       binprof_error *error)
{
    pattern->is_given = false;
    if (text == NULL)
        return BINPROF_OK;
    pattern->locale = open_locale();
    if (pattern->locale == (locale_t)0)
        return error_set_memory(error);
    int result = compile(pattern, text);
    if (result == 0) {
        pattern->is_given = true;
        return BINPROF_OK;
    }
    freelocale(pattern->locale);
    if (result == REG_ESPACE)
        return error_set_memory(error);
    char reason[128];
    (void)regerror(result, &pattern->regex, reason, sizeof reason);
    return error_set(error, BINPROF_ERROR_ARGUMENT, BINPROF_NO_OFFSET,
                     "%s: '%s' is no regular expression: %s", role, text, reason);
}

void filters_pattern_free(filters_pattern *pattern)
{
    if (pattern->is_given) {
        regfree(&pattern->regex);
        freelocale(pattern->locale);
    }
    pattern->is_given = false;
}

static bool matches(const filters_pattern *pattern, const char *text)
{
    return regexec(&pattern->regex, text, 0, NULL, 0) == 0;
}

bool filters_pattern_matches(const filters_pattern *pattern, const filters_names *names)
{
    if (!pattern->is_given)
        return false;
    locale_t before = uselocale(pattern->locale);
    bool found = matches(pattern, names->function) || matches(pattern, names->file) ||
                 matches(pattern, names->both);
    (void)uselocale(before);
    return found;
}
