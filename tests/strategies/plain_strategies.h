// SPDX-License-Identifier: Apache-2.0
// Implements the strategies in their plainest form, which follows the
// definitions literally. This takes quadratic time or more but leaves little
// room for mistakes. The fast implementations of the library must make the same
// plans.
#ifndef STOWAGE_TESTS_STRATEGIES_PLAIN_STRATEGIES_H_
#define STOWAGE_TESTS_STRATEGIES_PLAIN_STRATEGIES_H_

#include <cstddef>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/profile.h"

namespace stowage::plain {

ObjectsAssignment<size_t> GreedyBySize(const std::vector<ByteRecord>& records);

ObjectsAssignment<size_t> GreedyByBreadth(
    const std::vector<ByteRecord>& records);

OffsetsAssignment GreedyBySizeOffsets(const std::vector<ByteRecord>& records,
                                      size_t alignment);

OffsetsAssignment GreedyByBreadthOffsets(const std::vector<ByteRecord>& records,
                                         size_t alignment);

// Returns the plan that the CPU arena of TensorFlow Lite makes.
OffsetsAssignment ArenaBestFitOffsets(const std::vector<ByteRecord>& records,
                                      size_t alignment);

}  // namespace stowage::plain

#endif  // STOWAGE_TESTS_STRATEGIES_PLAIN_STRATEGIES_H_
