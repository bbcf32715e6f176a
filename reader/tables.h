/* Loading a capture's tables into a profile. */
#ifndef READER_TABLES_H
#define READER_TABLES_H

#include "reader/reader.h"

/* Interns all strings and frames. With frame_ids not NULL, stores there an array of the profile's
 * frame id for each index of the frame table, for the caller to free. */
binprof_status reader_tables_load(binprof_reader *reader, binprof_profile *profile,
                                  uint32_t **frame_ids, binprof_error *error);

#endif
