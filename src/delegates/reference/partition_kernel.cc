// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/reference/partition_kernel.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/delegates/reference/inner_tensors.h"
#include "src/delegates/reference/node_context.h"
#include "stowage/assignment.h"
#include "stowage/error_payload.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/kernel_tools.h"
#include "stowage/harness/memory_budget.h"
#include "stowage/harness/operator.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"

namespace stowage::harness::reference {
namespace {

// The strategy that plans the memory inside a partition. It is fast, and its
// plans are close to the lower bound.
constexpr char kStrategy[] = "greedy_best";

// An output may share memory with one of the first kMaxSharedInputs inputs
// (storage.h).
constexpr size_t kMaxSharedInputs = 3;

std::vector<size_t> PresentOf(const std::vector<size_t>& tensors) {
  std::vector<size_t> present;
  absl::c_copy_if(tensors, std::back_inserter(present),
                  [](size_t t) { return t != kAbsent; });
  return present;
}

// Returns the InPlace flags of a step, which identify inputs by position. A
// step does not list absent inputs. If one of the first inputs of the operator
// is absent, the inputs after it have different positions in the step than in
// the operator, so the result is kNever.
InPlace InPlaceOfStep(const InnerNode& node) {
  const std::vector<size_t>& inputs = node.spec->inputs;
  const size_t count = std::min(inputs.size(), kMaxSharedInputs);
  const bool is_renumbered =
      std::find(inputs.begin(), inputs.begin() + static_cast<ptrdiff_t>(count),
                kAbsent) != inputs.begin() + static_cast<ptrdiff_t>(count);
  const bool has_output =
      !node.spec->outputs.empty() && node.spec->outputs[0] != kAbsent;
  return has_output && !is_renumbered ? node.in_place : InPlace::kNever;
}

// The offsets in the workspace of the tensors inside the partition. All other
// tensors have offset 0.
struct InnerPlan {
  std::vector<size_t> offsets;  // is indexed by tensor
  size_t bytes = 0;
};

absl::StatusOr<InnerPlan> PlanInside(const ArenaGraph& graph,
                                     const std::vector<Lifetime>& lifetimes) {
  const ArenaRecords records =
      RecordsOf(graph, lifetimes, graph.nodes.size() - 1);
  ProblemSpec spec;
  spec.records = records.records;
  spec.alignment = kMinTensorAlignment;
  spec.place_first = PlacedFirst(records, lifetimes);
  STOWAGE_ASSIGN_OR_RETURN(const Problem problem,
                           Problem::Create(std::move(spec)));
  STOWAGE_ASSIGN_OR_RETURN(const Solution solution, Solve(problem, kStrategy));
  // The problem has no capacity, so it always has a solution with offsets.
  const OffsetsAssignment& placed = *solution.offsets();
  InnerPlan plan;
  plan.bytes = placed.total_size;
  plan.offsets.resize(graph.tensors.size());
  for (size_t i = 0; i < records.tensors.size(); ++i) {
    plan.offsets[records.tensors[i]] = placed.offsets[i];
  }
  return plan;
}

}  // namespace

PartitionKernel::PartitionKernel(const DelegateGraph& graph,
                                 const DelegatePartition& partition,
                                 MemoryKind memory)
    : memory_(memory) {
  if (memory_ != MemoryKind::kTransparent) FindInside(graph, partition);
  for (const int id : partition.nodes) {
    InnerNode node;
    node.id = static_cast<size_t>(id);
    node.spec = &graph.spec().operators[node.id];
    const OperatorRegistration& registration =
        *graph.resolver().Find(node.spec->name, node.spec->is_custom);
    node.kernel = registration.create();
    node.in_place = registration.in_place;
    node.is_folded =
        registration.folds_constants && IsFolded(*node.spec, graph);
    nodes_.push_back(std::move(node));
  }
}

// Finds the tensors that nodes of the partition write and no node outside the
// partition reads.
void PartitionKernel::FindInside(const DelegateGraph& graph,
                                 const DelegatePartition& partition) {
  for (const int id : partition.nodes) {
    const OperatorSpec& op = graph.spec().operators[static_cast<size_t>(id)];
    for (const size_t t : op.outputs) {
      if (t != kAbsent && !absl::c_binary_search(partition.outputs, t)) {
        inside_.push_back(t);
      }
    }
  }
  absl::c_sort(inside_);
}

bool PartitionKernel::IsFolded(const OperatorSpec& op,
                               const DelegateGraph& graph) const {
  return absl::c_all_of(op.outputs, [&](size_t t) {
    return t == kAbsent || (graph.spec().tensors[t].is_folded &&
                            absl::c_binary_search(inside_, t));
  });
}

std::vector<PartitionStep> PartitionKernel::Steps() const {
  std::vector<PartitionStep> steps;
  if (memory_ != MemoryKind::kTransparent) return steps;
  for (const InnerNode& node : nodes_) {
    steps.push_back({node.spec->TypeText(), PresentOf(node.spec->inputs),
                     PresentOf(node.spec->outputs), InPlaceOfStep(node)});
  }
  return steps;
}

absl::Status PartitionKernel::At(const PartitionContext& context,
                                 const InnerNode& node,
                                 const absl::Status& status) const {
  // In a transparent partition, the interpreter adds the name of the operator
  // to the error of a step.
  if (status.ok() || memory_ == MemoryKind::kTransparent) return status;
  return AtPlace(context.graph().spec().OperatorPlace(node.id), status);
}

absl::Status PartitionKernel::Prepare(PartitionContext& context) {
  tensors_.Clear();
  tensor_places_.clear();
  temporary_places_.clear();
  for (const size_t t : inside_) {
    tensors_.AddInside(t, context.graph().tensor(t));
  }
  absl::Status status = PrepareNodes(context);
  if (status.ok()) status = Fold(context);
  if (!status.ok()) return status;
  return memory_ == MemoryKind::kTransparent ? AddWorkspaces(context)
                                             : PlanWorkspace(context);
}

absl::Status PartitionKernel::PrepareNodes(PartitionContext& context) {
  late_ = nodes_.size();
  for (size_t i = 0; i < late_; ++i) {
    NodeContext node(&context, &tensors_, &nodes_[i], Phase::kPrepare);
    const absl::Status status = node.Prepare();
    if (!status.ok()) return At(context, nodes_[i], status);
    if (absl::c_any_of(nodes_[i].spec->outputs,
                       [&](size_t t) { return tensors_.IsComputed(t); })) {
      late_ = i + 1;
    }
  }
  return MakeLateOutputsDynamic(context);
}

absl::Status PartitionKernel::MakeLateOutputsDynamic(
    PartitionContext& context) {
  for (size_t i = late_; i < nodes_.size(); ++i) {
    for (const size_t t : nodes_[i].spec->outputs) {
      if (t == kAbsent) continue;
      const absl::Status status = tensors_.MakeDynamic(context, t);
      if (!status.ok()) return At(context, nodes_[i], status);
    }
  }
  return absl::OkStatus();
}

absl::Status PartitionKernel::Fold(PartitionContext& context) {
  for (size_t i = 0; i < late_; ++i) {
    InnerNode& node = nodes_[i];
    if (!node.is_folded) continue;
    absl::Status status = absl::OkStatus();
    for (const size_t t : PresentOf(node.spec->outputs)) {
      tensors_.own(t).storage = Storage::kPersistent;
      if (status.ok()) status = tensors_.Allocate(context, t);
    }
    NodeContext inner(&context, &tensors_, &node, Phase::kInvoke);
    if (status.ok()) status = inner.Invoke();
    if (!status.ok()) return At(context, node, status);
  }
  return absl::OkStatus();
}

absl::Status PartitionKernel::AddWorkspaces(PartitionContext& context) {
  for (size_t i = 0; i < nodes_.size(); ++i) {
    for (size_t j = 0; j < nodes_[i].temporaries.size(); ++j) {
      const absl::StatusOr<size_t> workspace = context.AddWorkspace(
          nodes_[i].temporaries[j].bytes, kMinTensorAlignment, i, i);
      if (!workspace.ok()) return workspace.status();
      temporary_places_.push_back({i, j, *workspace});
    }
  }
  return absl::OkStatus();
}

// Returns a graph of only this partition, in which only the tensors inside the
// partition have memory.
ArenaGraph PartitionKernel::Describe(const DelegateGraph& graph) {
  ArenaGraph described;
  described.tensors.assign(graph.spec().tensors.size(), {0, Storage::kNone});
  for (const size_t t : inside_) {
    const Tensor& tensor = tensors_.own(t);
    if (tensor.storage == Storage::kArena) {
      described.tensors[t] = {tensor.bytes, Storage::kArena};
    } else if (tensor.storage == Storage::kDynamic) {
      described.tensors[t] = {0, Storage::kDynamic};
    }
  }
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const InnerNode& node = nodes_[i];
    ArenaNode task = {node.spec->inputs, node.spec->outputs, {}, node.in_place};
    const bool is_placed = i < late_ && !node.is_folded;
    const size_t temporaries = is_placed ? node.temporaries.size() : 0;
    for (size_t j = 0; j < temporaries; ++j) {
      temporary_places_.push_back({i, j, described.tensors.size()});
      task.temporaries.push_back(described.tensors.size());
      described.tensors.push_back({node.temporaries[j].bytes, Storage::kArena});
    }
    described.nodes.push_back(std::move(task));
  }
  return described;
}

