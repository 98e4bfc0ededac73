// SPDX-License-Identifier: Apache-2.0
// Runs a model under a plan like `stowage run`: fills the inputs, invokes the
// model and reads the outputs. To call a model from a program, use
// interpreter.h.
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

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/given_shapes.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/memory_report.h"
#include "stowage/harness/shadow.h"
#include "stowage/programs/combine.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// A subgraph that runs after RunOptions::subgraph in every invocation.
struct Follower {
  size_t subgraph = 0;
  InputFiles inputs;
  // The model that contains the subgraph, which must outlive the run. If null,
  // the subgraph belongs to the same model as RunOptions::subgraph.
  const Model* model = nullptr;
};

// The plan under which a model runs, and its inputs.
struct RunOptions {
  // Options for planning and running the model. The observers observe every
  // invocation, and the delegates run parts of the model.
  InterpreterOptions plan;
  size_t subgraph = 0;
  // The number of invocations, at least 1. State is kept between invocations.
  size_t invocations = 1;
  // Other subgraphs of the same model or of other models, which run in this
  // order after `subgraph` in every invocation. All subgraphs use one arena,
  // one at a time. Subgraphs of the same model share variables. Each subgraph
  // has its own random inputs.
  std::vector<Follower> followers;
  // Outputs that become inputs of a later subgraph (CheckOptions::hand_overs).
  std::vector<HandOver> hand_overs;
  // The number of times that all invocations are run, for measuring time. Each
  // repetition starts from the initial state. The dump and the outputs are
  // those of the first repetition.
  size_t repeat = 1;  // is at least 1
  uint64_t seed = 1;  // is used for inputs without a file
  InputFiles inputs;
  // If `poison` is true, the model runs with a PoisonChecker, which adds guard
  // bytes after the arena. If `touch` is true, it runs with a TouchChecker.
  bool poison = false;
  bool touch = false;
  // The folder for the dump (dump.h). If empty, no dump is written.
  std::string dump;
  // Assigns memory that the caller provides to tensors. Called once, with the
  // interpreter of the first model, before the interpreter allocates memory.
  // Errors of this function are returned.
  std::function<absl::Status(Interpreter&)> place_tensors;
};

// Returns options with which CheckPlan checks the run of RunModel: the same
// plan, inputs and invocations.
CheckOptions CheckOptionsOf(const RunOptions& options);

// An output of the graph after the last invocation.
struct RunOutput {
  std::string name;
  std::string dtype;  // the type as dumps have it
  Shape shape;
  std::string sha256;  // the hash of the bytes after the last invocation
};

// The copies in a model that is planned as a program (program_plan.h): those
// between subgraphs, and those from and to resource variables.
struct CallCopies {
  // The subgraphs that have tensors in the arena, beginning with the entry.
  std::vector<size_t> subgraphs;
  // The number of bytes that one pass over all operators copies, and the number
  // of bytes that it would copy if all arguments and results were copied.
  size_t copied_bytes = 0;
  size_t possible_bytes = 0;
  // The number of bytes of the variables that may contain tensors in their
  // memory. These bytes are outside of the arena.
  size_t state_bytes = 0;
};

struct RunResult {
  std::string strategy;  // the strategy that made the plan
  // The number of threads that ran, which may be lower than requested.
  size_t streams = 1;
  // The next five numbers are in bytes.
  size_t arena_bytes = 0;
  size_t persistent_bytes = 0;
  size_t lower_bound = 0;  // the lower bound of the arena, without alignment
  size_t naive_size = 0;   // the size of the arena without sharing
  // The number of bytes that operators need not copy because their output
  // shares the memory of an input.
  size_t copies_avoided = 0;
  // Set if subgraphs that call each other share the arena, or if tensors may
  // use the memory of variables.
  absl::optional<CallCopies> calls;
  // The size of the arena with the same options but without delegates. Nullopt
  // if no delegate is applied, or if shapes depend on data.
  absl::optional<size_t> arena_without_delegates;
  size_t operators = 0;             // the number of operators of the model
  std::vector<int> execution_plan;  // has node ids (see Subgraph)
  // The applied delegates. Under delegate_fallback, the list also contains
  // requested delegates that could not be applied.
  std::vector<AppliedDelegate> delegates;
  std::vector<RunOutput> outputs;
  std::vector<ShadowedOperator> shadowed;  // of all subgraphs that ran
  MemoryReport memory;
  // For each repetition, the total time of its invocations.
  std::vector<absl::Duration> times;
  // The result of each follower. If there are followers, each `arena_bytes` is
  // the size that one subgraph needs. The size of the shared arena is the
  // largest of these sizes.
  std::vector<RunResult> followers;
};

// Runs `options.subgraph` and its followers with the operators of this library.
// Errors: InvalidArgument if a subgraph does not exist, if a subgraph occurs
// twice, if `invocations` or `repeat` is 0, or if several subgraphs would be
// dumped; those of InputSource; those of the interpreter and of observers
// (DataLoss), which name the operator; those that the system reports when the
// dump is written. Because ResourceExhausted means that the memory limit was
// exceeded, a ResourceExhausted error of the system is returned as
// FailedPrecondition.
absl::StatusOr<RunResult> RunModel(const Model& model,
                                   const RunOptions& options);

// Runs the model in one interpreter, once for each element of `shapes`, which
// contains the shapes of inputs for one run. Before each run, resizes the
// inputs, allocates the graph again and resets all state. Inputs without a
// given shape keep their shape. Errors: those of RunModel; InvalidArgument,
// naming the tensor, if a shape is given for a tensor that is not an input;
// InvalidArgument if several runs would be dumped.
absl::StatusOr<std::vector<RunResult>> RunModelAt(
    const Model& model, const RunOptions& options,
    absl::Span<const GivenTensors> shapes);

// Resizes inputs of the graph. The caller must then allocate the graph. Error:
// InvalidArgument, naming the tensor, if it is not an input or cannot have this
// shape.
absl::Status ResizeInputs(const GivenTensors& shapes, Subgraph* graph);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_RUN_MODEL_H_
