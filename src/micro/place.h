// SPDX-License-Identifier: Apache-2.0
// Places buffers, for all C planners of the library. The functions are static,
// so firmware links code only for the orders (placing_order) that it uses.
//
// The including file must first define these types and constants of its buffers
// (buffers.h does so for 32 bits):
//   place_buffer    a buffer: size, first_task, last_task and offset
//   place_bytes     the type of these fields
//   place_index     the type of an index of a buffer, at least half as wide as
//                   place_bytes
//   PLACE_UNPLACED  the offset of a buffer without a place
//   PLACE_CHECK     check_buffers (check_buffers.h), or a function that calls
//                   check_buffers
//   PLACE_MAX_BUFFERS and PLACE_WORKSPACE_BYTES(count)
//
// Buffers are placed one at a time, each in the lowest gap between the buffers
// that conflict with it. The conflicting buffers are found with an index by
// time and then sorted by offset.
#ifndef STOWAGE_SRC_MICRO_PLACE_H_
#define STOWAGE_SRC_MICRO_PLACE_H_

#include <stddef.h>
#include <stdint.h>

#include "stowage/micro/status.h"

// The maximum number of tasks of a short lifetime.
enum { kShortLife = 8 };

// The orders in which buffers are placed. If two buffers have equal keys, the
// one with the lower index comes first, except in kLargestFirst, where it comes
// last.
typedef enum {
  kLargestFirst,  // is the order of stowage_micro_plan()
  kLargestThenEarliest,
  kFirstTaskFirst,
  kLastTaskLast,
  kLongestFirst,
  kOrders  // is the number of orders
} placing_order;

// The state of a planner. The workspace holds the queue and the index, which
// have `count` numbers each.
typedef struct {
  place_buffer* buffers;
  place_bytes mask;    // is alignment - 1
  place_index* queue;  // fixed buffers, then the others in the order of placing
  // The indices of buffers: first the buffers with short lifetimes, sorted by
  // first task, then those with long lifetimes, then the fixed buffers.
  place_index* index;
  place_index* shorts;  // the end of short lifetimes in the index
  place_index* end;     // the end of the index
} planner;

static place_bytes padded_size(const place_buffer* buffer, place_bytes mask) {
  return (buffer->size + mask) & ~mask;
}

// Sorts the list by offset, using Shell sort. If two buffers have equal
// offsets, the one with the higher index comes first if `by` is kLargestFirst,
// and last otherwise.
static void sort_by_offset(const place_buffer* buffers, place_index* list,
                           uint32_t count, placing_order by) {
  for (uint32_t gap = count; (gap = (3 * gap + 4) / 8) > 0;) {
    for (uint32_t i = gap; i < count; ++i) {
      place_index* hole = list + i;
      const uint32_t a = *hole;
      const place_bytes offset = buffers[a].offset;
      while ((uint32_t)(hole - list) >= gap) {
        const uint32_t b = *(hole - gap);
        if (buffers[b].offset < offset ||
            (buffers[b].offset == offset &&
             (by == kLargestFirst ? b > a : b < a))) {
          break;
        }
        *hole = (place_index)b;
        hole -= gap;
      }
      *hole = (place_index)a;
    }
  }
}

// Returns the lowest offset at which the buffer overlaps no placed buffer. The
// elements of the queue before this buffer are used as scratch memory, because
// they are no longer needed.
static place_bytes first_fit(const planner* plan, const place_buffer* buffer,
                             place_bytes size) {
  const place_index* i = plan->index;
  const place_index* high = plan->shorts;
  uint32_t count = 0;
  place_bytes offset = 0;
  // Find the first short lifetime that may last until the first task of the
  // buffer.
  while (i < high) {
    const place_index* const middle = i + (high - i) / 2;
    if (plan->buffers[*middle].first_task + kShortLife <= buffer->first_task) {
      i = middle + 1;
    } else {
      high = middle;
    }
  }
  for (; i < plan->end; ++i) {
    const place_buffer* const placed = &plan->buffers[*i];
    if (placed->first_task > buffer->last_task) {
      // The remaining short lifetimes begin even later, so they are skipped.
      if (i < plan->shorts) i = plan->shorts - 1;
    } else if (placed->last_task >= buffer->first_task &&
               placed->offset != PLACE_UNPLACED) {
      plan->queue[count++] = *i;
    }
  }
  sort_by_offset(plan->buffers, plan->queue, count, kLargestFirst);
  for (uint32_t k = 0; k < count; ++k) {
    const place_buffer* const placed = &plan->buffers[plan->queue[k]];
    const place_bytes above = placed->offset + padded_size(placed, plan->mask);
    if (placed->offset >= offset && placed->offset - offset >= size) break;
    if (above > offset) offset = above;
  }
  return offset;
}

