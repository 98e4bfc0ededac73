// SPDX-License-Identifier: Apache-2.0
// Stacks of problems with groups or fixed offsets. A group is stacked as a
// whole. Source: own; the proofs for single records (stack_plan.h) hold, since
// of two groups that conflict all records of the later one that conflict with
// the earlier one lie above it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
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

// Gathers the groups of a problem in the order of the stack, and their edges.
class StackPlan::GroupBuilder {
 public:
  GroupBuilder(const ProblemSpec& problem, StackPlan* plan)
      : problem_(problem), plan_(*plan), ranges_(RankRanges(problem.records)) {}

  Status Build() {
    Gather();
    for (Group& group : plan_.groups_) {
      if (Status s = FindStart(&group); !s.ok()) return s;
    }
    PutFixedFirst();
    std::vector<uint32_t> step_of(problem_.records.size());
    for (size_t step = 0; step < plan_.groups_.size(); ++step) {
      AddStep(step);
      for (const uint32_t record : plan_.groups_[step].records) {
        step_of[record] = static_cast<uint32_t>(step);
      }
    }
    for (const size_t record : plan_.order_) {
      plan_.step_at_.push_back(step_of[record]);
    }
    return OkStatus();
  }

 private:
  // Makes a group of each record that is in none, too. Each comes where its
  // first record in the order is.
  void Gather() {
    flat_hash_map<uint32_t, size_t> index_of;
    for (const size_t record : plan_.order_) {
      const RecordPlace place = problem_.constraints.places.empty()
                                    ? RecordPlace()
                                    : problem_.constraints.places[record];
      size_t index = plan_.groups_.size();
      if (place.group != kNoGroup) {
        index = index_of.emplace(place.group, index).first->second;
      }
      if (index == plan_.groups_.size()) plan_.groups_.emplace_back();
      plan_.groups_[index].records.push_back(static_cast<uint32_t>(record));
      plan_.groups_[index].at.push_back(place.group == kNoGroup ? 0 : place.at);
    }
  }

  Status FindStart(Group* group) const {
    size_t alignment = 0;
    for (size_t k = 0; k < group->records.size(); ++k) {
      const size_t record = group->records[k];
      if (plan_.alignments_[record] <= alignment) continue;
      alignment = plan_.alignments_[record];
      group->residue = (0 - group->at[k]) & (alignment - 1);
    }
    for (size_t k = 0; k < group->records.size(); ++k) {
      const size_t record = group->records[k];
      const size_t at = group->at[k];
      if (((group->residue + at) & (plan_.alignments_[record] - 1)) != 0) {
        return WithRecords(
            InvalidArgumentError(StrCat(
                "record ", record, " at ", at,
                " of its group: expected distances at which all records of the "
                "group can have their alignments")),
            {record});
      }
      if (problem_.fixed_offsets.empty()) continue;
      const optional<size_t> fixed = problem_.fixed_offsets[record];
      if (!fixed) continue;
      if (*fixed < at || group->fixed.value_or(*fixed - at) != *fixed - at) {
        return WithRecords(
            InvalidArgumentError(
                StrCat("record ", record, ": its fixed offset, ", *fixed,
                       ", does not fit its group; expected one start of all "
                       "records of the group")),
            {record});
      }
      group->fixed = *fixed - at;
    }
    return OkStatus();
  }

  // Among those that are fixed, each must be above those that start below.
  void PutFixedFirst() {
    std::stable_sort(plan_.groups_.begin(), plan_.groups_.end(),
                     [](const Group& a, const Group& b) {
                       return std::tuple(!a.fixed, a.fixed.value_or(0)) <
                              std::tuple(!b.fixed, b.fixed.value_or(0));
                     });
  }

  // Adds an edge for each record below, from the lowest record of the group
  // that conflicts with it.
  void AddEdges(const Group& below, const Group& group) {
    for (const uint32_t low : below.records) {
      optional<size_t> at;
      for (size_t k = 0; k < group.records.size(); ++k) {
        const uint32_t high = group.records[k];
        if (!Conflict(problem_.records[low], problem_.records[high])) continue;
        at = std::min(at.value_or(group.at[k]), group.at[k]);
      }
      if (!at) continue;
      plan_.below_.push_back(low);
      plan_.lifts_.push_back(*at);
    }
  }

