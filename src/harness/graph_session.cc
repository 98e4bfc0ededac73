// SPDX-License-Identifier: Apache-2.0
#include "src/harness/graph_session.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/harness/memory.h"
#include "src/harness/placement.h"
#include "src/harness/running_graph.h"
#include "stowage/error_payload.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/sharing.h"

namespace stowage::harness {
namespace {

// Fills a variable with its initial value, which is the number 0 (for a
// quantized variable: its zero point).
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

// Checks that the model permits this shape of the tensor.
absl::Status CheckInputShape(const TensorSpec& tensor, const Shape& shape) {
  const Shape& fixed = tensor.signature;
  bool fits = shape.size() == tensor.shape.size();
  for (size_t d = 0; fits && d < fixed.size(); ++d) {
    fits = fixed[d] == -1 || fixed[d] == shape[d];
  }
  if (!fits) {
    return absl::InvalidArgumentError(
        absl::StrCat("resized to ", ShapeText(shape), "; expected ",
                     ShapeText(fixed.empty() ? tensor.shape : fixed),
                     fixed.empty() ? " or as many dimensions" : ""));
  }
  return TensorBytes(tensor.type, shape).status();
}

}  // namespace

GraphSession::GraphSession(SharedState* shared, size_t index)
    : shared_(shared),
      index_(index),
      graph_(shared, index),
      memory_(shared->options.guard_bytes, &shared->budget) {}

absl::Status GraphSession::ResizeInput(size_t i, const Shape& shape) {
  if (absl::Status status = CheckNotRunning(); !status.ok()) return status;
  const absl::Status status =
      i < spec().inputs.size()
          ? CheckInputShape(spec().tensors[spec().inputs[i]], shape)
          : absl::InvalidArgumentError(
                absl::StrCat("no such input; expected an index below ",
                             spec().inputs.size()));
  if (!status.ok()) {
    return AtPlace(absl::StrCat(graph_.Place(), ", input ", i), status);
  }
  if (tensor(spec().inputs[i]).shape == shape && !is_changed_) {
    return absl::OkStatus();
  }
  graph_.tensors().SetInputShape(i, shape);
  is_changed_ = true;
  is_allocated_ = false;
  return absl::OkStatus();
}

void GraphSession::DescribePlan() {
  plan_.graph = graph_.Describe();
  plan_.prepared_nodes = graph_.prepared();
}

absl::Status GraphSession::Prepare() {
  if (absl::Status status = CheckNotRunning(); !status.ok()) return status;
  const BusyMark busy(&is_running_);
  return PrepareAll();
}

// Discards the plan and frees the arenas. Allocate must follow.
void GraphSession::ForgetMemory() {
  is_allocated_ = false;
  plan_ = MemoryPlan();
  FreeArenas();
}

absl::Status GraphSession::PrepareAll() {
  ForgetMemory();
  absl::Status status = PrepareGraph();
  if (!is_prepared_) return status;
  if (absl::Status ordered = OrderTasks(); !ordered.ok()) {
    is_prepared_ = false;
    return ordered;
  }
  PlanAllLifetimes();
  return status;
}

void GraphSession::FreeArenas() {
  memory_.Free();
  for (Tensor& tensor : graph_.tensors().all()) {
    if (tensor.storage == Storage::kArena ||
        tensor.storage == Storage::kPersistent) {
      tensor.data = nullptr;
    }
  }
}

void GraphSession::PlanAllLifetimes() {
  const InterpreterOptions& options = shared_->options;
  plan_ = MemoryPlan();
  plan_.alignment = options.tensor_alignment;
  plan_.places = graph_.TaskPlaces();
  DescribePlan();
  plan_.order = order_;
  LifetimeOptions lifetime_options;
  lifetime_options.rules = options.lifetimes;
  lifetime_options.io = options.io_lifetime;
  lifetime_options.preserve_all = options.preserve_all_tensors;
  lifetime_options.sharing_nodes = plan_.prepared_nodes;
  lifetime_options.order = plan_.order ? &*plan_.order : nullptr;
  if (options.sharing == Sharing::kNone) lifetime_options.sharing_nodes = 0;
  if (options.sharing == Sharing::kGroups &&
      options.lifetimes == LifetimeRules::kCpu) {
    SharedBodies shared = FindSharedBodies(plan_.graph, lifetime_options,
                                           options.tensor_alignment);
    plan_.lifetimes = std::move(shared.lifetimes);
    plan_.tensor_places = std::move(shared.places);
  } else {
    plan_.lifetimes = PlanLifetimes(plan_.graph, lifetime_options);
  }
  if (plan_.order) {
    plan_.users = UsersOf(plan_.graph, plan_.lifetimes, *plan_.order);
  }
}

absl::Status GraphSession::Allocate() {
  if (absl::Status status = CheckNotRunning(); !status.ok()) return status;
  const BusyMark busy(&is_running_);
  return AllocateAll();
}

absl::Status GraphSession::AllocateAll() {
  // If the only change is that the caller has replaced memory that it provided,
  // a check of the new memory is enough.
  if (is_allocated_ && is_custom_exchanged_) {
    absl::Status status = CheckCustomAllocations();
    is_custom_exchanged_ = !status.ok();
    return status;
  }
  const std::vector<Applied> applied = applied_;
  const size_t rejected = rejected_.size();
  absl::Status status = PrepareAll();
  if (is_prepared_) {
    absl::Status allocated = AllocatePlanned();
    allocated = AllocateWithFewer(allocated);
    // `status` is the error of a delegate that could not be applied again. The
    // graph runs without that delegate.
    if (is_allocated_) {
      status.Update(allocated);
    } else {
      status = allocated;
    }
  }
  if (!is_allocated_) KeepDelegates(applied, rejected);
  return status;
}

// Allocates memory for the tasks that are prepared, after their lifetimes are
// planned.
absl::Status GraphSession::AllocatePlanned() {
  absl::Status status = CheckSizes();
  if (status.ok()) status = CheckCustomAllocations();
  if (!status.ok()) return status;
  status = PlaceFirst(shared_->options, &plan_);
  if (status.ok()) status = memory_.Bind(plan_, 0, graph_.tensors().all());
  if (!status.ok()) {
    return AtPlace(graph_.Place(), status);
  }
  graph_.buffers().ForgetContents();
  if (status = Fold(); !status.ok()) return status;
  ResetVariables();
  invocation_ = 0;
  is_allocated_ = true;
  is_custom_exchanged_ = false;
  return absl::OkStatus();
}

// Checks the sizes of tensors before they are placed, since a strategy may take
// long before it finds that they do not fit.
absl::Status GraphSession::CheckSizes() const {
  const size_t limit = shared_->budget.limit();
  size_t sum = 0;
  for (size_t t = 0; t < plan_.graph.tensors.size(); ++t) {
    const ArenaTensor& tensor = plan_.graph.tensors[t];
    if (tensor.storage == Storage::kConstant) continue;
    const absl::optional<size_t> next = CheckedAdd(sum, tensor.bytes);
    if (tensor.bytes > limit) {
      return WithTensor(
          absl::ResourceExhaustedError(absl::StrCat(
              graph_.Place(), ", tensor ", t, ": ", tensor.bytes,
              " bytes; expected at most ", limit, ", the memory limit")),
          t);
    }
    if (!next) {
      return absl::ResourceExhaustedError(
          absl::StrCat(graph_.Place(),
                       ": the sizes of its tensors overflow 64 "
                       "bits together; expected less"));
    }
    sum = *next;
  }
  return absl::OkStatus();
}

absl::Status GraphSession::Fold() {
  for (size_t task = 0; task < graph_.prepared(); ++task) {
    if (!graph_.IsFolded(task)) continue;
    absl::Status status = MakeInputsReadable(task);
    if (status.ok()) status = RunTask(task);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

void GraphSession::ResetVariables() {
  for (size_t t = 0; t < spec().tensors.size(); ++t) {
    Tensor& tensor = graph_.tensors()[t];
    if (!tensor.is_variable || tensor.data == nullptr ||
        tensor.storage == Storage::kCustom) {
      continue;
    }
    FillWithZero(&tensor);
    graph_.buffers().MarkWritten(t);
  }
}

absl::Status GraphSession::Invoke() {
  if (absl::Status status = CheckNotRunning(); !status.ok()) return status;
  if (!is_allocated_ || is_custom_exchanged_) {
    return absl::FailedPreconditionError(absl::StrCat(
        graph_.Place(), ": invoked without memory; expected Allocate first"));
  }
  const BusyMark busy(&is_running_);
  return shared_->options.delegate_fallback && !applied_.empty()
             ? InvokeWithFallback()
             : RunTasks();
}

absl::Status GraphSession::RunTasks() {
  failed_delegate_ = nullptr;
  ++run_;
  absl::Status status = absl::OkStatus();
  ForgetComputedShapes();
  if (shared_->options.moves_arena) status = MoveArena();
  if (status.ok()) status = plan_.order ? RunOnStreams() : RunInTurn();
  if (status.ok() && !allows_buffer_output_) {
    status = MakeReadable(spec().outputs);
  }
  if (!status.ok()) {
    // Observers are not called any more. One of them may have made bytes
    // inaccessible that are not live.
    MakeAccessible(memory_.arena().data(), memory_.arena().size());
    return status;
  }
  ++invocation_;
  return absl::OkStatus();
}

absl::Status GraphSession::RunInTurn() {
  absl::Status status = absl::OkStatus();
  for (size_t task = 0; task < graph_.tasks().size() && status.ok(); ++task) {
    if (is_cancelled_.exchange(false)) return CancelledAt(task);
    if (task == graph_.prepared()) status = PlanMore();
    if (status.ok()) status = InvokeTask(task);
    // A single delegate node may take most of the time of the run, so
    // cancellation is also checked after it.
    if (status.ok() && graph_.NodeOf(task).delegated != nullptr &&
        is_cancelled_.exchange(false)) {
      status = CancelledAt(task);
    }
  }
  return status;
}

absl::Status GraphSession::CancelledAt(size_t task) const {
  return absl::CancelledError(absl::StrCat(graph_.Place(task), ": cancelled"));
}

absl::Status GraphSession::MoveArena() {
  absl::Status status = memory_.Move(plan_.alignment);
  if (status.ok()) status = memory_.Bind(plan_, 0, graph_.tensors().all());
  return status.ok() ? status : AtPlace(graph_.Place(), status);
}

// Prepares further nodes during a run and places their tensors around the
// tensors that already have a place, whose bytes are in use. After an error
// none of the new tensors is left.
absl::Status GraphSession::PlanMore() {
  absl::Status status = PlaceMore();
  if (!status.ok()) ForgetComputedShapes();
  return status;
}

absl::Status GraphSession::PlaceMore() {
  const size_t task = graph_.prepared();
  absl::Status status = graph_.PrepareMore();
  if (!status.ok()) return OfDelegate(graph_.prepared(), status);
  // Some of these tensors now have a size that was not known before.
  if (status = CheckCustomAllocations(); !status.ok()) return status;
  DescribePlan();
  status = PlaceNext(task, shared_->options.preserve_all_tensors, &plan_);
  if (status.ok()) status = memory_.Bind(plan_, task, graph_.tensors().all());
  return graph_.At(task, status);
}

absl::Status GraphSession::InvokeTask(size_t task) {
  // Tasks that are folded and that were prepared before the run have been
  // computed before the run.
  if (graph_.IsFolded(task) && task < graph_.always_prepared()) {
    return absl::OkStatus();
  }
  if (graph_.buffers().any()) {
    absl::Status status = MakeInputsReadable(task);
    if (!status.ok()) return status;
    MarkWritten(task);
  }
  absl::Status status =
      shared_->options.observers.empty() ? RunTask(task) : RunObserved(task);
  if (status.ok()) FreeLastRead(task);
  return status;
}

absl::Status GraphSession::RunTask(size_t task) {
  const absl::Status status = graph_.Run(task);
  return status.ok() ? status : OfDelegate(task, status);
}

// Returns the error of a task. If a delegate runs the task, its name is added
// to the error.
absl::Status GraphSession::OfDelegate(size_t task, const absl::Status& status) {
  const DelegatedNode* const node = graph_.NodeOf(task).delegated.get();
  if (node == nullptr) return status;
  failed_delegate_ = node->delegate;
  return WithDelegate(status, node->info.name);
}

absl::Status GraphSession::RunObserved(size_t task) {
  Execution execution;
  absl::Status status;
  {
    const std::lock_guard<std::recursive_mutex> lock(shared_->observing);
    if (plan_.order) states_[task] = TaskState::kRunning;
    execution = ExecutionOf(task);
    status = Observe(execution, true);
  }
  if (status.ok()) status = RunTask(task);
  if (!status.ok()) return status;
  const std::lock_guard<std::recursive_mutex> lock(shared_->observing);
  for (const size_t t : execution.writes) {
    if (graph_.buffers().IsStale(t)) execution.stale.push_back(t);
  }
  status = Observe(execution, false);
  if (plan_.order) states_[task] = TaskState::kFinished;
  return status;
}

absl::Status GraphSession::Observe(const Execution& execution,
                                   bool is_before) const {
  const auto& observers = shared_->options.observers;
  for (size_t i = 0; i < observers.size(); ++i) {
    const absl::Status status =
        is_before
            ? observers[i]->BeforeOperator(execution)
            : observers[observers.size() - 1 - i]->AfterOperator(execution);
    if (!status.ok()) return graph_.At(execution.node, status);
  }
  return absl::OkStatus();
}

Execution GraphSession::ExecutionOf(size_t task) {
  Execution execution;
  execution.graph = &spec();
  execution.op = &graph_.SpecOf(task);
  execution.subgraph = index_;
  execution.node = task;
  execution.id = static_cast<int>(graph_.tasks()[task].node);
  execution.step = graph_.tasks()[task].step;
  execution.invocation = invocation_;
  execution.run = run_;
  if (plan_.order) execution.states = states_;
  execution.place = graph_.Place(task);
  execution.tensors = graph_.tensors().all();
  execution.lifetimes = plan_.lifetimes;
  execution.plan = &plan_;
  execution.arena = memory_.arena();
  const ArenaNode& described = plan_.graph.nodes[task];
  for (const size_t t : described.inputs) {
    if (t == kAbsent) continue;
    execution.reads.push_back(t);
    if (tensor(t).is_variable) execution.writes.push_back(t);
  }
  for (const size_t t : described.outputs) {
    if (t != kAbsent) execution.writes.push_back(t);
  }
  for (const size_t t : described.temporaries) execution.writes.push_back(t);
  return execution;
}

// Discards the shapes that were computed from data in the last run, since they
// do not hold for this run.
void GraphSession::ForgetComputedShapes() {
  const size_t prepared = graph_.always_prepared();
  if (prepared == graph_.tasks().size()) return;
  graph_.Rewind();
  plan_.lifetimes.resize(graph_.tensors().size());
  plan_.offsets.resize(graph_.tensors().size());
  if (!plan_.tensor_places.empty()) {
    plan_.tensor_places.resize(graph_.tensors().size());
  }
  for (size_t t = 0; t < plan_.lifetimes.size(); ++t) {
    const absl::optional<size_t>& first = plan_.lifetimes[t].first;
    if (!first || *first < prepared) continue;
    if (tensor(t).storage != Storage::kPersistent) {
      plan_.offsets[t] = absl::nullopt;
    }
    if (t < spec().tensors.size() && !spec().tensors[t].is_variable &&
        !spec().tensors[t].is_constant) {
      graph_.tensors().ResetTensor(t);
    }
  }
  DescribePlan();
}

// Frees the dynamic tensors that this task is the last to read.
void GraphSession::FreeLastRead(size_t task) {
  if (shared_->options.preserve_all_tensors) return;
  for (const size_t t : plan_.graph.nodes[task].inputs) {
    if (t == kAbsent || tensor(t).storage != Storage::kDynamic) continue;
    const Lifetime& lifetime = plan_.lifetimes[plan_.lifetimes[t].root];
    if (lifetime.root == t && lifetime.last == task) {
      graph_.tensors().FreeDynamic(t);
    }
  }
}

size_t GraphSession::operator_data_bytes() const {
  size_t bytes = 0;
  for (const Node& node : graph_.nodes()) {
    for (const MemoryBlock& block : node.data) bytes += block.size();
  }
  return bytes;
}

void GraphSession::AddShadowed(std::vector<ShadowedOperator>* all) const {
  for (size_t task = 0; task < graph_.prepared(); ++task) {
    const Node& node = graph_.NodeOf(task);
    if (node.shadow == nullptr) continue;
    all->push_back({index_, graph_.tasks()[task].node, node.spec->TypeText(),
                    node.why_shadowed});
  }
}

}  // namespace stowage::harness
