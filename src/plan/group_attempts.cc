// SPDX-License-Identifier: Apache-2.0
#include "src/plan/group_attempts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "src/base/str_cat.h"
#include "src/plan/is_better.h"
#include "src/plan/solve_steps.h"
#include "stowage/bound_proof.h"
#include "stowage/labels.h"

namespace stowage {
namespace {

bool SaysNothing(const RecordPlace& place) {
  return place.group == kNoGroup && place.min == 0 && !place.max;
}

ProblemSpec WithoutChoices(const Problem& problem) {
  ProblemSpec spec = problem.ToSpec();
  if (!spec.groups_are_optional) RaiseLeastOffsets(&spec.constraints.places);
  spec.groups_are_optional = false;
  spec.constraints.same_or_apart.clear();
  spec.labels = Labels();
  return spec;
}

}  // namespace

// Dissolves groups of one record, and renumbers the other groups from 0.
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

void RaiseLeastOffsets(Places* places) {
  std::map<uint32_t, size_t> members;
  for (const RecordPlace& place : *places) ++members[place.group];
  for (RecordPlace& place : *places) {
    if (place.group == kNoGroup || members[place.group] > 1) continue;
    place.min = std::max(place.min, place.at);
    place.group = kNoGroup;
    place.at = 0;
  }
}

GroupAttempts::GroupAttempts(const Problem& problem, const Strategy& strategy,
                             const SolveOptions& options)
    : spec_(WithoutChoices(problem)),
      has_pairs_(problem.constraints() != nullptr &&
                 !problem.constraints()->same_or_apart.empty()),
      strategy_(strategy),
      options_(options),
      bound_(LowerBoundOf(problem)),
      least_(AlignedLowerBound(problem)) {}

optional<size_t> GroupAttempts::MaxTotal(uint64_t copied) const {
  if (!has_pairs_ || !best_ || !best_->has_plan() || best_->cost > 0 ||
      options_.decide || !spec_.constraints.pools.empty()) {
    return nullopt;
  }
  if (copied > copied_) return best_->total_size;
  return best_->total_size - std::min<size_t>(1, best_->total_size);
}

StatusOr<bool> GroupAttempts::Try(const Places& places, uint64_t copied) {
  ProblemSpec spec = spec_;
  spec.constraints.places = Tidied(places);
  const optional<size_t> max_total = MaxTotal(copied);
  const bool is_limited =
      max_total && (!spec.capacity || *max_total < *spec.capacity);
  if (is_limited) spec.capacity = max_total;
  last_bound_ = 0;
  const StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (IsOutOfRange(problem.status())) return Refuse(problem.status());
  if (!problem.ok()) return problem.status();
  if (is_limited) {
    last_bound_ = AlignedLowerBound(*problem);
    if (last_bound_ > *max_total) return false;
  }
  const SolveOptions options = OptionsLeft();
  ++problems_;
  StatusOr<Solution> solution = SolveUnsettled(*problem, strategy_, options);
  if (solution.ok()) nodes_ += solution->nodes;
  if (IsUnimplemented(solution.status()) ||
      IsResourceExhausted(solution.status())) {
    last_bound_ = 0;
    return Refuse(solution.status());
  }
  if (!solution.ok()) return solution.status();
  time_ns_ += solution->time_ns;
  last_bound_ = std::max(last_bound_, solution->lower_bound);
  if (solution->status == SolutionStatus::kInfeasible) {
    last_bound_ =
        is_limited ? std::max(last_bound_, *max_total + 1) : kNoChoiceHasPlan;
  }
  const bool is_kept = !best_ || IsBetter(*solution, *best_) ||
                       (solution->has_plan() && copied > copied_ &&
                        !IsBetter(*best_, *solution));
  if (!is_kept) return false;
  best_ = *std::move(solution);
  best_places_ = Tidied(places);
  copied_ = copied;
  return true;
}

bool GroupAttempts::Refuse(const Status& error) {
  if (refusal_.ok()) refusal_ = error;
  return false;
}

// Returns the limits of the next attempt, which are half of the remaining
// limits.
SolveOptions GroupAttempts::OptionsLeft() {
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
bool GroupAttempts::OnProgress(const SearchProgress& progress) {
  if (options_.observer == nullptr || problems_ > 1) return true;
  SearchProgress of_all = progress;
  of_all.lower_bound = std::min(of_all.lower_bound, bound_.bytes);
  return options_.observer->OnProgress(of_all);
}

bool GroupAttempts::KeepGoing() {
  return options_.observer == nullptr || options_.observer->KeepGoing();
}

bool GroupAttempts::IsDone() {
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

Solution GroupAttempts::Finished(size_t bound_of_all) {
  Solution& solution = *best_;
  solution.time_ns = time_ns_;
  solution.nodes = nodes_;
  solution.cost_bound = 0;
  if (bound_of_all > bound_.bytes || bound_of_all > solution.lower_bound) {
    TakeBoundOfChoices(bound_of_all);
  } else {
    TakeKnownBound();
  }
  solution.places = std::move(best_places_);
  return std::move(solution);
}

void GroupAttempts::TakeKnownBound() {
  Solution& solution = *best_;
  const bool is_of_all = solution.lower_bound <= bound_.bytes;
  if (!is_of_all) {
    solution.lower_bound = bound_.bytes;
    solution.bound_proof = bound_.proof;
    solution.search_proof = SearchProof();
  }
  if (solution.has_plan() && solution.status == SolutionStatus::kOptimal &&
      (solution.cost > 0 || solution.total_size > solution.lower_bound)) {
    solution.status = SolutionStatus::kFeasible;
    solution.reason.clear();
  }
  if (!solution.has_plan() && solution.status == SolutionStatus::kInfeasible &&
      (!spec_.capacity || bound_.bytes <= *spec_.capacity)) {
    DropClaims(SolutionStatus::kTimeLimit);
    solution.reason = StrCat(
        "no plan", spec_.capacity ? " within " : "",
        spec_.capacity ? StrCat(*spec_.capacity, " bytes") : "",
        " was found for any choice of groups, nor a proof that there is none");
  }
}

void GroupAttempts::TakeBoundOfChoices(size_t bound_of_all) {
  Solution& solution = *best_;
  const bool has_none = bound_of_all == kNoChoiceHasPlan;
  const bool is_known = has_none || bound_of_all <= bound_.bytes;
  solution.search_proof = SearchProof();
  solution.lower_bound = has_none ? bound_.bytes : bound_of_all;
  solution.bound_proof =
      is_known ? bound_.proof : BoundProof{BoundProof::Kind::kAllChoices};
  if (!solution.has_plan()) {
    if (has_none || (spec_.capacity && bound_of_all > *spec_.capacity)) {
      DropClaims(SolutionStatus::kInfeasible);
      solution.reason = "no choice of groups has a plan";
    } else if (solution.status == SolutionStatus::kInfeasible) {
      DropClaims(SolutionStatus::kTimeLimit);
      solution.reason = "no plan was found, nor a proof that there is none";
    }
    return;
  }
  solution.status = SolutionStatus::kFeasible;
  solution.reason.clear();
  if (solution.cost == 0 && solution.lower_bound == solution.total_size) {
    solution.status = SolutionStatus::kOptimal;
    solution.reason = ReasonOfOptimum(solution.bound_proof);
  }
}

void GroupAttempts::DropClaims(SolutionStatus status) {
  Solution& solution = *best_;
  solution.DropPlan(status);
  solution.conflict.clear();
  solution.conflict_is_irreducible = false;
  solution.conflict_witnesses.clear();
}

}  // namespace stowage