  void AddStep(size_t index) {
    const Group& group = plan_.groups_[index];
    size_t alignment = 1;
    std::vector<uint32_t> below;
    for (const uint32_t record : group.records) {
      alignment = std::max(alignment, plan_.alignments_[record]);
      const std::vector<uint32_t> seen =
          skyline_.Put(static_cast<uint32_t>(index), ranges_[record]);
      below.insert(below.end(), seen.begin(), seen.end());
    }
    std::sort(below.begin(), below.end());
    below.erase(std::unique(below.begin(), below.end()), below.end());
    for (const uint32_t each : below) {
      // Records of one group may share memory.
      if (each != index) AddEdges(plan_.groups_[each], group);
    }
    plan_.steps_.push_back({static_cast<uint32_t>(index),
                            static_cast<uint32_t>(plan_.below_.size()),
                            alignment - 1});
  }

  const ProblemSpec& problem_;
  StackPlan& plan_;
  const std::vector<RankRange> ranges_;
  StackSkyline skyline_;
};

bool AreGroupsAligned(const ProblemSpec& problem, size_t alignment) {
  const auto is_aligned = [&](size_t bytes) { return bytes % alignment == 0; };
  const std::vector<RecordPlace>& places = problem.constraints.places;
  const std::vector<optional<size_t>>& fixed = problem.fixed_offsets;
  return std::all_of(places.begin(), places.end(),
                     [&](const RecordPlace& place) {
                       return place.group == kNoGroup || is_aligned(place.at);
                     }) &&
         std::all_of(fixed.begin(), fixed.end(),
                     [&](const optional<size_t>& offset) {
                       return is_aligned(offset.value_or(0));
                     });
}

Status CheckGroups(const ProblemSpec& problem) {
  if (HasNoGroups(problem)) return OkStatus();
  // No end is above the highest fixed offset and all others on top of it.
  size_t fixed = 0;
  optional<size_t> sum = size_t{0};
  std::vector<size_t> sizes;
  std::vector<size_t> order;
  for (size_t i = 0; i < problem.records.size(); ++i) {
    sizes.push_back(problem.records[i].tensor_size);
    order.push_back(i);
    if (!problem.constraints.places.empty() &&
        problem.constraints.places[i].group != kNoGroup) {
      const size_t at = problem.constraints.places[i].at;
      sum = sum ? CheckedAdd(*sum, at) : nullopt;
    }
    sum = sum ? CheckedAdd(*sum, sizes.back()) : nullopt;
    sum = sum ? CheckedAdd(*sum, AlignmentsOf(problem).Of(i)) : nullopt;
    if (!problem.fixed_offsets.empty()) {
      fixed = std::max(fixed, problem.fixed_offsets[i].value_or(0));
    }
  }
  if (!sum || !CheckedAdd(*sum, fixed)) {
    return OutOfRangeError(
        "the largest sizes and the distances in groups exceed 2^64 - 1 bytes");
  }
  const StatusOr<StackPlan> stack =
      StackPlan::Create(problem, std::move(order));
  if (!stack.ok()) return stack.status();
  std::vector<size_t> offsets(sizes.size());
  return stack->Offsets(sizes, MakeSpan(offsets)).status();
}

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

StatusOr<size_t> StackPlan::StartOf(const Step& step, size_t bottom) const {
  const Group& group = groups_[step.record];
  if (group.fixed) {
    if (bottom <= *group.fixed) return *group.fixed;
    return WithRecords(
        InvalidArgumentError(
            StrCat("record ", group.records[0],
                   ": begins at its fixed offset below ", bottom,
                   ", where another fixed record ends; expected no overlap "
                   "with the largest sizes")),
        {group.records[0]});
  }
  const optional<size_t> start = CheckedAlignUp(
      bottom - std::min(bottom, group.residue), step.alignment_mask + 1);
  const optional<size_t> result =
      start ? CheckedAdd(*start, group.residue) : nullopt;
  if (!result) return TooHigh(group.records[0]);
  return *result;
}

StatusOr<size_t> StackPlan::OffsetsOfGroups(Span<const size_t> sizes,
                                            Span<size_t> offsets) const {
  size_t height = 0;
  size_t edge = 0;
  for (const Step& step : steps_) {
    size_t bottom = 0;
    for (; edge < step.edges_end; ++edge) {
      const size_t end = offsets[below_[edge]] + sizes[below_[edge]];
      bottom = std::max(bottom, end - std::min(end, lifts_[edge]));
    }
    const StatusOr<size_t> start = StartOf(step, bottom);
    if (!start.ok()) return start;
    const Group& group = groups_[step.record];
    for (size_t k = 0; k < group.records.size(); ++k) {
      const size_t record = group.records[k];
      const optional<size_t> offset = CheckedAdd(*start, group.at[k]);
      const optional<size_t> end =
          offset ? CheckedAdd(*offset, sizes[record]) : nullopt;
      if (!end) return TooHigh(record);
      offsets[record] = *offset;
      height = std::max(height, *end);
    }
  }
  return height;
}

}  // namespace stowage
