/* Arrays that grow. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Returns `array` with room for at least `needed` items, moved where it had to grow, and updates
 * *capacity; NULL, with the array untouched, when there is no memory. Grows by half, so that adding
 * one by one stays linear and the waste small. */
static inline void *array_reserve(void *array, size_t *capacity, size_t needed, size_t item_size)
{
    if (needed <= *capacity)
        return array;
    size_t grown = *capacity + *capacity / 2;
    if (grown < needed)
        grown = needed;
    if (grown < 16)
        grown = 16;
    if (grown > SIZE_MAX / item_size)
        return NULL;
    void *moved = realloc(array, grown * item_size);
    if (moved != NULL)
        *capacity = grown;
    return moved;
}

#endif
