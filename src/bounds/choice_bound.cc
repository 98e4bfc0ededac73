// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/choice_bound.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "src/bounds/constrained_bound.h"
#include "src/bounds/unions.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/constraints.h"
#include "stowage/feature.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

struct BytesAtTask {
  size_t bytes = 0;
  TaskId task = 0;
};

// The maximum number of visits to group members for one bound.
constexpr size_t kMaxSteps = size_t{1} << 24;

// Counts the bytes that the live records need together. Bytes that several
// records of a group share are counted once. The size of every record is
// rounded up to whole units, except for one: the record with the highest end
// need not use all of its last unit. Since it is not known which record that
// is, the count assumes the record that leaves the most bytes of its last unit
// unused.
class LiveUnion {
 public:
  // Requires that the sum of all sizes, each rounded up to `unit`, does not
  // overflow.
  LiveUnion(Span<const TensorUsageRecord<size_t>> records,
            Span<const RecordPlace> places, size_t unit)
      : records_(records), places_(places), unit_(unit) {}

  void Add(size_t record) { Change(record, true); }
  void Remove(size_t record) { Change(record, false); }
  size_t bytes() const {
    return tails_.empty() ? 0 : bytes_ - *tails_.rbegin();
  }
  size_t steps() const { return steps_; }

 private:
  struct Group {
    std::multiset<std::pair<size_t, size_t>> ranges;
    size_t bytes = 0;
  };

  void Change(size_t record, bool adds) {
    const size_t requested = records_[record].tensor_size;
    const size_t size = AlignUp(requested, unit_);
    if (adds) {
      tails_.insert(size - requested);
    } else {
      tails_.erase(tails_.find(size - requested));
    }
    if (places_[record].group == kNoGroup) {
      bytes_ = adds ? bytes_ + size : bytes_ - size;
      return;
    }
    Group& group = groups_[places_[record].group];
    const size_t at = places_[record].at;
    if (adds) {
      group.ranges.emplace(at, at + size);
    } else {
      group.ranges.erase(group.ranges.find({at, at + size}));
    }
    bytes_ -= group.bytes;
    group.bytes = 0;
    size_t end = 0;
    for (const auto& [begin, range_end] : group.ranges) {
      ++steps_;
      if (range_end <= end) continue;
      group.bytes += range_end - std::max(begin, end);
      end = range_end;
    }
    bytes_ += group.bytes;
  }

  Span<const TensorUsageRecord<size_t>> records_;
  Span<const RecordPlace> places_;
  const size_t unit_;
  std::map<uint32_t, Group> groups_;
  // For each live record, the number of bytes of its last unit that it leaves
  // unused.
  std::multiset<size_t> tails_;
  size_t bytes_ = 0;  // in whole units
  size_t steps_ = 0;
};

// Returns the largest number of live bytes at any task, and the first task at
// which that many bytes are live. Stops after kMaxSteps, which only problems
// with large groups reach; the result may then be too low. Requires a place for
// every record, and that no sum of sizes in whole units overflows.
BytesAtTask LiveBytes(Span<const TensorUsageRecord<size_t>> records,
                      Span<const RecordPlace> places, size_t unit) {
  std::vector<size_t> by_begin(records.size());
  std::iota(by_begin.begin(), by_begin.end(), 0);
  std::vector<size_t> by_end = by_begin;
  std::sort(by_begin.begin(), by_begin.end(), [&](size_t a, size_t b) {
    return records[a].first_task < records[b].first_task;
  });
  std::sort(by_end.begin(), by_end.end(), [&](size_t a, size_t b) {
    return records[a].last_task < records[b].last_task;
  });
  LiveUnion live(records, places, unit);
  BytesAtTask max;
  size_t ended = 0;
  for (size_t i = 0; i < by_begin.size() && live.steps() < kMaxSteps; ++i) {
    const TaskId task = records[by_begin[i]].first_task;
    while (records[by_end[ended]].last_task < task) {
      live.Remove(by_end[ended++]);
    }
    live.Add(by_begin[i]);
    if (live.bytes() > max.bytes) max = {live.bytes(), task};
  }
  return max;
}

// Returns the largest unit that divides every offset. Returns 1 if a sum of
// sizes in such units might overflow.
size_t UnitOf(const Problem& problem) {
  size_t unit = std::numeric_limits<size_t>::max();
  for (size_t i = 0; i < problem.size(); ++i) {
    unit = std::min(unit, problem.alignments().Of(i));
  }
  const optional<size_t> padding = CheckedMultiply(problem.size(), unit);
  const bool fits = padding && CheckedAdd(NaiveSize(problem), *padding);
  return fits ? unit : 1;
}

// Returns the indices of all records by decreasing size.
std::vector<size_t> LargestFirst(const Problem& problem) {
  std::vector<size_t> order(problem.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return problem.records()[a].tensor_size > problem.records()[b].tensor_size;
  });
  return order;
}

// Returns whether every plan needs all bytes that are live at a task, no matter
// which groups the plan keeps.
bool NeedsLiveBytes(const Constraints& constraints) {
  return !constraints.places.empty() && constraints.never.empty() &&
         !constraints.order;
}

