// SPDX-License-Identifier: Apache-2.0
// Tests the planner on the device: that the planner makes the plans of the
// original, which arguments it refuses, which bytes it writes, and how many
// instructions it takes.
#include "stowage/micro/plan.h"

#include <stddef.h>
#include <stdint.h>

#include "tests/micro/device/device.h"

// This file is written by write_tables.cc and uses types of the header above.
#include "tests/micro/device/plan_vectors.inc"

enum { kMost = 1000, kGuard = 8 };

static stowage_micro_buffer buffers[kMost + 2 * kGuard];
static uint32_t workspace[kMost + 2 * kGuard];

static stowage_micro_status plan(stowage_micro_buffer* records, uint32_t count,
                                 uint32_t alignment, uint32_t* total) {
  return stowage_micro_plan(records, count, alignment, workspace,
                            STOWAGE_MICRO_WORKSPACE_BYTES(count), total);
}

static void load(const plan_vector* vector) {
  for (uint32_t i = 0; i < vector->count; ++i) {
    buffers[i] = kPlanRecords[vector->first + i];
  }
}

static void expect_the_plans_of_the_original(void) {
  uint32_t refused = 0;
  for (uint32_t v = 0; v < kPlanVectorCount; ++v) {
    const plan_vector* const vector = &kPlanVectors[v];
    uint32_t total = 7;
    uint32_t best = 7;
    uint32_t witness[2] = {0, 0};
    load(vector);
    if (vector->overlap) {
      ++refused;
      EXPECT(plan(buffers, vector->count, 16, &total) == STOWAGE_MICRO_OVERLAP);
      EXPECT(total == 7);
      EXPECT(stowage_micro_check(buffers, vector->count, 16, UINT32_MAX,
                                 witness) == STOWAGE_MICRO_OVERLAP);
      EXPECT(witness[0] < witness[1] && witness[1] < vector->count);
      continue;
    }
    EXPECT(plan(buffers, vector->count, 16, &total) == STOWAGE_MICRO_OK);
    EXPECT(total == vector->total);
    for (uint32_t i = 0; i < vector->count; ++i) {
      EXPECT(buffers[i].offset == kPlanOffsets[vector->first + i]);
    }
    EXPECT(stowage_micro_check(buffers, vector->count, 16, total, witness) ==
           STOWAGE_MICRO_OK);
    stowage_micro_unplan(buffers, vector->count, workspace);
    for (uint32_t i = 0; i < vector->count; ++i) {
      EXPECT(buffers[i].offset == kPlanRecords[vector->first + i].offset);
    }
    EXPECT(stowage_micro_plan_best(buffers, vector->count, 16, workspace,
                                   sizeof(workspace),
                                   &best) == STOWAGE_MICRO_OK);
    EXPECT(best <= total);
    EXPECT(stowage_micro_check(buffers, vector->count, 16, best, witness) ==
           STOWAGE_MICRO_OK);
  }
  EXPECT(kPlanVectorCount == 100);
  EXPECT(refused == 9);
}

static void fill(uint32_t count, uint32_t tasks, uint32_t seed) {
  for (uint32_t i = 0; i < count; ++i) {
    buffers[kGuard + i].size = 16 + next_random(&seed) % 8177;
    buffers[kGuard + i].first_task = next_random(&seed) % tasks;
    buffers[kGuard + i].last_task =
        buffers[kGuard + i].first_task + 1 + next_random(&seed) % 4;
    buffers[kGuard + i].offset = STOWAGE_MICRO_UNPLACED;
  }
}

// The guards before and after the records and the workspace stay unchanged. A
// workspace that is a byte too short is refused.
static void expect_nothing_else_written(uint32_t count) {
  const stowage_micro_buffer guard = {0xABABABAB, 0xCDCDCDCD, 0, 0xEFEFEFEF};
  uint32_t total[3] = {0xABABABAB, 0, 0xCDCDCDCD};
  const uint32_t bytes = STOWAGE_MICRO_WORKSPACE_BYTES(count);
  fill(count, count / 2 + 1, 2463534242u + count);
  for (uint32_t i = 0; i < kGuard; ++i) {
    buffers[i] = buffers[kGuard + count + i] = guard;
    workspace[i] = workspace[kGuard + count + i] = 0xABCDEF01;
  }
  if (count > 0) {
    EXPECT(stowage_micro_plan(buffers + kGuard, count, 16, workspace + kGuard,
                              bytes - 1,
                              &total[1]) == STOWAGE_MICRO_BAD_WORKSPACE);
    EXPECT(total[1] == 0);
  }
  EXPECT(stowage_micro_plan(buffers + kGuard, count, 16, workspace + kGuard,
                            bytes, &total[1]) == STOWAGE_MICRO_OK);
  for (uint32_t i = 0; i < kGuard; ++i) {
    EXPECT(buffers[i].offset == guard.offset && buffers[i].size == guard.size);
    EXPECT(buffers[kGuard + count + i].offset == guard.offset);
    EXPECT(buffers[kGuard + count + i].size == guard.size);
    EXPECT(workspace[i] == 0xABCDEF01);
    EXPECT(workspace[kGuard + count + i] == 0xABCDEF01);
  }
  EXPECT(total[0] == 0xABABABAB && total[2] == 0xCDCDCDCD);
}

