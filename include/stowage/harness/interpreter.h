// SPDX-License-Identifier: Apache-2.0
// Runs a model under a memory plan.
//
//   auto model = Model::Read("net.tflite");
//   auto interpreter = Interpreter::Create(**model);
//   Subgraph& net = (*interpreter)->primary();
//   net.Allocate();
//   std::copy(pixels.begin(), pixels.end(), net.input(0).as<float>());
//   net.Invoke();
//   absl::Span<const float> scores = net.output(0).span<float>();
//
// Every function that can fail returns a status, left out above. To find out
// whether a plan is safe to run under, see checks.h; for what the memory is
// used for, memory_report.h.
#ifndef STOWAGE_HARNESS_INTERPRETER_H_
#define STOWAGE_HARNESS_INTERPRETER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"
#include "stowage/planner.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// Bytes: enough for the widest registers and every element type.
inline constexpr size_t kMinTensorAlignment = 16;

struct InterpreterOptions {
  // Places the tensors of the non-persistent arena: a strategy of the
  // registry, or empty for the one with the smallest plan, the first by name
  // among equals. "arena_best_fit" is the CPU planner's own.
  std::string strategy;
  // Shared objects are laid out one after the other.
  PlanKind kind = PlanKind::kOffsets;
  // A planner of your own in place of a strategy. Its plan is taken as it is,
  // so that the checks can find out what is wrong with it; all that is asked is
  // that its offsets are aligned.
  std::function<absl::StatusOr<OffsetsAssignment>(const ArenaRecords&)> planner;
  // Bytes: a power of two, kMinTensorAlignment at least.
  size_t tensor_alignment = 64;
  // Nothing shares memory: every tensor can be read after Invoke.
  bool preserve_all_tensors = false;
  // Whether an operator may share memory in place, if its registration lets
  // it; none: every one may. Used to search for unsafe sharing.
  std::function<bool(size_t subgraph, size_t node)> in_place;
  // Which operators run without their arithmetic.
  ShadowMode shadow = ShadowMode::kNone;
  // Under kPlain nothing shares memory in place; temporaries of operators are
  // placed all the same.
  LifetimeRules lifetimes = LifetimeRules::kCpu;
  IoLifetime io_lifetime = IoLifetime::kKeep;
  // Bytes that arenas, operators and variables may take together; 0 is what the
  // machine has.
  size_t memory_limit = 0;
  // Bytes after the arena that no tensor has.
  size_t guard_bytes = 0;
  // Not owned. They nest: called in this order before an operator, in the
  // reverse after it.
  std::vector<ExecutionObserver*> observers;
};

// A subgraph of a model under a plan. Not thread-safe, but for Cancel.
class Subgraph {
 public:
  Subgraph() = default;
  virtual ~Subgraph() = default;
  Subgraph(const Subgraph&) = delete;
  Subgraph& operator=(const Subgraph&) = delete;

  virtual const SubgraphSpec& spec() const = 0;

  // Tensors that the caller fills and reads, in the graph's order. Of `i`
  // beyond the last there is none: see spec().
  size_t input_count() const { return spec().inputs.size(); }
  size_t output_count() const { return spec().outputs.size(); }
  virtual Tensor& input(size_t i) = 0;
  const Tensor& output(size_t i) const { return tensor(spec().outputs[i]); }
  // Any tensor. Its bytes are its own after Invoke only with
  // preserve_all_tensors.
  virtual const Tensor& tensor(size_t index) const = 0;

  // Gives an input another shape; Allocate must follow. Error: InvalidArgument
  // if the input does not exist, the rank differs from the model's, or a
  // dimension differs from one that the signature fixes.
  virtual absl::Status ResizeInput(size_t i, const Shape& shape) = 0;

  // Prepares the operators and finds the lifetimes of tensors: plan() has both
  // then, and no offsets. Allocate must follow before a run. Errors:
  // InvalidArgument, naming the operator, for what cannot run;
  // ResourceExhausted where operator data is above the memory limit.
  virtual absl::Status Prepare() = 0;

  // Prepares, plans and allocates the memory, computes what only
  // constants determine, and resets variables. What inputs held is lost.
  // Errors: InvalidArgument, naming the operator, for what cannot run;
  // ResourceExhausted above the memory limit; those of the planner.
  virtual absl::Status Allocate() = 0;

  // Runs all operators. Errors: FailedPrecondition before Allocate; Cancelled;
  // those of operators and observers, naming the operator.
  virtual absl::Status Invoke() = 0;

  // Stops the current run before its next operator, or else the next run before
  // its first. Thread-safe.
  virtual void Cancel() = 0;

  // Variables back to zero, or their zero point.
  virtual void ResetVariables() = 0;

  // The plan under which it runs; valid after Allocate.
  virtual const MemoryPlan& plan() const = 0;
  // Bytes that operators asked for, to keep from Prepare to Invoke.
  virtual size_t operator_data_bytes() const = 0;
};

// A model under plans, one for each subgraph.
class Interpreter {
 public:
  // The model and the options' observers must outlive it; the resolver is
  // copied. Error: InvalidArgument, listing every operator that the resolver
  // does not have in the version the model asks for, unless shadows stand in
  // for them.
  static absl::StatusOr<std::unique_ptr<Interpreter>> Create(
      const Model& model, const InterpreterOptions& options = {});
  static absl::StatusOr<std::unique_ptr<Interpreter>> Create(
      const Model& model, const OperatorResolver& resolver,
      const InterpreterOptions& options = {});

  Interpreter() = default;
  virtual ~Interpreter() = default;
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  virtual const Model& model() const = 0;

  // The first subgraph, the one that most models have.
  Subgraph& primary() { return subgraph(0); }
  // One of model().subgraphs(). They share resources and nothing else.
  virtual Subgraph& subgraph(size_t index) = 0;
  // The subgraph of a signature. Error: NotFound, listing those there are.
  absl::StatusOr<Subgraph*> FindSignature(absl::string_view key);

  // Those of the subgraphs that have been allocated, by subgraph and node. What
  // comes after a shape that is computed counts once it has run.
  virtual std::vector<ShadowedOperator> ShadowedOperators() const = 0;

  // Variables of all subgraphs to their initial state, resources forgotten:
  // what is called once is called again.
  virtual void Reset() = 0;
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_INTERPRETER_H_
