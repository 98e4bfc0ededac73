// SPDX-License-Identifier: Apache-2.0
#include "stowage/verify.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <vector>

#include "src/base/containers.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage {
namespace {

using Kind = Violation::Kind;

Violation MakeViolation(Kind kind, size_t tensor) {
  Violation violation;
  violation.kind = kind;
  violation.first_tensor = tensor;
  return violation;
}

template <typename TensorSizeT>
optional<Violation> CheckIntervals(
    Span<const TensorUsageRecord<TensorSizeT>> records, size_t places) {
  if (places != records.size()) {
    Violation violation = MakeViolation(Kind::kCountMismatch, 0);
    violation.found = places;
    violation.expected = records.size();
    return violation;
  }
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].first_task > records[i].last_task) {
      return MakeViolation(Kind::kInvalidRecord, i);
    }
  }
  return nullopt;
}

// Returns a violation if the record ends beyond the arena.
optional<Violation> CheckEnd(Span<const TensorUsageRecord<size_t>> records,
                             const OffsetsAssignment& assignment, size_t i) {
  const size_t begin = assignment.offsets[i];
  const optional<size_t> end = CheckedAdd(begin, records[i].tensor_size);
  if (end && *end <= assignment.total_size) return nullopt;
  Violation violation = MakeViolation(Kind::kBeyondArena, i);
  violation.begin = begin;
  violation.end = end.value_or(std::numeric_limits<size_t>::max());
  violation.expected = assignment.total_size;
  return violation;
}

// Returns a violation if the record is misaligned. Requires that the record is
// inside the arena.
optional<Violation> CheckAlignment(
    Span<const TensorUsageRecord<size_t>> records,
    const OffsetsAssignment& assignment, const Alignments& alignments,
    size_t i) {
  const size_t begin = assignment.offsets[i];
  if (begin % alignments.Of(i) == 0) return nullopt;
  Violation violation = MakeViolation(Kind::kMisaligned, i);
  violation.begin = begin;
  violation.end = begin + records[i].tensor_size;
  violation.expected = alignments.Of(i);
  return violation;
}

optional<Violation> CheckPlaces(Span<const TensorUsageRecord<size_t>> records,
                                const OffsetsAssignment& assignment,
                                const Alignments& alignments) {
  for (size_t i = 0; i < records.size(); ++i) {
    if (auto violation = CheckEnd(records, assignment, i)) return violation;
    if (auto violation = CheckAlignment(records, assignment, alignments, i)) {
      return violation;
    }
  }
  return nullopt;
}

// Returns the violation for two conflicting records that share bytes. Requires
// that both records are inside the arena.
Violation OverlapBetween(Span<const TensorUsageRecord<size_t>> records,
                         Span<const size_t> offsets, size_t a, size_t b) {
  Violation violation = MakeViolation(Kind::kOverlappingBytes, std::min(a, b));
  violation.second_tensor = std::max(a, b);
  violation.task = std::max(records[a].first_task, records[b].first_task);
  violation.begin = std::max(offsets[a], offsets[b]);
  violation.end = std::min(offsets[a] + records[a].tensor_size,
                           offsets[b] + records[b].tensor_size);
  return violation;
}

// Returns the violation if record i shares bytes with a record that it
// conflicts with. Requires that all records are inside the arena.
optional<Violation> CheckOverlapsOf(
    Span<const TensorUsageRecord<size_t>> records, Span<const size_t> offsets,
    size_t i) {
  const TensorUsageRecord<size_t> record = records[i];
  if (record.tensor_size == 0) return nullopt;
  const size_t begin = offsets[i];
  const size_t end = begin + record.tensor_size;
  for (size_t k = 0; k < records.size(); ++k) {
    if (offsets[k] < end && begin < offsets[k] + records[k].tensor_size &&
        Conflict(record, records[k]) && k != i && records[k].tensor_size > 0) {
      return OverlapBetween(records, offsets, i, k);
    }
  }
  return nullopt;
}

// Orders records by first task or by last task, and by index if the tasks are
// equal.
struct ByTask {
  Span<const TensorUsageRecord<size_t>> records;
  TaskId TensorUsageRecord<size_t>::*task;

  bool operator()(size_t a, size_t b) const {
    if (records[a].*task != records[b].*task) {
      return records[a].*task < records[b].*task;
    }
    return a < b;
  }
};

// Sweeps through time and keeps the live tensors ordered by offset. Until the
// first violation, the live tensors are disjoint, so a new tensor that overlaps
// any of them also overlaps one of its two neighbours in this order.
class OffsetSweep {
 public:
  OffsetSweep(Span<const TensorUsageRecord<size_t>> records,
              const OffsetsAssignment& assignment)
      : records_(records), offsets_(assignment.offsets) {}

