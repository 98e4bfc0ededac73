// SPDX-License-Identifier: Apache-2.0
#include "src/plan/group_choice.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "src/bounds/contradiction.h"
#include "src/plan/group_attempts.h"
#include "src/plan/infeasible_by_bound.h"
#include "src/plan/solve_steps.h"
#include "src/plan/union_choice.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/constraints.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"

namespace stowage {
namespace {

// Returns `places` with one group dissolved, or with all groups dissolved if
// `group` is nullopt.
Places Dissolved(Places places, optional<uint32_t> group) {
  for (RecordPlace& place : places) {
    if (group && place.group != *group) continue;
    place.group = kNoGroup;
    place.at = 0;
  }
  return places;
}

class GroupChooser {
 public:
  GroupChooser(const Problem& problem, const Strategy& strategy,
               const SolveOptions& options)
      : problem_(problem),
        strategy_(strategy),
        attempts_(problem, strategy, options),
        unions_(problem, &attempts_) {}

  StatusOr<GroupChoice> Choose();

 private:
  const ProblemSpec& spec() const { return attempts_.spec(); }
  // Tries choices in which some groups of `all` are loosened, and finally the
  // choice without any groups. Returns the places of the best choice.
  StatusOr<Places> Loosen(const Places& all);
  Status ChooseUnions(const Places& kept);

  // Splits each group for which `splits` returns true into new groups, one for
  // each set of members that occupy the same bytes.
  Places Split(const Places& places,
               const std::function<bool(uint32_t group)>& splits) const;
  // Splits one group into new groups, one for each set of members that occupy
  // the same bytes. If all members of the group occupy the same bytes,
  // dissolves the group.
  Places Loosened(const Places& places, uint32_t group) const;
  std::vector<uint32_t> LargestFirst(const Places& places) const;

  const Problem& problem_;
  const Strategy& strategy_;
  GroupAttempts attempts_;
  UnionChooser unions_;
};

StatusOr<GroupChoice> GroupChooser::Choose() {
  const Places all = Tidied(spec().constraints.places);
  const StatusOr<bool> found = unions_.Try(all);
  if (!found.ok()) return found.status();
  const bool has_choice = (problem_.groups_are_optional() && !all.empty()) ||
                          unions_.CanUnite(all) || !unions_.has_compared_all();
  if (!has_choice && attempts_.best()) {
    GroupChoice only = {*attempts_.best(), attempts_.problems()};
    only.solution.places = all;
    return only;
  }
  Places kept = all;
  if (problem_.groups_are_optional()) {
    StatusOr<Places> loosened = Loosen(all);
    if (!loosened.ok()) return loosened.status();
    kept = *std::move(loosened);
  }
  if (unions_.CanUnite(kept)) {
    if (Status s = ChooseUnions(kept); !s.ok()) return s;
  }
  if (!attempts_.best()) return attempts_.refusal();
  return GroupChoice{attempts_.Finished(unions_.bound_of_all()),
                     attempts_.problems()};
}

StatusOr<Places> GroupChooser::Loosen(const Places& all) {
  const Places even = Tidied(Split(all, [](uint32_t) { return true; }));
  // A strategy that does not support groups may still be able to plan a group
  // if all of its members occupy the same bytes, because such a group is
  // lowered to one record (lower_problem.h).
  StatusOr<bool> found = false;
  Places kept = attempts_.best() ? all : even;
  if (!attempts_.best()) found = unions_.Try(even);
  for (const uint32_t group : LargestFirst(kept)) {
    if (!found.ok() || attempts_.IsDone()) break;
    Places fewer = Loosened(kept, group);
    found = unions_.Try(fewer);
    if (found.ok() && *found) kept = std::move(fewer);
  }
  for (const Places& fewer : {even, Dissolved(even, nullopt)}) {
    if (!found.ok() || attempts_.IsDone()) break;
    found = unions_.Try(fewer);
    if (found.ok() && *found) kept = fewer;
  }
  if (!found.ok()) return found.status();
  return kept;
}

Status GroupChooser::ChooseUnions(const Places& kept) {
  if (Status s = unions_.Improve(kept); !s.ok()) return s;
  if (!strategy_.info().is_search || attempts_.IsDone()) return OkStatus();
  return unions_.TryAll(kept);
}

Places GroupChooser::Split(
    const Places& places,
    const std::function<bool(uint32_t group)>& splits) const {
  // Maps (group, displacement, size in bytes) to the number of the new group.
  std::map<std::tuple<uint32_t, size_t, size_t>, uint32_t> numbers;
  uint32_t next = 0;
  for (const RecordPlace& place : places) {
    if (place.group != kNoGroup) next = std::max(next, place.group + 1);
  }
  Places result = places;
  for (size_t i = 0; i < places.size(); ++i) {
    const RecordPlace& place = places[i];
    if (place.group == kNoGroup || !splits(place.group)) continue;
    const auto [number, is_new] = numbers.try_emplace(
        {place.group, place.at, spec().records[i].tensor_size}, next);
    if (is_new) ++next;
    result[i].group = number->second;
    result[i].at = 0;
  }
  return result;
}

Places GroupChooser::Loosened(const Places& places, uint32_t group) const {
  const RecordPlace* first = nullptr;
  size_t size = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].group != group) continue;
    if (first == nullptr) {
      first = &places[i];
      size = spec().records[i].tensor_size;
    } else if (places[i].at != first->at ||
               spec().records[i].tensor_size != size) {
      return Split(places, [&](uint32_t other) { return other == group; });
    }
  }
  return Dissolved(places, group);
}

