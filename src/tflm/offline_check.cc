// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflm/offline_check.h"

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
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/tflm/custom_overlap.h"
#include "src/tflm/place_on_device.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_trace.h"
#include "stowage/tflm/offline_plan.h"

namespace stowage {
namespace {

using Kind = OfflineViolation::Kind;

// The maximum number of overlaps that are listed as allowed or undecided. No
// accelerator model has that many, and this number of overlaps can still be
// checked one by one.
constexpr size_t kMaxOverlaps = size_t{1} << 16;

size_t End(const OfflineBuffer& buffer) {
  return buffer.offset + buffer.buffer.record.tensor_size;
}

class Checker {
 public:
  Checker(const Model& model, const OfflineCheckOptions& options,
          std::vector<OfflineBuffer> buffers)
      : options_(options), custom_(model) {
    verdict_.buffers = std::move(buffers);
    for (const OfflineBuffer& buffer : verdict_.buffers) {
      last_task_ = std::max(last_task_, buffer.buffer.record.last_task);
    }
    for (OfflineBuffer& buffer : verdict_.buffers) {
      std::vector<MicroLife> lives = buffer.buffer.earlier;
      if (buffer.is_variable || buffer.is_held) {
        lives = {{0, last_task_}};
      } else {
        const TensorUsageRecord<size_t>& record = buffer.buffer.record;
        lives.push_back({record.first_task, record.last_task});
      }
      lives_.push_back(std::move(lives));
    }
  }

  absl::StatusOr<OfflineVerdict> Check(bool with_device) && {
    for (size_t i = 0; i < verdict_.buffers.size(); ++i) CheckOffset(i);
    CheckOverlaps();
    if (with_device && verdict_.violations.empty()) {
      if (absl::Status s = CheckDevice(); !s.ok()) return s;
    }
    return std::move(verdict_);
  }

 private:
  void Report(const OfflineViolation& found) {
    if (verdict_.violations.size() < kMaxViolations) {
      verdict_.violations.push_back(found);
    }
  }

  // Returns a violation for two buffers that share bytes.
  OfflineViolation Sharing(Kind kind, size_t first, size_t second,
                           TaskId task) const;

  // Returns the first task at which both buffers are live, or nullopt if there
  // is no such task.
  absl::optional<TaskId> FindTask(size_t a, size_t b) const;

  static bool ShareBytes(const OfflineBuffer& a, const OfflineBuffer& b) {
    return a.offset < End(b) && b.offset < End(a);
  }

  void CheckOffset(size_t i);
  void CheckOverlaps();
  void CheckPair(size_t i, size_t other, TaskId task);
  absl::Status CheckDevice();

  const OfflineCheckOptions& options_;
  const CustomOverlaps custom_;
  TaskId last_task_ = 0;
  // The lifetimes of each buffer, in order.
  std::vector<std::vector<MicroLife>> lives_;
  OfflineVerdict verdict_;
};

absl::optional<TaskId> Checker::FindTask(size_t a, size_t b) const {
  for (const MicroLife& x : lives_[a]) {
    for (const MicroLife& y : lives_[b]) {
      if (x.first <= y.last && y.first <= x.last) {
        return std::max(x.first, y.first);
      }
    }
  }
  return absl::nullopt;
}

void Checker::CheckOffset(size_t i) {
  OfflineBuffer& buffer = verdict_.buffers[i];
  if (!buffer.given) return;
  if (*buffer.given < 0) return Report({Kind::kNegative, i});
  buffer.offset = static_cast<size_t>(*buffer.given);
  if (buffer.offset % kMicroAlignment != 0) Report({Kind::kMisaligned, i});
  const size_t size = buffer.buffer.record.tensor_size;
  if (size > options_.capacity || buffer.offset > options_.capacity - size) {
    Report({Kind::kPastEnd, i});
  }
}

OfflineViolation Checker::Sharing(Kind kind, size_t first, size_t second,
                                  TaskId task) const {
  const OfflineBuffer& a = verdict_.buffers[first];
  const OfflineBuffer& b = verdict_.buffers[second];
  return {kind,
          first,
          second,
          std::max(a.offset, b.offset),
          std::min(End(a), End(b)),
          task};
}

// Checks two buffers that share bytes and are live at `task`.
void Checker::CheckPair(size_t i, size_t other, TaskId task) {
  const OfflineViolation found = Sharing(
      Kind::kOverlappingBytes, std::min(i, other), std::max(i, other), task);
  CustomOverlap overlap = CustomOverlap::kVisible;
  if (verdict_.allowed.size() + verdict_.undecided.size() < kMaxOverlaps) {
    overlap =
        custom_.Of(verdict_.buffers[i].buffer, verdict_.buffers[other].buffer);
  }
  if (overlap == CustomOverlap::kVisible) return Report(found);
  const bool is_allowed =
      overlap == CustomOverlap::kNever ||
      (overlap == CustomOverlap::kIntended && options_.allow_custom_overlap);
  (is_allowed ? verdict_.allowed : verdict_.undecided).push_back(found);
  verdict_.buffers[i].shares_bytes = true;
  verdict_.buffers[other].shares_bytes = true;
}

// Checks the buffers in the order of their first tasks, and compares each
// buffer with the earlier buffers that may still be live.
void Checker::CheckOverlaps() {
  const std::vector<OfflineBuffer>& buffers = verdict_.buffers;
  std::vector<size_t> order;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].given && *buffers[i].given >= 0) order.push_back(i);
  }
  const auto first_task = [&](size_t i) { return lives_[i].front().first; };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return first_task(a) < first_task(b);
  });
  std::vector<size_t> live;
  for (const size_t i : order) {
    live.erase(std::remove_if(live.begin(), live.end(),
                              [&](size_t j) {
                                return lives_[j].back().last < first_task(i);
                              }),
               live.end());
    for (const size_t j : live) {
      if (!ShareBytes(buffers[i], buffers[j])) continue;
      if (const auto task = FindTask(i, j)) CheckPair(i, j, *task);
    }
    if (verdict_.violations.size() >= kMaxViolations) return;
    live.push_back(i);
  }
}

