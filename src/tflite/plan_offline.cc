// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/tflite/micro_trace.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/offline_check.h"
#include "stowage/tflite/offline_plan.h"

namespace stowage {
namespace {

// Which tensors get offsets, counted through the subgraphs.
absl::StatusOr<std::vector<bool>> ChosenOf(
    const Model& model, const absl::optional<std::vector<size_t>>& chosen) {
  const size_t tensors = model.tensor_count();
  std::vector<bool> is_chosen(tensors, !chosen);
  if (!chosen) return is_chosen;
  for (const size_t tensor : *chosen) {
    if (tensor >= tensors) {
      return absl::InvalidArgumentError(
          absl::StrCat(model.name(), ": no tensor ", tensor,
                       "; expected less than ", tensors));
    }
    is_chosen[tensor] = true;
  }
  return is_chosen;
}

// Frees the entries that the device takes for those of variables, which have
// none, but for those that are kept.
void FreeEntriesOfVariables(const Model& model,
                            absl::Span<const int32_t> kept_offsets,
                            std::vector<int32_t>* offsets) {
  for (const SubgraphSpec& graph : model.subgraphs()) {
    for (size_t t = 0; t < graph.tensors.size(); ++t) {
      const bool is_kept =
          !kept_offsets.empty() && kept_offsets[t] != kPlacedOnDevice;
      if (graph.tensors[t].is_variable && !is_kept) {
        (*offsets)[t] = kPlacedOnDevice;
      }
    }
  }
}

}  // namespace

absl::StatusOr<OfflinePlanning> PlanOffline(
    const Model& model, absl::string_view strategy, const SolveOptions& options,
    const absl::optional<std::vector<size_t>>& chosen) {
  const absl::StatusOr<std::vector<bool>> is_chosen = ChosenOf(model, chosen);
  if (!is_chosen.ok()) return is_chosen.status();
  const absl::StatusOr<std::vector<int32_t>> kept = KeptOffsets(model);
  if (!kept.ok()) return kept.status();
  absl::StatusOr<std::vector<OfflineBuffer>> buffers =
      HeadBuffers(model, /*honour_offline_plan=*/false);
  if (!buffers.ok()) return buffers.status();
  for (OfflineBuffer& buffer : *buffers) {
    buffer.buffer.record = JoinLives(buffer.buffer);
  }
  absl::StatusOr<Solution> solution =
      SolveHead(model, *buffers, strategy, options);
  if (!solution.ok()) return solution.status();
  if (!solution->offsets().ok()) return solution->offsets().status();
  if (solution->total_size > kLargestArena) {
    return absl::OutOfRangeError(
        absl::StrCat(model.name(), ": its head takes ", solution->total_size,
                     " bytes; expected at most ", kLargestArena));
  }
  OfflinePlanning planning;
  planning.plan.subgraphs = model.subgraphs().size();
  planning.plan.offsets.assign(model.tensor_count(), kPlacedOnDevice);
  for (size_t i = 0; i < buffers->size(); ++i) {
    const MicroBuffer& buffer = (*buffers)[i].buffer;
    if (buffer.tensor == kAbsent) continue;
    const size_t tensor =
        model.subgraphs()[buffer.subgraph].first_tensor + buffer.tensor;
    const bool is_kept = (*buffers)[i].given.has_value();
    if (is_kept) ++planning.kept_tensors;
    if (!(*is_chosen)[tensor] && !is_kept) continue;
    const size_t offset = solution->offsets()->offsets[i];
    planning.plan.offsets[tensor] = static_cast<int32_t>(offset);
  }
  FreeEntriesOfVariables(model, *kept, &planning.plan.offsets);
  const absl::StatusOr<OfflineVerdict> verdict =
      CheckOfflinePlan(model, planning.plan);
  if (!verdict.ok()) return verdict.status();
  if (!verdict->head_bytes &&
      verdict->violations[0].kind == OfflineViolation::Kind::kPastEnd) {
    return absl::OutOfRangeError(absl::StrCat(
        model.name(), ": its head, with what the device places, exceeds ",
        kLargestArena, " bytes; expected at most as many"));
  }
  if (!verdict->head_bytes && !kept->empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(model.name(), ": ", DescribeKept(planning.kept_tensors),
                     ", and no plan with them is sound: ",
                     Describe(model, *verdict, verdict->violations[0])));
  }
  if (!verdict->head_bytes) {
    return absl::InternalError(
        absl::StrCat(model.name(), ": the plan is not sound: ",
                     OfflineViolationName(verdict->violations[0].kind)));
  }
  planning.head_bytes = *verdict->head_bytes;
  planning.solution = *std::move(solution);
  return planning;
}

}  // namespace stowage
