// SPDX-License-Identifier: Apache-2.0
// Finds the buffers to be placed by a plan of a model, and the offsets that the
// plan must keep.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/tflm/place_on_device.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_trace.h"
#include "stowage/tflm/offline_check.h"
#include "stowage/tflm/offline_plan.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

// Returns, for each tensor, whether a custom operator reads or writes it.
// Tensors are numbered consecutively across all subgraphs.
std::vector<bool> FindCustomOperands(const Model& model) {
  std::vector<bool> is_operand(model.tensor_count(), false);
  for (const SubgraphSpec& graph : model.subgraphs()) {
    for (const OperatorSpec& op : graph.operators) {
      if (!op.is_custom) continue;
      for (const std::vector<size_t>* ends : {&op.inputs, &op.outputs}) {
        for (const size_t t : *ends) {
          if (t != kAbsent) is_operand[graph.first_tensor + t] = true;
        }
      }
    }
  }
  return is_operand;
}

// Returns whether the model has custom operators, such as those of
// accelerators, that use tensors that nothing writes as working memory.
bool HasScratch(const Model& model) {
  return absl::c_any_of(model.subgraphs(), [](const SubgraphSpec& graph) {
    return absl::c_any_of(graph.tensors, [](const TensorSpec& tensor) {
      return tensor.is_scratch;
    });
  });
}

// Gives each buffer a single lifetime without gaps, from its first task in the
// first run of its subgraph to its last task in the last run. Two kinds of
// buffers are instead live at all tasks: variables, which hold state between
// invocations, and the inputs and outputs that must be held during the whole
// invocation (OfflineBuffer::is_held).
void JoinAllLives(std::vector<OfflineBuffer>* buffers) {
  TaskId last_task = 0;
  for (OfflineBuffer& buffer : *buffers) {
    buffer.buffer.record = JoinLives(buffer.buffer);
    last_task = std::max(last_task, buffer.buffer.record.last_task);
  }
  for (OfflineBuffer& buffer : *buffers) {
    if (buffer.is_held) buffer.buffer.record.first_task = 0;
    if (buffer.is_held || buffer.is_variable) {
      buffer.buffer.record.last_task = last_task;
    }
  }
}

// Returns the buffers of a model, without offsets.
absl::StatusOr<std::vector<OfflineBuffer>> FreeBuffers(
    const Model& model, const HeadOptions& options) {
  absl::StatusOr<std::vector<MicroBuffer>> micro =
      MicroBuffersOf(model, options.word);
  if (!micro.ok()) return micro.status();
  const bool holds = options.io_lifetime == IoLifetime::kKeep;
  if (holds) HoldInputsAndOutputs(model, &*micro);
  std::vector<OfflineBuffer> buffers;
  for (MicroBuffer& from : *micro) {
    OfflineBuffer& buffer = buffers.emplace_back();
    buffer.is_held = holds && IsInputOrOutput(model, from);
    buffer.buffer = std::move(from);
  }
  return buffers;
}

}  // namespace

absl::StatusOr<std::vector<int32_t>> KeptOffsets(const Model& model) {
  const std::vector<bool> is_operand = FindCustomOperands(model);
  if (!absl::c_linear_search(is_operand, true)) return std::vector<int32_t>();
  const absl::StatusOr<absl::optional<OfflinePlan>> plan =
      ReadOfflinePlan(model.bytes(), model.name());
  // A plan that cannot be read is an error if the model has scratch tensors,
  // because an accelerator may depend on the plan.
  if (!plan.ok() && HasScratch(model)) return plan.status();
  if (!plan.ok() || !plan->has_value()) return std::vector<int32_t>();
  const absl::StatusOr<OfflineVerdict> verdict =
      CheckGivenOffsets(model, **plan, {});
  if (!verdict.ok()) return verdict.status();
  if (verdict->undecided.empty()) return std::vector<int32_t>();
  std::vector<int32_t> kept(is_operand.size(), kPlacedOnDevice);
  for (const OfflineBuffer& buffer : verdict->buffers) {
    if (!buffer.given || buffer.buffer.tensor == kAbsent) continue;
    const SubgraphSpec& graph = model.subgraphs()[buffer.buffer.subgraph];
    const size_t tensor = graph.first_tensor + buffer.buffer.tensor;
    if (is_operand[tensor]) kept[tensor] = (*plan)->offsets[tensor];
  }
  return kept;
}

size_t CountKept(absl::Span<const int32_t> kept_offsets) {
  return kept_offsets.size() -
         static_cast<size_t>(absl::c_count(kept_offsets, kPlacedOnDevice));
}

std::string DescribeKept(size_t tensors) {
  if (tensors == 0) return "";
  return absl::StrCat(tensors,
                      tensors == 1 ? " tensor of custom operators stays"
                                   : " tensors of custom operators stay",
                      " where the plan in the model has ",
                      tensors == 1 ? "it" : "them");
}

absl::Status UnsoundPlanError(const Model& model,
                              const OfflineVerdict& verdict) {
  return absl::InvalidArgumentError(
      absl::StrCat(model.name(), ": its plan is not sound: ",
                   Describe(model, verdict, verdict.violations.front()),
                   "; expected a sound plan, or none"));
}

absl::StatusOr<std::vector<OfflineBuffer>> HeadBuffers(
    const Model& model, const HeadOptions& options) {
  absl::optional<OfflinePlan> plan;
  if (options.honour_offline_plan) {
    absl::StatusOr<absl::optional<OfflinePlan>> read =
        ReadOfflinePlan(model.bytes(), model.name());
    if (!read.ok()) return read.status();
    plan = *std::move(read);
  } else {
    absl::StatusOr<std::vector<int32_t>> kept = KeptOffsets(model);
    if (!kept.ok()) return kept.status();
    if (kept->empty()) return FreeBuffers(model, options);
    plan = OfflinePlan{model.subgraphs().size(), *std::move(kept)};
  }
  OfflineCheckOptions check;
  check.word = options.word;
  check.io_lifetime = options.io_lifetime;
  check.allow_custom_overlap = true;
  absl::StatusOr<OfflineVerdict> verdict =
      options.honour_offline_plan ? CheckOfflinePlan(model, plan, check)
                                  : CheckGivenOffsets(model, *plan, check);
  if (!verdict.ok()) return verdict.status();
  if (!verdict->violations.empty()) {
    return UnsoundPlanError(model, *verdict);
  }
  JoinAllLives(&verdict->buffers);
  return std::move(verdict->buffers);
}

}  // namespace stowage