absl::Status PartitionKernel::PlanWorkspace(PartitionContext& context) {
  const ArenaGraph graph = Describe(context.graph());
  LifetimeOptions options;
  options.sharing_nodes = late_;
  const std::vector<Lifetime> lifetimes = PlanLifetimes(graph, options);
  STOWAGE_ASSIGN_OR_RETURN(const InnerPlan plan, PlanInside(graph, lifetimes));
  const auto offset_of = [&](size_t t) {
    return plan.offsets[lifetimes[t].root];
  };
  for (const size_t t : inside_) {
    if (graph.tensors[t].storage == Storage::kArena) {
      tensor_places_.push_back({t, offset_of(t)});
    }
  }
  for (TemporaryPlace& place : temporary_places_) {
    place.at = offset_of(place.at);
  }
  if (memory_ == MemoryKind::kOpaque) {
    return context.AddWorkspace(plan.bytes, kMinTensorAlignment).status();
  }
  private_ = MemoryBlock();
  absl::StatusOr<MemoryBlock> memory = MemoryBlock::Allocate(
      plan.bytes, kBlockAlignment, &context.memory_budget());
  if (!memory.ok()) return memory.status();
  private_ = *std::move(memory);
  return absl::OkStatus();
}

absl::Status PartitionKernel::Invoke(PartitionContext& context) {
  if (memory_ != MemoryKind::kTransparent) return InvokeAll(context);
  InnerNode& node = nodes_[context.step()];
  for (const TemporaryPlace& place : temporary_places_) {
    if (place.node != context.step()) continue;
    node.temporaries[place.temporary].data = context.workspace(place.at).data();
  }
  NodeContext inner(&context, &tensors_, &node, Phase::kInvoke);
  return inner.Invoke();
}

