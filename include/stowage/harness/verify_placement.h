// SPDX-License-Identifier: Apache-2.0
// Checks the plan of a subgraph before the subgraph runs: every read must find
// the value that was written. Unlike stowage/verify.h, which checks only that
// records in conflict do not overlap, this check takes into account which
// tensors share memory on purpose. For a model with operators that this library
// does not know, see tflite/program_of_model.h.
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

// The prepared nodes of a graph as points of a program (programs/points.h).
// Each tensor is the slot with the same number. Tensors that are not in the
// arena have 0 bytes.
struct GraphPoints {
  ProgramPoints points;
  std::vector<SlotPart> parts;
  // The offset of each tensor, which is also the offset of its slot.
  std::vector<absl::optional<size_t>> offsets;
};

// Returns the points of the graph in `plan`, which need not have offsets yet.
// If `keeps_inputs` is true, the inputs of the graph must keep their values
// until the end. O(references of nodes to tensors).
GraphPoints PointsOfGraph(const MemoryPlan& plan, bool keeps_inputs);

// Checks that every read by a prepared node finds the value that was written.
// Error: Internal, naming the node, the tensor and the byte.
absl::Status VerifyPlacement(const MemoryPlan& plan, bool keeps_inputs);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_VERIFY_PLACEMENT_H_
