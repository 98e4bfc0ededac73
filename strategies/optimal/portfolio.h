// SPDX-License-Identifier: Apache-2.0
// Finds the smallest capacity that a packing fits, by many exact searches. To
// improve a packing that is too large for them, use RepairPortfolio
// (repair_portfolio.h).
//
// A search knows only whether a capacity suffices. The lower bound is asked
// first, since nothing prunes as well, and capacities between it and the best
// packing so far beside it: what fits lowers the one, what is exhausted raises
// the other, until they meet. Some searches keep their state from turn to turn,
// so that one of them gets to its end; the others begin anew in other orders,
// for turns of growing length, since the time of a search has a heavy tail; and
// half of these put first what is live where searches have failed so far, which
// finds out where an instance is hard (Boussemart et al., "Boosting Systematic
// Search by Weighting Constraints", 2004).
//
// Work is scheduled in rounds of turns that do not depend on each other, so the
// answer is the same for any number of threads as long as nothing but a number
// of nodes limits it.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_PORTFOLIO_H_
#define STOWAGE_STRATEGIES_OPTIMAL_PORTFOLIO_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "optimal/diversified_order.h"
#include "optimal/limits.h"
#include "optimal/packing.h"
#include "optimal/packing_search.h"
#include "optimal/search_log.h"

namespace stowage::optimal {

class Portfolio {
 public:
  // `lower` is proved to be no more than needed, `upper` is enough. With a
  // capacity nothing else is asked but whether it suffices. The packing and the
  // signal must outlive the object.
  Portfolio(const Packing& packing, Level lower, Level upper,
            absl::optional<Level> capacity, const Limits& limits);

  // A part of a round, of at most `nodes` nodes. Returns the nodes searched, 0
  // where there is nothing to do or no node to spend.
  uint64_t Round(uint64_t nodes);

  // Tells of a packing that was found elsewhere.
  void LowerUpper(Level upper) { upper_ = std::min(upper_, upper); }

  Level lower() const { return lower_; }
  Level upper() const { return upper_; }
  // Whether there is nothing left to find out.
  bool closed() const {
    return capacity_ ? lower_ > *capacity_ || upper_ <= *capacity_
                     : lower_ >= upper_;
  }
  // The best packing found here; nothing while none has been.
  const absl::optional<std::vector<Level>>& levels() const { return levels_; }
  // What has found them (Solution::found_by), levels being of `unit` bytes.
  std::string FoundBy(size_t unit) const;
  // The search that proved lower(); nothing while none has raised it.
  const absl::optional<ExhaustedSearch>& exhausted() const {
    return exhausted_;
  }

 private:
  struct Turn {
    std::unique_ptr<PackingSearch>* kept = nullptr;  // or one that begins
    uint64_t order = 0;
    Level capacity = 0;
    uint64_t quota = 0;
    uint64_t nodes = 0;
    PackingSearch::State state = PackingSearch::State::kOpen;
    std::vector<uint64_t> failures;             // by step
    std::vector<Level> levels;                  // if it fits
    absl::optional<ExhaustedSearch> exhausted;  // if it does not
  };

  void ScheduleRound(uint64_t nodes);
  void UpdateCapacity(Turn* turn);
  bool IsFirstRound() const;
  Level CapacityOf(size_t turn) const;
  bool IsWorthGoingOn(const PackingSearch* search, Level capacity) const;
  void RunTurn(Turn* turn, const std::atomic<size_t>& decided,
               size_t index) const;
  void RunTurns(absl::Span<Turn> turns);
  uint64_t ApplyResults(absl::Span<const Turn> turns);
  void CountFailures();
  bool Decides(const Turn& turn) const;

  const Packing& packing_;
  const Limits limits_;
  const PortfolioTuning& tuning_;
  const DiversifiedOrders orders_;
  Level lower_;
  Level upper_;
  absl::optional<Level> capacity_;
  std::vector<std::unique_ptr<PackingSearch>> kept_;
  std::vector<Turn> turns_;  // of the present round
  size_t next_turn_ = 0;     // of them, that has not had its turn
  absl::optional<std::vector<Level>> levels_;
  Level found_capacity_ = 0;  // of the search that found them, as the next two
  uint64_t found_order_ = 0;
  uint64_t found_round_ = 0;
  absl::optional<ExhaustedSearch> exhausted_;
  std::vector<uint64_t> failures_;  // by step, the latest count most
  uint64_t rounds_ = 0;
  uint64_t begun_ = 0;  // searches that were not kept
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_PORTFOLIO_H_
