#include "filters/mapping.h"

#include "base/array.h"
#include "base/error.h"
#include "profile/paths.h"
#include "profile/profile.h"

#include <string.h>

binprof_status filters_mapping_init(filters_mapping *mapping, const binprof_choice *choice,
                                    binprof_profile *target, binprof_error *error)
{
    *mapping = (filters_mapping){.choice = choice, .target = target};
    binprof_status status = filters_pattern_compile(&mapping->focus, choice->focus, "focus", error);
    if (status == BINPROF_OK)
        status = filters_pattern_compile(&mapping->ignore, choice->ignore, "ignore", error);
    if (status == BINPROF_OK)
        status =
            filters_pattern_compile(&mapping->trim_root, choice->trim_root, "trim-root", error);
    if (status != BINPROF_OK)
        filters_mapping_free(mapping);
    return status;
}

void filters_mapping_free(filters_mapping *mapping)
{
    filters_pattern_free(&mapping->focus);
    filters_pattern_free(&mapping->ignore);
    filters_pattern_free(&mapping->trim_root);
    free(mapping->frames);
    free(mapping->stacks.ids);
    free(mapping->stacks.flags);
    free(mapping->files);
    free(mapping->functions);
    free(mapping->path);
    free(mapping->text);
}

/* Makes a frame that stands for no code. */
static binprof_status intern_name(binprof_profile *profile, const char *name, uint32_t *frame,
                                  binprof_error *error)
{
    return binprof_profile_intern_line(profile, "~", name, BINPROF_NO_LOCATION, frame, error);
}

binprof_status filters_mapping_begin(filters_mapping *mapping, const binprof_profile *source,
                                     const char *name, binprof_error *error)
{
    mapping->source = source;
    mapping->has_patterns =
        mapping->focus.is_given || mapping->ignore.is_given || mapping->trim_root.is_given;
    mapping->is_identity = source == mapping->target && !mapping->has_patterns;
    mapping->frame_count = 0;
    mapping->stacks.count = 0;
    mapping->file_count = 0;
    mapping->function_count = 0;
    mapping->root = BINPROF_EMPTY_STACK;
    if (name == NULL)
        return BINPROF_OK;
    uint32_t frame;
    binprof_status status = intern_name(mapping->target, name, &frame, error);
    if (status != BINPROF_OK)
        return status;
    return binprof_profile_intern_stack(mapping->target, BINPROF_EMPTY_STACK, frame, &mapping->root,
                                        error);
}

/* Makes an array cover `needed` items; new ones are all bits `fill`. Returns NULL when there is no
 * memory. */
static void *cover(void *array, size_t *count, size_t *capacity, size_t needed, size_t item_size,
                   int fill)
{
    if (needed <= *count)
        return array;
    char *grown = array_reserve(array, capacity, needed, item_size);
    if (grown == NULL)
        return NULL;
    /* All that there is room for, so that this happens seldom. */
    memset(grown + *count * item_size, fill, (*capacity - *count) * item_size);
    *count = *capacity;
    return grown;
}

static bool cover_strings(uint32_t **ids, size_t *count, size_t *capacity, uint32_t string)
{
    uint32_t *grown = cover(*ids, count, capacity, (size_t)string + 1, sizeof **ids, 0xff);
    if (grown != NULL)
        *ids = grown;
    return grown != NULL;
}

static char *reserve_text(filters_mapping *mapping, size_t size)
{
    char *text = array_reserve(mapping->text, &mapping->text_capacity, size, 1);
    if (text != NULL)
        mapping->text = text;
    return text;
}

/* Copies a name for regexec, which knows no NUL inside. */
static char *put_name(char *p, binprof_string name)
{
    memcpy(p, name.text, name.length);
    for (char *nul = p; (nul = memchr(nul, '\0', (size_t)(p + name.length - nul))) != NULL;)
        *nul = ' ';
    return p + name.length;
}

/* Which patterns a frame matches. */
static binprof_status match_frame(filters_mapping *mapping, const binprof_frame *frame,
                                  uint8_t *flags, binprof_error *error)
{
    *flags = 0;
    if (!mapping->has_patterns)
        return BINPROF_OK;
    binprof_string file = binprof_profile_string(mapping->source, frame->filename);
    binprof_string function = binprof_profile_string(mapping->source, frame->function);
    char *text = reserve_text(mapping, 2 * file.length + function.length + 3);
    if (text == NULL)
        return error_set_memory(error);
    char *both = put_name(text, file);
    *both++ = '\0';
    char *p = put_name(both, file);
    *p++ = ':';
    filters_names names = {.file = text, .function = p, .both = both};
    *put_name(p, function) = '\0';
    if (filters_pattern_matches(&mapping->focus, &names))
        *flags |= MAPPING_FOCUS;
    if (filters_pattern_matches(&mapping->ignore, &names))
        *flags |= MAPPING_IGNORE;
    if (filters_pattern_matches(&mapping->trim_root, &names))
        *flags |= MAPPING_TRIM;
    return BINPROF_OK;
}

