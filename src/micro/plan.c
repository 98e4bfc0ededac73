// SPDX-License-Identifier: Apache-2.0
// The workspace holds two numbers of 16 bits for each buffer: `waiting`, a heap
// of the buffers yet to be placed, and `index`, all of them, fixed ones first.
#include "stowage/micro/plan.h"

#include <stddef.h>
#include <stdint.h>

typedef struct {
  stowage_micro_buffer* buffers;
  uint32_t mask;  // alignment - 1
  uint16_t* waiting;
  uint32_t waiting_count;
  uint16_t* index;
  uint32_t count;
} planner;

static uint32_t align_up(uint32_t bytes, uint32_t mask) {
  return (bytes + mask) & ~mask;
}

static stowage_micro_status check_buffer(const stowage_micro_buffer* buffer,
                                         uint32_t mask, uint32_t capacity) {
  if (buffer->first_task > buffer->last_task) {
    return STOWAGE_MICRO_REVERSED_LIFETIME;
  }
  if (buffer->offset == STOWAGE_MICRO_UNPLACED) return STOWAGE_MICRO_OK;
  if ((buffer->offset & mask) != 0) return STOWAGE_MICRO_MISALIGNED_OFFSET;
  if (buffer->size > UINT32_MAX - buffer->offset) return STOWAGE_MICRO_OVERFLOW;
  if (buffer->offset + buffer->size > capacity) {
    return STOWAGE_MICRO_CAPACITY_EXCEEDED;
  }
  return STOWAGE_MICRO_OK;
}

static int overlap(const stowage_micro_buffer* a,
                   const stowage_micro_buffer* b) {
  return a->first_task <= b->last_task && b->first_task <= a->last_task &&
         a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

stowage_micro_status stowage_micro_check(const stowage_micro_buffer* buffers,
                                         uint32_t count, uint32_t alignment,
                                         uint32_t capacity,
                                         uint32_t witness[2]) {
  stowage_micro_status status = STOWAGE_MICRO_OK;
  uint32_t other = 0;
  uint32_t i = 0;
  uint32_t unplaced = count;
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    return STOWAGE_MICRO_BAD_ALIGNMENT;
  }
  if (count > 0 && buffers == NULL) return STOWAGE_MICRO_NULL_ARGUMENT;
  for (; i < count && status == STOWAGE_MICRO_OK; ++i) {
    other = i;
    status = check_buffer(&buffers[i], alignment - 1, capacity);
    if (buffers[i].offset == STOWAGE_MICRO_UNPLACED) {
      if (unplaced == count) unplaced = i;
      continue;
    }
    for (uint32_t j = 0; j < i && status == STOWAGE_MICRO_OK; ++j) {
      if (buffers[j].offset != STOWAGE_MICRO_UNPLACED &&
          overlap(&buffers[j], &buffers[i])) {
        other = j;
        status = STOWAGE_MICRO_OVERLAP;
      }
    }
  }
  if (status == STOWAGE_MICRO_OK) {
    if (unplaced == count) return status;
    status = STOWAGE_MICRO_UNPLACED_BUFFER;
    other = unplaced;
    i = unplaced + 1;
  }
  if (witness != NULL) {
    witness[0] = other;
    witness[1] = i - 1;
  }
  return status;
}

// Whether buffer a is placed before buffer b.
static int goes_before(const planner* plan, uint32_t a, uint32_t b) {
  const uint32_t size_a = align_up(plan->buffers[a].size, plan->mask);
  const uint32_t size_b = align_up(plan->buffers[b].size, plan->mask);
  return size_a != size_b ? size_a > size_b : a > b;
}

// Moves the element at `hole` of the heap down to its place.
static void sift_down(planner* plan, uint32_t hole, uint16_t element) {
  uint16_t* const heap = plan->waiting;
  for (uint32_t child; (child = 2 * hole + 1) < plan->waiting_count;
       hole = child) {
    if (child + 1 < plan->waiting_count &&
        goes_before(plan, heap[child + 1], heap[child])) {
      ++child;
    }
    if (!goes_before(plan, heap[child], element)) break;
    heap[hole] = heap[child];
  }
  heap[hole] = element;
}