static void expect_bad_arguments_refused(void) {
  uint32_t total = 7;
  fill(3, 1, 1);
  stowage_micro_buffer* const b = buffers + kGuard;
  EXPECT(stowage_micro_plan(NULL, 3, 16, workspace, 12, &total) ==
         STOWAGE_MICRO_NULL_ARGUMENT);
  EXPECT(stowage_micro_plan(b, 3, 16, NULL, 12, &total) ==
         STOWAGE_MICRO_BAD_WORKSPACE);
  EXPECT(stowage_micro_plan(NULL, 1, 16, workspace, 4, &total) ==
         STOWAGE_MICRO_NULL_ARGUMENT);
  EXPECT(stowage_micro_plan(b, 1, 16, NULL, 4, &total) ==
         STOWAGE_MICRO_BAD_WORKSPACE);
  EXPECT(stowage_micro_plan(b, 3, 16, (char*)workspace + 2, 64, &total) ==
         STOWAGE_MICRO_BAD_WORKSPACE);
  EXPECT(stowage_micro_plan(b, 65536, 16, workspace, UINT32_MAX, &total) ==
         STOWAGE_MICRO_TOO_MANY_BUFFERS);
  EXPECT(stowage_micro_plan(b, UINT32_MAX, 16, workspace, UINT32_MAX, &total) ==
         STOWAGE_MICRO_TOO_MANY_BUFFERS);
  EXPECT(plan(b, 3, 0, &total) == STOWAGE_MICRO_BAD_ALIGNMENT);
  EXPECT(plan(b, 3, 24, &total) == STOWAGE_MICRO_BAD_ALIGNMENT);
  b[1].first_task = b[1].last_task + 1;
  EXPECT(plan(b, 3, 16, &total) == STOWAGE_MICRO_REVERSED_LIFETIME);
  b[1].first_task = 0;
  b[2].offset = 8;
  EXPECT(plan(b, 3, 16, &total) == STOWAGE_MICRO_MISALIGNED_OFFSET);
  EXPECT(total == 7);
  EXPECT(b[0].offset == STOWAGE_MICRO_UNPLACED);
  EXPECT(stowage_micro_plan(NULL, 0, 16, NULL, 0, &total) == STOWAGE_MICRO_OK);
  EXPECT(total == 0);
  stowage_micro_unplan(NULL, 0, NULL);
  b[0].size = 0;
  total = 7;
  EXPECT(plan(b, 1, 16, &total) == STOWAGE_MICRO_OK);
  EXPECT(total == 0 && b[0].offset == 0);
  stowage_micro_unplan(b, 1, workspace);
  EXPECT(b[0].offset == STOWAGE_MICRO_UNPLACED);
}

// If the workspace was overwritten, some words in it are not numbers of
// buffers. stowage_micro_unplan ignores these words.
static void expect_unplan_to_stay_within_the_buffers(void) {
  const uint32_t count = 5;
  for (uint32_t number = 0; number < 2 * kGuard; ++number) {
    for (uint32_t i = 0; i < kMost + 2 * kGuard; ++i) {
      buffers[i].offset = 7;
      workspace[i] = number << 16 | number;
    }
    stowage_micro_unplan(buffers, count, workspace);
    for (uint32_t i = 0; i < kMost + 2 * kGuard; ++i) {
      EXPECT(buffers[i].offset == 7 ||
             (i == number && i < count &&
              buffers[i].offset == STOWAGE_MICRO_UNPLACED));
    }
  }
}

