// SPDX-License-Identifier: Apache-2.0
// Finds the best plan of bodies by exhaustive search, whatever constrains them.
// Without constraints, and with fixed offsets alone, use PackingSearch
// (packing_search.h), which prunes far more.
//
// A canonical search is wrong here: a piece that hangs high above the start of
// its body may rest on what was placed later. So nothing is placed in turn.
// Every two bodies that conflict have intervals of displacements, start of one
// less start of the other, at which their pieces share no byte. A node has
// decided for some pairs which interval it is to be, and pushes all starts up
// to the least ones that satisfy these decisions and every domain: they exist,
// as each condition only asks one start to rise with another. If no pair
// overlaps there, that is the lowest plan of the node. Otherwise the node
// branches over the intervals of a pair that does. A node is given up when
//
//   - a start would rise above the highest one it may have,
//   - a pair is left without an interval, or
//   - for a clique and a level, what begins there or above is more than fits
//     between it and the limit.
//
// Pairs that would rather not share a byte are branched over last: they are to
// be apart, or the cost is paid. The least cost comes first, then the least
// top.
//
// Source: own; the propagation is that of disjunctive scheduling with minimum
// and maximum delays (Brucker, Hilbig and Hurink 1999).
#ifndef STOWAGE_STRATEGIES_OPTIMAL_BODY_SEARCH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_BODY_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/bodies/bodies.h"
#include "src/bodies/cliques.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {

using bodies::Bodies;
using bodies::Clique;

// Two pieces, by number, that cost something if they share a byte.
struct CostlyPair {
  uint32_t first = 0;
  uint32_t second = 0;  // of another body
  uint64_t cost = 0;
};

// A plan and what it costs: less cost is better, then a lower top.
struct BodyPlan {
  std::vector<bodies::Level> starts;
  bodies::Level top = bodies::kNoLevel;
  uint64_t cost = 0;
};

class BodySearch {
 public:
  // All of them must outlive the object. `conflicts` is of ListConflicts.
  BodySearch(const Bodies& bodies,
             absl::Span<const std::vector<uint32_t>> conflicts,
             absl::Span<const Clique> cliques,
             absl::Span<const CostlyPair> costly);

  // Looks for plans that end at `limit` or below, in an order of branches that
  // the seed determines, and better than `known` if that is given, for at most
  // so many nodes. Returns whether the search is complete: what best() has is
  // then the best there is.
  bool Run(bodies::Level limit, absl::optional<BodyPlan> known, uint64_t nodes,
           const StopSignal& stop);

  // Ends a search that has found a plan of no cost and this top.
  void SetEnough(bodies::Level top) { enough_ = top; }

  const absl::optional<BodyPlan>& best() const { return best_; }
  uint64_t nodes() const { return nodes_; }  // of all calls of Run

 private:
  using Level = bodies::Level;

  // Displacements of the second body over the first; closed.
  struct Interval {
    Level low = 0;
    Level high = 0;
  };
  static constexpr uint32_t kUndecided = ~uint32_t{0};
  struct Pair {
    uint32_t first = 0;
    uint32_t second = 0;
    uint32_t begin = 0;  // of its intervals_
    uint32_t end = 0;
    bool is_costly = false;
    uint64_t cost = 0;
    // The interval, by number, or kUndecided.
    uint32_t decided = kUndecided;
    bool is_active = true;  // it may not overlap
    bool is_paid = false;
  };
  struct Bounds {
    Level low = 0;
    Level high = 0;
  };

  void MakePairs(absl::Span<const std::vector<uint32_t>> conflicts);
  void AddPair(uint32_t first, uint32_t second,
               std::vector<std::pair<Level, Level>> blocked);
  void AddCostlyPairs(absl::Span<const CostlyPair> costly);
  void Search(std::vector<Bounds> starts, uint64_t paid);
  Level LimitAt(uint64_t paid) const;
  bool Propagate(uint64_t paid, std::vector<Bounds>* starts);
  absl::optional<Interval> HullOf(const Pair& pair,
                                  const std::vector<Bounds>& starts) const;
  bool PushForever(const std::vector<Bounds>& starts) const;
  bool PushPair(const Pair& pair, std::vector<Bounds>* starts, bool* changed);
  bool SetLow(uint32_t body, Level low, std::vector<Bounds>* starts,
              bool* changed);
  bool SetHigh(uint32_t body, Level high, std::vector<Bounds>* starts,
               bool* changed);
  bool CliquesFit(const std::vector<Bounds>& starts, Level limit);
  Level PushOf(const Pair& pair, const std::vector<Bounds>& starts,
               uint32_t interval) const;
  bool Overlaps(const Pair& pair, const std::vector<Bounds>& starts) const;
  uint32_t ChoosePair(const std::vector<Bounds>& starts, bool costly) const;
  void BranchOver(uint32_t number, const std::vector<Bounds>& starts,
                  uint64_t paid);
  void Accept(const std::vector<Bounds>& starts, uint64_t paid);
  bool IsOver();

  const Bodies& bodies_;
  absl::Span<const Clique> cliques_;
  std::vector<Pair> pairs_;
  std::vector<Interval> intervals_;
  std::vector<std::vector<uint32_t>> pairs_of_;  // by body
  Level limit_ = 0;
  Level enough_ = -1;
  uint64_t most_nodes_ = 0;
  uint64_t nodes_ = 0;
  const StopSignal* stop_ = nullptr;
  size_t depth_ = 0;     // pairs decided
  uint64_t pushes_ = 0;  // since the last look at the signal
  bool is_complete_ = true;
  bool is_done_ = false;
  absl::optional<BodyPlan> best_;
  std::vector<std::pair<Level, Level>> sections_;  // scratch
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_BODY_SEARCH_H_