// Returns a bound that holds for every choice of same_or_apart. The bound
// counts every record in whole units. It then subtracts the largest number of
// bytes that any one record leaves unused in its last unit, since the highest
// record need not use that unit completely. Returns 0 if places or holes limit
// the offsets.
size_t AlignedBoundOfAnyUnions(const Problem& problem) {
  const size_t unit = UnitOf(problem);
  StatusOr<Problem> relaxed = RelaxUnions(problem);
  if (unit == 1 || !relaxed.ok() || relaxed->constraints() == nullptr ||
      !relaxed->constraints()->pools.empty() ||
      relaxed->Requires().Has(Feature::kPlaces)) {
    return 0;
  }
  ProblemSpec spec = relaxed->ToSpec();
  for (ByteRecord& record : spec.records) {
    record.tensor_size = AlignUp(record.tensor_size, unit);
  }
  spec.capacity.reset();
  spec.fixed_offsets.clear();
  const StatusOr<Problem> rounded = Problem::Create(std::move(spec));
  if (!rounded.ok()) return 0;
  const LowerBound& bound = LowerBoundOf(*rounded);
  std::vector<size_t> records = bound.records;
  if (records.empty()) records = LargestFirst(problem);
  size_t tail = 0;
  for (const size_t i : records) {
    tail = std::max(tail, rounded->records()[i].tensor_size -
                              problem.records()[i].tensor_size);
  }
  return bound.bytes - std::min(bound.bytes, tail);
}

}  // namespace

std::vector<size_t> WeightsInAnyOrder(const Problem& problem) {
  std::vector<size_t> weights(problem.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i] = problem.records()[i].tensor_size;
  }
  if (problem.constraints() == nullptr) return weights;
  const Constraints& constraints = *problem.constraints();
  std::vector<std::vector<size_t>> never(weights.size());
  for (const auto& [first, second] : constraints.never) {
    never[first].push_back(second);
    never[second].push_back(first);
  }
  std::map<uint32_t, size_t> largest;  // by group
  std::vector<bool> has_lost(weights.size(), false);
  for (const size_t i : LargestFirst(problem)) {
    const uint32_t group =
        constraints.places.empty() ? kNoGroup : constraints.places[i].group;
    const bool is_first =
        group == kNoGroup || largest.try_emplace(group, i).second;
    if (!is_first || has_lost[i]) {
      weights[i] = 0;
      continue;
    }
    for (const size_t other : never[i]) has_lost[other] = true;
  }
  return weights;
}

LowerBound BoundOfAnyOrder(const Problem& problem) {
  const FreeOrder& free_order = *problem.free_order();
  const std::vector<size_t> weights = WeightsInAnyOrder(problem);
  std::map<TaskId, size_t> bytes_of_task;
  LowerBound bound = {0, {BoundProof::Kind::kAnyOrder}};
  for (size_t i = 0; i < problem.size(); ++i) {
    for (const TaskId task : free_order.users[i]) {
      size_t& bytes = bytes_of_task[task];
      bytes += weights[i];
      bound.bytes = std::max(bound.bytes, bytes);
    }
  }
  for (size_t i = 0; i < problem.size(); ++i) {
    const optional<size_t> offset = problem.fixed_offset(i);
    if (!offset) continue;
    const size_t end = *offset + problem.records()[i].tensor_size;
    if (end > bound.bytes) bound = {end, {BoundProof::Kind::kFixedEnd, i}};
  }
  return bound;
}

LowerBound BoundOfAnyGroups(const Problem& problem, LowerBound kept) {
  if (TaskOf(kept.proof)) return kept;
  LowerBound of_all = {0, {BoundProof::Kind::kLargestRecord}};
  for (const ByteRecord& record : problem.records()) {
    of_all.bytes = std::max(of_all.bytes, record.tensor_size);
  }
  const Constraints& constraints = *problem.constraints();
  if (NeedsLiveBytes(constraints)) {
    const BytesAtTask live =
        LiveBytes(problem.records(), constraints.places, 1);
    if (live.bytes > of_all.bytes) {
      of_all = {live.bytes, {BoundProof::Kind::kBytesLive, live.task}};
    }
  }
  return of_all.bytes < kept.bytes ? of_all : kept;
}

LowerBound BoundOfAnyUnions(const Problem& problem) {
  const StatusOr<Problem> relaxed = RelaxUnions(problem);
  return relaxed.ok() ? LowerBoundOf(*relaxed) : LowerBound();
}

size_t AlignedBoundUnderConstraints(const Problem& problem) {
  const size_t bound = LowerBoundOf(problem).bytes;
  const Constraints& constraints = *problem.constraints();
  if (!constraints.same_or_apart.empty()) {
    return std::max(bound, AlignedBoundOfAnyUnions(problem));
  }
  if (!NeedsLiveBytes(constraints) || !constraints.pools.empty()) return bound;
  // Since all offsets are multiples of the unit, records occupy whole units.
  return std::max(
      bound,
      LiveBytes(problem.records(), constraints.places, UnitOf(problem)).bytes);
}

LowerBound BoundWithChoices(const Problem& problem) {
  if (problem.free_order() != nullptr) return BoundOfAnyOrder(problem);
  if (!problem.constraints()->same_or_apart.empty()) {
    return BoundOfAnyUnions(problem);
  }
  LowerBound bound = BoundUnderConstraints(problem);
  return problem.groups_are_optional()
             ? BoundOfAnyGroups(problem, std::move(bound))
             : bound;
}

}  // namespace stowage
