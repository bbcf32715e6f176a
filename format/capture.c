#include "format/capture.h"

#include "base/error.h"
#include "format/bytes.h"
#include "format/tables.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The magic number as a little-endian writer stores it. */
#define MAGIC 0x54414348u

#define MODE_MASK 0x7u
#define HAS_FEATURES 0x8u
#define FEATURES_SHIFT 4
#define FEATURES_MASK 0x1fu

static const char statistics_signature[8] = {'T', 'A', 'C', 'H', 'S', 'T', 'A', 'T'};
#define STATISTICS_VERSION 1u
#define HAS_FAILED 1u
#define HAS_MISSED 2u

static bool all_zero(const uint8_t *bytes, size_t size)
{
    uint8_t all = 0;
    for (size_t i = 0; i < size; i++)
        all |= bytes[i];
    return all == 0;
}

/* Where the parts lie, according to one reading of the header. */
typedef struct header_layout {
    uint64_t sample_count;
    uint32_t thread_count;
    uint64_t string_table_offset;
    uint64_t frame_table_offset;
    uint32_t compression;
    uint32_t configuration;
} header_layout;

static header_layout read_wide(const uint8_t *header, bool big_endian)
{
    return (header_layout){
        .sample_count = format_get_u64(header + 28, big_endian),
        .thread_count = format_get_u32(header + 36, big_endian),
        .string_table_offset = format_get_u64(header + 40, big_endian),
        .frame_table_offset = format_get_u64(header + 48, big_endian),
        .compression = format_get_u32(header + 56, big_endian),
        .configuration = format_get_u32(header + 60, big_endian),
    };
}

static header_layout read_narrow(const uint8_t *header, bool big_endian)
{
    return (header_layout){
        .sample_count = format_get_u32(header + 28, big_endian),
        .thread_count = format_get_u32(header + 32, big_endian),
        .string_table_offset = format_get_u64(header + 36, big_endian),
        .frame_table_offset = format_get_u64(header + 44, big_endian),
        .compression = format_get_u32(header + 52, big_endian),
        .configuration = 0,
    };
}

static bool is_possible(const header_layout *layout, uint64_t file_size)
{
    return layout->string_table_offset >= FORMAT_HEADER_SIZE &&
           layout->string_table_offset <= layout->frame_table_offset &&
           layout->frame_table_offset <= file_size - FORMAT_FOOTER_SIZE;
}

/* Both revisions carry the same version number. A narrow header read as wide has an impossible
 * string table offset, since the low half of another offset becomes its high half. In a file that
 * was cut short both readings are impossible; the right one is then the one that a longer file
 * would make possible, which is the smaller. */
static binprof_revision tell_revision(const uint8_t *header, const header_layout *wide,
                                      const header_layout *narrow, uint64_t file_size)
{
    if (is_possible(wide, file_size) || !all_zero(header + 56, 8))
        return BINPROF_REVISION_WIDE;
    if (is_possible(narrow, file_size))
        return BINPROF_REVISION_NARROW;
    return narrow->string_table_offset >= FORMAT_HEADER_SIZE &&
                   narrow->string_table_offset < wide->string_table_offset
               ? BINPROF_REVISION_NARROW
               : BINPROF_REVISION_WIDE;
}

static binprof_status check_offsets(const header_layout *layout, const char *name,
                                    uint64_t file_size, uint64_t strings_field,
                                    uint64_t frames_field, binprof_error *error)
{
    uint64_t strings = layout->string_table_offset;
    uint64_t frames = layout->frame_table_offset;
    if (strings < FORMAT_HEADER_SIZE)
        return error_set(error, BINPROF_ERROR_FORMAT, strings_field,
                         "%s: the header puts the string table at offset %" PRIu64
                         ", inside the header itself",
                         name, strings);
    if (frames < strings)
        return error_set(error, BINPROF_ERROR_FORMAT, frames_field,
                         "%s: the header puts the frame table at offset %" PRIu64
                         ", before the string table at %" PRIu64,
                         name, frames, strings);
    if (frames > file_size - FORMAT_FOOTER_SIZE)
        return error_set(error, BINPROF_ERROR_TRUNCATED, file_size,
                         "%s: truncated: the file has %" PRIu64
                         " bytes, but its header puts the frame table at offset %" PRIu64,
                         name, file_size, frames);
    return BINPROF_OK;
}

