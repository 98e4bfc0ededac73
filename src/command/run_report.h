// SPDX-License-Identifier: Apache-2.0
// Declares the report of stowage run, and the functions that carry out its
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
  // It is nullopt if no check was asked for.
  absl::optional<harness::CheckReport> check;
  // It is null if the check failed, since the model is then not run.
  const harness::RunResult* result = nullptr;
  // It is null if no profile was asked for.
  const harness::Profiler* profiler = nullptr;
  // It is null if the model did not run in the arena of a device.
  const harness::MicroMemory* memory = nullptr;

  const std::vector<harness::ShadowedOperator>& shadowed() const {
    return result != nullptr ? result->shadowed : check->shadowed;
  }
};

// Returns the answer, which does not refer to the report.
Answer RunAnswer(const RunReport& report);

// Returns InvalidArgument if --arena and other options contradict each other.
absl::Status CheckArena(const RunArgs& args);
// Runs the model in the arena of a device.
Outcome RunInArena(const RunArgs& args, const Model& model,
                   harness::RunOptions options);

// Runs the model at several values of its parameters under one order.
Outcome RunAtValues(const RunArgs& args);

// Finds the nodes whose delegation changes the outputs.
Outcome BisectRun(const RunArgs& args, const Model& model,
                  const harness::RunOptions& options);

// Return a description of a check. If the check passed, the description says
// what was compared. If it failed, the description says what was found.
Json CheckJson(const RunArgs& args, const harness::CheckReport& check);
std::string CheckText(const RunArgs& args, const harness::CheckReport& check);
absl::Duration MedianOf(std::vector<absl::Duration> times);
// Returns the times of all repetitions for programs, and their median for
// people.
Value TimesOf(const harness::RunResult& result);
// Return the JSON for the outputs of a run, and for its use of memory.
Json OutputsJson(const harness::RunResult& result);
Json MemoryJson(const harness::MemoryReport& memory);

// Returns the outcome for an error of a run. If an observer reported the error,
// the outcome is a failed check, not bad input. An error of a delegate counts
// as bad input, whatever its code is, unless memory is exhausted.
Outcome FailedRun(const absl::Status& status);

// Returns one line about a check that failed.
std::string UnsafeMessage(const RunReport& report);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_RUN_REPORT_H_