// Fills the index and the heap. Returns the number of fixed buffers.
static uint32_t build(planner* plan) {
  uint32_t fixed = 0;
  for (uint32_t i = 0; i < plan->count; ++i) {
    if (plan->buffers[i].offset == STOWAGE_MICRO_UNPLACED) {
      plan->waiting[plan->waiting_count++] = (uint16_t)i;
      plan->index[plan->count - plan->waiting_count] = (uint16_t)i;
    } else {
      plan->index[fixed++] = (uint16_t)i;
    }
  }
  for (uint32_t i = plan->waiting_count / 2; i-- > 0;) {
    sift_down(plan, i, plan->waiting[i]);
  }
  return fixed;
}

// The lowest offset at which `buffer` meets none of those placed. Returns
// STOWAGE_MICRO_UNPLACED if it would end above 2^32 - 1.
static uint32_t first_fit(const planner* plan,
                          const stowage_micro_buffer* buffer) {
  const uint32_t size = align_up(buffer->size, plan->mask);
  uint32_t offset = 0;
  for (uint32_t i = 0, last_move = 0; i < last_move + plan->count; ++i) {
    const stowage_micro_buffer* const placed =
        &plan->buffers[plan->index[i % plan->count]];
    // What is not placed yet begins above everything.
    if (placed->first_task > buffer->last_task ||
        placed->last_task < buffer->first_task ||
        placed->offset >= offset + size ||
        placed->offset + placed->size <= offset) {
      continue;
    }
    offset = align_up(placed->offset + placed->size, plan->mask);
    if (offset < placed->offset || size < buffer->size ||
        size > UINT32_MAX - offset) {
      return STOWAGE_MICRO_UNPLACED;
    }
    last_move = i + 1;
  }
  return offset;
}

void stowage_micro_unplan(stowage_micro_buffer* buffers, uint32_t count,
                          const void* workspace) {
  const uint16_t* const waiting = workspace;
  if (count == 0) return;
  for (uint32_t i = waiting[0]; i < count; ++i) {
    buffers[waiting[count + i]].offset = STOWAGE_MICRO_UNPLACED;
  }
}

static stowage_micro_status check_arguments(const stowage_micro_buffer* buffers,
                                            uint32_t count, uint32_t alignment,
                                            const void* workspace,
                                            uint32_t workspace_bytes,
                                            const uint32_t* total) {
  if (total == NULL || (count > 0 && workspace == NULL)) {
    return STOWAGE_MICRO_NULL_ARGUMENT;
  }
  if (count > STOWAGE_MICRO_MAX_BUFFERS) return STOWAGE_MICRO_TOO_MANY_BUFFERS;
  if (workspace_bytes < STOWAGE_MICRO_WORKSPACE_BYTES(count)) {
    return STOWAGE_MICRO_WORKSPACE_TOO_SMALL;
  }
  if (((uintptr_t)workspace & (STOWAGE_MICRO_WORKSPACE_ALIGNMENT - 1)) != 0) {
    return STOWAGE_MICRO_WORKSPACE_MISALIGNED;
  }
  return stowage_micro_check(buffers, count, alignment, UINT32_MAX, NULL);
}

stowage_micro_status stowage_micro_plan(stowage_micro_buffer* buffers,
                                        uint32_t count, uint32_t alignment,
                                        void* workspace,
                                        uint32_t workspace_bytes,
                                        uint32_t* total) {
  stowage_micro_status status = check_arguments(
      buffers, count, alignment, workspace, workspace_bytes, total);
  planner plan = {buffers, alignment - 1, workspace, 0, NULL, count};
  uint32_t end = 0;
  uint32_t fixed;
  if (status != STOWAGE_MICRO_OK && status != STOWAGE_MICRO_UNPLACED_BUFFER) {
    return status;
  }
  if (count == 0) {
    *total = 0;
    return STOWAGE_MICRO_OK;
  }
  plan.index = plan.waiting + count;
  fixed = build(&plan);
  while (plan.waiting_count > 0) {
    const uint16_t i = plan.waiting[0];
    --plan.waiting_count;
    sift_down(&plan, 0, plan.waiting[plan.waiting_count]);
    buffers[i].offset = first_fit(&plan, &buffers[i]);
    if (buffers[i].offset == STOWAGE_MICRO_UNPLACED) break;
  }
  plan.waiting[0] = (uint16_t)fixed;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t size = align_up(buffers[i].size, plan.mask);
    if (size < buffers[i].size || size > UINT32_MAX - buffers[i].offset) {
      stowage_micro_unplan(buffers, count, workspace);
      return STOWAGE_MICRO_OVERFLOW;
    }
    if (buffers[i].offset + size > end) end = buffers[i].offset + size;
  }
  *total = end;
  return STOWAGE_MICRO_OK;
}
