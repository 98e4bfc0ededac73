// SPDX-License-Identifier: Apache-2.0
#include "stowage/plan_cache.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/base/int128.h"
#include "src/model/constraint_support.h"
#include "src/model/least_total.h"
#include "src/model/watch.h"
#include "src/plan/cached_plans.h"
#include "src/plan/incumbent.h"
#include "src/plan/is_better.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/planner.h"
#include "stowage/registry.h"

namespace stowage {
namespace {

using SharedSolution = std::shared_ptr<const Solution>;

bool SameRecords(Span<const ByteRecord> a, Span<const ByteRecord> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ByteRecord& x, const ByteRecord& y) {
                      return x.tensor_size == y.tensor_size &&
                             x.first_task == y.first_task &&
                             x.last_task == y.last_task;
                    });
}

// Returns whether a solution of `spec` is known to be a solution of `problem`,
// because both have the same kind, capacity, records, alignments and fixed
// offsets, and neither has constraints, a free order or optional groups.
// Ignores ProblemSpec::place_first, which is only a preference.
bool IsSameProblem(const ProblemSpec& spec, const Problem& problem) {
  const auto has_more = [](const ProblemSpec& p) {
    return !p.constraints.empty() || p.free_order || p.groups_are_optional;
  };
  if (has_more(spec) || NeedsConstraints(problem) ||
      spec.kind != problem.kind() || spec.capacity != problem.capacity() ||
      HasFixedOffsets(spec) != problem.has_fixed_offsets() ||
      !SameRecords(spec.records, problem.records())) {
    return false;
  }
  const Alignments alignments = AlignmentsOf(spec);
  for (size_t i = 0; i < problem.size(); ++i) {
    if (alignments.Of(i) != problem.alignments().Of(i)) return false;
    if (problem.has_fixed_offsets() &&
        spec.fixed_offsets[i] != problem.fixed_offset(i)) {
      return false;
    }
  }
  return true;
}

// Returns a copy of the problem without names, which the cache does not use.
std::shared_ptr<const ProblemSpec> WithoutNames(const Problem& problem) {
  ProblemSpec spec = problem.ToSpec();
  spec.names = {};
  spec.labels = {};
  return std::make_shared<const ProblemSpec>(std::move(spec));
}

// Creates a solution of the problem from a plan of unknown origin. The solution
// claims only what can be determined without a search. Returns an error if the
// plan is not a plan of the problem within the capacity.
StatusOr<Solution> SettlePlan(const Problem& problem, const Solution& unknown) {
  Solution given = unknown;
  if (unknown.offsets() != nullptr && problem.kind() == PlanKind::kOffsets) {
    OffsetsAssignment plan = *unknown.offsets();
    const optional<size_t> total = LeastTotal(problem, plan);
    if (!total) return InvalidArgumentError("the plan has no total");
    plan.total_size = *total;
    given.SetPlan(std::move(plan));
  }
  StatusOr<Solution> checked = CheckedIncumbent(problem, given);
  if (!checked.ok()) return checked;
  if (!checked->has_plan()) {
    return FailedPreconditionError("the plan is above the capacity");
  }
  Solution solution = BetterOf(*std::move(checked), NothingFound(problem));
  solution.strategy = unknown.strategy;
  solution.found_by = "cache";
  return solution;
}

// Returns whether the plan of `solution`, which has been verified for another
// problem with the same fingerprint, is also a plan of this problem.
bool IsPlanOf(const Problem& problem, const Solution& solution) {
  const StatusOr<Solution> checked = CheckedIncumbent(problem, solution);
  return checked.ok() && checked->has_plan();
}

// The remaining limits of a call. They are shared by the remaining entries,
// which have been used `uses_` times in total.
class Budget {
 public:
  Budget(const SolveOptions& options, uint128 uses)
      : options_(options), uses_(uses) {}

  // Returns the options for an entry that has been used `uses` times. Its share
  // of the remaining limits is proportional to `uses`.
  SolveOptions ShareOf(uint64_t uses) const {
    SolveOptions share = options_;
    if (options_.node_budget) {
      share.node_budget = Part(*options_.node_budget, uses);
    } else if (options_.time_limit_ns != kNoTimeLimit) {
      const auto left =
          static_cast<uint64_t>(std::max<int64_t>(options_.time_limit_ns, 0));
      share.time_limit_ns = static_cast<int64_t>(Part(left, uses));
    }
    return share;
  }

  // Returns whether the limits are used up.
  bool IsSpent() const {
    return options_.node_budget ? *options_.node_budget == 0
                                : options_.time_limit_ns <= 0;
  }