// Places the buffers without an offset in the same way as the device, and
// checks the result.
absl::Status Checker::CheckDevice() {
  absl::Status placed = PlaceOnDevice(&verdict_.buffers);
  if (!placed.ok()) return placed;
  // The device does not know about variables, buffers that are held, and
  // earlier runs of a subgraph. If there are any, it may place a buffer
  // incorrectly.
  const bool may_surprise =
      absl::c_any_of(verdict_.buffers, [](const OfflineBuffer& buffer) {
        return buffer.is_variable || buffer.is_held ||
               !buffer.buffer.earlier.empty();
      });
  size_t head = 0;
  for (size_t i = 0; i < verdict_.buffers.size(); ++i) {
    const OfflineBuffer& buffer = verdict_.buffers[i];
    head = std::max(head, End(buffer));
    if (End(buffer) > options_.capacity) Report({Kind::kPastEnd, i});
    if (!buffer.given || !may_surprise) continue;
    for (size_t j = 0; j < verdict_.buffers.size(); ++j) {
      const OfflineBuffer& other = verdict_.buffers[j];
      if (other.given || !ShareBytes(buffer, other)) continue;
      if (const auto task = FindTask(i, j)) {
        Report(Sharing(buffer.is_variable ? Kind::kOverwrittenState
                                          : Kind::kOverlappingBytes,
                       i, j, *task));
      }
    }
  }
  if (verdict_.violations.empty()) verdict_.head_bytes = head;
  return absl::OkStatus();
}

std::vector<OfflineBuffer> GivenBuffers(const Model& model,
                                        std::vector<MicroBuffer> micro,
                                        const std::vector<int32_t>& offsets,
                                        IoLifetime io_lifetime) {
  std::vector<OfflineBuffer> buffers;
  for (MicroBuffer& from : micro) {
    OfflineBuffer& buffer = buffers.emplace_back();
    buffer.buffer = std::move(from);
    const SubgraphSpec& graph = model.subgraphs()[buffer.buffer.subgraph];
    const size_t tensor = buffer.buffer.tensor;
    if (tensor == kAbsent) continue;
    buffer.is_variable = graph.tensors[tensor].is_variable;
    buffer.is_held = io_lifetime == IoLifetime::kKeep &&
                     IsInputOrOutput(model, buffer.buffer);
    if (offsets.empty()) continue;
    const int32_t offset = offsets[graph.first_tensor + tensor];
    if (offset != kPlacedOnDevice) buffer.given = offset;
  }
  return buffers;
}

// Returns the variables that are not allocated any memory, because the device
// treats them as planned although they have no offset.
std::vector<OfflineBuffer> LostVariables(const Model& model,
                                         const std::vector<int32_t>& offsets) {
  std::vector<OfflineBuffer> lost;
  if (offsets.empty()) return lost;
  for (size_t g = 0; g < model.subgraphs().size(); ++g) {
    const SubgraphSpec& graph = model.subgraphs()[g];
    for (size_t t = 0; t < graph.tensors.size(); ++t) {
      if (!graph.tensors[t].is_variable || graph.tensors[t].bytes == 0 ||
          offsets[graph.first_tensor + t] != kPlacedOnDevice ||
          offsets[t] == kPlacedOnDevice) {
        continue;
      }
      OfflineBuffer& buffer = lost.emplace_back();
      buffer.buffer.subgraph = g;
      buffer.buffer.tensor = t;
      buffer.buffer.record.tensor_size = graph.tensors[t].bytes;
      buffer.is_variable = true;
    }
  }
  return lost;
}

