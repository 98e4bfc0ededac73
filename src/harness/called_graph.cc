// SPDX-License-Identifier: Apache-2.0
// Prepares and runs the session of a subgraph that is called by operators of
// other subgraphs.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "absl/types/variant.h"
#include "src/harness/allocate_graph.h"
#include "src/harness/arena_memory.h"
#include "src/harness/buffered_tensors.h"
#include "src/harness/call_frames.h"
#include "src/harness/graph_session.h"
#include "src/harness/graph_states.h"
#include "src/harness/running_graph.h"
#include "stowage/error_payload.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/program_plan.h"
#include "stowage/harness/tensor.h"
#include "stowage/programs/program_problem.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// Checks the number and the types of the arguments. The types are checked at
// every call, because an operator may compute a type that differs from the type
// in the model.
absl::Status GraphSession::CheckArguments(
    absl::Span<const CallTensor> arguments) const {
  if (arguments.size() != spec().inputs.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(graph().Place(), ": called with ", arguments.size(),
                     " arguments; expected ", spec().inputs.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const TensorSpec& input = spec().tensors[spec().inputs[i]];
    const ElementType type = arguments[i].tensor->type;
    if (type == input.type && !input.is_variable) continue;
    return graph().AtTensor(
        spec().inputs[i],
        absl::InvalidArgumentError(absl::StrCat(
            "called with an argument of type ", ElementTypeName(type), " for ",
            input.is_variable ? "a variable" : "this input",
            "; expected an input of type ", ElementTypeName(type))));
  }
  return absl::OkStatus();
}

// Returns whether the graph is prepared for these arguments.
bool GraphSession::Fits(absl::Span<const CallTensor> arguments) const {
  if (absl::holds_alternative<Unplanned>(state_)) return false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool varies = graph().tensors().Varies(spec().inputs[i]);
    if (varies != arguments[i].varies ||
        (!varies &&
         graph().tensors().input_shape(i) != arguments[i].tensor->shape)) {
      return false;
    }
  }
  return true;
}

absl::StatusOr<std::vector<CallTensor>> GraphSession::PrepareCall(
    const void* site, absl::Span<const CallTensor> arguments) {
  absl::Status status = CheckNotRunning();
  if (status.ok()) status = CheckArguments(arguments);
  if (!status.ok()) return status;
  if (!Fits(arguments)) {
    // One operator may prepare the graph several times until it knows which of
    // its arguments vary, so this alone does not mean that the graph has
    // several signatures.
    if (site_ != nullptr && site != site_) has_one_signature_ = false;
    site_ = site;
    for (size_t i = 0; i < arguments.size(); ++i) {
      graph().tensors().SetArgument(
          i, arguments[i].tensor->shape, arguments[i].varies,
          shared_->options.copies == ProgramCopies::kMade);
    }
    Outdate();
    const BusyMark busy(&is_running_);
    if (status = PrepareAll(); !status.ok()) return status;
  }
  std::vector<CallTensor> results;
  for (const size_t t : spec().outputs) {
    results.push_back({&graph().tensors()[t], !graph().HasKnownShape(t)});
  }
  return results;
}

// Returns the arguments in the form that PrepareCall expects. An argument is
// marked as varying if it was marked so in the last call of PrepareCall.
std::vector<CallTensor> GraphSession::SameArguments(
    absl::Span<const Tensor* const> arguments) const {
  std::vector<CallTensor> result;
  for (size_t i = 0; i < arguments.size(); ++i) {
    result.push_back(
        {arguments[i], i < spec().inputs.size() &&
                           graph().tensors().Varies(spec().inputs[i])});
  }
  return result;
}

// Binds the inputs of the graph to the arguments of the current call.
void GraphSession::BindArguments() {
  graph().tensors().BindArguments(arguments_);
}

absl::StatusOr<std::vector<const Tensor*>> GraphSession::Call(
    absl::Span<const Tensor* const> arguments) {
  absl::Status status = PrepareCall(site_, SameArguments(arguments)).status();
  if (!status.ok()) return status;
  const BusyMark busy(&is_running_);
  if (absl::holds_alternative<Planned>(state_)) status = AllocateWithFewer();
  if (!status.ok()) return status;
  if (!kept_variables_.empty()) {
    RestoreVariables(std::exchange(kept_variables_, {}));
  }
  arguments_.assign(arguments.begin(), arguments.end());
  BindArguments();
  const Delegate* failed = nullptr;
  status = shared_->options.delegate_fallback && delegated_.count() > 0
               ? InvokeWithFallback()
               : RunOnce(&failed);
  arguments_.clear();
  if (!status.ok()) return status;
  std::vector<const Tensor*> results;
  for (const size_t t : spec().outputs) {
    results.push_back(&graph().tensors()[t]);
  }
  return results;
}

absl::Status GraphSession::AllocateIn(
    const std::shared_ptr<ProgramPlan>& program, size_t function,
    ArenaMemory* arena) {
  Planned planned;
  absl::visit([&](auto& state) { planned.plan = std::move(state.plan); },
              state_);
  planned.plan.program = program;
  planned.plan.function = function;
  arenas_.Share(arena);
  absl::Status status = PlaceGraph(*shared_, graph(), &planned.plan);
  if (status.ok()) {
    absl::StatusOr<Allocated> allocated =
        AllocateGraph(&planned, &graph(), &arenas_);
    status = allocated.status();
    if (allocated.ok()) state_ = *std::move(allocated);
  }
  if (!status.ok()) {
    ForgetMemory();
    return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<VariableBytes> GraphSession::SaveVariables() {
  if (!has_memory()) return kept_variables_;
  VariableBytes saved;
  for (size_t t = 0; t < spec().tensors.size(); ++t) {
    const Tensor& tensor = graph().tensors()[t];
    if (!tensor.is_variable || tensor.data == nullptr) continue;
    absl::Status status = MakeReadable({t}, &graph());
    if (!status.ok()) return status;
    const auto* const data = tensor.as<uint8_t>();
    saved[t].assign(data, data + tensor.bytes);
  }
  return saved;
}

void GraphSession::RestoreVariables(const VariableBytes& saved) {
  if (!has_memory()) {
    kept_variables_ = saved;
    return;
  }
  for (const auto& [t, bytes] : saved) {
    Tensor& tensor = graph().tensors()[t];
    if (tensor.data == nullptr || tensor.bytes != bytes.size()) continue;
    std::copy(bytes.begin(), bytes.end(), tensor.as<uint8_t>());
    graph().buffers().MarkWritten(t);
  }
}

absl::Status GraphSession::BindToProgram() {
  if (plan().program == nullptr) return absl::OkStatus();
  return arenas_.Bind(plan(), 0, &graph().tensors());
}

void GraphSession::Restart() {
  ForgetMemory();
  site_ = nullptr;
  has_one_signature_ = true;
}

}  // namespace stowage::harness
