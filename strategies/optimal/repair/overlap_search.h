// SPDX-License-Identifier: Apache-2.0
// Squeezes a small packing into a capacity by allowing items to overlap at
// first. The search proves nothing. To decide whether a capacity is sufficient,
// use PackingSearch (packing_search.h); to repair a packing with too many pairs
// of live items, use EjectionSearch (ejection_search.h).
//
// Every item has a place below the capacity from the start. Each iteration
// takes an item that overlaps others and moves it to where its overlaps cost
// the least. An overlap has a constant cost and a cost that grows with its
// depth, both multiplied by the weight of the pair. If an item finds no better
// place, other items make room for it: the item moves to a place where it
// overlaps a few of them, each of these moves to its cheapest place, the items
// that it overlaps there follow, and so on. The moves of such a chain are kept
// if they lower the total cost. If no chain does so, the weights of the
// overlaps of the item rise, so the items in its way are moved sooner or later.
// The search is finished when nothing overlaps.
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
#ifndef STOWAGE_STRATEGIES_OPTIMAL_REPAIR_OVERLAP_SEARCH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_REPAIR_OVERLAP_SEARCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/repair/cost_map.h"
#include "optimal/repair/overlap_pairs.h"
#include "optimal/repair/overlap_place.h"
#include "optimal/repair/repair_search.h"
#include "optimal/repair/sorted_edges.h"
#include "optimal/search_tuning.h"
#include "src/base/work_limit.h"
#include "stowage/base/random.h"

namespace stowage::optimal {

class OverlapSearch : public RepairSearch {
 public:
  // `levels` is a packing of any height. Requires that each item fits the
  // capacity if the fixed items are the only other items (LowerBoundOf,
  // packing.h). The packing and its pairs must outlive this object. O(n +
  // pairs) time and memory, and also O(capacity) memory if an item has many
  // pairs compared with the capacity.
  OverlapSearch(const Packing& packing, const OverlapPairs& pairs,
                const std::vector<Level>& levels, Level capacity, uint64_t seed,
                const OverlapTuning& tuning = OverlapTuning());

  // Each iteration evaluates all places of one item, which may be part of a
  // chain. O(neighbours + n / 64) per iteration, and O(n) if the item moves.
  bool Run(uint64_t iterations, WorkLimit* work) override;

  bool fits() const override { return overlapping_.empty(); }
  uint64_t iterations() const override { return iterations_; }
  Level capacity() const override { return capacity_; }
  const std::vector<Level>& levels() const override {
    return bottoms_.levels();
  }

 private:
  // A place that an item may be moved to, the cost of the item at this place,
  // and the reduction of the cost by the move.
  struct Choice {
    Level level = 0;
    uint64_t cost = 0;
    uint64_t gain = 0;
  };
  // An item and its level before a move.
  struct Undo {
    uint32_t item = 0;
    Level level = 0;
  };

  // Returns the depth of the overlap of two items that share a step, which is 0
  // or negative if the items do not overlap.
  Level DepthOf(uint32_t a, uint32_t b) const {
    const std::vector<Level>& bottoms = bottoms_.levels();
    const std::vector<Level>& tops = tops_.levels();
    return std::min(tops[a], tops[b]) - std::max(bottoms[a], bottoms[b]);
  }
  uint64_t CostOf(uint32_t item) const;
  void Enlist(uint32_t item);
  uint32_t SampleItem();
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
  void ExtendChain(uint32_t item, uint32_t link, size_t max);
  void Move(uint32_t item, Level level);
  void RaiseWeights(uint32_t item);

  const Packing& packing_;
  const OverlapPairs& pairs_;
  const Level capacity_;
  const OverlapTuning tuning_;
  // The constant part of the cost of an overlap with weight 1, which does not
  // depend on the depth of the overlap.
  const uint64_t touch_;
  Random random_;
  SortedEdges bottoms_;
  SortedEdges tops_;
  // The weight of each pair, indexed by side. Both sides of a pair have the
  // same weight.
  std::vector<uint32_t> weights_;
  // The cost per unit of depth at weight 1, indexed by side.
  std::vector<uint64_t> slopes_;
  std::vector<uint32_t> counts_;       // the number of overlaps of each item
  std::vector<uint32_t> overlapping_;  // items that overlap and may move
  std::vector<uint32_t> places_;       // the index of each item in overlapping_
  uint64_t iterations_ = 0;

  // Scratch of one iteration.
  CostMap map_;
  std::vector<OverlapPlace> candidates_;
  std::vector<OverlapPlace> cheapest_;
  std::vector<uint32_t> chain_;  // has the items that make room, in order
  std::vector<Undo> undo_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_REPAIR_OVERLAP_SEARCH_H_
