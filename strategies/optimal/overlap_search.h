// SPDX-License-Identifier: Apache-2.0
// Squeezes a small packing into a capacity by letting items overlap at first.
// It proves nothing; to know whether a capacity suffices at all, use
// PackingSearch (packing_search.h), and to repair a packing with too many pairs
// of live items, EjectionSearch (ejection_search.h).
//
// Every item has a place below the capacity from the start. A turn takes one
// that overlaps others and moves it where its overlaps cost the least: each
// costs something for being there, more for being deep, and all of it times the
// weight of the pair. For an item that finds nothing better others make room:
// it goes where it overlaps a few of them, these go where they cost the least,
// and so on in a chain, if that costs less in the end than it did before. Where
// no chain does, the weights of its overlaps rise, so that what is in its way
// gives way sooner or later. The search ends when nothing overlaps.
//
//   level       [==a==]          [==a==]
//      |    [==b=XX=]     ->   [===b===]
//      |   [====c====]        [====c====]
//
// Source: Morris, "The breakout method for escaping from local minima" (1993),
// for the weights; Egeblad, Nielsen and Odgaard, "Fast neighborhood search for
// two- and three-dimensional nesting problems" (2007), for the best place along
// one axis from the breakpoints of a sum; Glover, "Ejection chains, reference
// structures and alternating path methods for traveling salesman problems"
// (1996), for chains.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OVERLAP_SEARCH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OVERLAP_SEARCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/cost_map.h"
#include "optimal/overlap_pairs.h"
#include "optimal/overlap_place.h"
#include "optimal/packing.h"
#include "optimal/repair_search.h"
#include "optimal/search_tuning.h"
#include "optimal/sorted_edges.h"
#include "src/core/random.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {

class OverlapSearch : public RepairSearch {
 public:
  // `levels` is a packing, of any height. Requires that each item, without the
  // others but the fixed ones, fits the capacity (LowerBound, packing.h).
  // The packing and its pairs must outlive the search. O(n + pairs) time and
  // memory, and, where an item has many pairs beside the levels there are,
  // memory for each of these.
  OverlapSearch(const Packing& packing, const OverlapPairs& pairs,
                const std::vector<Level>& levels, Level capacity, uint64_t seed,
                const OverlapTuning& tuning = OverlapTuning());

  // A turn is a look at all places of one item, be it of a chain.
  // O(neighbours + n / 64) for a turn, and O(n) where the item moves.
  bool Run(uint64_t turns, WorkLimit* work) override;

  bool fits() const override { return overlapping_.empty(); }
  uint64_t turns() const override { return turns_; }
  Level capacity() const override { return capacity_; }
  const std::vector<Level>& levels() const override {
    return bottoms_.levels();
  }

 private:
  // Where an item is to go, what it costs there, and how much less that is.
  struct Choice {
    Level level = 0;
    uint64_t cost = 0;
    uint64_t gain = 0;
  };
  // Where an item was.
  struct Undo {
    uint32_t item = 0;
    Level level = 0;
  };

  // Of two that share a step: how deep they overlap, if at all.
  Level DepthOf(uint32_t a, uint32_t b) const {
    const std::vector<Level>& bottoms = bottoms_.levels();
    const std::vector<Level>& tops = tops_.levels();
    return std::min(tops[a], tops[b]) - std::max(bottoms[a], bottoms[b]);
  }
  uint64_t CostOf(uint32_t item) const;
  void Enlist(uint32_t item);
  uint32_t DrawItem();
  void MoveItem(uint32_t item, uint64_t stop, WorkLimit* work);
  void ListPlaces(uint32_t item, WorkLimit* work);
  bool IsForMap(size_t sides) const;
  void ListByMap(uint32_t item);
  void ListBySweep(uint32_t item);
  Choice ChoosePlace(uint32_t item);
  bool MakeRoom(uint32_t item, uint64_t cost, uint64_t stop, WorkLimit* work);
  void ListCheapest(uint32_t item);
  bool BeginChain(uint32_t item, Level level);
  bool FollowChain(uint32_t item, Level level, uint64_t loss, uint64_t stop,
                   WorkLimit* work);
  void ExtendChain(uint32_t item, uint32_t link, size_t most);
  void Move(uint32_t item, Level level);
  void RaiseWeights(uint32_t item);

  const Packing& packing_;
  const OverlapPairs& pairs_;
  const Level capacity_;
  const OverlapTuning tuning_;
  const uint64_t touch_;  // what a pair of weight 1 costs at any depth
  Random random_;
  SortedEdges bottoms_;
  SortedEdges tops_;
  std::vector<uint32_t> weights_;      // by side, the same at both
  std::vector<uint64_t> slopes_;       // by side: of depth, for weight 1
  std::vector<uint32_t> counts_;       // by item: of its overlaps
  std::vector<uint32_t> overlapping_;  // items that overlap and may move
  std::vector<uint32_t> places_;       // by item: in overlapping_
  uint64_t turns_ = 0;

  // Scratch of one turn.
  CostMap map_;
  std::vector<OverlapPlace> candidates_;
  std::vector<OverlapPlace> cheapest_;
  std::vector<uint32_t> chain_;  // what makes room, in its order
  std::vector<Undo> undo_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OVERLAP_SEARCH_H_
