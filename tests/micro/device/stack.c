// SPDX-License-Identifier: Apache-2.0
// Tests on the device how a table stacks records: tables at any address, sizes
// up to the last byte, and tables that are truncated or damaged at any
// position.
#include "stowage/micro/stack.h"

#include <stddef.h>
#include <stdint.h>

#include "tests/micro/device/device.h"

enum { kRecords = 5, kHeader = 12, kMost = 300, kMostBytes = 3000 };

// Records 0 and 1 are at the bottom, record 2 is on both of them, record 3 is
// on record 1, and record 4 is on records 2 and 3. The alignment is 16.
static const uint8_t kRows[] = {0, 0, 2, 1, 0, 2, 0, 1, 2, 0, 2, 1, 0, 2, 0};
static const size_t kSizes[kRecords] = {10, 33, 7, 0, 16};

static uint8_t table[kMostBytes];
static size_t sizes[kMost];
static size_t offsets[kMost];

static void write_word(uint8_t* at, uint32_t word) {
  for (uint32_t i = 0; i < 4; ++i) at[i] = (uint8_t)(word >> (8 * i));
}

// Writes the header of a table whose records are already written.
static void write_header(uint8_t* at, uint32_t bytes, uint32_t records,
                         uint32_t log2_alignment) {
  uint32_t hash = 2166136261u;
  at[0] = 'S';
  at[1] = 'T';
  at[2] = 1;
  at[3] = (uint8_t)log2_alignment;
  write_word(at + 4, records);
  for (uint32_t i = 0; i < bytes; ++i) {
    if (i < 8 || i >= kHeader) hash = (hash ^ at[i]) * 16777619u;
  }
  write_word(at + 8, hash);
}

// Writes the small table at `shift` and returns its size in bytes.
static uint32_t write_table(uint32_t shift) {
  for (uint32_t i = 0; i < sizeof(kRows); ++i) {
    table[shift + kHeader + i] = kRows[i];
  }
  write_header(table + shift, kHeader + sizeof(kRows), kRecords, 4);
  return kHeader + sizeof(kRows);
}

static stowage_micro_status check(uint32_t bytes, stowage_micro_stack* stack) {
  return stowage_micro_stack_check(table, bytes, stack);
}

static void expect_a_stack_at_any_address(void) {
  for (uint32_t shift = 0; shift < 8; ++shift) {
    stowage_micro_stack stack;
    size_t total = 0;
    const uint32_t bytes = write_table(shift);
    EXPECT(stowage_micro_stack_check(table + shift, bytes, &stack) ==
           STOWAGE_MICRO_OK);
    EXPECT(stack.records == kRecords && stack.alignment == 16);
    EXPECT(stowage_micro_stack_place(&stack, kSizes, offsets, &total) ==
           STOWAGE_MICRO_OK);
    EXPECT(offsets[0] == 0 && offsets[1] == 0 && offsets[2] == 48);
    EXPECT(offsets[3] == 48 && offsets[4] == 64 && total == 80);
  }
}

static void expect_overflow_to_be_found(void) {
  stowage_micro_stack stack;
  size_t total = 7;
  EXPECT(check(write_table(0), &stack) == STOWAGE_MICRO_OK);
  for (uint32_t i = 0; i < kRecords; ++i) sizes[i] = 0;
  sizes[1] = SIZE_MAX;
  // The end of the second record is unaligned, and the next aligned offset is
  // too high.
  EXPECT(stowage_micro_stack_place(&stack, sizes, offsets, &total) ==
         STOWAGE_MICRO_OVERFLOW);
  sizes[1] = SIZE_MAX - 15;
  sizes[4] = 15;
  EXPECT(stowage_micro_stack_place(&stack, sizes, offsets, &total) ==
         STOWAGE_MICRO_OK);
  EXPECT(total == SIZE_MAX && offsets[4] == SIZE_MAX - 15);
  total = 7;
  sizes[4] = 16;
  EXPECT(stowage_micro_stack_place(&stack, sizes, offsets, &total) ==
         STOWAGE_MICRO_OVERFLOW);
  EXPECT(total == 7);
}

