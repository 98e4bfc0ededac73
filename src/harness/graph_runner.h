// SPDX-License-Identifier: Apache-2.0
// A subgraph that runs: its tensors, its kernels and its memory.
#ifndef STOWAGE_SRC_HARNESS_GRAPH_RUNNER_H_
#define STOWAGE_SRC_HARNESS_GRAPH_RUNNER_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "src/harness/interpreter_state.h"
#include "src/harness/memory.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// Of one operator. Room for all of them is there from the start, so that
// kernels may hold on to a tensor while they ask for another.
constexpr size_t kMaxTemporaries = 16;

// An operator of the graph with what it has asked for.
struct Node {
  const OperatorSpec* spec = nullptr;
  const OperatorRegistration* registration = nullptr;  // null if there is none
  std::unique_ptr<Kernel> kernel;  // null if there is none of the version
  std::unique_ptr<Kernel> shadow;  // runs in its place; null if the kernel does
  std::string why_shadowed;
  InPlace in_place = InPlace::kNever;  // as it runs
  std::vector<size_t> temporaries;     // tensors
  std::vector<MemoryBlock> data;       // operator data
  bool is_folded = false;              // constants alone: computed once

  Kernel& Running() const { return shadow == nullptr ? *kernel : *shadow; }
};

class GraphRunner {
 public:
  // `state` must outlive this. The resolver has every operator.
  GraphRunner(InterpreterState* state, size_t index);

  absl::Status ResizeInput(size_t i, const Shape& shape);
  absl::Status Prepare();
  absl::Status Allocate();
  absl::Status Invoke();
  void ResetVariables();
  void AddShadowed(std::vector<ShadowedOperator>* all) const;

  const SubgraphSpec& spec() const { return spec_; }
  InterpreterState* state() { return state_; }

 private:
  friend class Subgraph;
  friend class NodeContext;

  std::string Place(size_t node) const;
  // `status` with the place in front.
  absl::Status At(size_t node, const absl::Status& status) const;

  void ResetTensors();
  void ResetTensor(size_t index);
  void FindFolded();
  absl::Status PrepareFrom(size_t node);
  absl::Status PrepareNode(size_t index);
  absl::Status PrepareShadow(size_t index, bool has_memory_of_kernel);
  std::string WhyShadowed(size_t index, const absl::Status& prepared) const;
  bool HasEffect(size_t index) const;
  bool ReadsShadowedIntegers(size_t index) const;
  absl::Status CheckShapesKnown(size_t index) const;
  void TakeShapesOfModel(size_t index);
  void DescribeGraph();
  absl::Status PlanFirst();
  absl::Status PlanNext(size_t first_node);
  absl::Status Commit(size_t node);
  absl::Status Fold();
  absl::Status InvokeNode(size_t node);
  absl::Status Observe(Execution* execution, size_t node, bool is_before);
  void FillExecution(size_t node, Execution* execution);
  void ForgetDynamic();
  void FreeDynamic(size_t node);

  InterpreterState* state_;
  size_t index_;
  const SubgraphSpec& spec_;
  std::vector<Tensor> tensors_;  // of the graph, then temporaries
  std::vector<Shape> input_shapes_;
  std::vector<Node> nodes_;
  size_t prepared_ = 0;         // nodes that are
  size_t always_prepared_ = 0;  // of them, before any shape is computed
  size_t always_tensors_ = 0;   // with the temporaries of these

  ArenaGraph arena_graph_;
  std::vector<Lifetime> lifetimes_;
  ArenaPlan plan_;
  std::string plan_strategy_;
  MemoryBlock arena_;
  MemoryBlock persistent_;
  std::vector<MemoryBlock> dynamic_;  // by tensor; most are empty
  bool is_allocated_ = false;
  size_t invocation_ = 0;
  std::atomic<bool> is_cancelled_{false};
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_GRAPH_RUNNER_H_
