// SPDX-License-Identifier: Apache-2.0
// Runs a model under a plan from inputs to outputs: what `stowage run` does.
// To call a model from a program of yours use interpreter.h.
//
//   RunOptions options;
//   options.plan.strategy = "greedy_by_size";
//   absl::StatusOr<CheckReport> check =
//       CheckPlan(*model, BuiltinOperators(), CheckOptionsOf(options));
//   absl::StatusOr<RunResult> result = RunModel(*model, options);
#ifndef STOWAGE_HARNESS_RUN_MODEL_H_
#define STOWAGE_HARNESS_RUN_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/memory_report.h"
#include "stowage/harness/shadow.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

struct RunOptions {
  // Its observers see every invocation; its delegates run parts of the model.
  InterpreterOptions plan;
  size_t subgraph = 0;
  // One or more, with state kept from one to the next.
  size_t invocations = 1;
  // All invocations are run so many times, each time from the initial state, to
  // measure time. What is dumped and reported is the first.
  size_t repeat = 1;  // 1 or more
  uint64_t seed = 1;  // of inputs without a file
  InputFiles inputs;
  // With a PoisonChecker, and guard bytes after the arena; with a TouchChecker.
  bool poison = false;
  bool touch = false;
  std::string dump;  // a folder to write to (dump.h); empty: none
  // Called with the interpreter before it has memory: to give tensors memory of
  // the caller's. Its errors are those of the run.
  std::function<absl::Status(Interpreter&)> place_tensors;
};

// The check of the plan that RunModel runs under: the same plan, inputs and
// invocations.
CheckOptions CheckOptionsOf(const RunOptions& options);

struct RunOutput {
  std::string name;
  std::string dtype;  // as in dumps
  Shape shape;
  std::string sha256;  // of the bytes after the last invocation
};

struct RunResult {
  std::string strategy;  // that made the plan
  size_t streams = 1;    // threads that ran: at most as many as were asked for
  // Bytes.
  size_t arena_bytes = 0;
  size_t persistent_bytes = 0;
  size_t lower_bound = 0;     // of the arena, without alignment
  size_t naive_size = 0;      // of the arena, without sharing
  size_t copies_avoided = 0;  // by operators whose outputs lie there already
  // Of the same plan if no delegate had been applied; none where none is, or
  // where shapes depend on data.
  absl::optional<size_t> arena_without_delegates;
  size_t operators = 0;             // of the model
  std::vector<int> execution_plan;  // node ids: see Subgraph
  // Those that are applied; under delegate_fallback, those that are not, too.
  std::vector<AppliedDelegate> delegates;
  std::vector<RunOutput> outputs;
  std::vector<ShadowedOperator> shadowed;
  MemoryReport memory;
  std::vector<absl::Duration> times;  // of each repeat: all its invocations
};

// Runs `options.subgraph` with the operators of this library. Errors:
// InvalidArgument if there is no such subgraph, or nothing to run; those of
// InputSource, of the interpreter and of observers (DataLoss), which name the
// operator; what the system reports of the dump, FailedPrecondition in place of
// ResourceExhausted, which means the memory limit.
absl::StatusOr<RunResult> RunModel(const Model& model,
                                   const RunOptions& options);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_RUN_MODEL_H_