binprof_status format_start_check(const uint8_t header[FORMAT_HEADER_SIZE], const char *name,
                                  binprof_error *error)
{
    if (all_zero(header, FORMAT_HEADER_SIZE))
        return error_set(error, BINPROF_ERROR_TRUNCATED, 0,
                         "%s: never finished: the header is still empty, so the profiler was "
                         "stopped before it could write its tables",
                         name);
    uint32_t magic = format_get_u32(header, false);
    if (magic != MAGIC && magic != __builtin_bswap32(MAGIC))
        return error_set(error, BINPROF_ERROR_FORMAT, 0,
                         "%s: not a capture: it starts with the bytes %02x %02x %02x %02x, "
                         "expected \"HCAT\" or \"TACH\"",
                         name, header[0], header[1], header[2], header[3]);
    return BINPROF_OK;
}

static binprof_status check_start(const uint8_t *header, const char *name, uint64_t file_size,
                                  bool *big_endian, binprof_error *error)
{
    binprof_status status = format_start_check(header, name, error);
    if (status != BINPROF_OK)
        return status;
    *big_endian = format_get_u32(header, false) != MAGIC;
    if (file_size < FORMAT_HEADER_SIZE + FORMAT_FOOTER_SIZE)
        return error_set(error, BINPROF_ERROR_TRUNCATED, file_size,
                         "%s: truncated: the file has %" PRIu64
                         " bytes, expected at least %d for header and footer",
                         name, file_size, FORMAT_HEADER_SIZE + FORMAT_FOOTER_SIZE);
    uint32_t version = format_get_u32(header + 4, *big_endian);
    if (version != FORMAT_VERSION && file_size >= 8)
        return error_set(error, BINPROF_ERROR_UNSUPPORTED, 4,
                         "%s: format version %" PRIu32 " at offset 4, expected %d", name, version,
                         FORMAT_VERSION);
    return BINPROF_OK;
}

binprof_status format_header_get(const uint8_t header[FORMAT_HEADER_SIZE], const char *name,
                                 binprof_info *info, binprof_error *error)
{
    bool big_endian = false;
    binprof_status status = check_start(header, name, info->file_size, &big_endian, error);
    if (status != BINPROF_OK)
        return status;

    header_layout wide = read_wide(header, big_endian);
    header_layout narrow = read_narrow(header, big_endian);
    info->revision = tell_revision(header, &wide, &narrow, info->file_size);
    bool is_wide = info->revision == BINPROF_REVISION_WIDE;
    const header_layout *layout = is_wide ? &wide : &narrow;
    status =
        check_offsets(layout, name, info->file_size, is_wide ? 40 : 36, is_wide ? 48 : 44, error);
    if (status != BINPROF_OK)
        return status;
    if (layout->compression > FORMAT_COMPRESSION_ZSTD)
        return error_set(error, BINPROF_ERROR_UNSUPPORTED, is_wide ? 56 : 52,
                         "%s: compression %" PRIu32 " at offset %d, expected 0 (none) or 1 (zstd)",
                         name, layout->compression, is_wide ? 56 : 52);

    info->version = FORMAT_VERSION;
    info->big_endian = big_endian;
    info->zstd = layout->compression == FORMAT_COMPRESSION_ZSTD;
    info->sample_count = layout->sample_count;
    info->thread_count = layout->thread_count;
    info->string_table_offset = layout->string_table_offset;
    info->frame_table_offset = layout->frame_table_offset;
    info->data_size = layout->string_table_offset - FORMAT_HEADER_SIZE;
    info->facts = (binprof_facts){
        .python = {header[8], header[9], header[10]},
        .start_us = format_get_u64(header + 12, big_endian),
        .interval_us = format_get_u64(header + 20, big_endian),
        .mode = (int)(layout->configuration & MODE_MASK) - 1,
        .has_features = (layout->configuration & HAS_FEATURES) != 0,
        .features = layout->configuration >> FEATURES_SHIFT & FEATURES_MASK,
    };
    if (!info->facts.has_features)
        info->facts.features = 0;
    return BINPROF_OK;
}

