/* The writer's insides, for tests that need to reach a limit. */
#ifndef WRITER_WRITER_H
#define WRITER_WRITER_H

#include "writer/encoder.h"

#include <binprof/writer.h>

struct binprof_writer {
    output_target target;
    writer_sink sink;
    writer_encoder encoder;
    binprof_facts facts;
    bool compressed;
    bool finished;
    binprof_status failure; /* once writing has failed, it stays so */
    binprof_error failure_error;
};

#endif
