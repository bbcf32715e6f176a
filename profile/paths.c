#include "profile/paths.h"

#include <string.h>

static bool ends_with(binprof_string string, const char *suffix)
{
    size_t length = strlen(suffix);
    return string.length >= length &&
           memcmp(string.text + string.length - length, suffix, length) == 0;
}

bool profile_is_internal(binprof_string file)
{
    return ends_with(file, "_sync_coordinator.py");
}

bool profile_is_no_code(binprof_string file)
{
    return file.length == 1 && file.text[0] == '~';
}

binprof_string profile_base_name(binprof_string path)
{
    size_t start = path.length;
    while (start > 0 && path.text[start - 1] != '/')
        start--;
    return (binprof_string){path.text + start, path.length - start};
}

/* Captures also come from Windows. */
static bool is_separator(char character)
{
    return character == '/' || character == '\\';
}

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

static bool equals(binprof_string string, const char *text)
{
    return string.length == strlen(text) && memcmp(string.text, text, string.length) == 0;
}

/* "python3.15", "python3.15t", "python315.zip" and the like. */
static bool is_python_library(binprof_string component)
{
    static const char prefix[] = "python";
    const size_t length = sizeof prefix - 1;
    return component.length > length && memcmp(component.text, prefix, length) == 0 &&
           is_digit(component.text[length]);
}

static bool is_root(binprof_string component)
{
    return equals(component, "site-packages") || equals(component, "dist-packages") ||
           is_python_library(component);
}

static size_t component_end(binprof_string path, size_t start)
{
    while (start < path.length && !is_separator(path.text[start]))
        start++;
    return start;
}

/* Where the last component starts, or the one before it where the last names its package. */
static size_t last_component(binprof_string path)
{
    size_t start = path.length;
    while (start > 0 && !is_separator(path.text[start - 1]))
        start--;
    binprof_string last = {path.text + start, path.length - start};
    if (start < 2 || (!equals(last, "__init__.py") && !equals(last, "__main__.py")))
        return start;
    start--;
    while (start > 0 && !is_separator(path.text[start - 1]))
        start--;
    return start;
}

static bool is_absolute(binprof_string path)
{
    return (path.length > 0 && is_separator(path.text[0])) ||
           (path.length > 2 && path.text[1] == ':' && is_separator(path.text[2]));
}

/* Where the part of the path starts that names the module. */
static size_t module_start(binprof_string path)
{
    size_t after_root = 0;
    for (size_t start = 0; start < path.length;) {
        size_t end = component_end(path, start);
        binprof_string component = {path.text + start, end - start};
        if (end + 1 < path.length && is_root(component))
            after_root = end + 1;
        start = end + 1;
    }
    if (after_root > 0)
        return after_root;
    if (is_absolute(path))
        return last_component(path);
    bool has_dot = path.length > 2 && path.text[0] == '.' && is_separator(path.text[1]);
    return has_dot ? 2 : 0;
}

static size_t without_suffix(binprof_string path, const char *suffix)
{
    bool has_suffix = path.length > strlen(suffix) && ends_with(path, suffix);
    return has_suffix ? path.length - strlen(suffix) : path.length;
}

size_t profile_module_name(binprof_string path, char *name)
{
    if (path.length == 0 || path.text[0] == '~' || path.text[0] == '<') {
        memcpy(name, path.text, path.length);
        return path.length;
    }
    size_t start = module_start(path);
    binprof_string module = {path.text + start, path.length - start};
    module.length = without_suffix(module, ".py");
    module.length = without_suffix(module, "/__init__");
    module.length = without_suffix(module, "\\__init__");
    for (size_t i = 0; i < module.length; i++)
        name[i] = is_separator(module.text[i]) ? '.' : module.text[i];
    return module.length;
}
