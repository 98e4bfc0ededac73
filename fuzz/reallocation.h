// SPDX-License-Identifier: Apache-2.0
// Checks, by applying the definition, whether a plan respects a reallocation
// graph.
#ifndef STOWAGE_FUZZ_REALLOCATION_H_
#define STOWAGE_FUZZ_REALLOCATION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/records.h"
#include "stowage/assignment.h"
#include "stowage/usage_record.h"

namespace stowage {

// Returns whether the graph permits every reuse of an object: if an object
// passes from one tensor to another, the graph must list the second tensor for
// the first.
inline bool Honours(const UsageGraph& graph, const Records& records,
                    const ObjectsAssignment<size_t>& plan) {
  std::vector<std::vector<size_t>> holders(plan.object_sizes.size());
  for (size_t i = 0; i < records.size(); ++i) {
    holders[plan.object_ids[i]].push_back(i);
  }
  for (std::vector<size_t>& of_one : holders) {
    std::stable_sort(of_one.begin(), of_one.end(), [&](size_t x, size_t y) {
      return BeginsBefore()(records[x], records[y]);
    });
    for (size_t k = 1; k < of_one.size(); ++k) {
      const std::vector<size_t>& heirs = graph[of_one[k - 1]];
      if (std::find(heirs.begin(), heirs.end(), of_one[k]) == heirs.end()) {
        return false;
      }
    }
  }
  return true;
}

// Returns whether the graph permits every reuse of a byte: if a byte passes
// from one tensor to another, the second tensor must be reachable in the graph
// from the first.
inline bool Honours(const UsageGraph& graph, const Records& records,
                    const OffsetsAssignment& plan) {
  for (size_t x = 0; x < records.size(); ++x) {
    std::vector<uint8_t> is_heir(records.size(), 0);
    std::vector<size_t> queue = {x};
    for (size_t next = 0; next < queue.size(); ++next) {
      for (const size_t y : graph[queue[next]]) {
        if (is_heir[y] == 0) queue.push_back(y);
        is_heir[y] = 1;
      }
    }
    const auto end = [&](size_t i) {
      return plan.offsets[i] + records[i].tensor_size;
    };
    for (size_t y = 0; y < records.size(); ++y) {
      const bool shares_bytes =
          std::max(plan.offsets[x], plan.offsets[y]) < std::min(end(x), end(y));
      if (shares_bytes && BeginsBefore()(records[x], records[y]) &&
          is_heir[y] == 0) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace stowage

#endif  // STOWAGE_FUZZ_REALLOCATION_H_
