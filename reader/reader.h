/* The reader's insides. */
#ifndef READER_READER_H
#define READER_READER_H

#include "reader/source.h"

#include <binprof/reader.h>

struct binprof_reader {
    reader_source source;
    binprof_info info;
    binprof_encoding encoding; /* of the last replay */
};

#endif
