// SPDX-License-Identifier: Apache-2.0
// Implements Subgraph for the interpreter. A session prepares, plans, allocates
// and runs a subgraph, and changes its state accordingly (graph_states.h).
#ifndef STOWAGE_SRC_HARNESS_GRAPH_SESSION_H_
#define STOWAGE_SRC_HARNESS_GRAPH_SESSION_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "absl/types/variant.h"
#include "src/harness/arena_memory.h"
#include "src/harness/call_frames.h"
#include "src/harness/delegated_graph.h"
#include "src/harness/graph_states.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/program_plan.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/shared_arena.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// Marks a graph as busy. While an object of this class exists, the graph
// refuses calls from the kernel or delegate that it is calling.
class BusyMark {
 public:
  // `flag` must outlive this object.
  explicit BusyMark(bool* flag) : flag_(flag), before_(*flag) { *flag_ = true; }
  ~BusyMark() { *flag_ = before_; }
  BusyMark(const BusyMark&) = delete;
  BusyMark& operator=(const BusyMark&) = delete;

 private:
  bool* flag_;
  bool before_;
};

class GraphSession final : public Subgraph {
 public:
  // Creates the session of a subgraph that the caller of the interpreter runs.
  // Requires that `shared` outlives this object.
  GraphSession(SharedState* shared, size_t index);
  // Creates the session of a subgraph that operators of other subgraphs call,
  // as one of `frames`. Setting `*is_cancelled` to true cancels a run. Requires
  // that all arguments outlive this object.
  GraphSession(SharedState* shared, size_t index, CallFrames* frames,
               std::atomic<bool>* is_cancelled);
  ~GraphSession() override;

  const SubgraphSpec& spec() const override { return graph().spec(); }
  Tensor& input(size_t i) override {
    return graph().tensors()[spec().inputs[i]];
  }
  const Tensor& tensor(size_t index) const override {
    return graph().tensors()[index];
  }
  absl::Status ResizeInput(size_t i, const Shape& shape) override;
  absl::Status ApplyDelegate(std::shared_ptr<Delegate> delegate,
                             const ApplyOptions& options) override;
  absl::Status RemoveDelegates() override;
  std::vector<AppliedDelegate> delegates() const override {
    return delegated_.Describe();
  }
  absl::Span<const int> execution_plan() const override {
    return graph().execution_plan();
  }
  absl::Status SetBufferHandle(size_t tensor, const Delegate* delegate,
                               int handle) override;
  void AllowBufferHandleOutput(bool allow) override {
    allows_buffer_output_ = allow;
  }
  absl::Status EnsureReadable(size_t tensor) override;
  absl::Status SetCustomAllocation(size_t tensor, absl::Span<uint8_t> memory,
                                   bool check_alignment) override;
  absl::Status Prepare() override;
  absl::Status Allocate() override;
  absl::Status TakeArena() override;
  absl::Status Invoke() override;
  void Cancel() override { *is_cancelled_ = true; }
  void ResetVariables() override;
  const MemoryPlan& plan() const override {
    return absl::visit(
        [](const auto& state) -> const MemoryPlan& { return state.plan; },
        state_);
  }
  size_t operator_data_bytes() const override;

