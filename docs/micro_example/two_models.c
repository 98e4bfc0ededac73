// SPDX-License-Identifier: Apache-2.0
// Two models that run one after the other in one arena, each with the plan that
// it carries. In a firmware `printf` is what is left out.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "docs/micro_example/model.h"
#include "stowage/micro/arena.h"
#include "stowage/micro/offline.h"
#include "stowage/micro/plan.h"

enum { kTensors = 3, kBuffers = 4, kAlignment = 16 };

// Sizes and lifetimes of the tensors, then of scratch memory.
static stowage_micro_buffer first[kBuffers] = {
    {64, 0, 1, STOWAGE_MICRO_UNPLACED},
    {256, 1, 2, STOWAGE_MICRO_UNPLACED},
    {16, 2, 2, STOWAGE_MICRO_UNPLACED},
    {32, 1, 1, STOWAGE_MICRO_UNPLACED}};
static stowage_micro_buffer second[kBuffers] = {
    {64, 0, 1, STOWAGE_MICRO_UNPLACED},
    {256, 1, 2, STOWAGE_MICRO_UNPLACED},
    {16, 2, 2, STOWAGE_MICRO_UNPLACED},
    {512, 2, 2, STOWAGE_MICRO_UNPLACED}};

static uint8_t memory[2048] __attribute__((aligned(16)));

// Fixes the offsets that the model brings, if it brings a plan. What is wrong
// with a plan is an error: nothing of it is used.
static stowage_micro_status take_plan(const uint8_t* model, uint32_t bytes,
                                      stowage_micro_buffer* buffers,
                                      uint32_t tensors, uint32_t capacity) {
  const stowage_micro_offline_rules rules = {kAlignment, capacity, NULL};
  stowage_micro_offline plan;
  uint32_t end;
  uint32_t witness[2];
  stowage_micro_status status = stowage_micro_offline_find(model, bytes, &plan);
  if (status == STOWAGE_MICRO_OFFLINE_NOT_FOUND) return STOWAGE_MICRO_OK;
  if (status != STOWAGE_MICRO_OK) return status;
  return stowage_micro_offline_place(&plan, buffers, tensors, &rules, &end,
                                     witness);
}

// Places what is left, with a workspace that is a temporary of the arena.
static stowage_micro_status place_rest(stowage_micro_arena* arena,
                                       stowage_micro_buffer* buffers,
                                       uint32_t count, uint32_t* head) {
  const uint32_t bytes = STOWAGE_MICRO_WORKSPACE_BYTES(count);
  void* const workspace =
      stowage_micro_arena_temp(arena, bytes, STOWAGE_MICRO_WORKSPACE_ALIGNMENT);
  stowage_micro_status status;
  if (workspace == NULL) return STOWAGE_MICRO_ARENA_FULL;
  status =
      stowage_micro_plan(buffers, count, kAlignment, workspace, bytes, head);
  stowage_micro_arena_free_temp(arena, workspace);
  stowage_micro_arena_reset_temps(arena);
  return status;
}

// Prepares a model: `state` bytes that stay, and its head.
static stowage_micro_status prepare(stowage_micro_arena* arena, uint32_t state,
                                    stowage_micro_buffer* buffers,
                                    uint32_t* head) {
  stowage_micro_status status;
  if (stowage_micro_arena_persistent(arena, state, kAlignment) == NULL) {
    return STOWAGE_MICRO_ARENA_FULL;
  }
  status = take_plan(kModel, sizeof(kModel), buffers, kTensors,
                     stowage_micro_arena_available(arena, kAlignment));
  if (status != STOWAGE_MICRO_OK) return status;
  return place_rest(arena, buffers, kBuffers, head);
}

int main(void) {
  stowage_micro_arena arena;
  uint32_t heads[2] = {0, 0};
  if (stowage_micro_arena_init(&arena, memory, sizeof(memory),
                               STOWAGE_MICRO_ARENA_SINGLE) ||
      prepare(&arena, 100, first, &heads[0]) ||
      prepare(&arena, 200, second, &heads[1]) ||
      stowage_micro_arena_reserve_overlay(
          &arena, heads[0] > heads[1] ? heads[0] : heads[1], kAlignment)) {
    return 1;
  }
  printf("heads of %u and %u bytes, %u bytes that stay, %u in all\n",
         (unsigned)heads[0], (unsigned)heads[1],
         (unsigned)stowage_micro_arena_persistent_bytes(&arena),
         (unsigned)stowage_micro_arena_required_bytes(&arena));
  return 0;
}
