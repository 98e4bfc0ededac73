// SPDX-License-Identifier: Apache-2.0
// Compares a run under a plan with a run without sharing.
#ifndef STOWAGE_SRC_HARNESS_COMPARE_RUNS_H_
#define STOWAGE_SRC_HARNESS_COMPARE_RUNS_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/turns.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/operator.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// Returns the subgraphs that run in each invocation, in the order in which they
// run.
std::vector<TurnEntry> EntriesOf(const Model& model,
                                 const CheckOptions& options);
// Applies CheckTurns to the subgraphs that EntriesOf returns, and checks that
// each of them has a source of inputs. Error: InvalidArgument.
absl::Status CheckEntries(const Model& model, const CheckOptions& options);

// The progress of the run under the plan, which some planners need to know, and
// all plans that the subgraph under test has had so far.
struct RunProgress {
  size_t invocation = 0;
  bool is_feeding = false;  // is true while the feed is running
  // The plan at the beginning of each invocation.
  std::vector<MemoryPlan> plans;
};

// Does the same as CheckPlan, but without bisection.
absl::StatusOr<CheckReport> CompareRuns(const Model& model,
                                        const OperatorResolver& resolver,
                                        const CheckOptions& options,
                                        RunProgress* progress);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_COMPARE_RUNS_H_
