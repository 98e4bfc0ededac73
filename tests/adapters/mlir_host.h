// SPDX-License-Identifier: Apache-2.0
// Provides a host for tests of the adapter for MLIR. Declares the allocations
// that MLIR's pass `static-memory-planner` plans, and implements its best fit.
// If STOWAGE_MLIR_HEADERS is set, MLIR's own types and best fit are used
// instead.
#ifndef STOWAGE_TESTS_ADAPTERS_MLIR_HOST_H_
#define STOWAGE_TESTS_ADAPTERS_MLIR_HOST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#ifdef STOWAGE_MLIR_HEADERS
#include "mlir/Dialect/Bufferization/Transforms/StaticMemoryPlanning.h"
#else
namespace mlir::bufferization {

struct MemoryPlannerAlloc {
  int64_t sizeInBytes = 0;
  int64_t alignment = 1;
  int64_t timeStart = 0;
  int64_t timeEnd = 0;
};

}  // namespace mlir::bufferization
#endif

namespace stowage::adapters {

using MlirAllocs = std::vector<mlir::bufferization::MemoryPlannerAlloc>;

inline int64_t RoundUp(int64_t offset, int64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

// Returns the least common multiple of all alignments, as the pass does.
inline int64_t ArenaAlignment(const MlirAllocs& allocs) {
  int64_t multiple = 1;
  for (const auto& alloc : allocs) {
    multiple = std::lcm(multiple, alloc.alignment);
  }
  return multiple;
}

#ifdef STOWAGE_MLIR_HEADERS
inline std::vector<int64_t> PlanAsMlir(int64_t arena_alignment,
                                       const MlirAllocs& allocs) {
  const auto offsets =
      mlir::bufferization::bestFitMemoryPlanner(arena_alignment, allocs);
  return {offsets.begin(), offsets.end()};
}
#else
// Places allocations in the order of their starts, each into the smallest gap
// between live allocations, or above all of them if no gap fits.
inline std::vector<int64_t> PlanAsMlir(int64_t /*arena_alignment*/,
                                       const MlirAllocs& allocs) {
  std::vector<size_t> order(allocs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return allocs[a].timeStart < allocs[b].timeStart;
  });
  std::vector<int64_t> offsets(allocs.size());
  int64_t arena = 0;
  for (size_t n = 0; n < order.size(); ++n) {
    const auto& alloc = allocs[order[n]];
    std::vector<std::pair<int64_t, int64_t>> live;  // begin and end
    for (size_t m = 0; m < n; ++m) {
      const auto& other = allocs[order[m]];
      if (other.timeEnd <= alloc.timeStart) continue;
      const int64_t begin = offsets[order[m]];
      live.emplace_back(begin, begin + other.sizeInBytes);
    }
    std::sort(live.begin(), live.end());
    int64_t best = -1;
    int64_t smallest = std::numeric_limits<int64_t>::max();
    const auto try_gap = [&](int64_t begin, int64_t end) {
      if (end - begin >= alloc.sizeInBytes && end - begin < smallest) {
        smallest = end - begin;
        best = begin;
      }
    };
    int64_t top = 0;
    for (const auto& [begin, end] : live) {
      const int64_t aligned = RoundUp(top, alloc.alignment);
      if (aligned < begin) try_gap(aligned, begin);
      top = std::max(top, end);
    }
    top = RoundUp(top, alloc.alignment);
    if (top + alloc.sizeInBytes <= arena) try_gap(top, arena);
    offsets[order[n]] = best < 0 ? top : best;
    arena = std::max(arena, offsets[order[n]] + alloc.sizeInBytes);
  }
  return offsets;
}
#endif

}  // namespace stowage::adapters

#endif  // STOWAGE_TESTS_ADAPTERS_MLIR_HOST_H_