  // Implement OperatorContext::PrepareCall and Call for a subgraph that
  // operators of other subgraphs call. `site` identifies the calling operator.
  // Another operator may prepare the subgraph between PrepareCall and Call; if
  // Call then gets arguments of different shapes, it prepares the subgraph
  // again.
  absl::StatusOr<std::vector<CallTensor>> PrepareCall(
      const void* site, absl::Span<const CallTensor> arguments);
  absl::StatusOr<std::vector<const Tensor*>> Call(
      absl::Span<const Tensor* const> arguments);
  // Gives the graph memory in the arena of the entry, as function `function` of
  // a program. Requires that the graph is prepared. Errors: those of
  // AllocateGraph.
  absl::Status AllocateIn(const std::shared_ptr<ProgramPlan>& program,
                          size_t function, ArenaMemory* arena);
  // Binds the tensors again after the arena of the entry has moved.
  absl::Status BindToProgram();
  // SaveVariables returns the contents of variable tensors. RestoreVariables
  // writes them back immediately if the graph has memory, and otherwise as soon
  // as it has memory again. Errors: those of a delegate that cannot copy a
  // variable to memory.
  absl::StatusOr<VariableBytes> SaveVariables();
  void RestoreVariables(const VariableBytes& saved);
  // Returns whether, since Restart, all operators that call the graph have
  // prepared it for the same arguments.
  bool has_one_signature() const { return has_one_signature_; }
  const RunningGraph& running() const { return graph(); }
  bool is_allocated() const { return has_memory(); }
  bool is_planned() const {
    return !absl::holds_alternative<Unplanned>(state_);
  }
  // Discards the plan and frees the arenas, so that the graph has to be
  // prepared again.
  void Restart();
  // Appends the operators that run as shadows, in this graph and in the
  // subgraphs that it calls.
  void AddShadowed(std::vector<ShadowedOperator>* all) const;
  // Removes the delegate that was applied last.
  absl::Status RemoveLastDelegate();

 private:
  RunningGraph& graph() { return delegated_.graph(); }
  const RunningGraph& graph() const { return delegated_.graph(); }
  bool has_memory() const;
  absl::Status CheckNotRunning() const;
  absl::Status CheckCallFor(size_t tensor) const;
  void Outdate();
  absl::Status CheckArguments(absl::Span<const CallTensor> arguments) const;
  std::vector<CallTensor> SameArguments(
      absl::Span<const Tensor* const> arguments) const;
  bool Fits(absl::Span<const CallTensor> arguments) const;
  void BindArguments();
  absl::Status PrepareAll();
  absl::StatusOr<Planned> MakePlan();
  absl::Status PlanAll();
  absl::Status AllocateFrames(const MemoryPlan& plan);
  SharedArena* shared_arena() const;
  absl::Status CheckMayTakeArena() const;
  void Evict();
  void EvictUser();
  absl::Status ReturnToArena();
  void ForgetMemory();
  absl::Status AllocatePlanned(Planned* planned);
  absl::Status AllocateAnew();
  absl::Status AllocateAll();
  absl::Status AllocateWithFewer();
  absl::Status RestorePlan(const RunningGraph::Snapshot& before, size_t count);
  absl::Status RunOnce(const Delegate** failed);
  absl::Status KeepCarried();
  void GiveCarried();
  absl::Status InvokeWithFallback();

  SharedState* shared_;
  // The frames of the subgraphs that this subgraph calls; null if this object
  // is itself a frame.
  std::unique_ptr<CallFrames> own_frames_;
  DelegatedGraph delegated_;
  GraphState state_;
  ArenaMemory arenas_;
  // True while a function that may call a kernel or a delegate is running.
  // Meanwhile, most functions of the graph return an error.
  bool is_running_ = false;
  bool allows_buffer_output_ = false;
  size_t run_ = 0;
  // The operator that prepared the graph.
  const void* site_ = nullptr;
  // False if operators have prepared the graph for different arguments.
  bool has_one_signature_ = true;
  // The contents of the variable tensors, to be restored when the graph has
  // memory again.
  VariableBytes kept_variables_;
  // The values that the next invocation copies to its inputs, by tensor. Does
  // not contain inputs that already have their values in memory.
  std::vector<std::pair<size_t, std::vector<uint8_t>>> carried_;
  // The arguments of the call that is running; empty if there is none.
  std::vector<const Tensor*> arguments_;
  std::atomic<bool> own_cancellation_{false};
  std::atomic<bool>* is_cancelled_ = &own_cancellation_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_GRAPH_SESSION_H_