// Sizes, offsets and sums up to 2^32 - 1 are planned. If one of them would
// exceed this limit, the plan is refused, and every offset stays unchanged.
static void expect_no_sum_to_wrap(void) {
  const uint32_t half = 0x80000000u;
  const uint32_t free = STOWAGE_MICRO_UNPLACED;
  uint32_t total = 7;
  stowage_micro_buffer fit[2] = {{half, 0, 1, free}, {half - 1, 1, 2, free}};
  stowage_micro_buffer sum[3] = {
      {16, 0, 0, 32}, {half, 0, 1, free}, {half, 1, 2, free}};
  stowage_micro_buffer padded[1] = {{UINT32_MAX - 14, 0, 0, free}};
  stowage_micro_buffer fixed[2] = {{16, 0, 0, 0xFFFFFFF0u}, {16, 0, 0, free}};
  stowage_micro_buffer high[3] = {{15, 0, 0, 0xFFFFFFE0u},
                                  {0, 0, UINT32_MAX, free},
                                  {0xFFFFFFE0u, 0, 0, free}};
  EXPECT(plan(fit, 2, 1, &total) == STOWAGE_MICRO_OK);
  EXPECT(total == UINT32_MAX && fit[1].offset == half);
  total = 7;
  EXPECT(plan(sum, 3, 16, &total) == STOWAGE_MICRO_OVERFLOW);
  EXPECT(sum[0].offset == 32 && sum[1].offset == free && sum[2].offset == free);
  EXPECT(stowage_micro_plan_best(sum, 3, 16, workspace, 12, &total) ==
         STOWAGE_MICRO_OVERFLOW);
  EXPECT(sum[1].offset == free && sum[2].offset == free);
  EXPECT(plan(padded, 1, 16, &total) == STOWAGE_MICRO_OVERFLOW);
  EXPECT(plan(fixed, 2, 16, &total) == STOWAGE_MICRO_OVERFLOW);
  EXPECT(total == 7);
  EXPECT(plan(high, 3, 16, &total) == STOWAGE_MICRO_OK);
  EXPECT(total == 0xFFFFFFF0u && high[2].offset == 0);
}

// Checks the number of instructions for random records of 16 to 8,192 bytes
// that are live during 2 to 5 tasks. On a host, no instructions are counted.
static void expect_few_instructions(uint32_t count, uint32_t tasks,
                                    uint32_t most) {
  uint32_t total = 0;
  uint32_t taken = 0;
  uint32_t taken_by_best = 0;
#ifdef __ARM_ARCH_6M__
  most += most / 2;  // this processor has fewer and simpler instructions
#endif
  fill(count, tasks, 88675123u);
  start_count();
  EXPECT(plan(buffers + kGuard, count, 16, &total) == STOWAGE_MICRO_OK);
  taken = instructions();
  fill(count, tasks, 88675123u);
  start_count();
  EXPECT(stowage_micro_plan_best(buffers + kGuard, count, 16, workspace,
                                 sizeof(workspace),
                                 &total) == STOWAGE_MICRO_OK);
  taken_by_best = instructions();
  EXPECT(taken <= most);
  EXPECT(taken_by_best <= 6 * most);
  print_number(count);
  print(" buffers in ");
  print_number(tasks);
  print(" tasks: ");
  print_number(taken);
  print(" instructions, best plan: ");
  print_number(taken_by_best);
  print("\n");
}

// `most` is 5 % more than a Cortex-M4 needs. It must never be raised above
// `cap`.
#define EXPECT_FEW_INSTRUCTIONS(count, tasks, most, cap) \
  ((void)sizeof(char[(most) <= (cap) ? 1 : -1]),         \
   expect_few_instructions(count, tasks, most))

void test_plan(void) {
  expect_the_plans_of_the_original();
  for (uint32_t count = 0; count <= kMost; ++count) {
    expect_nothing_else_written(count);
  }
  expect_bad_arguments_refused();
  expect_unplan_to_stay_within_the_buffers();
  expect_no_sum_to_wrap();
  // For the first five of these cases the original takes 3,800, 26,040,
  // 278,640, 2.48 million and 28.5 million instructions.
  EXPECT_FEW_INSTRUCTIONS(10, 10, 5200, 7000);
  EXPECT_FEW_INSTRUCTIONS(30, 30, 20600, 26040);
  EXPECT_FEW_INSTRUCTIONS(100, 100, 81800, 110000);
  EXPECT_FEW_INSTRUCTIONS(300, 300, 288000, 400000);
  EXPECT_FEW_INSTRUCTIONS(1000, 1000, 1057000, 2000000);
  EXPECT_FEW_INSTRUCTIONS(1000, 100, 5731000, 7500000);
}
