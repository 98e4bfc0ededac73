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

// One subgraph, ready to run. Not thread-safe, but for Cancel.
class Subgraph {
 public:
  ~Subgraph();
  Subgraph(const Subgraph&) = delete;
  Subgraph& operator=(const Subgraph&) = delete;

  const SubgraphSpec& spec() const;

  // Tensors that the caller fills and reads, in the graph's order. Of `i`
  // beyond the last there is none: see spec().
  size_t input_count() const { return spec().inputs.size(); }
  size_t output_count() const { return spec().outputs.size(); }
  Tensor& input(size_t i);
  const Tensor& output(size_t i) const;
  // Any tensor. Its bytes are its own after Invoke only with
  // preserve_all_tensors.
  const Tensor& tensor(size_t index) const;

  // Gives an input another shape; Allocate must follow. Error: InvalidArgument
  // if the input does not exist, the rank differs from the model's, or a
  // dimension differs from one that the signature fixes.
  absl::Status ResizeInput(size_t i, const Shape& shape);

  // Prepares the operators and finds the lifetimes of tensors: arena_graph()
  // and records() are valid then. Allocate must follow before a run. Errors:
  // InvalidArgument, naming the operator, for what cannot run;
  // ResourceExhausted where operator data is above the memory limit.
  absl::Status Prepare();

  // Prepares, plans and allocates the memory, computes what only
  // constants determine, and resets variables. What inputs held is lost.
  // Errors: InvalidArgument, naming the operator, for what cannot run;
  // ResourceExhausted above the memory limit; those of the planner.
  absl::Status Allocate();

  // Runs all operators. Errors: FailedPrecondition before Allocate; Cancelled;
  // those of operators and observers, naming the operator.
  absl::Status Invoke();

  // Stops the current run before its next operator. Thread-safe.
  void Cancel();

  // Variables back to zero, or their zero point.
  void ResetVariables();

  // The plan under which it runs; valid after Allocate.
  const ArenaGraph& arena_graph() const;
  absl::Span<const Lifetime> lifetimes() const;
  // What a strategy is asked to place; after Allocate and Invoke, with what was
  // placed while shapes became known.
  ArenaRecords records() const;
  // The operators, from the first, whose outputs have shapes by now.
  size_t prepared_operators() const;
  const ArenaPlan& plan() const;
  const std::string& plan_strategy() const;  // that made the plan
  size_t tensor_alignment() const;           // of the plan
  // Bytes that operators asked for, to keep from Prepare to Invoke.
  size_t operator_data_bytes() const;
  // Bytes of tensor metadata: names, shapes, quantisation.
  size_t metadata_bytes() const;

 private:
  friend class Interpreter;
  friend class InterpreterState;
  explicit Subgraph(std::unique_ptr<class GraphRunner> runner);

  std::unique_ptr<class GraphRunner> runner_;
};

class Interpreter {
 public:
  // The model, the options' observers and `resolver` must outlive it. Error:
  // InvalidArgument, listing every operator that the resolver does not have in
  // the version the model asks for, unless shadows stand in for them.
  static absl::StatusOr<std::unique_ptr<Interpreter>> Create(
      const Model& model, const InterpreterOptions& options = {});
  static absl::StatusOr<std::unique_ptr<Interpreter>> Create(
      const Model& model, const OperatorResolver& resolver,
      const InterpreterOptions& options = {});
  ~Interpreter();

  const Model& model() const;

  // The first subgraph, the one that most models have.
  Subgraph& primary() { return subgraph(0); }
  // One of model().subgraphs(). They share resources and nothing else.
  Subgraph& subgraph(size_t index);
  // The subgraph of a signature. Error: NotFound, listing those there are.
  absl::StatusOr<Subgraph*> FindSignature(absl::string_view key);

  // Those of the subgraphs that have been allocated, by subgraph and node. What
  // comes after a shape that is computed counts once it has run.
  std::vector<ShadowedOperator> ShadowedOperators() const;

  // Variables of all subgraphs to their initial state, resources forgotten:
  // what is called once is called again.
  void Reset();

 private:
  explicit Interpreter(std::unique_ptr<class InterpreterState> state);

  std::unique_ptr<class InterpreterState> state_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_INTERPRETER_H_
