// SPDX-License-Identifier: Apache-2.0
#include "src/harness/graph_runner.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/memory.h"
#include "src/harness/node_context.h"
#include "src/harness/placement.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

// A variable's first content: what stands for the real number 0.
void FillWithZero(Tensor* tensor) {
  if (tensor->bytes == 0) return;
  std::memset(tensor->data, 0, tensor->bytes);
  const int32_t zero_point = tensor->quantization.zero_point();
  if (zero_point == 0) return;
  if (ElementBytes(tensor->type) == 1) {
    std::memset(tensor->data, zero_point, tensor->bytes);
  } else if (tensor->type == ElementType::kInt16) {
    std::fill_n(tensor->as<int16_t>(), tensor->bytes / sizeof(int16_t),
                static_cast<int16_t>(zero_point));
  }
}

}  // namespace

GraphRunner::GraphRunner(InterpreterState* state, size_t index)
    : state_(state),
      index_(index),
      spec_(state->model().subgraphs()[index]),
      nodes_(spec_.operators.size()) {
  for (const size_t tensor : spec_.inputs) {
    input_shapes_.push_back(spec_.tensors[tensor].shape);
  }
  for (size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].spec = &spec_.operators[i];
    nodes_[i].registration =
        state->resolver().Find(nodes_[i].spec->name, nodes_[i].spec->is_custom);
    if (state->WhyUnsupported(*nodes_[i].spec).empty()) {
      nodes_[i].kernel = nodes_[i].registration->create();
    }
  }
  ResetTensors();
}

std::string GraphRunner::Place(size_t node) const {
  return absl::StrCat(state_->model().name(), ": subgraph ", index_, ", ",
                      spec_.OperatorPlace(node));
}

absl::Status GraphRunner::At(size_t node, const absl::Status& status) const {
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat(Place(node), ": ", status.message()));
}

absl::Status GraphRunner::ResizeInput(size_t i, const Shape& shape) {
  const std::string place = absl::StrCat(state_->model().name(), ": subgraph ",
                                         index_, ", input ", i);
  if (i >= spec_.inputs.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        place, ": the subgraph has ", spec_.inputs.size(), " inputs"));
  }
  const TensorSpec& tensor = spec_.tensors[spec_.inputs[i]];
  const Shape& fixed = tensor.signature;
  bool fits = shape.size() == tensor.shape.size();
  for (size_t d = 0; fits && d < fixed.size(); ++d) {
    fits = fixed[d] == -1 || fixed[d] == shape[d];
  }
  if (!fits) {
    return absl::InvalidArgumentError(
        absl::StrCat(place, ": resized to ", ShapeText(shape), ": expected ",
                     ShapeText(fixed.empty() ? tensor.shape : fixed),
                     fixed.empty() ? " or as many dimensions" : ""));
  }
  const absl::StatusOr<size_t> bytes = TensorBytes(tensor.type, shape);
  if (!bytes.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(place, ": ", bytes.status().message()));
  }
  input_shapes_[i] = shape;
  is_allocated_ = false;
  return absl::OkStatus();
}

void GraphRunner::ResetTensors() {
  for (Node& node : nodes_) {
    node.temporaries.clear();
    node.data.clear();
  }
  tensors_.clear();
  tensors_.reserve(spec_.tensors.size() + nodes_.size() * kMaxTemporaries);
  tensors_.resize(spec_.tensors.size());
  dynamic_.clear();
  dynamic_.resize(tensors_.size());
  for (size_t i = 0; i < tensors_.size(); ++i) ResetTensor(i);
  for (size_t i = 0; i < spec_.inputs.size(); ++i) {
    Tensor& tensor = tensors_[spec_.inputs[i]];
    tensor.shape = input_shapes_[i];
    tensor.bytes = TensorBytes(tensor.type, tensor.shape).value_or(0);
  }
  FindFolded();
}

