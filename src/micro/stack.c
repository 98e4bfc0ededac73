// SPDX-License-Identifier: Apache-2.0
// stowage_micro_stack_check() reads every number of the table that an
// evaluation reads, and checks that it is inside the table. Evaluations
// therefore need not check this again.
#include "stowage/micro/stack.h"

#include <stddef.h>
#include <stdint.h>

enum {
  RECORDS_AT = 4,
  HASH_AT = 8,
  HEADER_BYTES = 12,
  MANY_EDGES = 255,      // followed by the number of edges
  SHORT_DELTAS = 0xffff  // the largest delta in two bytes
};

static uint32_t word_at(const uint8_t* bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
         (uint32_t)bytes[3] << 24;
}

static uint32_t half_at(const uint8_t* bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8;
}

static uint32_t hash_of(const uint8_t* bytes, size_t size) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < size; ++i) {
    if (i < HASH_AT || i >= HEADER_BYTES) hash = (hash ^ bytes[i]) * 16777619u;
  }
  return hash;
}

// Sets `*edges` to the number of edges of a record, and advances `*at` past
// this number.
static stowage_micro_status read_edges(const uint8_t** at, const uint8_t* end,
                                       uint32_t* edges) {
  if (*at == end) return STOWAGE_MICRO_STACK_BAD_SIZE;
  *edges = *(*at)++;
  if (*edges < MANY_EDGES) return STOWAGE_MICRO_OK;
  if (end - *at < 4) return STOWAGE_MICRO_STACK_BAD_SIZE;
  *edges = word_at(*at);
  *at += 4;
  return *edges < MANY_EDGES ? STOWAGE_MICRO_STACK_BAD_EDGE : STOWAGE_MICRO_OK;
}

// Checks an edge of the record at `position`, and advances `*at` past it.
static stowage_micro_status check_edge(const uint8_t** at, const uint8_t* end,
                                       uint32_t position) {
  uint32_t delta;
  if (end - *at < 2) return STOWAGE_MICRO_STACK_BAD_SIZE;
  delta = half_at(*at);
  *at += 2;
  if (delta == 0) {
    if (end - *at < 4) return STOWAGE_MICRO_STACK_BAD_SIZE;
    delta = word_at(*at);
    *at += 4;
    if (delta <= SHORT_DELTAS) return STOWAGE_MICRO_STACK_BAD_EDGE;
  }
  return delta > position ? STOWAGE_MICRO_STACK_BAD_EDGE : STOWAGE_MICRO_OK;
}

// Checks the records, which are the bytes from `at` to `end`.
static stowage_micro_status check_records(const uint8_t* at, const uint8_t* end,
                                          uint32_t records) {
  for (uint32_t i = 0; i < records; ++i) {
    uint32_t edges;
    stowage_micro_status status = read_edges(&at, end, &edges);
    for (; status == STOWAGE_MICRO_OK && edges > 0; --edges) {
      status = check_edge(&at, end, i);
    }
    if (status != STOWAGE_MICRO_OK) return status;
  }
  return at == end ? STOWAGE_MICRO_OK : STOWAGE_MICRO_STACK_BAD_SIZE;
}

stowage_micro_status stowage_micro_stack_check(const void* table, size_t bytes,
                                               stowage_micro_stack* stack) {
  const uint8_t* const first = table;
  stowage_micro_status status;
  uint32_t records;
  if (table == NULL || stack == NULL) return STOWAGE_MICRO_NULL_ARGUMENT;
  if (bytes < HEADER_BYTES) return STOWAGE_MICRO_STACK_BAD_SIZE;
  if (first[0] != 'S' || first[1] != 'T' || first[2] != 1) {
    return STOWAGE_MICRO_STACK_NOT_A_TABLE;
  }
  records = word_at(first + RECORDS_AT);
  // The size is checked first, because the hash of a truncated table differs as
  // well.
  status = check_records(first + HEADER_BYTES, first + bytes, records);
  if (status == STOWAGE_MICRO_STACK_BAD_SIZE) return status;
  if (hash_of(first, bytes) != word_at(first + HASH_AT)) {
    return STOWAGE_MICRO_STACK_DAMAGED;
  }
  if (status != STOWAGE_MICRO_OK) return status;
  if (first[3] >= 8 * sizeof(size_t)) return STOWAGE_MICRO_BAD_ALIGNMENT;
  stack->edges = first + HEADER_BYTES;
  stack->records = records;
  stack->alignment = (size_t)1 << first[3];
  return STOWAGE_MICRO_OK;
}

// Returns the next edge, which may be in the short or the long form.
static uint32_t next_edge(const uint8_t** at) {
  uint32_t delta = half_at(*at);
  *at += 2;
  if (delta == 0) {
    delta = word_at(*at);
    *at += 4;
  }
  return delta;
}

stowage_micro_status stowage_micro_stack_place(const stowage_micro_stack* stack,
                                               const size_t* sizes,
                                               size_t* offsets, size_t* total) {
  const uint8_t* at;
  size_t mask, height = 0;
  if (stack == NULL || total == NULL ||
      (stack->records > 0 && (sizes == NULL || offsets == NULL))) {
    return STOWAGE_MICRO_NULL_ARGUMENT;
  }
  at = stack->edges;
  mask = stack->alignment - 1;
  for (uint32_t i = 0; i < stack->records; ++i) {
    size_t begin = 0;
    uint32_t edges = *at++;
    if (edges == MANY_EDGES) {
      edges = word_at(at);
      at += 4;
    }
    for (; edges > 0; --edges) {
      const uint32_t below = i - next_edge(&at);
      // This sum does not overflow, because it was checked when the record
      // below was placed.
      const size_t end = offsets[below] + sizes[below];
      if (end > begin) begin = end;
    }
    offsets[i] = (begin + mask) & ~mask;
    if (offsets[i] < begin || sizes[i] > SIZE_MAX - offsets[i]) {
      return STOWAGE_MICRO_OVERFLOW;
    }
    if (offsets[i] + sizes[i] > height) height = offsets[i] + sizes[i];
  }
  *total = height;
  return STOWAGE_MICRO_OK;
}
