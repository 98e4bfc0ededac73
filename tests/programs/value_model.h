// SPDX-License-Identifier: Apache-2.0
// Checks plans by value in a second way, for comparison with the library.
// Executes points byte by byte, and visits every state that a run can reach
// with any number of iterations of each loop. The time and the memory required
// grow exponentially.
#ifndef STOWAGE_TESTS_PROGRAMS_VALUE_MODEL_H_
#define STOWAGE_TESTS_PROGRAMS_VALUE_MODEL_H_

#include <cstddef>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/programs/points.h"
#include "stowage/verify_values.h"

namespace stowage {

// Returns whether any run makes a mistake: a point reads a slot whose bytes no
// longer hold the value of the slot, or a point writes bytes that it must not
// write. Requires that all slots with bytes have offsets.
bool SomeRunFails(const ProgramPoints& points,
                  const std::vector<optional<size_t>>& offsets,
                  const std::vector<SlotPart>& parts = {});

}  // namespace stowage

#endif  // STOWAGE_TESTS_PROGRAMS_VALUE_MODEL_H_
