// SPDX-License-Identifier: Apache-2.0
// Finds the nodes whose delegation changes what a model computes. To find the
// sharing of memory that does use CheckPlan (checks.h).
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
  size_t request = 0;    // index in InterpreterOptions::delegates
  std::string delegate;  // its name
  int node = 0;
  std::string place;  // "operator 3 (ADD)"
};

struct DelegateBisection {
  // How the outputs differ with all nodes delegated that the delegates claim,
  // or the error that the run ends with; empty: they do not.
  std::string difference;
  // With these alone delegated the run differs, too, and not without any one of
  // them. Ascending by delegate and node; none where the difference is not
  // there again when the same nodes are delegated.
  std::vector<DelegatedOperator> nodes;
  size_t delegated = 0;  // nodes that the delegates claim
  size_t runs = 0;       // executed, with the one without delegates

  bool differs() const { return !difference.empty(); }
  std::string Text() const;  // lines
};

// Runs all invocations of `options` without delegates and with them, and
// compares the outputs. Two elements may differ by `tolerance`, as for
// CompareDumps: in steps for integers, absolute for floating point. A run that
// fails in Invoke differs. `options.repeat`, `dump` and the plan's
// delegate_fallback have no effect; `poison` and `touch` check the runs with
// delegates. Errors: those of RunModel for the run without delegates, and of
// delegates that cannot be applied.
//
// Delta debugging, with every other node on the CPU: about 2 log2(nodes) runs
// for one culprit, O(nodes^2) at worst.
absl::StatusOr<DelegateBisection> BisectDelegates(const Model& model,
                                                  const RunOptions& options,
                                                  double tolerance = 0);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_BISECT_DELEGATE_H_