std::vector<uint32_t> GroupChooser::LargestFirst(const Places& places) const {
  std::vector<size_t> extents;
  for (size_t i = 0; i < places.size(); ++i) {
    const RecordPlace& place = places[i];
    if (place.group == kNoGroup) continue;
    if (place.group >= extents.size()) extents.resize(place.group + 1);
    // Problem::Create has checked that this sum does not overflow.
    extents[place.group] = std::max(extents[place.group],
                                    place.at + spec().records[i].tensor_size);
  }
  std::vector<uint32_t> groups(extents.size());
  std::iota(groups.begin(), groups.end(), 0);
  std::stable_sort(groups.begin(), groups.end(), [&](uint32_t a, uint32_t b) {
    return extents[a] > extents[b];
  });
  groups.resize(std::min(groups.size(), kMaxGroupsLoosened));
  return groups;
}

// Adds all pairs of members of a group to `pairs`, the smaller index first.
// Returns false if there would be too many pairs.
bool AddPairsInGroups(Span<const RecordPlace> places,
                      std::set<std::pair<size_t, size_t>>* pairs) {
  constexpr size_t kMaxPairs = size_t{1} << 16;
  std::map<uint32_t, std::vector<size_t>> members;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].group != kNoGroup) members[places[i].group].push_back(i);
  }
  size_t count = 0;
  for (const auto& [group, all] : members) {
    count += all.size() * (all.size() - 1) / 2;
    if (count > kMaxPairs) return false;
    for (size_t b = 1; b < all.size(); ++b) {
      for (size_t a = 0; a < b; ++a) pairs->emplace(all[a], all[b]);
    }
  }
  return true;
}

}  // namespace

optional<Solution> ContradictionOfAllChoices(const Problem& problem) {
  if (problem.constraints() == nullptr) return nullopt;
  ProblemSpec spec = problem.ToSpec();
  Constraints& constraints = spec.constraints;
  std::set<std::pair<size_t, size_t>> pairs;
  for (const auto& [a, b] : constraints.never) pairs.insert(std::minmax(a, b));
  for (const SharedPlace& pair : constraints.same_or_apart) {
    pairs.insert(std::minmax(pair.first, pair.second));
  }
  constraints.same_or_apart.clear();
  if (spec.groups_are_optional) {
    if (!AddPairsInGroups(constraints.places, &pairs)) return nullopt;
    constraints.places = Dissolved(std::move(constraints.places), nullopt);
    spec.groups_are_optional = false;
  }
  constraints.never.assign(pairs.begin(), pairs.end());
  const StatusOr<Problem> relaxed = Problem::Create(std::move(spec));
  if (!relaxed.ok()) return nullopt;
  optional<Solution> infeasible = FindContradiction(*relaxed);
  if (infeasible) {
    const LowerBound& bound = LowerBoundOf(problem);
    infeasible->lower_bound = bound.bytes;
    infeasible->bound_proof = bound.proof;
  }
  return infeasible;
}

StatusOr<GroupChoice> ChooseGroups(const Problem& problem,
                                   const Strategy& strategy,
                                   const SolveOptions& options) {
  const optional<size_t> capacity = problem.capacity();
  if (!problem.groups_are_optional() && capacity &&
      LowerBoundOf(problem).bytes > *capacity) {
    if (Status s = CheckSupport(strategy, problem); !s.ok()) return s;
    return GroupChoice{InfeasibleByBound(problem, *capacity), 0};
  }
  if (auto contradiction = ContradictionOfAllChoices(problem)) {
    if (Status s = CheckSupport(strategy, problem); !s.ok()) return s;
    return GroupChoice{*std::move(contradiction), 0};
  }
  return GroupChooser(problem, strategy, options).Choose();
}

}  // namespace stowage
