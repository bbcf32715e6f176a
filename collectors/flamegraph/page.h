/* The page around the data; made by the build from the folder viewer/. */
#ifndef COLLECTORS_FLAMEGRAPH_PAGE_H
#define COLLECTORS_FLAMEGRAPH_PAGE_H

#include <stddef.h>

extern const unsigned char flamegraph_page_head[];
extern const size_t flamegraph_page_head_size;
extern const unsigned char flamegraph_page_tail[];
extern const size_t flamegraph_page_tail_size;

#endif
