// SPDX-License-Identifier: Apache-2.0
// Builds stacks for problems with groups or fixed offsets. Each group is
// stacked as a whole. Source: own. The proofs for single records (stack_plan.h)
// also hold for groups: if two records of different groups conflict, the record
// of the later group is placed above the record of the earlier group.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "src/dynamic/dynamic_state.h"
#include "src/dynamic/stack_edges.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/constraints.h"
#include "stowage/dynamic/stack_plan.h"
#include "stowage/error_payload.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage {

// Collects the groups of a problem in stacking order, and their edges.
class StackPlan::GroupBuilder {
 public:
  GroupBuilder(const ProblemSpec& problem, StackPlan* plan)
      : problem_(problem), plan_(*plan), ranges_(RankRanges(problem.records)) {}

  Status Build() {
    for (Group& group : Gather()) {
      if (Status s = FindStart(&group); !s.ok()) return s;
    }
    AddRooms();
    step_of_.assign(problem_.records.size(), kNoStep);
    longest_.resize(plan_.groups_.size(), 0);
    for (size_t step = 0; step < plan_.groups_.size(); ++step) AddStep(step);
    for (const size_t record : plan_.order_) {
      plan_.step_at_.push_back(step_of_[record]);
    }
    return OkStatus();
  }

 private:
  // Returns all groups, including a group of one for each record that is in no
  // group. The position of a group is that of its first record in the order.
  std::vector<Group> Gather() const {
    std::vector<Group> groups;
    flat_hash_map<uint32_t, size_t> index_of;
    for (const size_t record : plan_.order_) {
      const RecordPlace place = PlaceOf(record);
      size_t index = groups.size();
      if (place.group != kNoGroup) {
        index = index_of.emplace(place.group, index).first->second;
      }
      if (index == groups.size()) groups.emplace_back();
      groups[index].records.push_back(static_cast<uint32_t>(record));
      groups[index].at.push_back(place.group == kNoGroup ? 0 : place.at);
    }
    return groups;
  }

  RecordPlace PlaceOf(size_t record) const {
    const std::vector<RecordPlace>& places = problem_.constraints.places;
    return places.empty() ? RecordPlace() : places[record];
  }
  bool AreInOneGroup(uint32_t a, uint32_t b) const {
    return PlaceOf(a).group != kNoGroup && PlaceOf(a).group == PlaceOf(b).group;
  }
  bool DoConflict(uint32_t a, uint32_t b) const {
    return Conflict(problem_.records[a], problem_.records[b]);
  }

  Status FindStart(Group* group) {
    size_t alignment = 0;
    for (size_t k = 0; k < group->records.size(); ++k) {
      const size_t of_record = plan_.alignments_[group->records[k]];
      if (of_record <= alignment) continue;
      alignment = of_record;
      group->residue = (0 - group->at[k]) & (alignment - 1);
    }
    const StatusOr<optional<size_t>> fixed = FixedStartOf(*group);
    if (!fixed.ok()) return fixed.status();
    const size_t start = fixed->value_or(group->residue);
    for (size_t k = 0; k < group->records.size(); ++k) {
      const size_t record = group->records[k];
      if (((start + group->at[k]) & (plan_.alignments_[record] - 1)) == 0) {
        continue;
      }
      return WithRecords(
          InvalidArgumentError(
              StrCat(RecordName(problem_, record),
                     ": no start of its group is aligned for all of its "
                     "records; expected other distances or alignments")),
          {record});
    }
    if (!*fixed) {
      plan_.groups_.push_back(std::move(*group));
      return OkStatus();
    }
    for (size_t k = 0; k < group->records.size(); ++k) {
      const optional<size_t> offset = CheckedAdd(start, group->at[k]);
      if (!offset) return TooHigh(group->records[k]);
      plan_.fixed_.push_back({group->records[k], *offset, nullopt, 0});
    }
    return OkStatus();
  }

