// SPDX-License-Identifier: Apache-2.0
// Contains wrong uses of the library, which the compiler must reject. The macro
// MISUSE selects one of them. If MISUSE is 0, the code is correct and must
// compile, which shows that the other cases fail only because of their
// mistakes.
#include <vector>

#include "stowage/stowage.h"

namespace {

using stowage::BHWC;
using stowage::MemoryStrategy;
using stowage::ObjectsAssignment;
using stowage::OffsetsAssignment;
using stowage::TensorUsageRecord;

[[maybe_unused]] absl::Status Use(
    const std::vector<TensorUsageRecord<size_t>>& bytes,
    const std::vector<TensorUsageRecord<BHWC>>& shapes) {
  OffsetsAssignment offsets;
  ObjectsAssignment<size_t> byte_objects;
  ObjectsAssignment<BHWC> shape_objects;
#if MISUSE == 0
  (void)stowage::AssignObjectsToTensors(bytes, MemoryStrategy::NAIVE,
                                        &byte_objects);
  (void)stowage::AssignObjectsToTensors(shapes, MemoryStrategy::NAIVE,
                                        &shape_objects);
  (void)stowage::FindViolation(shapes, shape_objects);
  return stowage::AssignOffsetsToTensors(bytes, MemoryStrategy::NAIVE,
                                         &offsets);
#elif MISUSE == 1  // A shape has no place in an arena, but its bytes do.
  return stowage::AssignOffsetsToTensors(shapes, MemoryStrategy::NAIVE,
                                         &offsets);
#elif MISUSE == 2  // Objects for shapes are not objects of bytes.
  return stowage::AssignObjectsToTensors(shapes, MemoryStrategy::NAIVE,
                                         &byte_objects);
#elif MISUSE == 3  // Objects are not offsets; see ObjectsToOffsets.
  return stowage::AssignOffsetsToTensors(bytes, MemoryStrategy::NAIVE,
                                         &byte_objects);
#elif MISUSE == 4  // A plan for bytes does not apply to shapes.
  (void)stowage::FindViolation(shapes, byte_objects);
#elif MISUSE == 5  // A plan may have failed and must be checked first.
  stowage::ProblemSpec spec;
  spec.records = bytes;
  offsets = stowage::Solve(*stowage::Problem::Create(spec), "naive").offsets();
#endif
}

}  // namespace
