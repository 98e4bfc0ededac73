// SPDX-License-Identifier: Apache-2.0
// Prepares and runs a node with its kernel, or with a shadow in place of its
// kernel (stowage/harness/shadow.h).
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "src/harness/call_frames.h"
#include "src/harness/node_context.h"
#include "src/harness/running_graph.h"
#include "src/harness/tensor_table.h"
#include "stowage/error_payload.h"
#include "stowage/harness/memory_budget.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/calls.h"
#include "stowage/tflite/known_shapes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/side_effects.h"

namespace stowage::harness {
namespace {

// The maximum number of elements of a tensor that is computed when the graph is
// prepared. It is enough for shapes and paddings. Larger tensors stay in the
// arena, where they share memory with other tensors.
constexpr int64_t kMaxKnownElements = 32;

bool IsIndexType(ElementType type) {
  return type == ElementType::kInt32 || type == ElementType::kInt64 ||
         type == ElementType::kUint32 || type == ElementType::kUint64;
}

// Checks that no output has both memory provided by the caller and a shape that
// depends on data, because the size of such an output is not known in advance.
absl::Status CheckCustomOutputs(const SubgraphSpec& graph,
                                const OperatorSpec& op,
                                const TensorTable& tensors) {
  for (const size_t t : op.outputs) {
    if (t == kAbsent || tensors[t].storage != Storage::kDynamic ||
        tensors.custom().count(t) == 0) {
      continue;
    }
    return WithTensor(absl::FailedPreconditionError(absl::StrCat(
                          graph.TensorPlace(t),
                          ": it has memory provided by the caller, and its "
                          "shape depends on data; expected a shape that is "
                          "known before the run, as for every tensor in the "
                          "arena of a device (--arena micro)")),
                      t);
  }
  return absl::OkStatus();
}

// Checks that the operator reads no scratch tensor. Only shadows can read
// scratch tensors, as temporaries; the kernels of this library cannot.
absl::Status CheckWritten(const SubgraphSpec& graph, const OperatorSpec& op) {
  for (const size_t t : op.inputs) {
    if (t == kAbsent || !graph.tensors[t].is_scratch) continue;
    return WithTensor(
        absl::InvalidArgumentError(absl::StrCat(
            "reads ", graph.TensorPlace(t),
            ", which nothing writes; expected an operator, data or a graph "
            "input (a run can put shadows in the place of all kernels: "
            "stowage run --shadow=all)")),
        t);
  }
  return absl::OkStatus();
}

// Checks that an operator which writes a variable that it also reads has a
// kernel that can do so in place. Operators that call subgraphs need no check,
// because they copy their results at the end. Custom operators are not checked.
absl::Status CheckOverwritten(const SubgraphSpec& graph, const OperatorSpec& op,
                              InPlace in_place) {
  if (op.is_custom || CallsSubgraphs(op)) return absl::OkStatus();
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const size_t t = op.inputs[i];
    if (t == kAbsent || !absl::c_linear_search(op.outputs, t)) continue;
    if (t == op.outputs[0] && i < std::size(kInPlaceInputs) &&
        HasFlag(in_place, kInPlaceInputs[i])) {
      continue;
    }
    return WithTensor(
        absl::InvalidArgumentError(absl::StrCat(
            "reads and writes ", graph.TensorPlace(t),
            "; expected an operator that can compute in place, or an output "
            "of its own")),
        t);
  }
  return absl::OkStatus();
}

absl::Status CheckShapesKnown(const SubgraphSpec& graph, const OperatorSpec& op,
                              const TensorTable& tensors) {
  bool has_open_input = false;
  std::string other_shape;  // the shape of an input that differs from the model
  for (const size_t t : op.inputs) {
    if (t == kAbsent) continue;
    has_open_input = has_open_input || HasOpenExtent(graph.tensors[t]);
    // An empty shape in the model may mean that the shape is unknown. It counts
    // as declared only if the model states that the tensor has a rank.
    const bool is_said =
        graph.tensors[t].has_rank || !tensors.declared_shape(t).empty();
    if (is_said && tensors[t].shape != tensors.declared_shape(t)) {
      other_shape = absl::StrCat(
          graph.TensorPlace(t), " is ", ShapeText(tensors[t].shape), ", not ",
          ShapeText(tensors.declared_shape(t)), " as in the model");
    }
  }
  for (const size_t t : op.outputs) {
    if (t == kAbsent || tensors.HasGivenShape(t)) continue;
    const TensorSpec& tensor = graph.tensors[t];
    std::string why;
    if (!other_shape.empty()) {
      why = other_shape;
    } else if (HasOpenExtent(tensor) && !has_open_input) {
      why = absl::StrCat("in the model it is ", ShapeText(tensor.signature),
                         ", and no input has an open dimension");
    } else if (ElementBytes(tensor.type) > 0 &&
               MayLackRank(graph, tensor, op.is_custom)) {
      why = "in the model it has no rank";
    } else {
      continue;
    }
    return WithTensor(
        absl::InvalidArgumentError(absl::StrCat(
            graph.TensorPlace(t), ": the shape is not known: ", why,
            "; expected a shape in the model, one that is given "
            "(InterpreterOptions::shapes; --shape TENSOR=1x2x3), or a "
            "registration with a shadow that sets it")),
        t);
  }
  return absl::OkStatus();
}

}  // namespace

