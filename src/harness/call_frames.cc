// SPDX-License-Identifier: Apache-2.0
#include "src/harness/call_frames.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/harness/arena_memory.h"
#include "src/harness/graph_session.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/program_plan.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

CallFrames::CallFrames(SharedState* shared, std::atomic<bool>* is_cancelled)
    : shared_(*shared), is_cancelled_(*is_cancelled) {}

CallFrames::~CallFrames() = default;

GraphSession& CallFrames::Frame(size_t subgraph) {
  std::unique_ptr<GraphSession>& frame = frames_[subgraph];
  if (frame == nullptr) {
    frame = std::make_unique<GraphSession>(&shared_, subgraph, this,
                                           &is_cancelled_);
  }
  return *frame;
}

absl::StatusOr<std::vector<CallTensor>> CallFrames::Prepare(
    const void* site, size_t subgraph, absl::Span<const CallTensor> arguments) {
  absl::Status status = shared_.model.CheckSubgraph(subgraph);
  if (!status.ok()) return status;
  return Frame(subgraph).PrepareCall(site, arguments);
}

absl::StatusOr<std::vector<const Tensor*>> CallFrames::Call(
    size_t task, size_t subgraph, absl::Span<const Tensor* const> arguments) {
  absl::Status status = shared_.model.CheckSubgraph(subgraph);
  if (!status.ok()) return status;
  if (caller_ != nullptr) ++caller_->calls;
  const absl::optional<uint32_t> call = call_;
  if (program_ != nullptr && !program_->scratch.empty() && call_) {
    call_ = program_->CallOf(*call_, task, subgraph);
  }
  absl::StatusOr<std::vector<const Tensor*>> results =
      Frame(subgraph).Call(arguments);
  call_ = call;
  return results;
}

absl::Span<uint8_t> CallFrames::CopyScratch(size_t task, size_t place) const {
  if (program_ == nullptr || !call_) return {};
  const auto found =
      program_->scratch.find({*call_, static_cast<uint32_t>(task)});
  if (found == program_->scratch.end() || place >= found->second.size()) {
    return {};
  }
  const ProgramPlan::Scratch& scratch = found->second[place];
  return arena_->arena().subspan(scratch.offset, scratch.bytes);
}

absl::Status CallFrames::InvokeOnce(size_t subgraph) {
  absl::Status status = shared_.model.CheckSubgraph(subgraph);
  if (!status.ok()) return status;
  if (shared_.was_invoked_once[subgraph]) return absl::OkStatus();
  const SubgraphSpec& spec = shared_.model.subgraphs()[subgraph];
  if (subgraph == 0 || !spec.inputs.empty() || !spec.outputs.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("calls subgraph ", subgraph,
                     "; expected a subgraph other than the first, without "
                     "inputs and outputs"));
  }
  // The program has scratch memory for each call site. InvokeOnce makes a
  // single call for all call sites together, so this call uses no scratch
  // memory.
  const absl::optional<uint32_t> call = std::exchange(call_, absl::nullopt);
  status = Frame(subgraph).Call({}).status();
  call_ = call;
  shared_.was_invoked_once[subgraph] = status.ok();
  return status;
}

const GraphSession* CallFrames::Find(size_t subgraph) const {
  const auto found = frames_.find(subgraph);
  return found == frames_.end() ? nullptr : found->second.get();
}

absl::Status CallFrames::Allocate(const std::shared_ptr<ProgramPlan>& program,
                                  ArenaMemory* arena) {
  program_ = program;
  arena_ = arena;
  for (size_t f = 1; f < program->subgraphs.size(); ++f) {
    absl::Status status =
        Frame(program->subgraphs[f]).AllocateIn(program, f, arena);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CallFrames::BindAgain(const ProgramPlan& program) {
  for (size_t f = 1; f < program.subgraphs.size(); ++f) {
    absl::Status status = Frame(program.subgraphs[f]).BindToProgram();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<FrameVariables> CallFrames::SaveVariables() {
  FrameVariables saved;
  for (const auto& [subgraph, frame] : frames_) {
    absl::StatusOr<VariableBytes> variables = frame->SaveVariables();
    if (!variables.ok()) return variables.status();
    saved[subgraph] = *std::move(variables);
  }
  return saved;
}

void CallFrames::RestoreVariables(const FrameVariables& saved) {
  for (const auto& [subgraph, variables] : saved) {
    Frame(subgraph).RestoreVariables(variables);
  }
}

void CallFrames::Outdate() {
  program_ = nullptr;
  for (const auto& [subgraph, frame] : frames_) frame->Restart();
}

bool CallFrames::HasShadows(size_t subgraph) const {
  const GraphSession* const frame = Find(subgraph);
  if (frame == nullptr) return false;
  const RunningGraph& graph = frame->running();
  for (size_t task = 0; task < graph.tasks().size(); ++task) {
    const Node& node = graph.NodeOf(task);
    if (node.shadow != nullptr ||
        (node.kernel == nullptr && node.delegated == nullptr)) {
      return true;
    }
  }
  return false;
}

size_t CallFrames::spare_bytes() const {
  size_t bytes = 0;
  for (const auto& [subgraph, frame] : frames_) {
    bytes = std::max(bytes, frame->running().tensors().spare_bytes());
  }
  return bytes;
}

absl::Status CallFrames::RemoveDelegates() {
  absl::Status status = absl::OkStatus();
  for (const auto& [subgraph, frame] : frames_) {
    status.Update(frame->RemoveDelegates());
  }
  return status;
}

void CallFrames::ResetVariables() {
  for (const auto& [subgraph, frame] : frames_) frame->ResetVariables();
}

void CallFrames::AddShadowed(std::vector<ShadowedOperator>* all) const {
  for (const auto& [subgraph, frame] : frames_) {
    if (frame->is_allocated()) frame->AddShadowed(all);
  }
}

}  // namespace stowage::harness
