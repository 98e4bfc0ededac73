// SPDX-License-Identifier: Apache-2.0
#include "src/plan/group_choice.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/model/watch.h"
#include "src/plan/is_better.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/labels.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/problem.h"

namespace stowage {
namespace {

using Clock = std::chrono::steady_clock;
using Places = std::vector<RecordPlace>;

bool SaysNothing(const RecordPlace& place) {
  return place.group == kNoGroup && place.min == 0 && !place.max;
}

// Removes groups of one record, and numbers the others from 0.
Places Tidied(Places places) {
  std::map<uint32_t, size_t> members;
  for (const RecordPlace& place : places) ++members[place.group];
  std::map<uint32_t, uint32_t> numbers;
  for (RecordPlace& place : places) {
    if (place.group == kNoGroup || members[place.group] < 2) {
      place.group = kNoGroup;
      place.at = 0;
      continue;
    }
    const auto next = static_cast<uint32_t>(numbers.size());
    place.group = numbers.try_emplace(place.group, next).first->second;
  }
  if (std::all_of(places.begin(), places.end(), SaysNothing)) places.clear();
  return places;
}

// Returns the places with one group dissolved, or with all groups dissolved if
// no group is given.
Places Dissolved(Places places, optional<uint32_t> group) {
  for (RecordPlace& place : places) {
    if (group && place.group != *group) continue;
    place.group = kNoGroup;
    place.at = 0;
  }
  return places;
}

class GroupChooser final : private Observer {
 public:
  GroupChooser(const Problem& problem, const Strategy& strategy,
               const SolveOptions& options)
      : spec_(WithObligations(problem)),
        strategy_(strategy),
        options_(options),
        bound_(LowerBoundOf(problem)),
        least_(AlignedLowerBound(problem)) {}

  StatusOr<GroupChoice> Choose();

 private:
  // Divides the groups for which `splits` returns true: the members that occupy
  // the same bytes become a separate group.
  Places Split(const Places& places,
               const std::function<bool(uint32_t group)>& splits) const;
  // Divides one group so that members that occupy the same bytes become a
  // separate group. If all members occupy the same bytes, dissolves the group.
  Places Loosened(const Places& places, uint32_t group) const;
  std::vector<uint32_t> LargestFirst(const Places& places) const;

  // Solves the problem with `places`, and keeps the plan if it is smaller than
  // the best one. Returns whether the plan was kept.
  StatusOr<bool> Try(const Places& places);
  int64_t TimeLeftNs() const {
    return TimeLeft(options_.time_limit_ns, NanosecondsSince(begin_));
  }
  SolveOptions OptionsLeft();
  bool OnProgress(const SearchProgress& progress) override;
  bool KeepGoing() override;
  bool IsDone();
  GroupChoice Finished();

  static ProblemSpec WithObligations(const Problem& problem) {
    ProblemSpec spec = problem.ToSpec();
    spec.groups_are_optional = false;
    spec.labels = Labels();
    return spec;
  }

  const ProblemSpec spec_;
  const Strategy& strategy_;
  const SolveOptions& options_;
  const Clock::time_point begin_ = Clock::now();
  const LowerBound bound_;  // a bound that holds for every choice of groups
  // The result of AlignedLowerBound, which holds for every choice of groups,
  // too.
  const size_t least_;
  optional<Solution> best_;
  Places best_places_;
  Status refusal_;  // the first error
  int64_t time_ns_ = 0;
  uint64_t nodes_ = 0;
  size_t problems_ = 0;
};

StatusOr<GroupChoice> GroupChooser::Choose() {
  const Places all = Tidied(spec_.constraints.places);
  const Places even = Tidied(Split(all, [](uint32_t) { return true; }));
  StatusOr<bool> found = Try(all);
  if (!found.ok()) return found.status();
  if (all.empty() && best_) {
    return GroupChoice{*std::move(best_), problems_};
  }
  // A strategy without support for groups may still plan groups whose members
  // occupy the same bytes, because these are lowered to one record
  // (lower_problem.h).
  Places kept = best_ ? all : even;
  if (!best_) found = Try(even);
  for (const uint32_t group : LargestFirst(kept)) {
    if (!found.ok() || IsDone()) break;
    Places fewer = Loosened(kept, group);
    found = Try(fewer);
    if (found.ok() && *found) kept = std::move(fewer);
  }
  if (found.ok() && !IsDone()) found = Try(even);
  if (found.ok() && !IsDone()) found = Try(Dissolved(even, nullopt));
  if (!found.ok()) return found.status();
  if (!best_) return refusal_;
  return Finished();
}

Places GroupChooser::Split(
    const Places& places,
    const std::function<bool(uint32_t group)>& splits) const {
  // The keys are group, displacement and size of the bytes.
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
        {place.group, place.at, spec_.records[i].tensor_size}, next);
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
      size = spec_.records[i].tensor_size;
    } else if (places[i].at != first->at ||
               spec_.records[i].tensor_size != size) {
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
    // Problem::Create has checked that this does not overflow.
    extents[place.group] =
        std::max(extents[place.group], place.at + spec_.records[i].tensor_size);
  }
  std::vector<uint32_t> groups(extents.size());
  std::iota(groups.begin(), groups.end(), 0);
  std::stable_sort(groups.begin(), groups.end(), [&](uint32_t a, uint32_t b) {
    return extents[a] > extents[b];
  });
  groups.resize(std::min(groups.size(), kMaxGroupsLoosened));
  return groups;
}

