/* The names of opcodes. */
#ifndef COLLECTORS_OPCODES_H
#define COLLECTORS_OPCODES_H

#include <stdint.h>

/* Returns the name of an opcode in a version of Python (3, 15, 2), NULL where it is not known. */
const char *collectors_opcode_name(const uint8_t python[3], uint8_t opcode);

#endif
