// SPDX-License-Identifier: Apache-2.0
#include "mincostflow/likely_arcs.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "src/base/containers.h"

namespace stowage::mincostflow {
namespace {

using SizeClasses = btree_set<size_t>;

// The number of nearest size classes to consider above and below each class.
constexpr size_t kReach = 2;

class LikelyArcs {
 public:
  explicit LikelyArcs(const Network& network)
      : network_(network),
        latest_(network.class_sizes.size(), kNone),
        supply_(network.class_sizes.size(), 0) {}

  std::vector<Arc> Find() {
    for (size_t begin = 0; begin < network_.nodes.size();) {
      const size_t end = network_.EndOfTurn(begin);
      for (size_t i = begin; i < end; ++i) AddSupply(i);
      for (size_t i = begin; i < end; ++i) AddArcs(i);
      begin = end;
    }
    return std::move(arcs_);
  }

 private:
  void AddSupply(size_t i) {
    const Node& node = network_.nodes[i];
    latest_[node.size_class] = i;
    known_.insert(node.size_class);
    supply_[node.size_class] += node.end_count();
    if (supply_[node.size_class] > 0) supplied_.insert(node.size_class);
  }

  void AddArcs(size_t i) {
    const Node& node = network_.nodes[i];
    if (node.start_count() == 0) return;
    std::vector<size_t> size_classes;
    AddNearest(known_, node.size_class, &size_classes);
    for (size_t k = 0; k < node.start_count() && !supplied_.empty(); ++k) {
      AddNearest(supplied_, node.size_class, &size_classes);
      TakeMemory(node.size_class);
    }
    std::sort(size_classes.begin(), size_classes.end());
    size_classes.erase(std::unique(size_classes.begin(), size_classes.end()),
                       size_classes.end());
    for (const size_t size_class : size_classes) {
      if (size_class != node.size_class) {
        arcs_.push_back({latest_[size_class], i});
      }
    }
  }

  static void AddNearest(const SizeClasses& among, size_t size_class,
                         std::vector<size_t>* size_classes) {
    const auto above = among.lower_bound(size_class);
    auto up = above;
    for (size_t k = 0; k < kReach && up != among.end(); ++k) {
      size_classes->push_back(*up++);
    }
    auto down = above;
    for (size_t k = 0; k < kReach && down != among.begin(); ++k) {
      size_classes->push_back(*--down);
    }
  }

  // Takes memory from the smallest size class that is large enough and has
  // memory, or from the largest class that has memory if no class is large
  // enough.
  void TakeMemory(size_t size_class) {
    auto source = supplied_.lower_bound(size_class);
    if (source == supplied_.end()) --source;
    if (--supply_[*source] == 0) supplied_.erase(source);
  }

  const Network& network_;
  std::vector<size_t> latest_;  // the latest node of each size class
  std::vector<size_t> supply_;  // the units of supply of each size class
  SizeClasses known_;           // the size classes that have a node so far
  SizeClasses supplied_;        // the size classes that have supply
  std::vector<Arc> arcs_;
};

}  // namespace

std::vector<Arc> FindLikelyArcs(const Network& network) {
  return LikelyArcs(network).Find();
}

}  // namespace stowage::mincostflow
