// SPDX-License-Identifier: Apache-2.0
// The strategies in their plainest form, as their definitions read: quadratic
// and worse, nothing to get wrong. What the library does fast must give the
// same plans.
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

// What the CPU arena of TensorFlow Lite does.
OffsetsAssignment ArenaBestFitOffsets(const std::vector<ByteRecord>& records,
                                      size_t alignment);

}  // namespace stowage::plain

#endif  // STOWAGE_TESTS_STRATEGIES_PLAIN_STRATEGIES_H_
