// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_trace.h"
#include "stowage/tflm/offline_check.h"
#include "stowage/tflm/offline_plan.h"

namespace stowage {
namespace {

// Returns, for each tensor, whether it gets an offset. Tensors are numbered
// consecutively through all subgraphs.
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

// Variables have no offsets of their own, but the device still looks for them:
// it uses the index of a variable within its own subgraph, although the entries
// of `offsets` are numbered through all subgraphs. Clears the entries that the
// device would find, except those that must be kept (`kept_offsets`).
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

// The input of the planner: a model, its buffers, and which of the buffers get
// offsets.
struct Request {
  const Model& model;
  // The decision for each tensor whether it gets an offset. Tensors are
  // numbered through all subgraphs.
  std::vector<bool> is_chosen;
  std::vector<int32_t> kept;  // the result of KeptOffsets
  std::vector<OfflineBuffer> buffers;
  absl::string_view strategy;
  const SolveOptions& options;
};

OfflinePlan PlanOf(const Request& request, absl::Span<const size_t> offsets) {
  const Model& model = request.model;
  OfflinePlan plan;
  plan.subgraphs = model.subgraphs().size();
  plan.offsets.assign(model.tensor_count(), kPlacedOnDevice);
  for (size_t i = 0; i < request.buffers.size(); ++i) {
    const MicroBuffer& buffer = request.buffers[i].buffer;
    if (buffer.tensor == kAbsent) continue;
    const size_t tensor =
        model.subgraphs()[buffer.subgraph].first_tensor + buffer.tensor;
    if (!request.is_chosen[tensor] && !request.buffers[i].given) continue;
    plan.offsets[tensor] = static_cast<int32_t>(offsets[i]);
  }
  FreeEntriesOfVariables(model, request.kept, &plan.offsets);
  return plan;
}

// Checks that every held buffer gets an offset. The device itself would place a
// buffer without an offset, and would reuse its bytes after its last use.
absl::Status CheckHeld(const Request& request) {
  const SubgraphSpec& graph = request.model.subgraphs()[0];
  for (const OfflineBuffer& buffer : request.buffers) {
    const size_t tensor = buffer.buffer.tensor;
    if (!buffer.is_held || request.is_chosen[tensor] || buffer.given) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        request.model.name(), ": ", graph.TensorPlace(tensor),
        ": it is to be held for the whole run, but is not among the tensors "
        "that get offsets; expected it there"));
  }
  return absl::OkStatus();
}

// Returns whether the buffer must be held for the whole run and may get any
// offset.
bool IsMovable(const OfflineBuffer& buffer) {
  return buffer.is_held && !buffer.given;
}

// Returns the offsets of all buffers. Stacks the movable held buffers one after
// the other, starting at `begin`. The remaining buffers get the entries of
// `offsets`, which must be in the order of the remaining buffers.
std::vector<size_t> StackHeld(const Request& request,
                              absl::Span<const size_t> offsets, size_t begin) {
  std::vector<size_t> all;
  size_t next = 0;
  for (const OfflineBuffer& buffer : request.buffers) {
    if (!IsMovable(buffer)) {
      all.push_back(offsets[next++]);
      continue;
    }
    all.push_back(begin);
    begin += buffer.buffer.record.tensor_size;
  }
  return all;
}

// Plans all buffers except the held ones, and places the held buffers above
// them. The device then never places another buffer over a held one, because
// its planner uses the lowest free bytes, and enough bytes are free below the
// held buffers.
absl::StatusOr<OfflinePlan> HoldAbove(const Request& request) {
  std::vector<OfflineBuffer> others;
  size_t held_bytes = 0;
  for (const OfflineBuffer& buffer : request.buffers) {
    if (IsMovable(buffer)) {
      held_bytes += buffer.buffer.record.tensor_size;
    } else {
      others.push_back(buffer);
    }
  }
  const absl::StatusOr<Solution> solution =
      SolveHead(request.model, others, request.strategy, request.options);
  if (!solution.ok()) return solution.status();
  const auto plan_from = [&](size_t begin) {
    return PlanOf(request,
                  StackHeld(request, solution->offsets()->offsets, begin));
  };
  // Finds where the buffers that the device places would end if no held buffer
  // were in their way. To keep them out of the way, moves the held buffers to
  // the end of the largest arena. All buffers fit into that arena, since an
  // earlier plan of all buffers did.
  const absl::StatusOr<OfflineVerdict> apart =
      CheckOfflinePlan(request.model, plan_from(kLargestArena - held_bytes));
  if (!apart.ok()) return apart.status();
  size_t begin = 0;
  for (size_t i = 0; i < apart->buffers.size(); ++i) {
    if (IsMovable(request.buffers[i])) continue;
    const OfflineBuffer& buffer = apart->buffers[i];
    begin = std::max(begin, buffer.offset + buffer.buffer.record.tensor_size);
  }
  return plan_from(begin);
}

