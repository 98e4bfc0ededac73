// SPDX-License-Identifier: Apache-2.0
// Graphs of tensors that depend on each other, for planners whose memory may be
// used by several threads at once. For planners of one order of execution use
// random_records.h.
//
//   GraphInstance graph = RandomGraph(seed, 20);
//   absl::Status status = CheckParallelPlan(graph, plan);
//
// A runtime that runs whatever is ready has no order of tasks: two tensors may
// share an object only if the graph itself keeps them apart.
#ifndef STOWAGE_TESTING_GRAPHS_H_
#define STOWAGE_TESTING_GRAPHS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/testing/families.h"
#include "stowage/testing/instance.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

struct GraphInstance {
  // Tensor i is written by task i and is live to the last task that reads it.
  ByteRecords records;
  // dependencies[i] lists the tensors computed from tensor i, as
  // BuildReallocationGraph takes it: ascending, and above i.
  UsageGraph dependencies;
};

// The graph that the draws stand for: each tensor is computed from one or two
// of the `max_life` + 1 tensors before it, or from none. Smaller draws give
// chains. O(d).
GraphInstance GraphFromDraws(absl::Span<const Draw> draws,
                             const Knobs& knobs = Knobs());

// What each number of a draw should stay below.
Draw GraphDrawLimits(const Knobs& knobs = Knobs());

// GraphFromDraws of `size` random draws, the same everywhere.
GraphInstance RandomGraph(uint64_t seed, size_t size,
                          const Knobs& knobs = Knobs());

// Error: Internal, naming two tensors, unless the plan is safe in every order
// of execution that the dependencies allow: of two tensors with one object, one
// depends on all that is computed from the other. InvalidArgument if the
// records and dependencies are not as many. O(n^2 + m n).
absl::Status CheckParallelPlan(const GraphInstance& graph,
                               const ObjectsAssignment<size_t>& plan);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_GRAPHS_H_