void PartitionKernel::BindWorkspace(PartitionContext& context) {
  uint8_t* const base = memory_ == MemoryKind::kOpaque
                            ? context.workspace(0).data()
                            : private_.data();
  for (const TensorPlace& place : tensor_places_) {
    tensors_.own(place.tensor).data = base + place.offset;
  }
  for (const TemporaryPlace& place : temporary_places_) {
    nodes_[place.node].temporaries[place.temporary].data = base + place.at;
  }
}

absl::Status PartitionKernel::InvokeAll(PartitionContext& context) {
  BindWorkspace(context);
  tensors_.ForgetComputed();
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].is_folded && i < late_) continue;
    absl::Status status = absl::OkStatus();
    if (i >= late_) {
      NodeContext late(&context, &tensors_, &nodes_[i], Phase::kPrepareLate);
      status = late.Prepare();
    }
    NodeContext node(&context, &tensors_, &nodes_[i], Phase::kInvoke);
    if (status.ok()) status = node.Invoke();
    if (!status.ok()) return At(context, nodes_[i], status);
  }
  return absl::OkStatus();
}

std::vector<DelegateMemory> PartitionKernel::Memory() const {
  size_t data = 0;
  for (const InnerNode& node : nodes_) {
    for (const MemoryBlock& block : node.data) data += block.size();
  }
  std::vector<DelegateMemory> memory;
  const auto add = [&](const char* what, size_t bytes) {
    if (bytes > 0) memory.push_back({what, bytes});
  };
  add("operator data", data);
  add("constants and tensors of computed shapes", tensors_.own_bytes());
  add("memory of partitions", private_.size());
  return memory;
}

}  // namespace stowage::harness::reference