absl::StatusOr<Request> RequestOf(
    const Model& model, absl::string_view strategy, const SolveOptions& options,
    const absl::optional<std::vector<size_t>>& chosen, IoLifetime io_lifetime) {
  absl::StatusOr<std::vector<bool>> is_chosen = ChosenOf(model, chosen);
  if (!is_chosen.ok()) return is_chosen.status();
  absl::StatusOr<std::vector<int32_t>> kept = KeptOffsets(model);
  if (!kept.ok()) return kept.status();
  absl::StatusOr<std::vector<OfflineBuffer>> buffers = HeadBuffers(
      model, {/*honour_offline_plan=*/false, MicroWord::k64, io_lifetime});
  if (!buffers.ok()) return buffers.status();
  for (OfflineBuffer& buffer : *buffers) {
    buffer.buffer.record = JoinLives(buffer.buffer);
  }
  Request request = {model,
                     *std::move(is_chosen),
                     *std::move(kept),
                     *std::move(buffers),
                     strategy,
                     options};
  absl::Status held = CheckHeld(request);
  if (!held.ok()) return held;
  return request;
}

// Returns the error if no sound plan was found. Unless the plan has to keep
// offsets or becomes too large, this is a bug in this library.
absl::Status Refusal(const Model& model, const OfflineVerdict& verdict,
                     size_t kept_tensors) {
  if (verdict.violations[0].kind == OfflineViolation::Kind::kPastEnd) {
    return absl::OutOfRangeError(absl::StrCat(
        model.name(), ": its head, with what the device places, exceeds ",
        kLargestArena, " bytes; expected at most as many"));
  }
  if (kept_tensors > 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(model.name(), ": ", DescribeKept(kept_tensors),
                     ", and no plan with them is sound: ",
                     Describe(model, verdict, verdict.violations[0])));
  }
  return absl::InternalError(
      absl::StrCat(model.name(), ": the plan is not sound: ",
                   OfflineViolationName(verdict.violations[0].kind)));
}

}  // namespace

absl::StatusOr<OfflinePlanning> PlanOffline(
    const Model& model, absl::string_view strategy, const SolveOptions& options,
    const absl::optional<std::vector<size_t>>& chosen, IoLifetime io_lifetime) {
  const absl::StatusOr<Request> request =
      RequestOf(model, strategy, options, chosen, io_lifetime);
  if (!request.ok()) return request.status();
  absl::StatusOr<Solution> solution =
      SolveHead(model, request->buffers, strategy, options);
  if (!solution.ok()) return solution.status();
  if (solution->total_size > kLargestArena) {
    return absl::OutOfRangeError(
        absl::StrCat(model.name(), ": its head takes ", solution->total_size,
                     " bytes; expected at most ", kLargestArena));
  }
  OfflinePlanning planning;
  for (const OfflineBuffer& buffer : request->buffers) {
    if (buffer.given) ++planning.kept_tensors;
  }
  planning.plan = PlanOf(*request, solution->offsets()->offsets);
  OfflineCheckOptions check;
  check.io_lifetime = io_lifetime;
  absl::StatusOr<OfflineVerdict> verdict =
      CheckOfflinePlan(model, planning.plan, check);
  if (verdict.ok() && !verdict->head_bytes &&
      io_lifetime == IoLifetime::kKeep) {
    absl::StatusOr<OfflinePlan> above = HoldAbove(*request);
    if (!above.ok()) return above.status();
    planning.plan = *std::move(above);
    verdict = CheckOfflinePlan(model, planning.plan, check);
  }
  if (!verdict.ok()) return verdict.status();
  if (!verdict->head_bytes) {
    return Refusal(model, *verdict, planning.kept_tensors);
  }
  planning.head_bytes = *verdict->head_bytes;
  planning.solution = *std::move(solution);
  return planning;
}

}  // namespace stowage