// Returns the key of a buffer. Buffers with lower keys are placed first.
static place_bytes placing_key(const planner* plan, uint32_t i,
                               placing_order by) {
  const place_buffer* const buffer = &plan->buffers[i];
  switch (by) {
    case kFirstTaskFirst:
      return buffer->first_task;
    case kLastTaskLast:
      return ~buffer->last_task;
    case kLongestFirst:
      return ~(buffer->last_task - buffer->first_task);
    default:
      return (0 - buffer->size) & ~plan->mask;
  }
}

static stowage_micro_status check_arguments(const place_buffer* buffers,
                                            uint32_t count,
                                            place_bytes alignment,
                                            const void* workspace,
                                            size_t workspace_bytes) {
  uint32_t witness[2];
  stowage_micro_status status;
  if (count > PLACE_MAX_BUFFERS) return STOWAGE_MICRO_TOO_MANY_BUFFERS;
  if ((workspace == NULL && count > 0) || (uintptr_t)workspace % 4 != 0 ||
      workspace_bytes < PLACE_WORKSPACE_BYTES(count)) {
    return STOWAGE_MICRO_BAD_WORKSPACE;
  }
  status = PLACE_CHECK(buffers, count, alignment, PLACE_UNPLACED, witness);
  return status == STOWAGE_MICRO_UNPLACED_BUFFER ? STOWAGE_MICRO_OK : status;
}

// Places the buffers without an offset, as described for stowage_micro_plan().
static stowage_micro_status place(placing_order by, place_buffer* buffers,
                                  uint32_t count, place_bytes alignment,
                                  void* workspace, size_t workspace_bytes,
                                  place_bytes* total) {
  planner plan;
  place_bytes end = 0;
  uint32_t fixed = 0, online = 0, shorts = 0;
  stowage_micro_status status =
      check_arguments(buffers, count, alignment, workspace, workspace_bytes);
  if (status != STOWAGE_MICRO_OK) return status;
  if (count == 0) {
    *total = 0;
    return status;
  }
  plan.buffers = buffers;
  plan.queue = workspace;
  plan.index = plan.queue + count;
  plan.end = plan.index + count;
  plan.mask = alignment - 1;
  // Until a buffer is placed, its offset field holds its sort key.
  for (uint32_t i = 0; i < count; ++i) {
    place_buffer* const buffer = &buffers[i];
    if (buffer->offset != PLACE_UNPLACED) {
      plan.queue[fixed++] = (place_index)i;
      plan.index[count - fixed] = (place_index)i;
      continue;
    }
    plan.index[online++] = (place_index)i;
    if (buffer->last_task < buffer->first_task + kShortLife) {
      buffer->offset = buffer->first_task;
      ++shorts;
    }
  }
  plan.shorts = plan.index + shorts;
  sort_by_offset(buffers, plan.index, online, kLargestFirst);
  for (uint32_t i = 0; i < online; ++i) {
    plan.queue[fixed + i] = plan.index[i];
    buffers[plan.index[i]].offset = placing_key(&plan, plan.index[i], by);
  }
  sort_by_offset(buffers, plan.queue + fixed, online, by);
  do {
    for (uint32_t i = 0; i < online; ++i) {
      buffers[plan.index[i]].offset = PLACE_UNPLACED;
    }
    if (status == STOWAGE_MICRO_OVERFLOW) return status;
    for (uint32_t i = 0; i < count; ++i) {
      place_buffer* const buffer = &buffers[plan.queue[i]];
      const place_bytes size = padded_size(buffer, plan.mask);
      place_bytes offset = buffer->offset;
      if (offset == PLACE_UNPLACED) {
        offset = first_fit(&plan, buffer, size);
      }
      if (offset + size < size) {
        status = STOWAGE_MICRO_OVERFLOW;
        break;
      }
      buffer->offset = offset;
      if (offset + size > end) end = offset + size;
    }
  } while (status == STOWAGE_MICRO_OVERFLOW);
  plan.queue[0] = (place_index)online;  // is needed by stowage_micro_unplan
  *total = end;
  return STOWAGE_MICRO_OK;
}

#endif  // STOWAGE_SRC_MICRO_PLACE_H_
