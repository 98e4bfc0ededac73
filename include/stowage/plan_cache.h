// SPDX-License-Identifier: Apache-2.0
// Caches plans, for runtimes in which the same shapes occur repeatedly.
//
// If the same batch sizes and sequence lengths occur again and again, call
// PlanCache::Get instead of Solve (planner.h). The cache returns the plan that
// was made the first time, or a better plan that Improve has found while the
// runtime was idle. A cache is most useful for strategies that search. It gains
// less for `skyline`: to plan 100 records, `skyline` takes only about four
// times as long as a lookup in the cache. For a new shape that is similar to a
// planned shape, use Replan (replan.h). To keep the plans of a cache in a file,
// use io/plans_file.h.
//
//   PlanCache cache(16 << 20);  // bytes
//   ...
//   const StatusOr<std::shared_ptr<const Solution>> solution =
//       cache.Get(problem);
//   if (!solution.ok()) return solution.status();
//   ...                         // when there is nothing else to do:
//   SolveOptions budget;
//   budget.time_limit_ns = 20'000'000;
//   cache.Improve(budget).IgnoreError();
//
// A plan is found only if the fingerprints of the problems are equal
// (Problem::fingerprint); plans are never adapted to another shape.
#ifndef STOWAGE_PLAN_CACHE_H_
#define STOWAGE_PLAN_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/identified_plan.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

// The plans of a cache (src/plan/cached_plans.h).
class CachedPlans;

// Counters of a cache since its creation.
struct PlanCacheStats {
  size_t plans = 0;     // the plans that are in the cache now
  size_t bytes = 0;     // the memory that these plans take now
  uint64_t hits = 0;    // counts the calls of Get that found a plan
  uint64_t misses = 0;  // counts the calls of Get that found no plan
  // The number of plans that were removed to make room for new plans.
  uint64_t evicted = 0;
  // The number of plans that were removed because they were not valid for a
  // problem with the same fingerprint. Such plans come from damaged or edited
  // files, or from two problems that were deliberately constructed to have the
  // same fingerprint.
  uint64_t refused = 0;
};

// A cache of plans. Thread-safe; searches do not block other calls.
class PlanCache {
 public:
  // Creates an empty cache. Plans, and the problems that Improve needs, use at
  // most `max_bytes` of memory. To make room for a new plan, the least recently
  // used plans are removed. A plan that alone is larger than `max_bytes` is not
  // kept. `strategy` is the name of the strategy that makes new plans; Get
  // looks the name up in the registry (registry.h).
  explicit PlanCache(size_t max_bytes, string_view strategy = "skyline");
  ~PlanCache();
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  // Returns the plan of the problem. If the cache has no plan for the problem,
  // solves the problem and keeps the plan. `options` are used only for solving:
  // a plan in the cache is returned whatever the options are.
  //
  // Every returned plan of a problem without a reallocation graph has been
  // verified. A plan in the cache is verified now if `problem` has constraints,
  // a free order or optional groups, or if the plan was added by Add and has
  // not been verified yet. Otherwise its earlier verification suffices, because
  // it was made for a problem with the same capacity, records, alignments and
  // fixed offsets, and also without constraints, a free order and optional
  // groups. A plan that is not valid, or that belongs to another problem with
  // the same fingerprint, is removed, and `problem` is solved. The claims of an
  // added plan are not trusted: its status is kOptimal only if its total equals
  // the bound that is known without a search.
  //
  // Like Solve, this function may return a solution without a plan. The cache
  // does not keep such solutions. It also does not keep plans for problems with
  // a reallocation graph, because these plans cannot be verified.
  //
  // If several threads request the same new problem at once, each of them
  // solves it. Errors: those of Solve. For a plan in the cache, this function
  // takes O(n) time, including the fingerprint, or O(n log n) time if it
  // verifies the plan.
  StatusOr<std::shared_ptr<const Solution>> Get(
      const Problem& problem, const SolveOptions& options = {});

  // Searches for better plans, using the present plan of each problem as the
  // incumbent. Returns the number of plans for which the search found a better
  // plan, or a proof that no better plan exists.
  //
  // The limits of `budget` apply to the whole call, which returns when they are
  // used up. Plans that Get has returned and that are not known to be optimal
  // receive shares of the limits, in proportion to the number of times that
  // each plan was returned. The plan that was returned most often comes first.
  // If the search for a plan does not use up its share, the rest is divided
  // among the other plans. Problems that the strategy does not support are
  // skipped. The observer of the budget may stop the call, but receives no
  // progress reports. Errors: those of FindStrategy (registry.h).
  //
  // Solutions that Get has already returned do not change. Later calls of Get
  // return the better plans.
  StatusOr<size_t> Improve(const SolveOptions& budget,
                           string_view strategy = "optimal");

  // Adds a plan without its problem, as the least recently used plan. When Get
  // is called for a problem with the fingerprint of the plan, Get verifies the
  // plan. Returns false and adds nothing if the cache already has a plan with
  // this fingerprint, if there is not enough memory left, or if the solution
  // has no plan. O(plan).
  bool Add(IdentifiedPlan plan);

  // Returns all plans, beginning with the most recently used plan. O(plans).
  std::vector<IdentifiedPlan> Plans() const;

  PlanCacheStats stats() const;

 private:
  const std::string strategy_;
  const std::unique_ptr<CachedPlans> plans_;
};

}  // namespace stowage

#endif  // STOWAGE_PLAN_CACHE_H_