void format_header_put(uint8_t header[FORMAT_HEADER_SIZE], const binprof_info *info)
{
    const binprof_facts *facts = &info->facts;
    uint32_t configuration = (uint32_t)(facts->mode + 1) & MODE_MASK;
    if (facts->has_features)
        configuration |= HAS_FEATURES | (facts->features & FEATURES_MASK) << FEATURES_SHIFT;

    format_put_u32(header, MAGIC);
    format_put_u32(header + 4, FORMAT_VERSION);
    memcpy(header + 8, facts->python, 3);
    header[11] = 0;
    format_put_u64(header + 12, facts->start_us);
    format_put_u64(header + 20, facts->interval_us);
    format_put_u64(header + 28, info->sample_count);
    format_put_u32(header + 36, info->thread_count);
    format_put_u64(header + 40, info->string_table_offset);
    format_put_u64(header + 48, info->frame_table_offset);
    format_put_u32(header + 56, info->zstd ? FORMAT_COMPRESSION_ZSTD : FORMAT_COMPRESSION_NONE);
    format_put_u32(header + 60, configuration);
}

/* An entry has a least size, so a count that the table's bytes cannot hold is told before anything
 * is allocated for it. */
static binprof_status check_count(const char *what, uint32_t count, uint64_t bytes,
                                  uint64_t entry_size, const char *name, uint64_t offset,
                                  binprof_error *error)
{
    if (count <= bytes / entry_size)
        return BINPROF_OK;
    return error_set(error, BINPROF_ERROR_FORMAT, offset,
                     "%s: the footer at offset %" PRIu64 " counts %" PRIu32
                     " %s, but their table has only %" PRIu64 " bytes",
                     name, offset, count, what, bytes);
}

binprof_status format_footer_get(const uint8_t footer[FORMAT_FOOTER_SIZE], const char *name,
                                 binprof_info *info, binprof_error *error)
{
    uint64_t offset = info->file_size - FORMAT_FOOTER_SIZE;
    uint64_t size = format_get_u64(footer + 8, info->big_endian);
    if (size < info->file_size && size >= info->frame_table_offset + FORMAT_FOOTER_SIZE)
        return error_set(error, BINPROF_ERROR_FORMAT, offset + 8,
                         "%s: bytes follow the capture: the footer at offset %" PRIu64
                         " says %" PRIu64 " bytes, the file has %" PRIu64,
                         name, offset, size, info->file_size);
    if (size != info->file_size)
        return error_set(error, BINPROF_ERROR_TRUNCATED, offset + 8,
                         "%s: truncated: no footer at offset %" PRIu64 " (file size %" PRIu64
                         " there, expected %" PRIu64 ")",
                         name, offset, size, info->file_size);

    info->string_count = format_get_u32(footer, info->big_endian);
    info->frame_count = format_get_u32(footer + 4, info->big_endian);
    binprof_status status =
        check_count("strings", info->string_count,
                    info->frame_table_offset - info->string_table_offset, 1, name, offset, error);
    if (status != BINPROF_OK)
        return status;
    return check_count("frames", info->frame_count, offset - info->frame_table_offset,
                       FORMAT_FRAME_MIN, name, offset, error);
}