bool HasEffect(const OperatorSpec& op, const TensorTable& tensors) {
  const auto is_resource = [&](size_t t) {
    return t != kAbsent && tensors[t].type == ElementType::kResource;
  };
  return op.outputs.empty() || absl::c_any_of(op.inputs, is_resource) ||
         absl::c_any_of(op.outputs, is_resource);
}

absl::Status RunningGraph::Run(size_t task) {
  const auto [node, step] = tasks_[task];
  Node& running = nodes_[node];
  if (running.delegated != nullptr) {
    absl::Status status = RunDelegated(node, step);
    if (status.ok()) return status;
    return At(task, WithDelegate(status, running.delegated->info.name));
  }
  if (is_prepared() && task + 1 == always_prepared()) {
    // Only this task may have an output from the last run whose shape it has
    // to set. Without its memory, a kernel that does not set it is found below.
    for (const size_t t : running.spec->outputs) {
      if (t != kAbsent && tensors_[t].storage == Storage::kDynamic) {
        tensors_.FreeDynamic(t);
      }
    }
  }
  NodeContext context(shared_, this, &running, NodeContext::Phase::kInvoke,
                      task);
  Kernel& kernel =
      running.shadow == nullptr ? *running.kernel : *running.shadow;
  absl::Status status = context.Invoke(kernel);
  if (status.ok()) status = CheckResized(*running.spec);
  return At(task, status);
}

// Checks that Invoke has set the shapes of all outputs that depend on data.
absl::Status RunningGraph::CheckResized(const OperatorSpec& op) const {
  for (const size_t t : op.outputs) {
    if (t == kAbsent) continue;
    const Tensor& output = tensors_[t];
    if (output.storage != Storage::kDynamic || output.data != nullptr ||
        output.elements() == 0 || ElementBytes(output.type) == 0) {
      continue;
    }
    return WithTensor(
        AtPlace(spec_.TensorPlace(t),
                absl::FailedPreconditionError(
                    "made dynamic in Prepare, and left without a shape by "
                    "Invoke; expected a call of ResizeOutput in every Invoke")),
        t);
  }
  return absl::OkStatus();
}

absl::Status RunningGraph::PrepareNode(size_t index) {
  Node& node = nodes_[index];
  node.parts.clear();
  node.temporaries.clear();
  node.data.clear();
  node.shadow = nullptr;
  node.why_shadowed.clear();
  node.is_known = false;
  node.in_place =
      node.kernel == nullptr ? InPlace::kNever : node.registration->in_place;
  absl::Status status = absl::OkStatus();
  const size_t tensors = tensors_.size();
  if (node.kernel != nullptr) {
    NodeContext context(shared_, this, &node, NodeContext::Phase::kPrepare);
    status = context.Prepare(*node.kernel);
  }
  if (status.ok()) status = CheckCustomOutputs(spec_, *node.spec, tensors_);
  node.is_known = status.ok() && ComputeKnown(index);
  node.why_shadowed = WhyShadowed(index, status);
  if (node.why_shadowed.empty()) {
    if (status.ok()) status = CheckWritten(spec_, *node.spec);
    if (status.ok()) {
      status = CheckOverwritten(spec_, *node.spec, node.in_place);
    }
    return status;
  }
  // A shadow writes all bytes of its outputs, so no output can be a part of
  // another tensor.
  node.parts.clear();
  const bool is_dynamic = absl::c_any_of(node.spec->outputs, [&](size_t t) {
    return t != kAbsent && tensors_[t].storage == Storage::kDynamic;
  });
  const bool has_memory_of_kernel =
      node.kernel != nullptr && status.ok() && !is_dynamic;
  if (!has_memory_of_kernel) {
    node.temporaries.clear();
    node.data.clear();
    tensors_.DropTemporaries(tensors);
    // The shapes and the storage that the kernel has set for its outputs are
    // not valid for the shadow.
    for (const size_t t : node.spec->outputs) {
      if (t != kAbsent && !tensors_[t].is_variable) tensors_.ResetTensor(t);
    }
  }
  return PrepareShadow(index, has_memory_of_kernel);
}

// Returns whether the outputs of a prepared node can be computed before the
// run. The node must be SHAPE, which reads no elements, or another builtin
// operator that has no effects, calls no subgraph and reads only known values.
// Its outputs must be small and must not be outputs of the graph. Returns false
// during a run, because the plan then has places for all tensors of prepared
// nodes.
bool RunningGraph::MayKnow(size_t index) const {
  const Node& node = nodes_[index];
  const OperatorSpec& op = *node.spec;
  if (node.kernel == nullptr || op.is_custom || before_run_.has_value() ||
      !node.temporaries.empty() || !node.data.empty() ||
      HasEffect(op, tensors_) || CallsSubgraphs(op)) {
    return false;
  }
  const bool reads_elements = ReadsElements(op);
  return absl::c_all_of(op.inputs,
                        [&](size_t t) {
                          if (t == kAbsent) return true;
                          const Tensor& tensor = tensors_[t];
                          return reads_elements
                                     ? tensor.is_known()
                                     : tensor.storage != Storage::kDynamic;
                        }) &&
         absl::c_all_of(op.outputs, [&](size_t t) {
           return t == kAbsent ||
                  (tensors_[t].storage == Storage::kArena &&
                   ElementBytes(tensors_[t].type) > 0 &&
                   tensors_[t].elements() <= kMaxKnownElements &&
                   !absl::c_linear_search(spec_.outputs, t));
         });
}