static void expect_bad_arguments_to_be_refused(void) {
  stowage_micro_stack stack = {NULL, 7, 1};
  size_t total = 7;
  const uint32_t bytes = write_table(0);
  EXPECT(stowage_micro_stack_check(NULL, bytes, &stack) ==
         STOWAGE_MICRO_NULL_ARGUMENT);
  EXPECT(stowage_micro_stack_check(table, bytes, NULL) ==
         STOWAGE_MICRO_NULL_ARGUMENT);
  write_header(table, bytes, kRecords, 8 * sizeof(size_t));
  EXPECT(check(bytes, &stack) == STOWAGE_MICRO_BAD_ALIGNMENT);
  table[2] = 2;
  EXPECT(check(bytes, &stack) == STOWAGE_MICRO_STACK_NOT_A_TABLE);
  EXPECT(stack.records == 7);
  write_header(table, kHeader, 0, 0);
  EXPECT(check(kHeader, &stack) == STOWAGE_MICRO_OK);
  EXPECT(stowage_micro_stack_place(&stack, NULL, NULL, &total) ==
         STOWAGE_MICRO_OK);
  EXPECT(total == 0);
  EXPECT(stowage_micro_stack_place(&stack, NULL, NULL, NULL) ==
         STOWAGE_MICRO_NULL_ARGUMENT);
  EXPECT(stowage_micro_stack_place(NULL, NULL, NULL, &total) ==
         STOWAGE_MICRO_NULL_ARGUMENT);
  stack.records = 1;
  EXPECT(stowage_micro_stack_place(&stack, NULL, offsets, &total) ==
         STOWAGE_MICRO_NULL_ARGUMENT);
  EXPECT(stowage_micro_stack_place(&stack, sizes, NULL, &total) ==
         STOWAGE_MICRO_NULL_ARGUMENT);
}

// Expects errors for edges to records below the bottom, and for a number of
// edges that is encoded in the wrong form or too large.
static void expect_bad_edges_to_be_refused(void) {
  stowage_micro_stack stack;
  const uint32_t bytes = write_table(0);
  table[kHeader + 3] = 3;
  write_header(table, bytes, kRecords, 4);
  EXPECT(check(bytes, &stack) == STOWAGE_MICRO_STACK_BAD_EDGE);
  // A delta of 0 means that the next four bytes hold the delta. Here these
  // bytes hold 33,619,970, so the edge would point below the bottom.
  write_table(0);
  table[kHeader + 3] = 0;
  EXPECT(check(bytes, &stack) != STOWAGE_MICRO_OK);
  // Numbers of edges from 255 on have a different encoding, which must not be
  // used for smaller numbers.
  write_table(0);
  table[kHeader] = 255;
  write_word(table + kHeader + 1, 0);
  write_header(table, kHeader + 5, 1, 4);
  EXPECT(check(kHeader + 5, &stack) == STOWAGE_MICRO_STACK_BAD_EDGE);
  write_word(table + kHeader + 1, UINT32_MAX);
  write_header(table, kHeader + 5, 1, 4);
  EXPECT(check(kHeader + 5, &stack) == STOWAGE_MICRO_STACK_BAD_SIZE);
}

static void expect_damage_to_be_found(void) {
  stowage_micro_stack stack;
  const uint32_t bytes = write_table(0);
  for (uint32_t at = 0; at < bytes; ++at) {
    const uint8_t byte = table[at];
    EXPECT(check(at, &stack) == STOWAGE_MICRO_STACK_BAD_SIZE);
    for (uint32_t other = 0; other < 256; ++other) {
      table[at] = (uint8_t)other;
      EXPECT((check(bytes, &stack) == STOWAGE_MICRO_OK) == (other == byte));
    }
    table[at] = byte;
  }
  EXPECT(check(bytes + 1, &stack) == STOWAGE_MICRO_STACK_BAD_SIZE);
}

static void print_the_time(void) {
  uint32_t state = 2463534242u;
  uint32_t edges = 0;
  uint32_t bytes = kHeader;
  stowage_micro_stack stack;
  size_t total = 0;
  for (uint32_t i = 0; i < kMost; ++i) {
    // One in six records has a second edge.
    const uint32_t count = i < 8 ? 0 : 1 + (i % 6 == 0 ? 1 : 0);
    table[bytes++] = (uint8_t)count;
    for (uint32_t edge = 0; edge < count; ++edge) {
      table[bytes++] = (uint8_t)(1 + next_random(&state) % 8);
      table[bytes++] = 0;
    }
    edges += count;
    sizes[i] = next_random(&state) % 4096;
  }
  write_header(table, bytes, kMost, 4);
  start_count();
  EXPECT(check(bytes, &stack) == STOWAGE_MICRO_OK);
  print("300 records: check ");
  print_number(instructions());
  start_count();
  EXPECT(stowage_micro_stack_place(&stack, sizes, offsets, &total) ==
         STOWAGE_MICRO_OK);
  print(", place ");
  print_number(instructions());
  print(" instructions, ");
  print_number(edges);
  print(" edges\n");
  EXPECT(total > 0);
}

void test_stack(void) {
  expect_a_stack_at_any_address();
  expect_overflow_to_be_found();
  expect_bad_arguments_to_be_refused();
  expect_bad_edges_to_be_refused();
  expect_damage_to_be_found();
  print_the_time();
}
