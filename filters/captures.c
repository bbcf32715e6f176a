/* Several captures seen as one. */
#include "base/text.h"

#include <binprof/filter.h>
#include <inttypes.h>
#include <string.h>

binprof_facts binprof_facts_merge(const binprof_capture *captures, size_t count)
{
    binprof_facts merged = *captures[0].facts;
    for (size_t i = 1; i < count; i++) {
        const binprof_facts *facts = captures[i].facts;
        if (facts->mode != merged.mode)
            merged.mode = BINPROF_MODE_UNKNOWN;
        if (memcmp(facts->python, merged.python, sizeof merged.python) != 0)
            memset(merged.python, 0, sizeof merged.python);
        if (facts->has_features != merged.has_features || facts->features != merged.features)
            merged.has_features = false;
        merged.statistics = (binprof_statistics){.present = false};
    }
    return merged;
}

static void append_features(base_text *text, const binprof_facts *facts)
{
    if (!facts->has_features) {
        base_text_append(text, "unknown");
        return;
    }
    bool is_first = true;
    for (unsigned bit = 0; bit < 32; bit++) {
        const char *name = binprof_feature_name(1u << bit);
        if ((facts->features >> bit & 1) == 0 || name == NULL)
            continue;
        base_text_append(text, "%s%s", is_first ? "" : "+", name);
        is_first = false;
    }
    if (is_first)
        base_text_append(text, "none");
}

bool binprof_captures_differ(const binprof_capture *captures, size_t count, char *message,
                             size_t size)
{
    base_text text = base_text_begin(message, size);
    const binprof_facts *first = captures[0].facts;
    for (size_t i = 1; i < count; i++) {
        const binprof_facts *facts = captures[i].facts;
        if (facts->mode != first->mode)
            base_text_append(&text, "%smode %s of %s, %s of %s", text.length > 0 ? "; " : "",
                             binprof_mode_name(first->mode), captures[0].name,
                             binprof_mode_name(facts->mode), captures[i].name);
        if (facts->interval_us != first->interval_us)
            base_text_append(&text, "%sinterval %" PRIu64 " µs of %s, %" PRIu64 " µs of %s",
                             text.length > 0 ? "; " : "", first->interval_us, captures[0].name,
                             facts->interval_us, captures[i].name);
        if (facts->has_features == first->has_features && facts->features == first->features)
            continue;
        base_text_append(&text, "%sfeatures ", text.length > 0 ? "; " : "");
        append_features(&text, first);
        base_text_append(&text, " of %s, ", captures[0].name);
        append_features(&text, facts);
        base_text_append(&text, " of %s", captures[i].name);
    }
    return text.length > 0;
}