/* The name of a file as the choice wants it. */
static binprof_status map_file(filters_mapping *mapping, uint32_t file, uint32_t *mapped,
                               binprof_error *error)
{
    if (!cover_strings(&mapping->files, &mapping->file_count, &mapping->file_capacity, file))
        return error_set_memory(error);
    *mapped = mapping->files[file];
    if (*mapped != FILTERS_UNKNOWN)
        return BINPROF_OK;
    binprof_string name = binprof_profile_string(mapping->source, file);
    /* The profiler's own file keeps its name, by which outputs leave it out. */
    binprof_paths paths = profile_is_internal(name) ? BINPROF_PATHS_FULL : mapping->choice->paths;
    if (paths == BINPROF_PATHS_BASE)
        name = profile_base_name(name);
    if (paths == BINPROF_PATHS_MODULE) {
        char *text = reserve_text(mapping, name.length + 1);
        if (text == NULL)
            return error_set_memory(error);
        name = (binprof_string){text, profile_module_name(name, text)};
    }
    binprof_status status =
        binprof_profile_intern_string(mapping->target, name.text, name.length, mapped, error);
    if (status == BINPROF_OK)
        mapping->files[file] = *mapped;
    return status;
}

static binprof_status map_function(filters_mapping *mapping, uint32_t function, uint32_t *mapped,
                                   binprof_error *error)
{
    if (!cover_strings(&mapping->functions, &mapping->function_count, &mapping->function_capacity,
                       function))
        return error_set_memory(error);
    *mapped = mapping->functions[function];
    if (*mapped != FILTERS_UNKNOWN)
        return BINPROF_OK;
    binprof_string name = binprof_profile_string(mapping->source, function);
    binprof_status status =
        binprof_profile_intern_string(mapping->target, name.text, name.length, mapped, error);
    if (status == BINPROF_OK)
        mapping->functions[function] = *mapped;
    return status;
}

/* Leaves out of a frame what does not tell it from others. */
static binprof_status coarsen(filters_mapping *mapping, binprof_frame *frame, bool is_code,
                              binprof_error *error)
{
    binprof_granularity by = mapping->choice->by;
    if (by == BINPROF_BY_DEFAULT || by == BINPROF_BY_INSTRUCTION)
        return BINPROF_OK;
    if (by != BINPROF_BY_LINE)
        frame->line = BINPROF_NO_LOCATION;
    frame->end_line = frame->line;
    frame->column = BINPROF_NO_LOCATION;
    frame->end_column = BINPROF_NO_LOCATION;
    frame->opcode = BINPROF_NO_OPCODE;
    if (by != BINPROF_BY_FILE || !is_code)
        return BINPROF_OK;
    return binprof_profile_intern_string(mapping->target, "", 0, &frame->function, error);
}

static binprof_status resolve_frame(filters_mapping *mapping, uint32_t id, filters_mapped *mapped,
                                    binprof_error *error)
{
    binprof_frame frame = binprof_profile_frame(mapping->source, id);
    binprof_status status = match_frame(mapping, &frame, &mapped->flags, error);
    if (status != BINPROF_OK)
        return status;
    mapping->matched |= mapped->flags;
    mapped->flags |= MAPPING_KNOWN;
    mapped->id = id;
    if (mapping->source == mapping->target)
        return BINPROF_OK;
    bool is_code = !profile_is_no_code(binprof_profile_string(mapping->source, frame.filename));
    status = map_file(mapping, frame.filename, &frame.filename, error);
    if (status == BINPROF_OK)
        status = map_function(mapping, frame.function, &frame.function, error);
    if (status == BINPROF_OK)
        status = coarsen(mapping, &frame, is_code, error);
    if (status == BINPROF_OK)
        status = binprof_profile_intern_frame(mapping->target, &frame, &mapped->id, error);
    return status;
}