  // Returns the start of a group as computed from the fixed offsets of its
  // records, or nullopt if no record of the group has a fixed offset.
  StatusOr<optional<size_t>> FixedStartOf(const Group& group) const {
    optional<size_t> start;
    for (size_t k = 0; k < group.records.size(); ++k) {
      const size_t record = group.records[k];
      if (problem_.fixed_offsets.empty()) break;
      const optional<size_t> fixed = problem_.fixed_offsets[record];
      if (!fixed) continue;
      if (*fixed < group.at[k] ||
          start.value_or(*fixed - group.at[k]) != *fixed - group.at[k]) {
        return WithRecords(
            InvalidArgumentError(StrCat(
                RecordName(problem_, record), ": its fixed offset, ", *fixed,
                ", contradicts its group; expected the same start of the group "
                "from all of its records")),
            {record});
      }
      start = *fixed - group.at[k];
    }
    return start;
  }

  // Finds, for each fixed record, the next conflicting fixed record above it.
  void AddRooms() {
    std::vector<FixedRecord>& fixed = plan_.fixed_;
    std::sort(fixed.begin(), fixed.end(),
              [](const FixedRecord& a, const FixedRecord& b) {
                return std::tuple(a.offset, a.record) <
                       std::tuple(b.offset, b.record);
              });
    // Records are put on the skyline from the highest to the lowest, so the
    // skyline always shows the nearest fixed records above the current one.
    StackSkyline above;
    for (size_t i = fixed.size(); i-- > 0;) {
      std::vector<uint32_t> seen =
          above.Put(static_cast<uint32_t>(i), ranges_[fixed[i].record]);
      const bool is_hidden =
          std::any_of(seen.begin(), seen.end(), [&](uint32_t j) {
            return fixed[j].offset == fixed[i].offset ||
                   AreInOneGroup(fixed[i].record, fixed[j].record);
          });
      if (is_hidden) {
        seen.resize(fixed.size() - i - 1);
        std::iota(seen.begin(), seen.end(), static_cast<uint32_t>(i) + 1);
      }
      FindRoom(seen, i);
    }
    for (uint32_t i = 0; i < fixed.size(); ++i) {
      fixed_by_rank_.push_back(i);
      const RankRange range = ranges_[fixed[i].record];
      longest_fixed_ = std::max(longest_fixed_, range.end - range.begin);
    }
    std::sort(fixed_by_rank_.begin(), fixed_by_rank_.end(),
              [&](uint32_t a, uint32_t b) {
                return ranges_[fixed[a].record].begin <
                       ranges_[fixed[b].record].begin;
              });
  }

  // Sets the room above a fixed record to its distance from the first
  // conflicting record in `above`. Requires that `above` is sorted by rising
  // offset.
  void FindRoom(Span<const uint32_t> above, size_t index) {
    FixedRecord& fixed = plan_.fixed_[index];
    for (const uint32_t j : above) {
      const FixedRecord& other = plan_.fixed_[j];
      if (!DoConflict(fixed.record, other.record) ||
          AreInOneGroup(fixed.record, other.record)) {
        continue;
      }
      if (other.offset > fixed.offset) {
        fixed.room = other.offset - fixed.offset;
        fixed.next = other.record;
        return;
      }
      plan_.same_fixed_.emplace_back(fixed.record, other.record);
    }
  }

  // Adds edges from `record` to the conflicting records of the group `below`.
  // `at` is the distance of `record` from the start of its own group, in bytes.
  void AddEdgesToGroup(size_t below, uint32_t record, size_t at) {
    const std::vector<uint32_t>& records = plan_.groups_[below].records;
    const RankRange range = ranges_[record];
    // A record of the group that begins before rank `low` ends before `record`
    // begins, because no record of the group is longer than `longest_[below]`.
    const uint32_t low = range.begin - std::min(range.begin, longest_[below]);
    auto next = std::lower_bound(
        records.begin(), records.end(), low,
        [&](uint32_t a, uint32_t rank) { return ranges_[a].begin < rank; });
    for (; next != records.end() && ranges_[*next].begin < range.end; ++next) {
      if (ranges_[*next].end > range.begin) edges_.emplace_back(*next, at);
    }
  }

