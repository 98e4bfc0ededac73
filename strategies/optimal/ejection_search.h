// SPDX-License-Identifier: Apache-2.0
// Repairs a packing of any size by ejection. It proves nothing, but a turn
// costs only the items that are live together with one; to know whether a
// capacity suffices at all, use PackingSearch (packing_search.h).
//
// What lies too high for the capacity goes into a pool. Then, one at a time, an
// item of the pool is put into a gap that fits it over its whole life; where
// there is none, it goes where it ejects the least, and what it ejects joins
// the pool. An item that found no gap becomes dearer to eject, so that the
// search does not go in circles but settles the difficult items first. It ends
// when the pool is empty. Fixed items stay where they are.
//
//   level  pool: [r]           pool: [a]
//      |  [==a==|==]     ->   [==r==]
//      | [===|====]          [===|====]
//
// Source: Nagata and Bräysy, "A powerful route minimization heuristic for the
// vehicle routing problem with time windows" (2009), for the pool and the
// growing penalties.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_EJECTION_SEARCH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_EJECTION_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/btree_set.h"
#include "optimal/neighbours.h"
#include "optimal/packing.h"
#include "optimal/repair_search.h"
#include "optimal/search_tuning.h"
#include "src/core/random.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {

class EjectionSearch : public RepairSearch {
 public:
  // Which item leaves the pool next, and what it costs to eject one. The first
  // is good at small repairs of large packings, the second at packings that are
  // tight everywhere.
  enum class Manner {
    kLatest,  // the one that came last; the root of bytes times steps
    kAny,     // one at random; bytes times steps
  };

  // `levels` is a packing, of any height. Requires that each item, without the
  // others but the fixed ones, fits the capacity (LowerBound, packing.h).
  // The packing and its neighbours must outlive the search. O(n log n).
  EjectionSearch(const Packing& packing, const Neighbours& neighbours,
                 const std::vector<Level>& levels, Level capacity,
                 Manner manner, uint64_t seed,
                 const EjectionTuning& tuning = EjectionTuning());

  // O(neighbours log neighbours) for a turn, and no more than O(n).
  bool Run(uint64_t turns, WorkLimit* work) override;

  bool fits() const override { return pool_.empty(); }
  uint64_t turns() const override { return turns_; }
  Level capacity() const override { return capacity_; }
  const std::vector<Level>& levels() const override { return levels_; }

 private:
  // The lower or the upper edge of an item that has a place.
  struct Edge {
    Level level;
    uint32_t item;
    uint32_t begin;  // of its steps
    uint32_t end;

    bool operator<(const Edge& other) const {
      return level != other.level ? level < other.level : item < other.item;
    }
  };
  using Edges = absl::btree_set<Edge>;

  // Looks for the cheapest place, with what it would eject.
  class Sweep;

  void WeighItems(Manner manner);
  uint32_t TakeFromPool();
  bool IsFasterByScan(uint32_t item) const;
  void LookAround(uint32_t item, WorkLimit* work);
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
  uint64_t turns_ = 0;

  // Scratch of one turn: what lives together with an item and has a place.
  bool is_scan_ = false;
  std::vector<uint32_t> found_;
  std::vector<Edge> around_;  // lower edges
  std::vector<Edge> tops_;    // upper edges
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_EJECTION_SEARCH_H_
