// SPDX-License-Identifier: Apache-2.0
// Generates graphs of tensors that depend on each other, and checks plans for
// these graphs. Use this header to test planners for runtimes that execute
// several tasks at once. For planners that assume one order of execution, use
// random_records.h.
//
//   GraphInstance graph = RandomGraph(seed, 20);
//   Status status = CheckParallelPlan(graph, plan);
//
// A runtime that starts every task as soon as its inputs are ready has no fixed
// order of tasks. Two tensors may then share an object only if the graph itself
// orders their uses.
#ifndef STOWAGE_TESTING_GRAPHS_H_
#define STOWAGE_TESTING_GRAPHS_H_

#include <cstddef>
#include <cstdint>

#include "stowage/assignment.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/testing/families.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

// A graph of tensors, and the records of the tensors for one order of
// execution.
struct GraphInstance {
  // Tensor i is written by task i and is live up to the last task that reads
  // it.
  ByteRecords records;
  // dependencies[i] lists the tensors that are computed from tensor i, in
  // ascending order; all of them are above i. The lists are a valid argument of
  // BuildReallocationGraph.
  UsageGraph dependencies;
};

// Returns the graph that the samples (families.h) determine. Each tensor is
// computed from none, one or two of the Parameters::max_life + 1 tensors before
// it. Samples with small numbers give chains. O(s) for s samples.
GraphInstance GraphFromSamples(Span<const Sample> samples,
                               const Parameters& parameters = Parameters());

// Returns the exclusive limit of each number of a sample.
Sample GraphSampleLimits(const Parameters& parameters = Parameters());

// Returns the graph that GraphFromSamples makes from `size` random samples. The
// result depends only on the arguments, not on the machine.
GraphInstance RandomGraph(uint64_t seed, size_t size,
                          const Parameters& parameters = Parameters());

// Checks that the plan is safe in every order of execution that the
// dependencies allow. If two tensors share an object, one of them must depend
// on every tensor that is computed from the other tensor. Errors: Internal,
// naming two tensors, if the plan is not safe; InvalidArgument if the numbers
// of records and dependencies differ. O(n^2 + m n) for n tensors and m
// dependencies.
Status CheckParallelPlan(const GraphInstance& graph,
                         const ObjectsAssignment<size_t>& plan);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_GRAPHS_H_