  // Returns the fixed records that conflict with a record of this range, by
  // falling offset.
  std::vector<uint32_t> FixedAt(RankRange range) const {
    const auto begin_of = [&](uint32_t i) {
      return ranges_[plan_.fixed_[i].record].begin;
    };
    const uint32_t low = range.begin - std::min(range.begin, longest_fixed_);
    std::vector<uint32_t> found;
    auto next = std::lower_bound(
        fixed_by_rank_.begin(), fixed_by_rank_.end(), low,
        [&](uint32_t i, uint32_t rank) { return begin_of(i) < rank; });
    for (; next != fixed_by_rank_.end() && begin_of(*next) < range.end;
         ++next) {
      if (ranges_[plan_.fixed_[*next].record].end > range.begin) {
        found.push_back(*next);
      }
    }
    std::sort(found.rbegin(), found.rend());
    return found;
  }

  // Adds edges to the fixed records that conflict with `record`. A fixed record
  // is skipped if a higher fixed record covers it at all ranks of the conflict,
  // because its end is then not above the end of the higher one.
  void AddEdgesToFixed(uint32_t record, size_t at) {
    constexpr size_t kCompared = 16;
    std::vector<const FixedRecord*> kept;
    for (const uint32_t i : FixedAt(ranges_[record])) {
      const FixedRecord& low = plan_.fixed_[i];
      const auto covers = [&](const FixedRecord* other) {
        const RankRange range = ranges_[other->record];
        return low.offset < other->offset &&
               !AreInOneGroup(low.record, other->record) &&
               range.begin <=
                   std::max(ranges_[low.record].begin, ranges_[record].begin) &&
               range.end >=
                   std::min(ranges_[low.record].end, ranges_[record].end);
      };
      const auto compared =
          static_cast<ptrdiff_t>(std::min(kept.size(), kCompared));
      if (std::any_of(kept.begin(), kept.begin() + compared, covers)) continue;
      kept.push_back(&low);
      edges_.emplace_back(low.record, at);
    }
  }

  void AddStep(size_t index) {
    Group& group = plan_.groups_[index];
    SortByRank(&group);
    size_t alignment = 1;
    edges_.clear();
    for (size_t k = 0; k < group.records.size(); ++k) {
      const uint32_t record = group.records[k];
      alignment = std::max(alignment, plan_.alignments_[record]);
      longest_[index] = std::max(longest_[index],
                                 ranges_[record].end - ranges_[record].begin);
      step_of_[record] = static_cast<uint32_t>(index);
      bool is_bare = false;
      for (const uint32_t below : skyline_.Seen(ranges_[record], &is_bare)) {
        AddEdgesToGroup(below, record, group.at[k]);
      }
      if (is_bare) AddEdgesToFixed(record, group.at[k]);
    }
    for (const uint32_t record : group.records) {
      skyline_.Put(static_cast<uint32_t>(index), ranges_[record]);
    }
    // If several records of the group are above the same record, only the edge
    // from the lowest of them matters.
    std::sort(edges_.begin(), edges_.end());
    for (size_t i = 0; i < edges_.size(); ++i) {
      if (i > 0 && edges_[i].first == edges_[i - 1].first) continue;
      plan_.below_.push_back(edges_[i].first);
      plan_.lifts_.push_back(edges_[i].second);
    }
    plan_.steps_.push_back({static_cast<uint32_t>(index),
                            static_cast<uint32_t>(plan_.below_.size()),
                            alignment - 1});
  }

