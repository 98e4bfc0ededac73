// SPDX-License-Identifier: Apache-2.0
// Who places the tensors of the arena: a strategy, or a planner that the caller
// brings.
#ifndef STOWAGE_SRC_HARNESS_PLACEMENT_H_
#define STOWAGE_SRC_HARNESS_PLACEMENT_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"

namespace stowage::harness {

struct Placement {
  ArenaPlan plan;
  std::string strategy;  // who made it
};

// Places what is first needed at nodes [0, last_node]. Errors: NotFound for an
// unknown strategy; InvalidArgument for one that cannot plan the kind, and for
// a plan of the caller's that is not aligned or not complete; those of the
// planner.
absl::StatusOr<Placement> PlaceFirst(const ArenaGraph& graph,
                                     absl::Span<const Lifetime> lifetimes,
                                     size_t last_node,
                                     const InterpreterOptions& options);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_PLACEMENT_H_
