// SPDX-License-Identifier: Apache-2.0
#include "mincostflow/likely_arcs.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "absl/container/btree_set.h"

namespace stowage::mincostflow {
namespace {

using Shelves = absl::btree_set<size_t>;

// The number of nearest size classes to consider in each direction, above and
// below.
constexpr size_t kReach = 2;

class LikelyArcs {
 public:
  explicit LikelyArcs(const Network& network)
      : network_(network),
        latest_(network.shelf_sizes.size(), kNone),
        stock_(network.shelf_sizes.size(), 0) {}

  std::vector<Arc> Find() {
    for (size_t begin = 0; begin < network_.nodes.size();) {
      const size_t end = network_.EndOfTurn(begin);
      for (size_t i = begin; i < end; ++i) AddStock(i);
      for (size_t i = begin; i < end; ++i) AddArcs(i);
      begin = end;
    }
    return std::move(arcs_);
  }

 private:
  void AddStock(size_t i) {
    const Node& node = network_.nodes[i];
    latest_[node.shelf] = i;
    known_.insert(node.shelf);
    stock_[node.shelf] += node.end_count();
    if (stock_[node.shelf] > 0) stocked_.insert(node.shelf);
  }

  void AddArcs(size_t i) {
    const Node& node = network_.nodes[i];
    if (node.start_count() == 0) return;
    std::vector<size_t> shelves;
    AddNearest(known_, node.shelf, &shelves);
    for (size_t k = 0; k < node.start_count() && !stocked_.empty(); ++k) {
      AddNearest(stocked_, node.shelf, &shelves);
      TakeMemory(node.shelf);
    }
    std::sort(shelves.begin(), shelves.end());
    shelves.erase(std::unique(shelves.begin(), shelves.end()), shelves.end());
    for (const size_t shelf : shelves) {
      if (shelf != node.shelf) arcs_.push_back({latest_[shelf], i});
    }
  }

  static void AddNearest(const Shelves& among, size_t shelf,
                         std::vector<size_t>* shelves) {
    const auto above = among.lower_bound(shelf);
    auto up = above;
    for (size_t k = 0; k < kReach && up != among.end(); ++k) {
      shelves->push_back(*up++);
    }
    auto down = above;
    for (size_t k = 0; k < kReach && down != among.begin(); ++k) {
      shelves->push_back(*--down);
    }
  }

  // Takes memory from the smallest size class that is large enough, else from
  // the largest class that has memory.
  void TakeMemory(size_t shelf) {
    auto source = stocked_.lower_bound(shelf);
    if (source == stocked_.end()) --source;
    if (--stock_[*source] == 0) stocked_.erase(source);
  }

  const Network& network_;
  std::vector<size_t> latest_;  // by size class: its latest node
  std::vector<size_t> stock_;   // by size class: units of supply
  Shelves known_;               // size classes that have a node so far
  Shelves stocked_;             // size classes that have supply
  std::vector<Arc> arcs_;
};

}  // namespace

std::vector<Arc> FindLikelyArcs(const Network& network) {
  return LikelyArcs(network).Find();
}

}  // namespace stowage::mincostflow
