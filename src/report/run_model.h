// SPDX-License-Identifier: Apache-2.0
// One run of a model from start to end: inputs, invocations, checks, a dump.
#ifndef STOWAGE_SRC_REPORT_RUN_MODEL_H_
#define STOWAGE_SRC_REPORT_RUN_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"
#include "src/report/random_inputs.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/memory_report.h"
#include "stowage/harness/shadow.h"
#include "stowage/tflite/model.h"

namespace stowage::report {

// Fills the inputs of a graph, invocation by invocation.
class InputSource {
 public:
  // `files` are contents by the name or the position of an input; what has none
  // is drawn from the seed.
  InputSource(uint64_t seed, std::map<std::string, std::string> files)
      : seed_(seed), random_(seed), files_(std::move(files)) {}

  // A file holds the bytes of one invocation, which is then that of all, or of
  // one after the other. Invocations may come in any order; those in a row are
  // the cheapest. Error: InvalidArgument for a file of no input, or of other
  // bytes; see RandomInputs.
  absl::Status Fill(harness::Subgraph* graph, size_t invocation);

 private:
  absl::Status FillNext(harness::Subgraph* graph, size_t invocation);

  uint64_t seed_;
  RandomInputs random_;
  size_t next_ = 0;  // the invocation that the stream has come to
  std::map<std::string, std::string> files_;
};

// NOLINTNEXTLINE(bugprone-exception-escape): JSON says it may throw when moved.
struct RunRequest {
  harness::InterpreterOptions interpreter;
  size_t subgraph = 0;
  uint64_t seed = 1;
  std::map<std::string, std::string> files;  // see InputSource
  size_t invocations = 1;
  // The invocations are run so many times, from the same state; what is dumped
  // and told of is the first.
  size_t repeat = 1;
  std::string dump;                    // a folder; empty for none
  nlohmann::ordered_json dump_header;  // what the manifest says of the run
};

// The contents of the files at `paths`, by the name or the position of an
// input. Reads no more of a file than that input takes in all invocations.
// Errors: InvalidArgument for a file of no input, or one that is longer; what
// the system reports.
absl::StatusOr<std::map<std::string, std::string>> ReadInputFiles(
    const Model& model, const RunRequest& request,
    const std::map<std::string, std::string>& paths);

struct RunOutput {
  std::string name;
  std::string dtype;
  Shape shape;
  std::string sha256;  // of the last invocation's bytes
};

struct RunResult {
  size_t arena_bytes = 0;
  size_t persistent_bytes = 0;
  size_t lower_bound = 0;  // of the arena, without alignment
  size_t naive_size = 0;   // of the arena, without sharing
  std::string strategy;    // that made the plan
  std::vector<RunOutput> outputs;
  std::vector<harness::ShadowedOperator> shadowed;
  harness::MemoryReport memory;
  std::vector<absl::Duration> times;  // of each repeat: all its invocations
};

// Errors: those of the interpreter and of observers, which name the operator;
// what the system reports of the dump.
absl::StatusOr<RunResult> RunModel(const Model& model,
                                   const RunRequest& request);

}  // namespace stowage::report

#endif  // STOWAGE_SRC_REPORT_RUN_MODEL_H_