void GraphRunner::ResetTensor(size_t index) {
  const TensorSpec& spec = spec_.tensors[index];
  Tensor& tensor = tensors_[index];
  tensor.name = spec.name;
  tensor.type = spec.type;
  tensor.shape = spec.shape;
  tensor.quantization = spec.quantization;
  tensor.is_variable = spec.is_variable;
  tensor.data = nullptr;
  dynamic_[index] = MemoryBlock();
  if (spec.is_constant) {
    tensor.storage = Storage::kConstant;
    tensor.bytes = spec.data.size();
    // Kernels see constants as const: input() is.
    tensor.data = const_cast<uint8_t*>(spec.data.data());
    return;
  }
  tensor.bytes = spec.bytes;
  if (spec.is_variable) {
    tensor.storage = Storage::kPersistent;
  } else if (ElementBits(spec.type) > 0) {
    tensor.storage = Storage::kArena;
  }
}

void GraphRunner::FindFolded() {
  for (Node& node : nodes_) {
    const auto is_folded = [&](size_t t) {
      return t == kAbsent || spec_.tensors[t].is_folded;
    };
    node.is_folded = node.registration != nullptr &&
                     node.registration->folds_constants &&
                     absl::c_all_of(node.spec->outputs, is_folded);
    if (!node.is_folded) continue;
    for (const size_t t : node.spec->outputs) {
      if (t != kAbsent) tensors_[t].storage = Storage::kPersistent;
    }
  }
}

absl::Status GraphRunner::Prepare() {
  is_allocated_ = false;
  invocation_ = 0;
  plan_ = ArenaPlan();
  arena_ = MemoryBlock();
  persistent_ = MemoryBlock();
  ResetTensors();
  prepared_ = 0;
  if (absl::Status status = PrepareFrom(0); !status.ok()) return status;
  DescribeGraph();
  const InterpreterOptions& options = state_->options();
  LifetimeOptions lifetime_options;
  lifetime_options.rules = options.lifetimes;
  lifetime_options.io = options.io_lifetime;
  lifetime_options.preserve_all = options.preserve_all_tensors;
  lifetime_options.sharing_nodes = prepared_;
  lifetimes_ = PlanLifetimes(arena_graph_, lifetime_options);
  return absl::OkStatus();
}

absl::Status GraphRunner::Allocate() {
  absl::Status status = Prepare();
  if (status.ok()) status = PlanFirst();
  if (status.ok()) status = Commit(0);
  if (status.ok()) status = Fold();
  if (!status.ok()) return status;
  always_prepared_ = prepared_;
  always_tensors_ = tensors_.size();
  ResetVariables();
  is_allocated_ = true;
  return absl::OkStatus();
}

// Up to and with the first whose outputs have a shape that it computes.
absl::Status GraphRunner::PrepareFrom(size_t node) {
  bool is_dynamic = false;
  for (; node < nodes_.size() && !is_dynamic; ++node) {
    const absl::Status status = PrepareNode(node);
    if (!status.ok()) return At(node, status);
    for (const size_t t : nodes_[node].spec->outputs) {
      is_dynamic = is_dynamic ||
                   (t != kAbsent && tensors_[t].storage == Storage::kDynamic);
    }
    prepared_ = node + 1;
  }
  return absl::OkStatus();
}

void GraphRunner::DescribeGraph() {
  ArenaGraph graph;
  for (const Tensor& tensor : tensors_) {
    graph.tensors.push_back({tensor.bytes, tensor.storage});
  }
  const auto& may_share = state_->options().in_place;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    graph.nodes.push_back(
        {node.spec->inputs, node.spec->outputs, node.temporaries,
         may_share == nullptr || may_share(index_, i) ? node.in_place
                                                      : InPlace::kNever});
  }
  graph.inputs = spec_.inputs;
  graph.outputs = spec_.outputs;
  for (size_t t = 0; t < spec_.tensors.size(); ++t) {
    if (spec_.tensors[t].is_variable) graph.variables.push_back(t);
  }
  arena_graph_ = std::move(graph);
}

absl::Status GraphRunner::PlanFirst() {
  size_t sum = 0;
  for (size_t t = 0; t < tensors_.size(); ++t) {
    if (tensors_[t].storage == Storage::kConstant) continue;
    const absl::optional<size_t> next = CheckedAdd(sum, tensors_[t].bytes);
    if (!next || tensors_[t].bytes > state_->budget()->limit()) {
      return absl::ResourceExhaustedError(absl::StrCat(
          state_->model().name(), ": subgraph ", index_, ", tensor ", t,
          ": it takes ", tensors_[t].bytes, " bytes: the memory limit is ",
          state_->budget()->limit()));
    }
    sum = *next;
  }
  absl::StatusOr<Placement> placement =
      PlaceFirst(arena_graph_, lifetimes_, prepared_ == 0 ? 0 : prepared_ - 1,
                 state_->options());
  if (!placement.ok()) {
    return absl::Status(
        placement.status().code(),
        absl::StrCat(state_->model().name(), ": subgraph ", index_, ": ",
                     placement.status().message()));
  }
  plan_ = std::move(placement->plan);
  plan_strategy_ = std::move(placement->strategy);
  return absl::OkStatus();
}

