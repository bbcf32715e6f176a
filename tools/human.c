#include "tools/human.h"

#include "output/utf8.h"

#include <binprof/facts.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *human_time(char *buffer, uint64_t time_us)
{
    if (time_us < 1000)
        (void)snprintf(buffer, HUMAN_SIZE, "%" PRIu64 " µs", time_us);
    else if (time_us < 1000000)
        (void)snprintf(buffer, HUMAN_SIZE, "%.3f ms", (double)time_us / 1e3);
    else if (time_us < 120000000)
        (void)snprintf(buffer, HUMAN_SIZE, "%.3f s", (double)time_us / 1e6);
    else
        (void)snprintf(buffer, HUMAN_SIZE, "%" PRIu64 " min %" PRIu64 " s", time_us / 60000000,
                       time_us / 1000000 % 60);
    return buffer;
}

const char *human_size(char *buffer, uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) {
        (void)snprintf(buffer, HUMAN_SIZE, "%" PRIu64 " bytes", bytes);
        return buffer;
    }
    double value = (double)bytes / 1024;
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < sizeof units / sizeof units[0]; unit++)
        value /= 1024;
    (void)snprintf(buffer, HUMAN_SIZE, "%.1f %s (%" PRIu64 " bytes)", value, units[unit], bytes);
    return buffer;
}

const char *human_percent(char *buffer, uint64_t part, uint64_t whole)
{
    if (whole == 0)
        return "-";
    (void)snprintf(buffer, HUMAN_SIZE, "%.1f %%", (double)part / (double)whole * 100);
    return buffer;
}

/* Appends ", " and a name to a list in `buffer`. */
static void add_name(char *buffer, const char *name)
{
    size_t length = strlen(buffer);
    (void)snprintf(buffer + length, HUMAN_SIZE - length, "%s%s", length > 0 ? ", " : "", name);
}

const char *human_status(char *buffer, uint8_t status)
{
    buffer[0] = '\0';
    for (unsigned bit = 0; bit < 8; bit++) {
        if ((status >> bit & 1) == 0)
            continue;
        const char *name = binprof_status_name((uint8_t)(1u << bit));
        char number[8];
        (void)snprintf(number, sizeof number, "bit-%u", bit);
        add_name(buffer, name != NULL ? name : number);
    }
    return status == 0 ? "none" : buffer;
}

const char *human_features(char *buffer, uint32_t features)
{
    buffer[0] = '\0';
    for (unsigned bit = 0; bit < 32; bit++) {
        const char *name = binprof_feature_name(1u << bit);
        if ((features >> bit & 1) != 0 && name != NULL)
            add_name(buffer, name);
    }
    return buffer[0] == '\0' ? "none" : buffer;
}

void human_text(output_text *out, const char *text, size_t length)
{
    const uint8_t *p = (const uint8_t *)text;
    const uint8_t *end = p + length;
    while (p < end) {
        uint32_t code_point;
        size_t size = output_utf8_get(p, end, &code_point);
        if (code_point == '\n')
            output_text_string(out, "\\n");
        else if (code_point == '\t')
            output_text_string(out, "\\t");
        else if (code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0))
            output_text_printf(out, "\\x%02x", code_point);
        else if (code_point == OUTPUT_REPLACEMENT)
            output_text_string(out, "\xef\xbf\xbd");
        else
            output_text_append(out, (const char *)p, size);
        p += size;
    }
}
