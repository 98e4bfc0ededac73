// SPDX-License-Identifier: Apache-2.0
// Caches plans, for runtimes in which the same shapes occur again.
//
// A runtime that meets the same batch sizes and sequence lengths again and
// again asks the cache instead of Solve (planner.h). The cache returns the plan
// that was made the first time, or a better plan that Improve has found while
// the runtime was idle. A cache pays most for strategies that search. The gain
// is smaller for `skyline`, which plans 100 records in about four times the
// time that finding the plan in the cache takes. For a shape that is new but
// similar to another one, use Replan (replan.h). To keep the plans of a cache
// in a file, use io/plans_file.h.
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
// Plans are found only by the fingerprint of the problem
// (Problem::fingerprint). A plan is never adapted to another shape.
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

// Holds the plans of a cache (src/plan/cached_plans.h).
class CachedPlans;

// Counts what has happened to a cache since it was created.
struct PlanCacheStats {
  size_t plans = 0;     // the plans that are in the cache now
  size_t bytes = 0;     // the memory that these plans take now
  uint64_t hits = 0;    // counts the calls of Get that found a plan
  uint64_t misses = 0;  // counts the calls of Get that found no plan
  // The number of plans that were removed to make room for other plans.
  uint64_t evicted = 0;
  // The number of plans that were removed because they were not valid for a
  // problem with the same fingerprint. Such plans come from damaged or edited
  // files, or from two problems that were made on purpose to have the same
  // fingerprint.
  uint64_t refused = 0;
};

// A cache of plans. Thread-safe: searches do not block other calls.
class PlanCache {
 public:
  // Creates an empty cache that takes at most `max_bytes` of memory for plans
  // and for their problems, which Improve needs. If the memory does not suffice
  // for a new plan, the plans that were used least recently are removed. A plan
  // that is larger than `max_bytes` by itself is not kept. `strategy` is the
  // name of the strategy (registry.h) that makes new plans; Get looks the name
  // up.
  explicit PlanCache(size_t max_bytes, string_view strategy = "skyline");
  ~PlanCache();
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  // Returns the plan of the problem. If the cache has none, solves the problem
  // and keeps the plan. The options are used only to solve the problem: a plan
  // in the cache is returned whatever the options are.
  //
  // Every plan that is returned has been verified for this problem. A plan in
  // the cache need not be verified again if it was verified for a problem that
  // has the same capacity, records, alignments and fixed offsets as `problem`,
  // and if neither problem has constraints, a free order or optional groups.
  // The plan is verified now if `problem` has constraints, a free order or
  // optional groups, or if the plan was added (Add) and has not been verified
  // yet. If the plan is not valid, or if it belongs to another problem with the
  // same fingerprint, it is removed and `problem` is solved. The claims of a
  // plan that was added are not trusted: the plan is kOptimal only if its total
  // equals the bound that is known without a search.
  //
  // Like Solve, this function may return a solution without a plan. The cache
  // does not keep a solution without a plan. Nor does it keep a plan for a
  // problem with a reallocation graph, because plans for such problems cannot
  // be verified.
  //
  // If several threads ask for the same new problem at once, each of them
  // solves it. Errors: those of Solve. For a plan in the cache, this function
  // takes O(n) time, which includes the fingerprint, or O(n log n) time if the
  // plan is verified.
  StatusOr<std::shared_ptr<const Solution>> Get(
      const Problem& problem, const SolveOptions& options = {});

  // Searches for better plans, with the present plan of each problem as the
  // incumbent. Returns the number of plans for which it has found a better
  // plan, or a proof that no better plan exists.
  //
  // The limits of `budget` apply to the whole call, which ends when they are
  // used up. Plans that Get has returned and that are not known to be optimal
  // receive shares of the limits, in proportion to the number of times that
  // each plan was returned. The plan that was returned most often comes first.
  // If the search for a plan does not use up its share, the remainder is
  // divided among the other plans. Problems that the strategy does not support
  // are skipped. The observer of the budget may end the call, but no progress
  // is reported to the observer. Errors: those of FindStrategy (registry.h).
  //
  // Solutions that Get has returned do not change. Later calls of Get return
  // the better plans.
  StatusOr<size_t> Improve(const SolveOptions& budget,
                           string_view strategy = "optimal");

  // Adds a plan without knowing its problem, and treats it as the plan that was
  // used least recently. When Get is called for a problem with this
  // fingerprint, Get verifies the plan. Returns false and adds nothing if the
  // cache already has a plan with this fingerprint, if the remaining memory
  // does not suffice, or if the solution has no plan. O(plan).
  bool Add(IdentifiedPlan plan);

  // Returns all plans, the one used most recently first. O(plans).
  std::vector<IdentifiedPlan> Plans() const;

  PlanCacheStats stats() const;

 private:
  const std::string strategy_;
  const std::unique_ptr<CachedPlans> plans_;
};

}  // namespace stowage

#endif  // STOWAGE_PLAN_CACHE_H_
