// SPDX-License-Identifier: Apache-2.0
// Writes the plan and the times of a run as an event trace, for the option
// --perfetto of `stowage run`.
#ifndef STOWAGE_SRC_COMMAND_RUN_EVENTS_H_
#define STOWAGE_SRC_COMMAND_RUN_EVENTS_H_

#include <cstddef>

#include "absl/status/status.h"
#include "src/command/run_options.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/recorder.h"
#include "stowage/io/problem_file.h"

namespace stowage::cli {

// Records the plan of a subgraph at the end of its first invocation, because
// computed shapes are known only then.
class PlanRecorder : public harness::ExecutionObserver {
 public:
  explicit PlanRecorder(size_t subgraph) : subgraph_(subgraph) {}

  absl::Status AfterOperator(const harness::Execution& at) override;

  // Returns the plan, whose ids are the indices of tensors. The plan has no
  // records if nothing has run.
  const ProblemFile& plan() const { return plan_; }

 private:
  const size_t subgraph_;
  ProblemFile plan_;
};

// Writes the file of --perfetto if it is given. The time of a task is the mean
// over its runs. Errors: those of WriteEventFile and ViewPlan.
absl::Status WriteRunEvents(const RunArgs& args, const PlanRecorder& recorder,
                            const harness::Profiler& profiler);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_RUN_EVENTS_H_
