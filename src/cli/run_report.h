// SPDX-License-Identifier: Apache-2.0
// The output of stowage run, as text and as JSON.
#ifndef STOWAGE_SRC_CLI_RUN_REPORT_H_
#define STOWAGE_SRC_CLI_RUN_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "src/cli/options.h"
#include "src/report/run_model.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/recorder.h"

namespace stowage::cli {

struct RunArgs {
  std::string model;
  harness::InterpreterOptions interpreter;
  size_t subgraph = 0;
  uint64_t seed = 1;
  size_t invocations = 1;
  size_t repeat = 1;
  std::vector<std::string> inputs;  // NAME=FILE
  std::string dump;
  std::string check;   // empty, "outputs" or "all"
  std::string shadow;  // empty, "missing" or "all"
  bool poison = false;
  bool touch = false;
  bool memory = false;
  bool profile = false;
  Format format = Format::kText;
};

struct RunStory {
  const RunArgs* args = nullptr;
  absl::optional<harness::CheckReport> check;
  const report::RunResult* result = nullptr;    // null: it was not run
  const harness::Profiler* profiler = nullptr;  // null: not asked for
};

// Returns the report in the format that the arguments ask for.
std::string Tell(const RunStory& story);

// One line about a check that failed.
std::string UnsafeMessage(const RunStory& story);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_CLI_RUN_REPORT_H_
