/* Conversions from a capture file to an output file: what is made to fail, step by step. */
#ifndef FAULTS_CONVERSIONS_H
#define FAULTS_CONVERSIONS_H

#include <binprof/binprof.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct conversion {
    const char *capture;          /* in tests/captures */
    const char *format;           /* NULL: only counted */
    bool tallies;                 /* counted by function, stack and thread */
    const binprof_choice *choice; /* NULL: no filter */
    bool twice;                   /* with a choice: the capture is merged with itself */
    bool gzip;
    binprof_compression compression;
    bool sync;
    bool replaces; /* an older file has the output's name already */
} conversion;

/* A line that says which conversion it is. */
const char *conversion_name(const conversion *what);

size_t conversions_count(void);
const conversion *conversions_at(size_t index);

/* False for a capture that is compressed in a way that this build knows nothing of. */
bool conversion_is_possible(const conversion *what);

/* Converts into `directory`. Stores the error's code in error->code also where the profile could
 * not be made. */
binprof_status conversion_run(const conversion *what, const char *directory, binprof_error *error);

/* Makes the directory what it is before a conversion: empty, or with the older file. */
void conversion_prepare(const conversion *what, const char *directory);

/* What a conversion left in the directory. */
typedef enum conversion_result {
    CONVERSION_NOTHING, /* all is as it was before */
    CONVERSION_WHOLE,   /* the output, and nothing but that */
    CONVERSION_BROKEN,  /* anything else */
} conversion_result;

/* The first call must follow a conversion that worked: what it finds is what is whole. With NULL
 * that is forgotten. */
conversion_result conversion_look(const conversion *what, const char *directory);

/* How many files are open. */
size_t conversion_open_files(void);

#endif
