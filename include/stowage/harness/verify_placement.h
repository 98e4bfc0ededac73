// SPDX-License-Identifier: Apache-2.0
// Checks the plan of a subgraph by the values that lie in memory, before
// anything runs under it. Records that conflict are checked by the verifier of
// strategies (stowage/verify.h); this check knows which tensors share memory,
// and why. For a model whose operators need not be known, see
// tflite/program_of_model.h.
#ifndef STOWAGE_HARNESS_VERIFY_PLACEMENT_H_
#define STOWAGE_HARNESS_VERIFY_PLACEMENT_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/programs/points.h"
#include "stowage/verify_values.h"

namespace stowage::harness {

// The prepared nodes of a graph as points, in which tensors are slots. Tensors
// that are not in the arena have no bytes.
struct GraphPoints {
  ProgramPoints points;
  std::vector<SlotPart> parts;
  // The offset of each tensor, or of each slot, which is the same.
  std::vector<absl::optional<size_t>> offsets;
};

// The plan need not have offsets yet. If `keeps_inputs`, the inputs of the
// graph must hold their values up to the end. O(references of nodes to
// tensors).
GraphPoints PointsOfGraph(const MemoryPlan& plan, bool keeps_inputs);

// Checks that every read of a prepared node finds what was written. Error:
// Internal, naming the node, the tensor and the byte.
absl::Status VerifyPlacement(const MemoryPlan& plan, bool keeps_inputs);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_VERIFY_PLACEMENT_H_
