// SPDX-License-Identifier: Apache-2.0
// Declares the report of `stowage run`, and the functions that perform its
// special kinds of runs.
#ifndef STOWAGE_SRC_COMMAND_RUN_REPORT_H_
#define STOWAGE_SRC_COMMAND_RUN_REPORT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/command/answer.h"
#include "src/command/json.h"
#include "src/command/run_options.h"
#include "src/command/verb.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/memory_report.h"
#include "stowage/harness/micro_memory.h"
#include "stowage/harness/recorder.h"
#include "stowage/harness/run_model.h"
#include "stowage/harness/shadow.h"
#include "stowage/tflite/model.h"

namespace stowage::cli {

// The results to report. At least one of `check` and `result` is set.
struct RunReport {
  const RunArgs* args = nullptr;
  // The result of the check; nullopt if no check was requested.
  absl::optional<harness::CheckReport> check;
  // The result of the run; null if the check failed, since the model is then
  // not run.
  const harness::RunResult* result = nullptr;
  // The profile; null if no profile was requested.
  const harness::Profiler* profiler = nullptr;
  // The memory of the device; null if the model did not run in the arena of a
  // device.
  const harness::MicroMemory* memory = nullptr;

  const std::vector<harness::ShadowedOperator>& shadowed() const {
    return result != nullptr ? result->shadowed : check->shadowed;
  }
};

// Returns the answer, which does not refer to the report.
Answer RunAnswer(const RunReport& report);

// Returns InvalidArgument if --arena contradicts another option.
absl::Status CheckArena(const RunArgs& args);
// Runs the model in the arena of a device.
Outcome RunInArena(const RunArgs& args, const Model& model,
                   harness::RunOptions options);

// Runs the model at several values of its parameters with one order.
Outcome RunAtValues(const RunArgs& args);

// Finds the nodes whose delegation changes the outputs.
Outcome BisectRun(const RunArgs& args, const Model& model,
                  const harness::RunOptions& options);

// Return a description of a check: what was compared if the check passed, and
// what was found if it failed.
Json CheckJson(const RunArgs& args, const harness::CheckReport& check);
std::string CheckText(const RunArgs& args, const harness::CheckReport& check);
absl::Duration MedianOf(std::vector<absl::Duration> times);
// Returns a value in which programs read the times of all repetitions and
// people read their median.
Value TimesOf(const harness::RunResult& result);
// Return the JSON for the outputs of a run and for its memory.
Json OutputsJson(const harness::RunResult& result);
Json MemoryJson(const harness::MemoryReport& memory);

// Returns the outcome for an error of a run. If an observer reported the error,
// the outcome is a failed check rather than bad input. Any error of a delegate
// is bad input, regardless of its code, unless memory is exhausted.
Outcome FailedRun(const absl::Status& status);

// Returns one line about a failed check.
std::string UnsafeMessage(const RunReport& report);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_RUN_REPORT_H_
