/* The fixed blocks of a capture: header, statistics, footer. */
#ifndef FORMAT_CAPTURE_H
#define FORMAT_CAPTURE_H

#include <binprof/reader.h>
#include <stdint.h>

#define FORMAT_HEADER_SIZE 64
#define FORMAT_FOOTER_SIZE 32
#define FORMAT_STATISTICS_SIZE 56
#define FORMAT_STATISTICS_OLD_SIZE 32
/* Signature, version and size: the end of every form of the statistics. A later form may have more
 * fields before it; what stands at the start stays. */
#define FORMAT_STATISTICS_TAIL 16

#define FORMAT_VERSION 1
#define FORMAT_COMPRESSION_NONE 0u
#define FORMAT_COMPRESSION_ZSTD 1u

/* Checks by its first bytes whether a file is a capture at all, and one that was finished. */
binprof_status format_start_check(const uint8_t header[FORMAT_HEADER_SIZE], const char *name,
                                  binprof_error *error);

/* Decodes a header and checks it against info->file_size, which must be set. Fills everything in
 * *info that a header tells. `name` is the file's, for messages. */
binprof_status format_header_get(const uint8_t header[FORMAT_HEADER_SIZE], const char *name,
                                 binprof_info *info, binprof_error *error);

/* Encodes a wide, little-endian header. */
void format_header_put(uint8_t header[FORMAT_HEADER_SIZE], const binprof_info *info);

/* Decodes the footer into *info, which must hold what the header tells, and checks it. */
binprof_status format_footer_get(const uint8_t footer[FORMAT_FOOTER_SIZE], const char *name,
                                 binprof_info *info, binprof_error *error);

/* Encodes a footer with the counts and the size in *info. */
void format_footer_put(uint8_t footer[FORMAT_FOOTER_SIZE], const binprof_info *info);

/* Tells from the bytes directly before the footer how long the statistics are that end there.
 * Stores 0 in *size when there are none, or of another version. Fails for a size that cannot be;
 * `room` is what lies between the frame table's start and the footer. */
binprof_status format_statistics_size_get(const uint8_t tail[FORMAT_STATISTICS_TAIL], uint64_t room,
                                          const char *name, const binprof_info *info,
                                          uint32_t *size, binprof_error *error);

/* Decodes statistics of `size` bytes; of longer ones the first FORMAT_STATISTICS_SIZE are looked
 * at. Stores them in *info and checks them. */
binprof_status format_statistics_get(const uint8_t *block, uint32_t size, const char *name,
                                     binprof_info *info, binprof_error *error);

/* Encodes the statistics. */
void format_statistics_put(uint8_t block[FORMAT_STATISTICS_SIZE],
                           const binprof_statistics *statistics);

#endif