static binprof_status map_new_frame(filters_mapping *mapping, uint32_t id, binprof_error *error)
{
    filters_mapped *frames = cover(mapping->frames, &mapping->frame_count, &mapping->frame_capacity,
                                   (size_t)id + 1, sizeof *frames, 0);
    if (frames == NULL)
        return error_set_memory(error);
    mapping->frames = frames;
    filters_mapped resolved = {0, 0};
    binprof_status status = resolve_frame(mapping, id, &resolved, error);
    if (status == BINPROF_OK)
        frames[id] = resolved;
    return status;
}

/* The stack that a call of `frame` is put on: without the caller where that is the same function
 * and recursion is to be collapsed. */
static uint32_t caller_of(const filters_mapping *mapping, uint32_t stack, uint32_t frame_id)
{
    if (!mapping->choice->collapse_recursion || stack == mapping->root)
        return stack;
    const binprof_profile *target = mapping->target;
    const binprof_frame *caller = &target->frames[target->stacks.nodes[stack].frame];
    const binprof_frame *frame = &target->frames[frame_id];
    bool is_same = caller->filename == frame->filename && caller->function == frame->function;
    return is_same ? target->stacks.nodes[stack].parent : stack;
}

/* What a stack becomes whose parent became `parent`. */
static binprof_status push(filters_mapping *mapping, filters_mapped parent, uint32_t stack,
                           filters_mapped *mapped, binprof_error *error)
{
    uint32_t frame_id = mapping->source->stacks.nodes[stack].frame;
    if (frame_id >= mapping->frame_count || mapping->frames[frame_id].flags == 0) {
        binprof_status status = map_new_frame(mapping, frame_id, error);
        if (status != BINPROF_OK)
            return status;
    }
    filters_mapped frame = mapping->frames[frame_id];
    mapped->flags = parent.flags | frame.flags;
    mapped->id = stack;
    if (mapping->source == mapping->target)
        return BINPROF_OK;
    bool starts = (frame.flags & MAPPING_TRIM) != 0 && (parent.flags & MAPPING_TRIM) == 0;
    uint32_t caller = starts ? mapping->root : caller_of(mapping, parent.id, frame.id);
    return binprof_profile_intern_stack(mapping->target, caller, frame.id, &mapped->id, error);
}

static bool cover_stacks(filters_mapping *mapping, uint32_t stack)
{
    filters_stacks *stacks = &mapping->stacks;
    size_t flags_count = stacks->count;
    uint32_t *ids = cover(stacks->ids, &stacks->count, &stacks->capacity, (size_t)stack + 1,
                          sizeof *ids, 0xff); /* FILTERS_UNKNOWN */
    if (ids == NULL)
        return false;
    stacks->ids = ids;
    if (!mapping->has_patterns)
        return true;
    uint8_t *flags =
        cover(stacks->flags, &flags_count, &stacks->flags_capacity, stacks->count, 1, 0);
    if (flags != NULL)
        stacks->flags = flags;
    return flags != NULL;
}

/* Stores in mapping->path the stacks from `stack` outwards that are not known yet, in *known the
 * one that they stand on. */
static binprof_status find_known(filters_mapping *mapping, uint32_t stack, uint32_t *known,
                                 size_t *depth, binprof_error *error)
{
    size_t count = 0;
    while (mapping->stacks.ids[stack] == FILTERS_UNKNOWN) {
        uint32_t *path =
            array_reserve(mapping->path, &mapping->path_capacity, count + 1, sizeof *path);
        if (path == NULL)
            return error_set_memory(error);
        mapping->path = path;
        path[count++] = stack;
        stack = mapping->source->stacks.nodes[stack].parent;
    }
    *known = stack;
    *depth = count;
    return BINPROF_OK;
}

binprof_status filters_mapping_resolve(filters_mapping *mapping, uint32_t stack,
                                       binprof_error *error)
{
    if (!cover_stacks(mapping, stack))
        return error_set_memory(error);
    filters_stacks *stacks = &mapping->stacks;
    stacks->ids[BINPROF_EMPTY_STACK] = mapping->root;
    uint32_t known = BINPROF_EMPTY_STACK;
    size_t depth = 0;
    binprof_status status = find_known(mapping, stack, &known, &depth, error);
    if (status != BINPROF_OK)
        return status;
    filters_mapped at = {stacks->ids[known], mapping->has_patterns ? stacks->flags[known] : 0};
    while (depth-- > 0) {
        uint32_t child = mapping->path[depth];
        status = push(mapping, at, child, &at, error);
        if (status != BINPROF_OK)
            return status;
        stacks->ids[child] = at.id;
        if (mapping->has_patterns)
            stacks->flags[child] = at.flags;
    }
    return BINPROF_OK;
}