  void SortByRank(Group* group) const {
    std::vector<std::pair<uint32_t, size_t>> sorted;
    for (size_t k = 0; k < group->records.size(); ++k) {
      sorted.emplace_back(group->records[k], group->at[k]);
    }
    std::sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) {
      return std::tuple(ranges_[a.first].begin, a.first) <
             std::tuple(ranges_[b.first].begin, b.first);
    });
    for (size_t k = 0; k < sorted.size(); ++k) {
      std::tie(group->records[k], group->at[k]) = sorted[k];
    }
  }

  const ProblemSpec& problem_;
  StackPlan& plan_;
  const std::vector<RankRange> ranges_;
  StackSkyline skyline_;
  std::vector<uint32_t> step_of_;  // the step of each record
  std::vector<uint32_t> longest_;  // the largest number of ranks, by group
  std::vector<uint32_t> fixed_by_rank_;  // indices in plan_.fixed_
  uint32_t longest_fixed_ = 0;
  // The edges of the current step. Each edge consists of the record below and
  // the distance of the record above from the start of its group.
  std::vector<std::pair<uint32_t, size_t>> edges_;
};

StatusOr<StackPlan> StackPlan::Create(const ProblemSpec& problem,
                                      std::vector<size_t> order) {
  if (Status s = CheckSupported(problem); !s.ok()) return s;
  if (HasNoGroups(problem)) {
    return Create(problem.records, AlignmentsOf(problem), std::move(order));
  }
  StatusOr<StackPlan> plan =
      OfOrder(problem.records.size(), AlignmentsOf(problem), std::move(order));
  if (!plan.ok()) return plan;
  if (Status s = GroupBuilder(problem, &*plan).Build(); !s.ok()) return s;
  return plan;
}

StatusOr<size_t> StackPlan::PlaceFixed(Span<const size_t> sizes,
                                       Span<size_t> offsets) const {
  const auto overlap = [](uint32_t a, uint32_t b) {
    return WithRecords(
        InvalidArgumentError(
            StrCat("records ", a, " and ", b,
                   ": their fixed offsets are too close; expected no overlap")),
        {a, b});
  };
  size_t height = 0;
  for (const FixedRecord& fixed : fixed_) {
    if (fixed.room && sizes[fixed.record] > *fixed.room) {
      return overlap(fixed.record, fixed.next);
    }
    StatusOr<size_t> end =
        PlaceRecord(fixed.record, fixed.offset, sizes, offsets);
    if (!end.ok()) return end;
    height = std::max(height, *end);
  }
  for (const auto& [a, b] : same_fixed_) {
    if (sizes[a] > 0 && sizes[b] > 0) return overlap(a, b);
  }
  return height;
}

StatusOr<size_t> StackPlan::PlaceGroup(const Step& step, size_t bottom,
                                       Span<const size_t> sizes,
                                       Span<size_t> offsets) const {
  const Group& group = groups_[step.record];
  const optional<size_t> aligned = CheckedAlignUp(
      bottom - std::min(bottom, group.residue), step.alignment_mask + 1);
  const optional<size_t> start =
      aligned ? CheckedAdd(*aligned, group.residue) : nullopt;
  if (!start) return TooHigh(group.records[0]);
  size_t height = 0;
  for (size_t k = 0; k < group.records.size(); ++k) {
    StatusOr<size_t> end = PlaceRecord(
        group.records[k], CheckedAdd(*start, group.at[k]), sizes, offsets);
    if (!end.ok()) return end;
    height = std::max(height, *end);
  }
  return height;
}

StatusOr<size_t> StackPlan::OffsetsOfGroups(Span<const size_t> sizes,
                                            Span<size_t> offsets) const {
  StatusOr<size_t> height = PlaceFixed(sizes, offsets);
  size_t edge = 0;
  for (const Step& step : steps_) {
    if (!height.ok()) return height;
    size_t bottom = 0;
    for (; edge < step.edges_end; ++edge) {
      const size_t end = offsets[below_[edge]] + sizes[below_[edge]];
      bottom = std::max(bottom, end - std::min(end, lifts_[edge]));
    }
    const StatusOr<size_t> top = PlaceGroup(step, bottom, sizes, offsets);
    height = top.ok() ? std::max(*height, *top) : top;
  }
  return height;
}

}  // namespace stowage
