// SPDX-License-Identifier: Apache-2.0
#include "stowage/verify.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

namespace stowage {
namespace {

using Kind = Violation::Kind;

Violation ViolationOf(Kind kind, size_t tensor) {
  Violation violation;
  violation.kind = kind;
  violation.first_tensor = tensor;
  return violation;
}

template <typename TensorSizeT>
absl::optional<Violation> CheckIntervals(
    absl::Span<const TensorUsageRecord<TensorSizeT>> records, size_t places) {
  if (places != records.size()) {
    Violation violation = ViolationOf(Kind::kCountMismatch, 0);
    violation.found = places;
    violation.expected = records.size();
    return violation;
  }
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].first_task > records[i].last_task) {
      return ViolationOf(Kind::kInvalidRecord, i);
    }
  }
  return absl::nullopt;
}

absl::optional<Violation> CheckPlaces(
    absl::Span<const TensorUsageRecord<size_t>> records,
    const OffsetsAssignment& assignment, const Alignments& alignments) {
  for (size_t i = 0; i < records.size(); ++i) {
    const size_t begin = assignment.offsets[i];
    const absl::optional<size_t> end =
        CheckedAdd(begin, records[i].tensor_size);
    Violation violation = ViolationOf(Kind::kBeyondArena, i);
    violation.begin = begin;
    violation.end = end.value_or(std::numeric_limits<size_t>::max());
    violation.expected = assignment.total_size;
    if (!end || *end > assignment.total_size) return violation;
    violation.kind = Kind::kMisaligned;
    violation.expected = alignments.Of(i);
    if (begin % violation.expected != 0) return violation;
  }
  return absl::nullopt;
}

// Moves through time and keeps the live tensors ordered by offset. Until the
// first violation these tensors are disjoint, so that a new tensor that
// overlaps any of them overlaps one of its two neighbours.
class OffsetSweep {
 public:
  OffsetSweep(absl::Span<const TensorUsageRecord<size_t>> records,
              const OffsetsAssignment& assignment)
      : records_(records), offsets_(assignment.offsets) {}

  absl::optional<Violation> Run() {
    std::vector<size_t> by_first;
    for (size_t i = 0; i < records_.size(); ++i) {
      if (records_[i].tensor_size > 0) by_first.push_back(i);
    }
    std::vector<size_t> by_last = by_first;
    std::stable_sort(by_first.begin(), by_first.end(), [&](size_t a, size_t b) {
      return records_[a].first_task < records_[b].first_task;
    });
    std::stable_sort(by_last.begin(), by_last.end(), [&](size_t a, size_t b) {
      return records_[a].last_task < records_[b].last_task;
    });
    size_t ended = 0;
    for (const size_t i : by_first) {
      while (records_[by_last[ended]].last_task < records_[i].first_task) {
        live_.erase(offsets_[by_last[ended++]]);
      }
      const auto next = live_.lower_bound(offsets_[i]);
      if (next != live_.end() && offsets_[next->second] < EndOf(i)) {
        return OverlapOf(next->second, i);
      }
      if (next != live_.begin()) {
        const size_t previous = std::prev(next)->second;
        if (offsets_[i] < EndOf(previous)) return OverlapOf(previous, i);
      }
      live_.emplace_hint(next, offsets_[i], i);
    }
    return absl::nullopt;
  }

 private:
  size_t EndOf(size_t i) const { return offsets_[i] + records_[i].tensor_size; }

  Violation OverlapOf(size_t a, size_t b) const {
    Violation violation = ViolationOf(Kind::kOverlappingBytes, std::min(a, b));
    violation.second_tensor = std::max(a, b);
    violation.task = std::max(records_[a].first_task, records_[b].first_task);
    violation.begin = std::max(offsets_[a], offsets_[b]);
    violation.end = std::min(EndOf(a), EndOf(b));
    return violation;
  }

  absl::Span<const TensorUsageRecord<size_t>> records_;
  const std::vector<size_t>& offsets_;
  absl::btree_map<size_t, size_t> live_;  // offset -> record
};

bool HasElements(size_t bytes) { return bytes > 0; }
bool HasElements(const uint2& v) { return v.x > 0 && v.y > 0; }
bool HasElements(const uint3& v) { return v.x > 0 && v.y > 0 && v.z > 0; }
bool HasElements(const BHWC& v) {
  return v.b > 0 && v.h > 0 && v.w > 0 && v.c > 0;
}

template <typename TensorSizeT>
absl::optional<Violation> FindObjectsViolation(
    absl::Span<const TensorUsageRecord<TensorSizeT>> records,
    const ObjectsAssignment<TensorSizeT>& assignment) {
  const std::vector<size_t>& ids = assignment.object_ids;
  if (auto violation = CheckIntervals(records, ids.size())) return violation;
  std::vector<size_t> order;
  for (size_t i = 0; i < ids.size(); ++i) {
    Violation violation = ViolationOf(Kind::kUnknownObject, i);
    violation.object = ids[i];
    violation.expected = assignment.object_sizes.size();
    if (ids[i] >= assignment.object_sizes.size()) return violation;
    violation.kind = Kind::kObjectTooSmall;
    if (!Covers(assignment.object_sizes[ids[i]], records[i].tensor_size)) {
      return violation;
    }
    if (HasElements(records[i].tensor_size)) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (ids[a] != ids[b]) return ids[a] < ids[b];
    return records[a].first_task < records[b].first_task;
  });
  for (size_t k = 1; k < order.size(); ++k) {
    const size_t a = order[k - 1];
    const size_t b = order[k];
    if (ids[a] != ids[b] || !Conflict(records[a], records[b])) continue;
    Violation violation = ViolationOf(Kind::kSharedObject, std::min(a, b));
    violation.second_tensor = std::max(a, b);
    violation.task = records[b].first_task;
    violation.object = ids[a];
    return violation;
  }
  return absl::nullopt;
}

}  // namespace

absl::optional<Violation> FindViolation(
    absl::Span<const TensorUsageRecord<size_t>> records,
    const OffsetsAssignment& assignment, const Alignments& alignments) {
  if (auto violation = CheckIntervals(records, assignment.offsets.size())) {
    return violation;
  }
  if (!alignments.Check(records.size()).ok()) {
    return ViolationOf(Kind::kInvalidAlignment, 0);
  }
  if (auto violation = CheckPlaces(records, assignment, alignments)) {
    return violation;
  }
  return OffsetSweep(records, assignment).Run();
}

absl::optional<Violation> FindViolation(
    absl::Span<const TensorUsageRecord<size_t>> records,
    const ObjectsAssignment<size_t>& assignment) {
  return FindObjectsViolation(records, assignment);
}

absl::optional<Violation> FindViolation(
    absl::Span<const TensorUsageRecord<uint2>> records,
    const ObjectsAssignment<uint2>& assignment) {
  return FindObjectsViolation(records, assignment);
}

absl::optional<Violation> FindViolation(
    absl::Span<const TensorUsageRecord<uint3>> records,
    const ObjectsAssignment<uint3>& assignment) {
  return FindObjectsViolation(records, assignment);
}

absl::optional<Violation> FindViolation(
    absl::Span<const TensorUsageRecord<BHWC>> records,
    const ObjectsAssignment<BHWC>& assignment) {
  return FindObjectsViolation(records, assignment);
}

}  // namespace stowage
