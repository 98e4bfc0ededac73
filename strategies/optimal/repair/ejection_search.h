// SPDX-License-Identifier: Apache-2.0
// Repairs a packing of any size by ejection. The search proves nothing, but
// each iteration visits only the items that are live together with one item. To
// decide whether a capacity is sufficient at all, use PackingSearch
// (packing_search.h).
//
// Items that are too high for the capacity go into a pool. The search then
// places one item of the pool at a time into a gap that fits the item during
// its whole lifetime. If there is no gap, it places the item where the item
// ejects the least, and the ejected items join the pool. An item that found no
// gap becomes more expensive to eject, so that the search does not cycle but
// settles the difficult items first. The search is finished when the pool is
// empty. Fixed items are never moved.
//
//   level  pool: [r]           pool: [a]
//      |  [==a==|==]     ->   [==r==]
//      | [===|====]          [===|====]
//
// Source: Nagata and Braysy, "A powerful route minimization heuristic for the
// vehicle routing problem with time windows" (2009), for the pool and the
// growing penalties.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_REPAIR_EJECTION_SEARCH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_REPAIR_EJECTION_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/repair/neighbours.h"
#include "optimal/repair/repair_search.h"
#include "optimal/search_tuning.h"
#include "src/base/containers.h"
#include "src/base/work_limit.h"
#include "stowage/base/random.h"

namespace stowage::optimal {

class EjectionSearch : public RepairSearch {
 public:
  // A policy, which determines the next item to be taken from the pool and the
  // cost of ejecting an item. kLatest is good at small repairs of large
  // packings, and kAny is good at packings that are tight everywhere.
  enum class Manner {
    kLatest,  // takes the item that came last; costs sqrt(bytes * steps)
    kAny,     // takes a random item; costs bytes * steps
  };

  // `levels` is a packing of any height. Requires that each item fits the
  // capacity if the fixed items are the only other items (LowerBoundOf,
  // packing.h). The packing and its neighbours must outlive this object. O(n
  // log n).
  EjectionSearch(const Packing& packing, const Neighbours& neighbours,
                 const std::vector<Level>& levels, Level capacity,
                 Manner manner, uint64_t seed,
                 const EjectionTuning& tuning = EjectionTuning());

  // O(neighbours log neighbours) per iteration, and at most O(n).
  bool Run(uint64_t iterations, WorkLimit* work) override;

  bool fits() const override { return pool_.empty(); }
  uint64_t iterations() const override { return iterations_; }
  Level capacity() const override { return capacity_; }
  const std::vector<Level>& levels() const override { return levels_; }

 private:
  // The lower or the upper end of a placed item.
  struct Edge {
    Level level;
    uint32_t item;
    uint32_t begin;  // the steps of the item are [begin, end)
    uint32_t end;

    bool operator<(const Edge& other) const {
      return level != other.level ? level < other.level : item < other.item;
    }
  };
  using Edges = btree_set<Edge>;

  // Finds the cheapest place for an item, and the items that the item would
  // eject there.
  class Sweep;

  void WeighItems(Manner manner);
  uint32_t TakeFromPool();
  bool IsFasterByScan(uint32_t item) const;
  void TrySurroundings(uint32_t item, WorkLimit* work);
  Level LowestGap(const Item& item) const;
  void SortTops(const Item& item);
  Level CheapestPlace(const Item& item);
  void Eject(Level level, Level size);
  void Place(uint32_t item, Level level);
  void TakeOut(uint32_t item);

  Edge LowerEdge(uint32_t item) const;
  Edge UpperEdge(uint32_t item) const;
  uint64_t CostOf(uint32_t item) const {
    return uint64_t{penalties_[item]} * weights_[item];
  }

  const Packing& packing_;
  const Neighbours& neighbours_;
  const Level capacity_;
  const Manner manner_;
  const EjectionTuning tuning_;
  Random random_;
  std::vector<Level> levels_;
  std::vector<uint32_t> weights_;
  std::vector<uint32_t> penalties_;
  std::vector<uint32_t> pool_;
  Edges lower_edges_;
  Edges upper_edges_;
  uint64_t iterations_ = 0;

  // Scratch memory of one iteration: the placed items that share a step with an
  // item.
  bool is_scan_ = false;
  std::vector<uint32_t> found_;
  std::vector<Edge> around_;  // has lower ends
  std::vector<Edge> tops_;    // has upper ends
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_REPAIR_EJECTION_SEARCH_H_
