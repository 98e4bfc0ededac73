// SPDX-License-Identifier: Apache-2.0
// Searches for offsets until the optimum is proved or the limits are reached.
// Computes bounds, constructs plans, searches exactly, and repairs plans. For
// shared objects, use ObjectsSearch (objects_search.h).
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OFFSETS_SEARCH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OFFSETS_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/exact/portfolio.h"
#include "optimal/exact/search_log.h"
#include "optimal/repair/genetic_portfolio.h"
#include "optimal/repair/repair_portfolio.h"
#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "src/model/watch.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::optimal {

class OffsetsSearch {
 public:
  // The problem and the options must outlive this object.
  OffsetsSearch(const Problem& problem, const SolveOptions& options,
                const SearchTuning& tuning = SearchTuning());

  // Runs the search. May be called only once. O(n) memory, plus the memory of
  // the individual searches: O(m^2) for a packing of m <=
  // SearchTuning::max_exact_items items, and 112 bytes for each pair of items
  // that are live together. OverlapTuning::max_sides limits the number of these
  // pairs to about half a million.
  Solution Run();

 private:
  void Search();
  // A packing that is independent of the others, with what is known about it.
  struct Component {
    Packing packing;
    Known known;
    std::unique_ptr<Portfolio> portfolio;
    std::unique_ptr<GeneticPortfolio> genetic;
    std::unique_ptr<RepairPortfolio> repairs;
    // The capacity that the portfolios decide.
    optional<Level> asked;
    uint64_t rounds = 0;
  };

  bool IsDone() const;
  // Returns whether the lower bound proves that no plan fits the capacity.
  bool ExceedsCapacity() const;
  size_t Goal() const;
  void BeginQuickly();
  void ConstructPlans();
  // Makes the components. Returns false if nothing remains to be searched, or
  // if no time is left for a search.
  bool MakeComponents();
  void BoundByAlignments();
  Component* Worst();
  bool Improve(Component* component);
  uint64_t SearchExactly(Component* component);
  uint64_t EvolveOrders(Component* component, uint64_t nodes);
  uint64_t Repair(Component* component, uint64_t iterations_each);
  bool MakeRepairs(Component* component);
  uint64_t LaterShare(const Component& component, uint64_t work) const;
  bool HasTimeToRepair(const Component& component) const;
  optional<Level> CapacityToDecide() const;
  void Accept(const Component& component, std::string found_by);
  void RaiseBound(const Packing& packing, Level lower,
                  const ExhaustedSearch& search);
  void Explain();
  void Report();
  uint64_t NodesLeft() const;

  const Problem& problem_;
  Span<const ByteRecord> records_;
  const SolveOptions& options_;
  optional<size_t> capacity_;
  Watch watch_;
  const StopSignal stop_;
  Limits limits_;
  OffsetsAssignment best_;
  size_t unit_ = 1;
  std::vector<Component> components_;
  // The result so far, except for the plan, which is in best_.
  Solution report_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OFFSETS_SEARCH_H_
