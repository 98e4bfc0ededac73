// SPDX-License-Identifier: Apache-2.0
// Reads plans from models on the device: at any address, and from files that
// are truncated or damaged at any position.
#include "stowage/micro/offline.h"

#include <stddef.h>
#include <stdint.h>

#include "docs/micro_example/model.h"
#include "tests/micro/device/device.h"

enum { kTensors = 3 };

static uint8_t file[sizeof(kModel) + 8];

static void copy_model(uint32_t shift) {
  for (uint32_t i = 0; i < sizeof(kModel); ++i) file[shift + i] = kModel[i];
}

static void expect_a_plan_at_any_address(void) {
  for (uint32_t shift = 0; shift < 8; ++shift) {
    stowage_micro_buffer buffers[kTensors] = {
        {64, 0, 1, 7}, {256, 1, 2, 7}, {16, 2, 2, 7}};
    const stowage_micro_offline_rules rules = {16, 320, NULL};
    stowage_micro_offline plan;
    uint32_t total = 0;
    copy_model(shift);
    EXPECT(stowage_micro_offline_find(file + shift, sizeof(kModel), &plan) ==
           STOWAGE_MICRO_OK);
    EXPECT(stowage_micro_offline_place(&plan, buffers, kTensors, &rules, &total,
                                       NULL) == STOWAGE_MICRO_OK);
    EXPECT(total == 320);
    EXPECT(buffers[0].offset == 256);
    EXPECT(buffers[1].offset == 0);
    EXPECT(buffers[2].offset == STOWAGE_MICRO_UNPLACED);
  }
}

static void expect_a_bad_plan_to_change_nothing(void) {
  stowage_micro_buffer buffers[kTensors] = {
      {64, 0, 1, 7}, {257, 1, 2, 7}, {16, 2, 2, 7}};
  stowage_micro_offline_rules rules = {16, UINT32_MAX, NULL};
  stowage_micro_offline plan;
  uint32_t total = 7;
  uint32_t witness[2] = {7, 7};
  copy_model(0);
  EXPECT(stowage_micro_offline_find(file, sizeof(kModel), &plan) ==
         STOWAGE_MICRO_OK);
  EXPECT(stowage_micro_offline_place(&plan, buffers, kTensors, &rules, &total,
                                     witness) == STOWAGE_MICRO_OVERLAP);
  EXPECT(witness[0] == 0 && witness[1] == 1);
  rules.capacity = 319;
  EXPECT(stowage_micro_offline_place(&plan, buffers, kTensors, &rules, &total,
                                     witness) ==
         STOWAGE_MICRO_CAPACITY_EXCEEDED);
  EXPECT(witness[0] == 0 && witness[1] == 0);
  EXPECT(total == 7 && buffers[0].offset == 7 && buffers[1].offset == 7);
}

// If a plan is found in a damaged file, the plan is still inside the file.
static void expect_damage_to_be_survived(void) {
  uint32_t refused = 0;
  for (uint32_t at = 0; at < sizeof(kModel); ++at) {
    stowage_micro_offline plan;
    copy_model(0);
    if (stowage_micro_offline_find(file, at, &plan) != STOWAGE_MICRO_OK) {
      ++refused;
    }
    for (uint32_t bit = 0; bit < 8; ++bit) {
      file[at] ^= (uint8_t)(1u << bit);
      if (stowage_micro_offline_find(file, sizeof(kModel), &plan) ==
          STOWAGE_MICRO_OK) {
        EXPECT(plan.offsets >= file && plan.count <= sizeof(kModel) / 4);
        EXPECT(plan.offsets + (size_t)4 * plan.count <= file + sizeof(kModel));
      } else {
        ++refused;
      }
      file[at] ^= (uint8_t)(1u << bit);
    }
  }
  EXPECT(refused > sizeof(kModel));
}

void test_offline(void) {
  expect_a_plan_at_any_address();
  expect_a_bad_plan_to_change_nothing();
  expect_damage_to_be_survived();
}
