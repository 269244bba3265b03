#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ring.h"

struct ring {
    size_t capacity;
    size_t head;
    size_t length;
    uint8_t data[];
};

struct ring *ring_new(size_t capacity)
{
    struct ring *ring = malloc(sizeof *ring + capacity);
    if (ring == NULL)
        return NULL;
    ring->capacity = capacity;
    ring->head = ring->length = 0;
    return ring;
}

size_t ring_write(struct ring *ring, const void *from, size_t length)
{
    size_t room = ring->capacity - ring->length;
    if (length > room)
        length = room;
    size_t at = (ring->head + ring->length) % ring->capacity;
    size_t first = ring->capacity - at < length ? ring->capacity - at : length;
    memcpy(ring->data + at, from, first);
    memcpy(ring->data, (const uint8_t *)from + first, length - first);
    ring->length += length;
    return length;
}

void ring_free(struct ring *ring)
{
    free(ring);
}