  optional<Violation> Run() {
    std::vector<size_t> by_first;
    for (size_t i = 0; i < records_.size(); ++i) {
      if (records_[i].tensor_size > 0) by_first.push_back(i);
    }
    std::vector<size_t> by_last = by_first;
    std::sort(by_first.begin(), by_first.end(),
              ByTask{records_, &TensorUsageRecord<size_t>::first_task});
    std::sort(by_last.begin(), by_last.end(),
              ByTask{records_, &TensorUsageRecord<size_t>::last_task});
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
    return nullopt;
  }

 private:
  size_t EndOf(size_t i) const { return offsets_[i] + records_[i].tensor_size; }

  Violation OverlapOf(size_t a, size_t b) const {
    return OverlapBetween(records_, offsets_, a, b);
  }

  Span<const TensorUsageRecord<size_t>> records_;
  const std::vector<size_t>& offsets_;
  btree_map<size_t, size_t> live_;  // maps offsets to records
};

bool HasElements(size_t bytes) { return bytes > 0; }
bool HasElements(const uint2& v) { return v.x > 0 && v.y > 0; }
bool HasElements(const uint3& v) { return v.x > 0 && v.y > 0 && v.z > 0; }
bool HasElements(const BHWC& v) {
  return v.b > 0 && v.h > 0 && v.w > 0 && v.c > 0;
}

template <typename TensorSizeT>
optional<Violation> FindObjectsViolation(
    Span<const TensorUsageRecord<TensorSizeT>> records,
    const ObjectsAssignment<TensorSizeT>& assignment) {
  const std::vector<size_t>& ids = assignment.object_ids;
  if (auto violation = CheckIntervals(records, ids.size())) return violation;
  std::vector<size_t> order;
  for (size_t i = 0; i < ids.size(); ++i) {
    Violation violation = MakeViolation(Kind::kUnknownObject, i);
    violation.object = ids[i];
    violation.expected = assignment.object_sizes.size();
    if (ids[i] >= assignment.object_sizes.size()) return violation;
    violation.kind = Kind::kObjectTooSmall;
    if (!Covers(assignment.object_sizes[ids[i]], records[i].tensor_size)) {
      return violation;
    }
    if (HasElements(records[i].tensor_size)) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (ids[a] != ids[b]) return ids[a] < ids[b];
    if (records[a].first_task != records[b].first_task) {
      return records[a].first_task < records[b].first_task;
    }
    return a < b;
  });
  for (size_t k = 1; k < order.size(); ++k) {
    const size_t a = order[k - 1];
    const size_t b = order[k];
    if (ids[a] != ids[b] || !Conflict(records[a], records[b])) continue;
    Violation violation = MakeViolation(Kind::kSharedObject, std::min(a, b));
    violation.second_tensor = std::max(a, b);
    violation.task = records[b].first_task;
    violation.object = ids[a];
    return violation;
  }
  return nullopt;
}

}  // namespace

optional<Violation> FindViolation(Span<const TensorUsageRecord<size_t>> records,
                                  const OffsetsAssignment& assignment,
                                  const Alignments& alignments) {
  if (auto violation = CheckIntervals(records, assignment.offsets.size())) {
    return violation;
  }
  if (!alignments.Check(records.size()).ok()) {
    return MakeViolation(Kind::kInvalidAlignment, 0);
  }
  if (auto violation = CheckPlaces(records, assignment, alignments)) {
    return violation;
  }
  return OffsetSweep(records, assignment).Run();
}

optional<Violation> FindViolationOfChanged(
    Span<const TensorUsageRecord<size_t>> records,
    const OffsetsAssignment& assignment, const Alignments& alignments,
    Span<const size_t> changed) {
  if (auto violation = CheckIntervals(records, assignment.offsets.size())) {
    return violation;
  }
  if (!alignments.Check(records.size()).ok()) {
    return MakeViolation(Kind::kInvalidAlignment, 0);
  }
  for (size_t i = 0; i < records.size(); ++i) {
    if (auto violation = CheckEnd(records, assignment, i)) return violation;
  }
  for (const size_t i : changed) {
    if (auto violation = CheckAlignment(records, assignment, alignments, i)) {
      return violation;
    }
    if (auto violation = CheckOverlapsOf(records, assignment.offsets, i)) {
      return violation;
    }
  }
  return nullopt;
}

optional<Violation> FindViolation(Span<const TensorUsageRecord<size_t>> records,
                                  const ObjectsAssignment<size_t>& assignment) {
  return FindObjectsViolation(records, assignment);
}

optional<Violation> FindViolation(Span<const TensorUsageRecord<uint2>> records,
                                  const ObjectsAssignment<uint2>& assignment) {
  return FindObjectsViolation(records, assignment);
}

optional<Violation> FindViolation(Span<const TensorUsageRecord<uint3>> records,
                                  const ObjectsAssignment<uint3>& assignment) {
  return FindObjectsViolation(records, assignment);
}

optional<Violation> FindViolation(Span<const TensorUsageRecord<BHWC>> records,
                                  const ObjectsAssignment<BHWC>& assignment) {
  return FindObjectsViolation(records, assignment);
}

}  // namespace stowage
