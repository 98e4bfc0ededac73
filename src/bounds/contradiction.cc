// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/contradiction.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/bounds/fixed_contradiction.h"
#include "src/bounds/pool_shortage.h"
#include "src/verify/verify_sharing.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/constraints.h"
#include "stowage/lower_bound.h"
#include "stowage/tensor_size.h"
#include "stowage/verify.h"
#include "stowage/verify/violation_details.h"

namespace stowage {
namespace {

constexpr size_t kAllBytes = std::numeric_limits<size_t>::max();

struct CommonPools {
  size_t count = 0;
  uint32_t last = 0;
  size_t room = 0;  // capacity of the largest of these pools
};

// Searches for contradictions. Below, a `group` is a rigid group or a record
// that is in no rigid group. The start of a group determines the offsets of all
// its members.
class ContradictionSearch {
 public:
  ContradictionSearch(const Problem& problem, const Constraints& constraints)
      : problem_(problem),
        constraints_(constraints),
        pool_counts_(constraints.pools.size(), 0),
        anchors_(problem.size(), problem.size()) {
    plan_.offsets.resize(problem.size());
    if (!constraints_.pools.empty()) plan_.pools.resize(problem.size());
    for (uint32_t p = 0; p < constraints_.pools.size(); ++p) {
      max_room_ = std::max(max_room_, RoomOf(p));
    }
  }

  optional<Solution> Run() {
    const std::vector<size_t> order = RecordsByGroup();
    for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      do {
        ++end;
      } while (end < order.size() && AreOfOneGroup(order[begin], order[end]));
      const auto group = MakeConstSpan(order).subspan(begin, end - begin);
      if (auto solution = CheckStart(group)) return solution;
      const CommonPools common = FindCommonPools(group);
      if (common.count == 0) return NoPool(group);
      if (auto solution = CheckRoom(group, common.room)) return solution;
      if (common.count == 1) PlaceByAnchor(group, common.last);
    }
    if (placed_.empty()) return nullopt;
    std::sort(placed_.begin(), placed_.end());
    auto violation =
        FindNotApart(problem_.records(), constraints_, plan_, placed_);
    if (!violation) violation = FindSharingOf(placed_);
    if (!violation) return nullopt;
    return Explain(*violation);
  }

 private:
  RecordPlace PlaceOf(size_t i) const {
    return constraints_.places.empty() ? RecordPlace() : constraints_.places[i];
  }
  // Returns the number of bytes by which record `i` is above the start of its
  // rigid group.
  size_t AtOf(size_t i) const {
    const RecordPlace place = PlaceOf(i);
    return place.group == kNoGroup ? 0 : place.at;
  }
  bool AreOfOneGroup(size_t a, size_t b) const {
    return PlaceOf(a).group != kNoGroup && PlaceOf(a).group == PlaceOf(b).group;
  }

  std::vector<size_t> RecordsByGroup() const {
    std::vector<size_t> order(problem_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (constraints_.places.empty()) return order;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return constraints_.places[a].group < constraints_.places[b].group;
    });
    return order;
  }

  // Checks that some start satisfies the ranges and fixed offsets of all
  // members, and the largest of their alignments. The other alignments need no
  // check, since Problem::Create accepts only groups whose alignments are
  // compatible with the largest one.
  optional<Solution> CheckStart(Span<const size_t> group) const {
    size_t lowest = 0;
    size_t highest = std::numeric_limits<size_t>::max();
    size_t lowest_by = group.front();
    size_t highest_by = group.front();
    size_t widest = group.front();
    const Alignments& alignments = problem_.alignments();
    for (const size_t i : group) {
      const auto [least, max] = OffsetsOf(i);
      const size_t at = AtOf(i);
      if (max < at) return NoStart({i});
      if (least > at && least - at > lowest) {
        lowest = least - at;
        lowest_by = i;
      }
      if (max - at < highest) {
        highest = max - at;
        highest_by = i;
      }
      if (alignments.Of(i) > alignments.Of(widest)) widest = i;
    }
    // The difference may wrap around, which does no harm because every
    // alignment divides 2^64.
    const size_t padding =
        (size_t{0} - AtOf(widest) - lowest) % alignments.Of(widest);
    if (lowest <= highest && padding <= highest - lowest) return nullopt;
    std::vector<size_t> conflict = {highest_by};
    if (lowest > 0) conflict.push_back(lowest_by);
    if (lowest <= highest) conflict.push_back(widest);
    return NoStart(std::move(conflict));
  }

