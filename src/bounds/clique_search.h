// SPDX-License-Identifier: Apache-2.0
// Searches for cliques whose pairs are priced too low. This is the separation
// step of the linear program behind the lower bound of the cost
// (reuse_bound.h).
//
// Every pair has a price. A clique is violated if the weighted sum of the
// prices of its pairs is less than 1, where the weight of a pair is its share
// of the bytes that must overlap. The search begins with random cliques, and
// adds or drops one node at a time as long as this sum decreases.
#ifndef STOWAGE_SRC_BOUNDS_CLIQUE_SEARCH_H_
#define STOWAGE_SRC_BOUNDS_CLIQUE_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/work_limit.h"
#include "src/bounds/reuse_graph.h"
#include "stowage/base/optional.h"
#include "stowage/base/random.h"
#include "stowage/base/span.h"

namespace stowage::reuse {

// The fixed-point representation of 1, for prices and for sums of prices.
constexpr uint64_t kFullPrice = uint64_t{1} << 20;

class CliqueSearch {
 public:
  // Requires a graph that has at least one pair and outlives the object.
  CliqueSearch(const ReuseGraph& graph, uint64_t seed);

  // Sets the prices of all pairs, each at most kFullPrice.
  void SetPrices(Span<const uint32_t> prices);

  struct Found {
    std::vector<uint32_t> nodes;
    uint64_t sum = 0;  // of prices
  };
  // Starts at a new random clique, changes it step by step, and returns the
  // clique that it arrives at. Returns nullopt if the records of that clique
  // need not overlap, or if `work` ends. One unit of work is one node of the
  // clique that is examined for one change.
  optional<Found> Next(WorkLimit* work);
  // Like Next, but starts at the clique `nodes`.
  optional<Found> Improve(Span<const uint32_t> nodes, WorkLimit* work);

 private:
  static constexpr uint64_t kNoSum = ~uint64_t{0};

  void Clear();
  void Add(uint32_t node);
  void Drop(size_t position);
  bool IsAddable(uint32_t node) const {
    return !is_in_[node] && related_[node] == clique_.size();
  }
  bool IsBefore(uint32_t a, uint32_t b) const {
    return sizes_[a] != sizes_[b] ? sizes_[a] > sizes_[b] : a < b;
  }
  uint64_t Overlap(uint64_t bytes) const;
  uint64_t SumWith(uint32_t node) const;
  uint64_t SumWithout(size_t position) const;
  uint64_t Sum() const;
  void BeginWithPair();
  void BeginWithAny(uint64_t keep);
  void BeginWithConflicts();
  bool Grow(WorkLimit* work);
  bool Descend(WorkLimit* work);
  optional<Found> Finish(WorkLimit* work);

  const ReuseGraph& graph_;
  Random random_;
  // The sizes of the nodes and the room, scaled so that the sizes sum to less
  // than 2^30. The scaled numbers only guide the search.
  std::vector<uint64_t> sizes_;
  uint64_t room_ = 0;
  std::vector<uint32_t> prices_;  // by both nodes
  std::vector<uint32_t> order_;   // all nodes, shuffled
  // The clique, largest node first. loads_ has, for each node of the clique,
  // the sum of the prices of its pairs with the nodes before it.
  std::vector<uint32_t> clique_;
  std::vector<uint64_t> loads_;
  uint64_t bytes_ = 0;
  std::vector<bool> is_in_;        // by node
  std::vector<uint32_t> related_;  // by node: number of related clique nodes
};

}  // namespace stowage::reuse

#endif  // STOWAGE_SRC_BOUNDS_CLIQUE_SEARCH_H_
