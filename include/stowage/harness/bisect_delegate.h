// SPDX-License-Identifier: Apache-2.0
// Finds the nodes that change the results of a model when a delegate runs them.
// To check whether sharing memory changes the results, use CheckPlan
// (checks.h).
//
//   RunOptions options;
//   options.plan.delegates = {*RequestDelegate("./libmine.so")};
//   absl::StatusOr<DelegateBisection> found = BisectDelegates(*model, options);
//   if (found.ok() && found->differs()) std::cerr << found->Text();
#ifndef STOWAGE_HARNESS_BISECT_DELEGATE_H_
#define STOWAGE_HARNESS_BISECT_DELEGATE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "stowage/harness/run_model.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// A node that a delegate runs.
struct DelegatedOperator {
  size_t request = 0;    // an index into InterpreterOptions::delegates
  std::string delegate;  // the name of the delegate
  int node = 0;
  std::string place;  // is "operator 3 (ADD)", for example
};

// The nodes that change the outputs when a delegate runs them.
struct DelegateBisection {
  // Describes how the outputs differ if every node that a delegate claims is
  // delegated. Contains the error if this run fails. Empty if the outputs do
  // not differ.
  std::string difference;
  // A minimal set of nodes, sorted by delegate and node: if exactly these nodes
  // are delegated, the outputs differ; if any one of them is left out, the
  // outputs do not differ.
  //
  // The search starts by delegating exactly the nodes of this subgraph that
  // were delegated when the outputs differed. If the outputs do not differ in
  // this run, the set is empty, because the cause is elsewhere or changes from
  // run to run.
  std::vector<DelegatedOperator> nodes;
  size_t delegated = 0;  // the number of nodes that the delegates claimed
  size_t runs = 0;  // the number of runs, including the one without delegates

  bool differs() const { return !difference.empty(); }
  std::string Text() const;  // returns several lines
};

// Runs all invocations of `options` with and without delegates and compares the
// outputs. Two elements count as equal if their difference
// (TensorDifference::largest) is at most `tolerance`. A run with a failing
// Invoke counts as different. `options.repeat`, `dump` and the plan's
// delegate_fallback have no effect; `poison` and `touch` check the runs with
// delegates. Errors: those of RunModel for the run without delegates, and those
// of delegates that cannot be applied.
//
// The search uses delta debugging. In each of its runs, the nodes that are not
// delegated run on the CPU. It needs about 2 log2(nodes) runs for a single
// culprit, and O(nodes^2) runs in the worst case.
absl::StatusOr<DelegateBisection> BisectDelegates(const Model& model,
                                                  const RunOptions& options,
                                                  double tolerance = 0);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_BISECT_DELEGATE_H_
