// SPDX-License-Identifier: Apache-2.0
// Runs a subgraph under a plan. This is the interpreter's implementation of
// Subgraph.
#ifndef STOWAGE_SRC_HARNESS_GRAPH_SESSION_H_
#define STOWAGE_SRC_HARNESS_GRAPH_SESSION_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/harness/arena_memory.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"
#include "stowage/task_order.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// Marks a graph as busy. While an object of this class exists, the graph
// refuses calls from the kernel or delegate that it has called.
class BusyMark {
 public:
  // `flag` must outlive this.
  explicit BusyMark(bool* flag) : flag_(flag), before_(*flag) { *flag_ = true; }
  ~BusyMark() { *flag_ = before_; }
  BusyMark(const BusyMark&) = delete;
  BusyMark& operator=(const BusyMark&) = delete;

 private:
  bool* flag_;
  bool before_;
};

// Returns `status`. If the reaction to that error failed with `then`, the two
// errors are joined.
absl::Status AndThen(const absl::Status& status, const absl::Status& then);

class GraphSession final : public Subgraph {
 public:
  // `shared` must outlive this.
  GraphSession(SharedState* shared, size_t index);

  const SubgraphSpec& spec() const override { return graph_.spec(); }
  Tensor& input(size_t i) override {
    return graph_.tensors()[spec().inputs[i]];
  }
  const Tensor& tensor(size_t index) const override {
    return graph_.tensors()[index];
  }
  absl::Status ResizeInput(size_t i, const Shape& shape) override;
  absl::Status ApplyDelegate(std::shared_ptr<Delegate> delegate,
                             const ApplyOptions& options) override;
  absl::Status RemoveDelegates() override;
  std::vector<AppliedDelegate> delegates() const override;
  absl::Span<const int> execution_plan() const override {
    return graph_.execution_plan();
  }
  absl::Status SetBufferHandle(size_t tensor, const Delegate* delegate,
                               int handle) override;
  void AllowBufferHandleOutput(bool allow) override {
    allows_buffer_output_ = allow;
  }
  absl::Status EnsureReadable(size_t index) override;
  absl::Status SetCustomAllocation(size_t index, absl::Span<uint8_t> memory,
                                   bool check_alignment) override;
  absl::Status Prepare() override;
  absl::Status Allocate() override;
  absl::Status Invoke() override;
  void Cancel() override { is_cancelled_ = true; }
  void ResetVariables() override;
  const MemoryPlan& plan() const override { return plan_; }
  size_t operator_data_bytes() const override;

  void AddShadowed(std::vector<ShadowedOperator>* all) const;
  // Removes the delegate that was applied last.
  absl::Status RemoveLastDelegate();

 private:
  // A delegate that is applied.
  struct Applied {
    std::shared_ptr<Delegate> delegate;
    DelegateInfo info;
    ApplyOptions options;
    size_t rank = 0;  // position among all delegates that were given
  };
  // A delegate that is not applied, and the reason.
  struct Rejected {
    std::string name;
    absl::Status status;
    size_t rank = 0;
  };

  // These functions are defined in graph_delegates.cc.
  absl::Status PrepareGraph();
  absl::Status ApplyRequested();
  absl::Status ReapplyAll();
  absl::Status Attach(Applied applied);
  absl::Status UndoAttach(const RunningGraph::Snapshot& before);
  absl::Status RestorePlan(MemoryPlan plan, bool was_prepared);
  absl::Status PlanWithFewer();
  const DelegatedNode* FailedNode(const absl::Status& status) const;
  std::vector<Applied>::iterator FindFailed(const absl::Status& status);
  absl::Status Reject(absl::string_view name, size_t rank,
                      const absl::Status& status);
  absl::Status GoOnWithoutFailed(const absl::Status& status);
  absl::Status AllocateWithFewer(absl::Status status);
  void KeepDelegates(std::vector<Applied> before, size_t rejected_before);
  bool HasStaticDelegate() const;
  void SetSpareBytes();
  void DropDelegates();
  absl::Status CheckNotRunning() const;
  absl::Status CheckNotApplied(const Delegate& delegate) const;
  AppliedDelegate Describe(const Applied& applied) const;

  // These functions are defined in graph_buffers.cc.
  absl::Status MakeInputsReadable(size_t task);
  void MarkWritten(size_t task);
  absl::Status MakeReadable(absl::Span<const size_t> tensors);
  absl::Status CheckCustomAllocations() const;
  std::string DeclaredText(size_t index) const;
  size_t SpareBytesOf(size_t tensor) const;
  bool MayBeOverwritten(size_t tensor) const;
  absl::Status CheckTensor(size_t tensor) const;
  absl::Status AtTensor(size_t tensor, const absl::Status& status) const;

  // This function is defined in graph_fallback.cc.
  absl::Status InvokeWithFallback();

  // These functions are defined in graph_streams.cc.
  absl::Status OrderTasks();
  absl::Status RunOnStreams();

  absl::Status PrepareAll();
  absl::Status AllocateAll();
  void FreeArenas();
  void ForgetMemory();
  void PlanAllLifetimes();
  absl::Status AllocatePlanned();
  absl::Status RunTasks();
  absl::Status RunInTurn();
  absl::Status CancelledAt(size_t task) const;
  void DescribePlan();
  absl::Status CheckSizes() const;
  absl::Status Fold();
  absl::Status PlanMore();
  absl::Status PlaceMore();
  absl::Status MoveArena();
  absl::Status InvokeTask(size_t task);
  absl::Status RunTask(size_t task);
  absl::Status OfDelegate(size_t task, const absl::Status& status);
  absl::Status RunObserved(size_t task);
  absl::Status Observe(const Execution& execution, bool is_before) const;
  Execution ExecutionOf(size_t task);
  void ForgetComputedShapes();
  void FreeLastRead(size_t task);

  SharedState* shared_;
  size_t index_;
  // The delegates in these lists must outlive their kernels and buffers, which
  // the graph owns.
  std::vector<Applied> applied_;
  std::vector<Rejected> rejected_;
  size_t next_rank_ = 0;
  RunningGraph graph_;
  MemoryPlan plan_;
  ArenaMemory memory_;
  bool is_prepared_ = false;
  bool is_allocated_ = false;
  bool is_changed_ = false;   // shapes or storage have changed since Prepare
  bool is_detached_ = false;  // delegates have to be applied again
  // True while a call is running that a delegate must not make again from
  // within that call.
  bool is_running_ = false;
  // The only change since Allocate is other custom memory.
  bool is_custom_exchanged_ = false;
  bool has_applied_requested_ = false;
  bool allows_buffer_output_ = false;
  // The delegate that failed in the current run; null if none has.
  const Delegate* failed_delegate_ = nullptr;
  size_t invocation_ = 0;
  size_t run_ = 0;
  absl::optional<TaskOrder> order_;  // none if tasks run one after the other
  // The state of each task, if there is an order.
  std::vector<TaskState> states_;
  std::atomic<bool> is_cancelled_{false};
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_GRAPH_SESSION_H_
