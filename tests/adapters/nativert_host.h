// SPDX-License-Identifier: Apache-2.0
// Declares the interface of the layout planners of nativert, and implements the
// rule of its default planner: the largest values are placed first, each into
// the smallest gap that has room for it. If STOWAGE_NATIVERT_HEADERS is set,
// nativert's own types are used instead.
#ifndef STOWAGE_TESTS_ADAPTERS_NATIVERT_HOST_H_
#define STOWAGE_TESTS_ADAPTERS_NATIVERT_HOST_H_

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#ifdef STOWAGE_NATIVERT_HEADERS
#include "torch/nativert/executor/memory/LayoutPlannerAlgorithm.h"

namespace nativert_host {

using torch::nativert::Allocation;
using torch::nativert::AllocationLifetime;
using torch::nativert::AllocationSpec;
using torch::nativert::LayoutPlan;
#else
namespace nativert_host {

struct AllocationLifetime {
  size_t start = 0;
  size_t end = 0;  // inclusive
};

struct AllocationSpec {
  AllocationLifetime lifetime;
  size_t size = 0;
};

struct Allocation {
  size_t size = 0;
  size_t offset = 0;
};

struct LayoutPlan {
  size_t total_size = 0;
  std::vector<Allocation> allocations;
};
#endif

// Returns whether two values are live at the same node.
inline bool Meet(const AllocationSpec& a, const AllocationSpec& b) {
  return a.lifetime.start <= b.lifetime.end &&
         b.lifetime.start <= a.lifetime.end;
}

inline LayoutPlan PlanBySize(const std::vector<AllocationSpec>& specs) {
  std::vector<size_t> order(specs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&specs](size_t a, size_t b) {
    return specs[a].size > specs[b].size;
  });
  LayoutPlan plan;
  plan.allocations.resize(specs.size());
  std::vector<size_t> placed;  // by offset
  for (const size_t i : order) {
    size_t end = 0;
    size_t best = 0;
    size_t best_gap = std::numeric_limits<size_t>::max();
    bool is_found = false;
    for (const size_t k : placed) {
      if (!Meet(specs[i], specs[k])) continue;
      const Allocation& other = plan.allocations[k];
      const bool is_gap = other.offset >= end &&
                          other.offset - end >= specs[i].size &&
                          other.offset - end < best_gap;
      if (is_gap) {
        best = end;
        best_gap = other.offset - end;
        is_found = true;
      }
      end = std::max(end, other.offset + other.size);
    }
    plan.allocations[i] = {specs[i].size, is_found ? best : end};
    plan.total_size =
        std::max(plan.total_size, plan.allocations[i].offset + specs[i].size);
    placed.push_back(i);
    std::stable_sort(placed.begin(), placed.end(), [&plan](size_t a, size_t b) {
      return plan.allocations[a].offset < plan.allocations[b].offset;
    });
  }
  return plan;
}

}  // namespace nativert_host

#endif  // STOWAGE_TESTS_ADAPTERS_NATIVERT_HOST_H_
