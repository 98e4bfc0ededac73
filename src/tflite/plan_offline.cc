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
#include "stowage/assignment.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/tflite/micro_trace.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/offline_check.h"
#include "stowage/tflite/offline_plan.h"

namespace stowage {
namespace {

absl::StatusOr<Solution> SolveHead(const std::vector<MicroBuffer>& buffers,
                                   absl::string_view strategy,
                                   const SolveOptions& options) {
  ProblemSpec spec;
  spec.alignment = kMicroAlignment;
  for (const MicroBuffer& buffer : buffers) {
    spec.records.push_back(JoinLives(buffer));
  }
  const absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  return Solve(*problem, strategy, options);
}

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

// The entries that the device takes for those of variables, which have none.
void FreeEntriesOfVariables(const Model& model, std::vector<int32_t>* offsets) {
  for (const SubgraphSpec& graph : model.subgraphs()) {
    for (size_t t = 0; t < graph.tensors.size(); ++t) {
      if (graph.tensors[t].is_variable) (*offsets)[t] = kPlacedOnDevice;
    }
  }
}

}  // namespace

absl::StatusOr<OfflinePlanning> PlanOffline(
    const Model& model, absl::string_view strategy, const SolveOptions& options,
    const absl::optional<std::vector<size_t>>& chosen) {
  const absl::StatusOr<std::vector<bool>> is_chosen = ChosenOf(model, chosen);
  if (!is_chosen.ok()) return is_chosen.status();
  const absl::StatusOr<std::vector<MicroBuffer>> buffers =
      MicroBuffersOf(model);
  if (!buffers.ok()) return buffers.status();
  absl::StatusOr<Solution> solution = SolveHead(*buffers, strategy, options);
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
    const MicroBuffer& buffer = (*buffers)[i];
    if (buffer.tensor == kAbsent) continue;
    const size_t tensor =
        model.subgraphs()[buffer.subgraph].first_tensor + buffer.tensor;
    if (!(*is_chosen)[tensor]) continue;
    const size_t offset = solution->offsets()->offsets[i];
    planning.plan.offsets[tensor] = static_cast<int32_t>(offset);
  }
  FreeEntriesOfVariables(model, &planning.plan.offsets);
  const absl::StatusOr<OfflineVerdict> verdict =
      CheckOfflinePlan(model, planning.plan);
  if (!verdict.ok()) return verdict.status();
  if (!verdict->head_bytes &&
      verdict->violations[0].kind == OfflineViolation::Kind::kPastEnd) {
    return absl::OutOfRangeError(absl::StrCat(
        model.name(), ": its head, with what the device places, exceeds ",
        kLargestArena, " bytes; expected at most as many"));
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