void format_footer_put(uint8_t footer[FORMAT_FOOTER_SIZE], const binprof_info *info)
{
    format_put_u32(footer, info->string_count);
    format_put_u32(footer + 4, info->frame_count);
    format_put_u64(footer + 8, info->file_size);
    memset(footer + 16, 0, 16);
}

binprof_status format_statistics_size_get(const uint8_t tail[FORMAT_STATISTICS_TAIL], uint64_t room,
                                          const char *name, const binprof_info *info,
                                          uint32_t *size, binprof_error *error)
{
    *size = 0;
    if (memcmp(tail, statistics_signature, sizeof statistics_signature) != 0 ||
        format_get_u32(tail + 8, info->big_endian) != STATISTICS_VERSION)
        return BINPROF_OK;
    uint32_t stored = format_get_u32(tail + 12, info->big_endian);
    if (stored < FORMAT_STATISTICS_OLD_SIZE || stored > room)
        return error_set(
            error, BINPROF_ERROR_FORMAT, info->file_size - FORMAT_FOOTER_SIZE - sizeof stored,
            "%s: statistics of %" PRIu32 " bytes before the footer, expected %d to %" PRIu64, name,
            stored, FORMAT_STATISTICS_OLD_SIZE, room);
    *size = stored;
    return BINPROF_OK;
}

static bool is_measure(double value)
{
    return isfinite(value) && value >= 0;
}

binprof_status format_statistics_get(const uint8_t *block, uint32_t size, const char *name,
                                     binprof_info *info, binprof_error *error)
{
    bool big_endian = info->big_endian;
    binprof_statistics statistics = {.present = true,
                                     .duration_s = format_get_f64(block, big_endian),
                                     .sample_rate = format_get_f64(block + 8, big_endian)};
    if (size >= FORMAT_STATISTICS_SIZE) {
        uint32_t presence = format_get_u32(block + 32, big_endian);
        statistics.has_failed = (presence & HAS_FAILED) != 0;
        statistics.has_missed = (presence & HAS_MISSED) != 0;
        if (statistics.has_failed)
            statistics.failed_percent = format_get_f64(block + 16, big_endian);
        if (statistics.has_missed)
            statistics.missed_percent = format_get_f64(block + 24, big_endian);
    }
    /* More samples than expected make the missed ones negative. */
    if (!is_measure(statistics.duration_s) || !is_measure(statistics.sample_rate) ||
        !is_measure(statistics.failed_percent) || !isfinite(statistics.missed_percent)) {
        uint64_t offset = info->file_size - FORMAT_FOOTER_SIZE - size;
        return error_set(error, BINPROF_ERROR_FORMAT, offset,
                         "%s: impossible statistics at offset %" PRIu64
                         ": %g s, %g samples/s, %g %% failed, %g %% missed",
                         name, offset, statistics.duration_s, statistics.sample_rate,
                         statistics.failed_percent, statistics.missed_percent);
    }
    info->facts.statistics = statistics;
    info->statistics_size = size;
    return BINPROF_OK;
}

void format_statistics_put(uint8_t block[FORMAT_STATISTICS_SIZE],
                           const binprof_statistics *statistics)
{
    uint32_t presence = 0;
    if (statistics->has_failed)
        presence |= HAS_FAILED;
    if (statistics->has_missed)
        presence |= HAS_MISSED;
    format_put_f64(block, statistics->duration_s);
    format_put_f64(block + 8, statistics->sample_rate);
    format_put_f64(block + 16, statistics->has_failed ? statistics->failed_percent : 0);
    format_put_f64(block + 24, statistics->has_missed ? statistics->missed_percent : 0);
    format_put_u32(block + 32, presence);
    format_put_u32(block + 36, 0);
    memcpy(block + 40, statistics_signature, sizeof statistics_signature);
    format_put_u32(block + 48, STATISTICS_VERSION);
    format_put_u32(block + 52, FORMAT_STATISTICS_SIZE);
}
