/* The iterator over encoded records; its public face is in <binprof/reader.h>. */
#ifndef READER_RECORDS_H
#define READER_RECORDS_H

#include "format/record.h"
#include "reader/data_stream.h"

/* Repeats are handed on in pieces of at most this many samples: enough to make the cost of a piece
 * vanish, few enough to stay in the first level cache. */
#define READER_PIECE 1024

struct binprof_records {
    reader_data_stream stream;
    const binprof_reader *reader;
    binprof_record record; /* what the caller sees */
    uint64_t record_count;
    uint64_t samples_left; /* of those that the header declares */
    uint64_t repeat_left;  /* samples of the current repeat that are still to come */
    uint32_t *frames;
    size_t frame_capacity;
    uint64_t deltas_us[READER_PIECE];
    uint8_t statuses[READER_PIECE];
};

/* As the public functions, for an iterator that the caller allocated. */
binprof_status reader_records_init(binprof_records *records, binprof_reader *reader,
                                   binprof_error *error);
binprof_status reader_records_next(binprof_records *records, const binprof_record **record,
                                   binprof_error *error);
void reader_records_clear(binprof_records *records);

/* Reports what is wrong with the current record. */
binprof_status reader_records_fail(const binprof_records *records, binprof_status code,
                                   binprof_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