OfflineVerdict VerdictOf(std::vector<OfflineBuffer> lost) {
  OfflineVerdict verdict;
  verdict.buffers = std::move(lost);
  for (size_t i = 0; i < verdict.buffers.size() && i < kMaxViolations; ++i) {
    verdict.violations.emplace_back().kind = Kind::kNoMemory;
    verdict.violations.back().first = i;
  }
  return verdict;
}

absl::StatusOr<OfflineVerdict> CheckOffsets(const Model& model,
                                            const std::vector<int32_t>& offsets,
                                            const OfflineCheckOptions& options,
                                            bool with_device) {
  absl::StatusOr<std::vector<MicroBuffer>> micro =
      MicroBuffersOf(model, options.word, offsets);
  if (!micro.ok()) return micro.status();
  std::vector<OfflineBuffer> lost = LostVariables(model, offsets);
  if (!lost.empty()) return VerdictOf(std::move(lost));
  return Checker(model, options,
                 GivenBuffers(model, *std::move(micro), offsets,
                              options.io_lifetime))
      .Check(with_device);
}

}  // namespace

absl::string_view OfflineViolationName(OfflineViolation::Kind kind) {
  switch (kind) {
    case Kind::kNegative:
      return "negative";
    case Kind::kMisaligned:
      return "misaligned";
    case Kind::kPastEnd:
      return "past_end";
    case Kind::kOverlappingBytes:
      return "overlapping_bytes";
    case Kind::kOverwrittenState:
      return "overwritten_state";
    case Kind::kNoMemory:
      return "no_memory";
  }
  return "";
}

std::vector<OfflineViolation> OfflineVerdict::overlaps() const {
  std::vector<OfflineViolation> all = allowed;
  all.insert(all.end(), undecided.begin(), undecided.end());
  return all;
}

absl::string_view OfflineVerdictName(const OfflineVerdict& verdict) {
  if (!verdict.violations.empty()) return "unsound";
  return verdict.undecided.empty() ? "sound" : "undecided";
}

absl::StatusOr<OfflineVerdict> CheckGivenOffsets(
    const Model& model, const OfflinePlan& plan,
    const OfflineCheckOptions& options) {
  return CheckOffsets(model, plan.offsets, options, /*with_device=*/false);
}

absl::StatusOr<OfflineVerdict> CheckOfflinePlan(
    const Model& model, const absl::optional<OfflinePlan>& plan,
    const OfflineCheckOptions& options) {
  const size_t subgraphs = model.subgraphs().size();
  if (plan && plan->subgraphs != subgraphs &&
      !(plan->subgraphs == 0 && subgraphs == 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat(model.name(), ": a plan for ", plan->subgraphs,
                     " subgraphs; expected ", subgraphs));
  }
  return CheckOffsets(model, plan ? plan->offsets : std::vector<int32_t>(),
                      options, /*with_device=*/true);
}

std::string OfflineBufferPlace(const Model& model,
                               const OfflineBuffer& buffer) {
  const SubgraphSpec& graph = model.subgraphs()[buffer.buffer.subgraph];
  std::string place = buffer.buffer.tensor == kAbsent
                          ? absl::StrCat("scratch memory of ",
                                         graph.OperatorPlace(buffer.buffer.op))
                          : graph.TensorPlace(buffer.buffer.tensor);
  if (model.subgraphs().size() == 1) return place;
  return absl::StrCat("subgraph ", buffer.buffer.subgraph, ", ", place);
}

std::string Describe(const Model& model, const OfflineVerdict& verdict,
                     const OfflineViolation& violation) {
  const OfflineBuffer& first = verdict.buffers[violation.first];
  const std::string place = OfflineBufferPlace(model, first);
  switch (violation.kind) {
    case Kind::kNegative:
      return absl::StrCat(place, ": offset ", *first.given,
                          ", before the arena; expected ", kPlacedOnDevice,
                          " or at least 0");
    case Kind::kMisaligned:
      return absl::StrCat(place, ": offset ", *first.given,
                          "; expected a multiple of ", kMicroAlignment);
    case Kind::kPastEnd:
      return absl::StrCat(place, ": bytes [", first.offset, ", ", End(first),
                          "), past the end of the arena");
    case Kind::kNoMemory:
      return absl::StrCat(place,
                          ", a variable: no memory, for the device takes ",
                          "the offset of tensor ", first.buffer.tensor,
                          " for its own; expected ", kPlacedOnDevice, " there");
    case Kind::kOverlappingBytes:
    case Kind::kOverwrittenState:
      break;
  }
  const std::string second =
      OfflineBufferPlace(model, verdict.buffers[violation.second]);
  const std::string bytes =
      absl::StrCat("bytes [", violation.begin, ", ", violation.end, ")");
  if (violation.kind == Kind::kOverlappingBytes) {
    return absl::StrCat(place, " and ", second, ": share ", bytes,
                        ", both live at task ", violation.task);
  }
  return absl::StrCat(
      place, ", a variable: ", second, " is placed on the device at ", bytes,
      " of it, and destroys its state at task ", violation.task);
}

}  // namespace stowage