// Around what is placed, for its bytes are in use.
absl::Status GraphRunner::PlanNext(size_t first_node) {
  DescribeGraph();
  const bool preserves = state_->options().preserve_all_tensors;
  for (size_t t = lifetimes_.size(); t < tensors_.size(); ++t) {
    lifetimes_.push_back({absl::nullopt, absl::nullopt, t});
  }
  for (size_t node = first_node; node < prepared_; ++node) {
    for (const size_t t : nodes_[node].temporaries) {
      lifetimes_[t] = {node, preserves ? absl::optional<size_t>() : node, t};
    }
  }
  const absl::Status status =
      PlaceTensors(arena_graph_, lifetimes_, first_node, prepared_ - 1,
                   state_->options().tensor_alignment, &plan_);
  return At(first_node, status);
}

// Gives tensors the bytes that the plan says. What is alive when `node` is
// about to run moves along if the arena grows.
absl::Status GraphRunner::Commit(size_t node) {
  const InterpreterOptions& options = state_->options();
  const absl::optional<size_t> arena_bytes =
      CheckedAdd(plan_.arena_bytes, options.guard_bytes);
  if (!arena_bytes) return absl::ResourceExhaustedError("guard bytes");
  MemoryBlock old_arena;
  MemoryBlock old_persistent;
  const auto grow = [&](MemoryBlock* block, size_t bytes, MemoryBlock* old) {
    if (block->size() >= bytes) return absl::OkStatus();
    absl::StatusOr<MemoryBlock> memory = MemoryBlock::Allocate(
        bytes, options.tensor_alignment, state_->budget());
    if (!memory.ok()) return At(node, memory.status());
    *old = std::move(*block);
    *block = *std::move(memory);
    return absl::OkStatus();
  };
  absl::Status status = grow(&arena_, *arena_bytes, &old_arena);
  if (status.ok()) {
    status = grow(&persistent_, plan_.persistent_bytes, &old_persistent);
  }
  if (!status.ok()) return status;
  for (size_t t = 0; t < tensors_.size(); ++t) {
    Tensor& tensor = tensors_[t];
    const bool is_persistent = tensor.storage == Storage::kPersistent;
    if (!is_persistent && tensor.storage != Storage::kArena) continue;
    const absl::optional<size_t>& offset = plan_.offsets[lifetimes_[t].root];
    if (!offset) continue;
    const MemoryBlock& block = is_persistent ? persistent_ : arena_;
    const MemoryBlock& old = is_persistent ? old_persistent : old_arena;
    tensor.data = block.data() + *offset;
    const Lifetime& life = lifetimes_[lifetimes_[t].root];
    const bool is_alive = life.first && *life.first < node &&
                          (is_persistent || !life.last || *life.last >= node);
    if (old.data() != nullptr && is_alive && lifetimes_[t].root == t) {
      std::memcpy(tensor.data, old.data() + *offset, tensor.bytes);
    }
  }
  return absl::OkStatus();
}

absl::Status GraphRunner::Fold() {
  for (size_t node = 0; node < prepared_; ++node) {
    if (!nodes_[node].is_folded) continue;
    NodeContext context(this, node, NodeContext::Phase::kInvoke);
    const absl::Status status = nodes_[node].Running().Invoke(context);
    if (!status.ok()) return At(node, status);
  }
  return absl::OkStatus();
}

void GraphRunner::ResetVariables() {
  for (Tensor& tensor : tensors_) {
    if (tensor.is_variable && tensor.data != nullptr) FillWithZero(&tensor);
  }
}