  // Subtracts what the search for one entry has used from the remaining limits.
  void Spend(uint64_t uses, uint64_t nodes, int64_t time_ns) {
    uses_ -= uses;
    if (options_.node_budget) {
      *options_.node_budget -= std::min(nodes, *options_.node_budget);
    } else {
      options_.time_limit_ns = TimeLeft(options_.time_limit_ns, time_ns);
    }
  }

 private:
  uint64_t Part(uint64_t left, uint64_t uses) const {
    return static_cast<uint64_t>(uint128(left) * uses / uses_);
  }

  SolveOptions options_;
  uint128 uses_;
};

}  // namespace

PlanCache::PlanCache(size_t max_bytes, string_view strategy)
    : strategy_(strategy), plans_(std::make_unique<CachedPlans>(max_bytes)) {}

PlanCache::~PlanCache() = default;

StatusOr<SharedSolution> PlanCache::Get(const Problem& problem,
                                        const SolveOptions& options) {
  const bool is_cacheable = problem.reallocation_graph() == nullptr;
  const Fingerprint& key = problem.fingerprint();
  if (is_cacheable) {
    if (optional<PlanEntry> entry = plans_->Find(key)) {
      if (entry->problem && (IsSameProblem(*entry->problem, problem) ||
                             (NeedsConstraints(problem) &&
                              IsPlanOf(problem, *entry->solution)))) {
        plans_->CountHit(key);
        return entry->solution;
      }
      if (!entry->problem) {
        StatusOr<Solution> settled = SettlePlan(problem, *entry->solution);
        if (settled.ok()) {
          auto shared = std::make_shared<const Solution>(*std::move(settled));
          // The new entry is larger than the entry that it replaces. Mark the
          // old entry as the most recently used one first, so that other
          // entries are removed to make room.
          plans_->CountHit(key);
          plans_->Replace({key, shared, WithoutNames(problem)},
                          entry->solution.get());
          return shared;
        }
      }
      plans_->Refuse(key, entry->solution.get());
    }
  }
  plans_->CountMiss();
  StatusOr<Solution> found = Solve(problem, strategy_, options);
  if (!found.ok()) return found.status();
  auto shared = std::make_shared<const Solution>(*std::move(found));
  if (is_cacheable && shared->has_plan()) {
    plans_->Store({key, shared, WithoutNames(problem), 1});
  }
  return shared;
}

StatusOr<size_t> PlanCache::Improve(const SolveOptions& budget,
                                    string_view strategy) {
  const StatusOr<const Strategy*> found = FindStrategy(strategy);
  if (!found.ok()) return found.status();
  std::vector<PlanEntry> entries = plans_->All();
  entries.erase(std::remove_if(entries.begin(), entries.end(),
                               [](const PlanEntry& entry) {
                                 return !entry.problem || entry.uses == 0 ||
                                        entry.solution->status ==
                                            SolutionStatus::kOptimal;
                               }),
                entries.end());
  std::stable_sort(
      entries.begin(), entries.end(),
      [](const PlanEntry& a, const PlanEntry& b) { return a.uses > b.uses; });
  uint128 uses = 0;
  for (const PlanEntry& entry : entries) uses += entry.uses;
  Budget left(budget, uses);
  Watch watch(budget);
  WithoutProgress observer(&watch);
  size_t improved = 0;
  for (const PlanEntry& entry : entries) {
    if (left.IsSpent() || !watch.KeepGoing()) break;
    const auto begin = std::chrono::steady_clock::now();
    SolveOptions options = left.ShareOf(entry.uses);
    options.observer = &observer;
    options.incumbent = entry.solution.get();
    const StatusOr<Problem> problem = Problem::Create(*entry.problem);
    if (!problem.ok()) continue;
    StatusOr<Solution> better = Solve(*problem, **found, options);
    left.Spend(entry.uses, better.ok() ? better->nodes : 0,
               NanosecondsSince(begin));
    if (!better.ok() || !better->has_plan()) continue;
    if (!IsBetter(*better, *entry.solution)) {
      if (better->status != SolutionStatus::kOptimal) continue;
      better->found_by = entry.solution->found_by;
    }
    const bool is_replaced = plans_->Replace(
        {entry.fingerprint,
         std::make_shared<const Solution>(*std::move(better)), entry.problem},
        entry.solution.get());
    if (is_replaced) ++improved;
  }
  return improved;
}

bool PlanCache::Add(IdentifiedPlan plan) {
  if (plan.solution == nullptr || !plan.solution->has_plan()) return false;
  return plans_->Add({plan.fingerprint, std::move(plan.solution), nullptr});
}

std::vector<IdentifiedPlan> PlanCache::Plans() const {
  std::vector<IdentifiedPlan> plans;
  for (PlanEntry& entry : plans_->All()) {
    plans.push_back({entry.fingerprint, std::move(entry.solution)});
  }
  return plans;
}

PlanCacheStats PlanCache::stats() const { return plans_->stats(); }

}  // namespace stowage
