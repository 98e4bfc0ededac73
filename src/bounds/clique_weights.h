// SPDX-License-Identifier: Apache-2.0
// Finds weights of cliques that prove a lower bound of the cost
// (reuse_bound.h). The weights are an approximate solution of a packing linear
// program, found by the method of multiplicative weights.
//
// The weight of a clique is the part of the cost that its pairs pay in every
// plan. Each clique puts a load on each of its pairs: its weight times the
// pair's share of the bytes that must overlap. If, for every pair, the loads
// sum to at most the cost of the pair, the sum of the weights is a lower bound.
//
// All numbers are integers. Source: Garg and Koenemann, "Faster and simpler
// algorithms for multicommodity flow and other fractional packing problems"
// (2007), with the phases of Fleischer (2000).
#ifndef STOWAGE_SRC_BOUNDS_CLIQUE_WEIGHTS_H_
#define STOWAGE_SRC_BOUNDS_CLIQUE_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/int128.h"
#include "src/base/work_limit.h"
#include "src/bounds/reuse_graph.h"
#include "stowage/base/span.h"

namespace stowage::reuse {

class CliqueWeights {
 public:
  // `costs` has the cost of each pair. Requires that the sum of the costs times
  // `scale` is below 2^62. Weights are multiples of 1 / scale.
  CliqueWeights(Span<const uint64_t> costs, uint64_t scale);

  // Adds a clique, with weight 0. Requires that each of its pairs has a cost
  // above 0.
  void Add(CostlyClique clique);
  const std::vector<CostlyClique>& cliques() const { return cliques_; }

  // Finds weights and prices for all cliques. `accuracy` is roughly the number
  // of steps in which a price doubles. With a larger number, Solve takes longer
  // and the weights prove a higher bound. Returns false if `work` ends first;
  // the weights then prove a lower one. One unit of work is one pair of one
  // clique.
  bool Solve(uint64_t accuracy, WorkLimit* work);

  // The results of Solve. The weights are multiplied by the scale. The prices
  // are at most kFullPrice, and violate no clique (clique_search.h).
  const std::vector<uint64_t>& weights() const { return weights_; }
  const std::vector<uint32_t>& prices() const { return prices_; }

  // Drops every clique that has no weight and whose prices sum to 1.5 or more.
  // Requires that there is at least one clique, and that Solve has returned
  // true for all cliques.
  void DropIdle();

 private:
  // A pair of a clique, and the part of the pair's cost that one step of the
  // clique uses, as a multiple of 2^-20. For at least one pair of each clique,
  // a step uses the whole cost.
  struct Entry {
    uint32_t pair = 0;
    uint32_t part = 0;
  };
  struct Row {
    std::vector<Entry> entries;
    uint64_t step = 0;    // the weight of one step
    uint64_t steps = 0;   // the steps that Solve has made
    uint64_t length = 0;  // the sum of the parts times the lengths of the pairs
  };

  Row RowOf(const CostlyClique& clique) const;
  uint64_t LengthOf(const Row& row) const;
  void Push(uint64_t accuracy, Row* row);
  bool RunPhases(uint64_t accuracy, WorkLimit* work);
  void SetPrices();
  void SetWeights();
  void Raise(size_t number, uint64_t most, std::vector<uint64_t>* slack);

  std::vector<uint64_t> costs_;  // by pair, times the scale
  std::vector<CostlyClique> cliques_;
  std::vector<Row> rows_;
  std::vector<uint64_t> lengths_;  // by pair
  std::vector<uint64_t> weights_;
  std::vector<uint32_t> prices_;
};

}  // namespace stowage::reuse

#endif  // STOWAGE_SRC_BOUNDS_CLIQUE_WEIGHTS_H_