absl::Status GraphRunner::Invoke() {
  if (!is_allocated_) {
    return absl::FailedPreconditionError(
        absl::StrCat(state_->model().name(), ": subgraph ", index_,
                     ": invoked without memory: expected Allocate before"));
  }
  ForgetDynamic();
  for (size_t node = 0; node < nodes_.size(); ++node) {
    if (is_cancelled_.exchange(false)) {
      return absl::CancelledError(absl::StrCat(Place(node), ": cancelled"));
    }
    absl::Status status = absl::OkStatus();
    if (node == prepared_) {
      status = PrepareFrom(node);
      if (status.ok()) status = PlanNext(node);
      if (status.ok()) status = Commit(node);
    }
    if (status.ok()) status = InvokeNode(node);
    if (!status.ok()) {
      // A check that has closed what is dead is not called any more.
      MakeAccessible(arena_.data(), arena_.size());
      return status;
    }
  }
  ++invocation_;
  return absl::OkStatus();
}

absl::Status GraphRunner::InvokeNode(size_t node) {
  // Those that are prepared before anything runs were computed then.
  if (nodes_[node].is_folded && node < always_prepared_) {
    return absl::OkStatus();
  }
  const bool is_observed = !state_->options().observers.empty();
  Execution execution;
  if (is_observed) {
    FillExecution(node, &execution);
    absl::Status status = Observe(&execution, node, true);
    if (!status.ok()) return status;
  }
  NodeContext context(this, node, NodeContext::Phase::kInvoke);
  absl::Status status = nodes_[node].Running().Invoke(context);
  if (!status.ok()) return At(node, status);
  if (is_observed) {
    status = Observe(&execution, node, false);
    if (!status.ok()) return status;
  }
  FreeDynamic(node);
  return absl::OkStatus();
}

absl::Status GraphRunner::Observe(Execution* execution, size_t node,
                                  bool is_before) {
  const auto& observers = state_->options().observers;
  for (size_t i = 0; i < observers.size(); ++i) {
    const absl::Status status =
        is_before
            ? observers[i]->BeforeOperator(*execution)
            : observers[observers.size() - 1 - i]->AfterOperator(*execution);
    if (!status.ok()) return At(node, status);
  }
  return absl::OkStatus();
}

void GraphRunner::FillExecution(size_t node, Execution* execution) {
  execution->graph = &spec_;
  execution->subgraph = index_;
  execution->node = node;
  execution->invocation = invocation_;
  execution->place = Place(node);
  execution->tensors = absl::MakeSpan(tensors_);
  execution->lifetimes = lifetimes_;
  execution->plan = &plan_;
  execution->arena = absl::MakeSpan(arena_.data(), arena_.size());
  for (const size_t t : nodes_[node].spec->inputs) {
    if (t == kAbsent) continue;
    execution->reads.push_back(t);
    if (tensors_[t].is_variable) execution->writes.push_back(t);
  }
  for (const size_t t : nodes_[node].spec->outputs) {
    if (t != kAbsent) execution->writes.push_back(t);
  }
  for (const size_t t : nodes_[node].temporaries) {
    execution->writes.push_back(t);
  }
}

// What the last run found out about shapes does not hold for this one.
void GraphRunner::ForgetDynamic() {
  if (always_prepared_ == nodes_.size()) return;
  prepared_ = always_prepared_;
  tensors_.resize(always_tensors_);
  dynamic_.resize(always_tensors_);
  lifetimes_.resize(always_tensors_);
  plan_.offsets.resize(always_tensors_);
  for (size_t t = 0; t < tensors_.size(); ++t) {
    const absl::optional<size_t>& first = lifetimes_[t].first;
    if (first && *first >= prepared_ &&
        tensors_[t].storage != Storage::kPersistent) {
      plan_.offsets[t] = absl::nullopt;
    }
    if (t < spec_.tensors.size() && first && *first >= prepared_ &&
        !spec_.tensors[t].is_variable && !spec_.tensors[t].is_constant) {
      ResetTensor(t);
    }
  }
}

void GraphRunner::FreeDynamic(size_t node) {
  if (state_->options().preserve_all_tensors) return;
  for (const size_t t : nodes_[node].spec->inputs) {
    if (t == kAbsent || tensors_[t].storage != Storage::kDynamic) continue;
    const Lifetime& lifetime = lifetimes_[lifetimes_[t].root];
    if (lifetime.root == t && lifetime.last == node) {
      dynamic_[t] = MemoryBlock();
      tensors_[t].data = nullptr;
      tensors_[t].bytes = 0;
    }
  }
}

}  // namespace stowage::harness