// Computes the outputs of a node before the graph runs, if possible. Returns
// whether it did. If the kernel fails, the node runs later like any other node,
// and the run reports the error.
bool RunningGraph::ComputeKnown(size_t index) {
  if (!MayKnow(index)) return false;
  Node& node = nodes_[index];
  const auto of_outputs = [&](auto what) {
    return absl::c_all_of(node.spec->outputs,
                          [&](size_t t) { return t == kAbsent || what(t); });
  };
  NodeContext context(shared_, this, &node, NodeContext::Phase::kInvoke);
  if (of_outputs([&](size_t t) { return tensors_.AllocateKnown(t).ok(); }) &&
      context.Invoke(*node.kernel).ok()) {
    node.parts.clear();
    return true;
  }
  ForgetKnown(index);
  return false;
}

void RunningGraph::ForgetKnown(size_t index) {
  nodes_[index].is_known = false;
  for (const size_t t : nodes_[index].spec->outputs) {
    if (t != kAbsent) tensors_.ForgetKnown(t);
  }
}

bool RunningGraph::PrepareAlone(size_t op) {
  const size_t tensors = tensors_.size();
  const absl::Status status = PrepareNode(op);
  nodes_[op].temporaries.clear();
  nodes_[op].data.clear();
  tensors_.DropTemporaries(tensors);
  if (status.ok() && nodes_[op].kernel != nullptr && !HasDynamicOutput(op)) {
    return true;
  }
  for (const size_t t : nodes_[op].spec->outputs) {
    if (t != kAbsent) tensors_.ResetTensor(t);
  }
  return false;
}

std::string RunningGraph::WhyShadowed(size_t index,
                                      const absl::Status& prepared) const {
  const ShadowMode mode = shared_->options.shadow;
  if (mode == ShadowMode::kNone) return "";
  const Node& node = nodes_[index];
  if (node.kernel == nullptr) {
    return absl::StrCat("unsupported: ",
                        shared_->resolver.WhyUnsupported(*node.spec));
  }
  // A known value may determine shapes, so a shadow must not change it.
  if (node.is_known || HasEffect(*node.spec, tensors_)) return "";
  if (absl::IsInvalidArgument(prepared)) {
    return absl::StrCat("its kernel refuses it: ", prepared.message());
  }
  if (!prepared.ok()) return "";
  if (mode == ShadowMode::kAll) {
    // A call needs no shadow itself, because the operators of the called
    // subgraph run as shadows.
    return PassesArguments(*node.spec) ? "" : "every operator is";
  }
  if (PassesArguments(*node.spec) &&
      absl::c_any_of(CalledSubgraphs(*node.spec), [&](int called) {
        return frames_->HasShadows(static_cast<size_t>(called));
      })) {
    return "a subgraph that it calls has shadows";
  }
  return ReadsShadowedIntegers(index) ? "it reads integers that a shadow writes"
                                      : "";
}

bool RunningGraph::ReadsShadowedIntegers(size_t index) const {
  return absl::c_any_of(nodes_[index].spec->inputs, [&](size_t t) {
    if (t == kAbsent || !IsIndexType(tensors_[t].type)) return false;
    for (size_t i = 0; i < index; ++i) {
      if (nodes_[i].shadow != nullptr &&
          absl::c_linear_search(nodes_[i].spec->outputs, t)) {
        return true;
      }
    }
    return false;
  });
}

absl::Status RunningGraph::PrepareShadow(size_t index,
                                         bool has_memory_of_kernel) {
  Node& node = nodes_[index];
  const bool is_supplied =
      node.registration != nullptr && node.registration->shadow != nullptr;
  if (is_supplied) {
    node.in_place = InPlace::kNever;
    node.shadow = node.registration->shadow();
  } else {
    if (!has_memory_of_kernel) {
      node.in_place = InPlace::kNever;
      absl::Status status = CheckShapesKnown(spec_, *node.spec, tensors_);
      if (!status.ok()) return status;
    }
    node.shadow = std::make_unique<ShadowKernel>(node.in_place);
  }
  for (const size_t t : node.spec->inputs) {
    if (t != kAbsent && IsScratch(t) &&
        !absl::c_linear_search(node.temporaries, t)) {
      node.temporaries.push_back(t);
    }
  }
  NodeContext context(shared_, this, &node, NodeContext::Phase::kPrepare);
  return context.Prepare(*node.shadow);
}

}  // namespace stowage::harness
