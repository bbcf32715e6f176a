#include "collectors/detail.h"

#include "base/text.h"
#include "collectors/opcodes.h"

#include <inttypes.h>
#include <stdbool.h>

size_t collectors_detail(char buffer[COLLECTORS_DETAIL_SIZE], const binprof_frame *frame,
                         const uint8_t python[3])
{
    base_text detail = base_text_begin(buffer, COLLECTORS_DETAIL_SIZE);
    bool has_end = frame->end_line != BINPROF_NO_LOCATION && frame->end_line != frame->line;
    if (frame->column != BINPROF_NO_LOCATION)
        base_text_append(&detail, "column %" PRId32, frame->column);
    if (has_end)
        base_text_append(&detail, "%sto line %" PRId32, detail.length > 0 ? " " : "",
                         frame->end_line);
    if (frame->end_column != BINPROF_NO_LOCATION)
        base_text_append(&detail, "%s%" PRId32, has_end ? " column " : "–", frame->end_column);
    if (frame->opcode == BINPROF_NO_OPCODE)
        return detail.length;
    const char *joint = detail.length > 0 ? " " : "";
    const char *name = collectors_opcode_name(python, frame->opcode);
    if (name != NULL)
        base_text_append(&detail, "%s%s", joint, name);
    else
        base_text_append(&detail, "%sopcode %d", joint, frame->opcode);
    return detail.length;
}
