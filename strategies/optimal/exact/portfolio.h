// SPDX-License-Identifier: Apache-2.0
// Finds the smallest capacity that a packing fits, by many exact searches. To
// improve a packing that is too large for these searches, use RepairPortfolio
// (repair_portfolio.h).
//
// A single search only decides whether one capacity is sufficient. The
// portfolio tries the lower bound, at which searches prune the most, and
// capacities between the lower bound and the best packing so far. When a search
// finds a packing, the upper bound falls; when a search is exhausted, the lower
// bound rises; the portfolio is finished when the two bounds meet.
//
// Some searches keep their state from round to round, so that one of them can
// be exhausted. All other searches start over with other orders, in slices of
// growing length, since the time of a search has a heavy tail. Half of these
// new searches begin with the items that are live at the steps at which earlier
// searches have failed, which reveals the hard steps of an instance (Boussemart
// et al., "Boosting Systematic Search by Weighting Constraints", 2004).
//
// Work is scheduled in rounds of slices that do not depend on each other, so
// the result is the same for any number of threads as long as the number of
// nodes is the only limit.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_EXACT_PORTFOLIO_H_
#define STOWAGE_STRATEGIES_OPTIMAL_EXACT_PORTFOLIO_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "optimal/exact/diversified_order.h"
#include "optimal/exact/packing.h"
#include "optimal/exact/packing_search.h"
#include "optimal/exact/search_log.h"
#include "optimal/limits.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::optimal {

class Portfolio {
 public:
  // Requires that `lower` is a proved lower bound, and that the capacity
  // `upper` is known to be sufficient. If `capacity` is given, the search only
  // decides whether it is sufficient. The packing and the signal must outlive
  // this object.
  Portfolio(const Packing& packing, Level lower, Level upper,
            optional<Level> capacity, const Limits& limits);

  // Runs a part of a round with at most `nodes` nodes. Returns the number of
  // nodes searched, which is 0 if closed() is true or if `nodes` is too small.
  uint64_t Round(uint64_t nodes);

  // Lowers the upper bound to the height of a packing found elsewhere.
  void LowerUpper(Level upper) { upper_ = std::min(upper_, upper); }

  Level lower() const { return lower_; }
  Level upper() const { return upper_; }
  // Returns whether the search is finished: if a capacity is given, whether it
  // is known if this capacity is sufficient, and otherwise whether the bounds
  // have met.
  bool closed() const {
    return capacity_ ? lower_ > *capacity_ || upper_ <= *capacity_
                     : lower_ >= upper_;
  }
  // Returns the best packing that this portfolio has found, or nullopt if it
  // has found none.
  const optional<std::vector<Level>>& levels() const { return levels_; }
  // Returns the text that describes the best packing in Solution::found_by,
  // with `unit` bytes per level.
  std::string FoundBy(size_t unit) const;
  // Returns the search that proved lower(), or nullopt if no search has raised
  // the lower bound.
  const optional<ExhaustedSearch>& exhausted() const { return exhausted_; }

 private:
  struct Slice {
    // The kept search, or null for a new search.
    std::unique_ptr<PackingSearch>* kept = nullptr;
    uint64_t order = 0;
    Level capacity = 0;
    uint64_t quota = 0;
    uint64_t nodes = 0;
    PackingSearch::State state = PackingSearch::State::kOpen;
    std::vector<uint64_t> failures;       // is indexed by step
    std::vector<Level> levels;            // is set if the items fit
    optional<ExhaustedSearch> exhausted;  // is set if the items do not fit
  };

  void ScheduleRound(uint64_t nodes);
  void UpdateCapacity(Slice* slice);
  bool IsFirstRound() const;
  Level CapacityOf(size_t slice) const;
  bool IsWorthGoingOn(const PackingSearch* search, Level capacity) const;
  void RunSlice(Slice* slice, const std::atomic<size_t>& decided,
                size_t index) const;
  void RunSlices(Span<Slice> slices);
  uint64_t ApplyResults(Span<const Slice> slices);
  void CountFailures();
  bool Decides(const Slice& slice) const;

  const Packing& packing_;
  const Limits limits_;
  const PortfolioTuning& tuning_;
  const DiversifiedOrders orders_;
  Level lower_;
  Level upper_;
  optional<Level> capacity_;
  std::vector<std::unique_ptr<PackingSearch>> kept_;
  std::vector<Slice> slices_;  // the slices of the current round
  size_t next_slice_ = 0;      // the index of the first slice that has not run
  optional<std::vector<Level>> levels_;
  Level found_capacity_ = 0;  // the capacity of the search that found levels_
  uint64_t found_order_ = 0;
  uint64_t found_round_ = 0;
  optional<ExhaustedSearch> exhausted_;
  // The number of failures at each step, with more weight for recent failures.
  std::vector<uint64_t> failures_;
  uint64_t rounds_ = 0;
  uint64_t begun_ = 0;  // the number of searches that were not kept
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_EXACT_PORTFOLIO_H_