  // Returns the least and the greatest offset, both inclusive, that the
  // record's own range and fixed offset allow.
  std::pair<size_t, size_t> OffsetsOf(size_t i) const {
    if (const optional<size_t> fixed = problem_.fixed_offset(i)) {
      return {*fixed, *fixed};
    }
    const RecordPlace place = PlaceOf(i);
    return {place.min, place.max.value_or(std::numeric_limits<size_t>::max()) -
                           problem_.records()[i].tensor_size};
  }

  // If a member has a fixed offset, places all members in `pool`. Requires that
  // the group may use no other pool.
  void PlaceByAnchor(Span<const size_t> group, uint32_t pool) {
    const auto* const anchor = std::find_if(
        group.begin(), group.end(),
        [&](size_t i) { return problem_.fixed_offset(i).has_value(); });
    if (anchor == group.end()) return;
    const size_t start = *problem_.fixed_offset(*anchor) - AtOf(*anchor);
    for (const size_t i : group) {
      plan_.offsets[i] = start + AtOf(i);
      if (!plan_.pools.empty()) plan_.pools[i] = pool;
      anchors_[i] = problem_.fixed_offset(i) ? i : *anchor;
      placed_.push_back(i);
    }
  }

  // Returns the pools that all members may use. A problem without pools is
  // treated as a problem with a single pool.
  CommonPools FindCommonPools(Span<const size_t> group) {
    size_t choosy = 0;
    for (size_t k = 0; k < group.size() && !constraints_.choices.empty(); ++k) {
      if (!constraints_.choices[group[k]].empty()) ++choosy;
      for (const PoolChoice& choice : constraints_.choices[group[k]]) {
        ++pool_counts_[choice.pool];
      }
    }
    if (choosy == 0) {
      return {std::max<size_t>(1, pool_counts_.size()), 0, max_room_};
    }
    CommonPools common;
    for (const size_t i : group) {
      for (const PoolChoice& choice : constraints_.choices[i]) {
        if (pool_counts_[choice.pool] == choosy) {
          ++common.count;
          common.last = choice.pool;
          common.room = std::max(common.room, RoomOf(choice.pool));
        }
        pool_counts_[choice.pool] = 0;
      }
    }
    return common;
  }

  size_t RoomOf(uint32_t pool) const {
    return constraints_.pools[pool].capacity.value_or(kAllBytes);
  }

  // Checks that the group ends at or below `room` if it is at its lowest start.
  // `room` is the capacity of the largest pool that the group may use.
  optional<Solution> CheckRoom(Span<const size_t> group, size_t room) const {
    size_t start = 0;
    for (const size_t i : group) {
      const size_t least = OffsetsOf(i).first;
      start = std::max(start, least - std::min(least, AtOf(i)));
    }
    size_t end = 0;
    for (const size_t i : group) {
      const size_t size = problem_.records()[i].tensor_size;
      const optional<size_t> above = size == 0 ? 0 : CheckedAdd(AtOf(i), size);
      end = std::max(end, above ? CheckedAdd(start, *above).value_or(kAllBytes)
                                : kAllBytes);
    }
    if (constraints_.pools.empty() || end <= room) return nullopt;
    Solution solution = Infeasible({group.begin(), group.end()});
    solution.conflict_is_irreducible = group.size() == 1;
    solution.reason = StrCat(
        "the pools allowed for ", NamesOfRecords(problem_, solution.conflict),
        " have room for ", room, " bytes at most; expected ", end);
    return solution;
  }

