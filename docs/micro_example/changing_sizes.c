// SPDX-License-Identifier: Apache-2.0
// Places the buffers of a window whose number of samples changes from run to
// run. window_plan.h is written from window_plan.json by
//
//   stowage offline header --stack window_plan.json -o window_plan.h --name
//   window
#include <stddef.h>
#include <stdint.h>

#include "docs/micro_example/window_plan.h"
#include "stowage/micro/stack.h"

static uint8_t arena[WINDOW_RESERVE_BYTES]
    __attribute__((aligned(WINDOW_ALIGNMENT)));
WINDOW_REQUIRE_ARENA(arena);

// Sets the offset of each buffer, offsets[WINDOW_AT_SPECTRUM] for example.
// Returns 0 if there cannot be so many samples.
int place_window(int64_t samples, size_t offsets[WINDOW_RECORDS]);

int place_window(int64_t samples, size_t offsets[WINDOW_RECORDS]) {
  static stowage_micro_stack stack;
  size_t sizes[WINDOW_RECORDS];
  size_t total;
  // Once, at boot.
  if (stack.edges == NULL &&
      stowage_micro_stack_check(window_table, WINDOW_TABLE_BYTES, &stack) !=
          STOWAGE_MICRO_OK) {
    return 0;
  }
  // For each run.
  return window_sizes(samples, sizes) &&
         stowage_micro_stack_place(&stack, sizes, offsets, &total) ==
             STOWAGE_MICRO_OK;
}

// Writes the first sample of the spectrum.
void clear_spectrum(int64_t samples);

void clear_spectrum(int64_t samples) {
  size_t offsets[WINDOW_RECORDS];
  if (place_window(samples, offsets)) arena[offsets[WINDOW_AT_SPECTRUM]] = 0;
}