StatusOr<bool> GroupChooser::Try(const Places& places) {
  ProblemSpec spec = spec_;
  spec.constraints.places = Tidied(places);
  const StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  const SolveOptions options = OptionsLeft();
  ++problems_;
  StatusOr<Solution> solution = Solve(*problem, strategy_, options);
  if (solution.ok()) nodes_ += solution->nodes;
  if (IsUnimplemented(solution.status()) ||
      IsResourceExhausted(solution.status())) {
    if (refusal_.ok()) refusal_ = solution.status();
    return false;
  }
  if (!solution.ok()) return solution.status();
  time_ns_ += solution->time_ns;
  if (best_ && !IsBetter(*solution, *best_)) return false;
  best_ = *std::move(solution);
  best_places_ = Tidied(places);
  return true;
}

// Returns the limits of the next attempt: half of those that remain.
SolveOptions GroupChooser::OptionsLeft() {
  SolveOptions options = options_;
  options.time_limit_ns = HalfOf(TimeLeftNs());
  if (options.node_budget) {
    *options.node_budget -= std::min(*options.node_budget, nodes_);
    *options.node_budget /= 2;
  }
  options.observer = this;
  return options;
}

// Reports the progress of the first attempt, with a bound that holds for all
// attempts.
bool GroupChooser::OnProgress(const SearchProgress& progress) {
  if (options_.observer == nullptr || problems_ > 1) return true;
  SearchProgress of_all = progress;
  of_all.lower_bound = std::min(of_all.lower_bound, bound_.bytes);
  return options_.observer->OnProgress(of_all);
}

bool GroupChooser::KeepGoing() {
  return options_.observer == nullptr || options_.observer->KeepGoing();
}

bool GroupChooser::IsDone() {
  if (!KeepGoing()) return true;
  if (!best_) return false;
  if (TimeLeftNs() == 0) return true;
  if (!best_->has_plan()) {
    return spec_.capacity && bound_.bytes > *spec_.capacity;
  }
  if (options_.decide && spec_.capacity &&
      best_->total_size <= *spec_.capacity) {
    return true;
  }
  return best_->cost == 0 && best_->total_size <= least_;
}

GroupChoice GroupChooser::Finished() {
  Solution& solution = *best_;
  solution.time_ns = time_ns_;
  solution.nodes = nodes_;
  const bool is_of_all = solution.lower_bound <= bound_.bytes;
  if (!is_of_all) {
    solution.lower_bound = bound_.bytes;
    solution.bound_proof = bound_.proof;
    solution.search_proof = SearchProof();
  }
  solution.cost_bound = 0;
  if (solution.has_plan() && solution.status == SolutionStatus::kOptimal &&
      (solution.cost > 0 || solution.total_size > solution.lower_bound)) {
    solution.status = SolutionStatus::kFeasible;
    solution.reason.clear();
  }
  if (!solution.has_plan() && solution.status == SolutionStatus::kInfeasible &&
      (!spec_.capacity || bound_.bytes <= *spec_.capacity)) {
    solution.DropPlan(SolutionStatus::kTimeLimit);
    solution.conflict.clear();
    solution.conflict_is_irreducible = false;
    solution.conflict_witnesses.clear();
    solution.reason = StrCat(
        "no plan", spec_.capacity ? " within " : "",
        spec_.capacity ? StrCat(*spec_.capacity, " bytes") : "",
        " was found for any choice of groups, nor a proof that there is none");
  }
  solution.places = std::move(best_places_);
  return {std::move(solution), problems_};
}

}  // namespace

StatusOr<GroupChoice> ChooseGroups(const Problem& problem,
                                   const Strategy& strategy,
                                   const SolveOptions& options) {
  return GroupChooser(problem, strategy, options).Choose();
}

}  // namespace stowage