  optional<Violation> FindSharingOf(Span<const size_t> placed) const {
    return FindSharing(problem_.records(), constraints_, plan_, placed);
  }

  Solution Infeasible(std::vector<size_t> conflict) const {
    std::sort(conflict.begin(), conflict.end());
    conflict.erase(std::unique(conflict.begin(), conflict.end()),
                   conflict.end());
    Solution solution;
    solution.status = SolutionStatus::kInfeasible;
    solution.lower_bound = LowerBoundOf(problem_).bytes;
    solution.bound_proof = LowerBoundOf(problem_).proof;
    solution.conflict = std::move(conflict);
    return solution;
  }

  Solution NoStart(std::vector<size_t> conflict) const {
    Solution solution = Infeasible(std::move(conflict));
    solution.conflict_is_irreducible = solution.conflict.size() == 1;
    const bool is_group = PlaceOf(solution.conflict.front()).group != kNoGroup;
    solution.reason = StrCat(
        is_group ? "no start of a group at byte 0 or above" : "no offset",
        " suits the ranges, alignments and fixed offsets of ",
        NamesOfRecords(problem_, solution.conflict));
    return solution;
  }

  Solution NoPool(Span<const size_t> group) const {
    std::vector<size_t> choosy;
    for (const size_t i : group) {
      if (!constraints_.choices[i].empty()) choosy.push_back(i);
    }
    Solution solution = Infeasible(std::move(choosy));
    solution.reason = StrCat("no pool is allowed for all records of a group: ",
                             NamesOfRecords(problem_, solution.conflict));
    return solution;
  }

  Solution Explain(const Violation& violation) const {
    std::vector<size_t> conflict;
    for (const size_t i : DetailsOf(violation).tensors) {
      conflict.push_back(i);
      conflict.push_back(anchors_[i]);
    }
    Solution solution = Infeasible(std::move(conflict));
    const std::vector<size_t>& found = solution.conflict;
    solution.conflict_is_irreducible =
        found.size() == 1 ||
        (found.size() == 2 && FitsAlone(found[0]) && FitsAlone(found[1]));
    solution.reason =
        StrCat("at fixed offsets, ", Describe(violation, problem_));
    return solution;
  }

  // Returns whether a record has a fixed offset of its own and can be placed
  // there if all other records are left out. Requires that `plan_` has a place
  // for the record.
  bool FitsAlone(size_t i) const {
    const optional<size_t> capacity =
        plan_.pools.empty() ? problem_.capacity()
                            : constraints_.pools[plan_.pools[i]].capacity;
    const size_t end = plan_.offsets[i] + problem_.records()[i].tensor_size;
    return problem_.fixed_offset(i) && end <= capacity.value_or(end) &&
           !FindSharingOf({i});
  }

  const Problem& problem_;
  const Constraints& constraints_;
  std::vector<size_t> pool_counts_;  // all 0 between calls
  size_t max_room_ = 0;              // the largest capacity of any pool
  OffsetsAssignment plan_;           // valid for the records in `placed_` only
  std::vector<size_t> placed_;
  // For each placed record, the record whose fixed offset determines the start
  // of its group. This may be the placed record itself.
  std::vector<size_t> anchors_;
};

}  // namespace

optional<Solution> FindContradiction(const Problem& problem) {
  const Constraints* const given = problem.constraints();
  if (given == nullptr) return FindFixedContradiction(problem);
  if (!problem.has_fixed_offsets() && given->places.empty() &&
      given->pools.empty()) {
    return nullopt;
  }
  auto found = ContradictionSearch(problem, *given).Run();
  return found ? std::move(found) : FindPoolShortage(problem);
}

}  // namespace stowage
