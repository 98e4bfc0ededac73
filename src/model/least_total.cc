// SPDX-License-Identifier: Apache-2.0
#include "src/model/least_total.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/base/containers.h"
#include "stowage/tensor_size.h"

namespace stowage {

optional<size_t> LeastTotal(const Problem& problem,
                            const OffsetsAssignment& plan) {
  const bool has_pools = !plan.pools.empty();
  if (plan.offsets.size() != problem.size() ||
      (has_pools && plan.pools.size() != problem.size())) {
    return nullopt;
  }
  btree_map<uint32_t, size_t> ends;  // the end of each pool
  for (size_t i = 0; i < plan.offsets.size(); ++i) {
    const optional<size_t> end =
        CheckedAdd(plan.offsets[i], problem.records()[i].tensor_size);
    if (!end) return nullopt;
    size_t& highest = ends[has_pools ? plan.pools[i] : 0];
    highest = std::max(highest, *end);
  }
  optional<size_t> total = 0;
  for (const auto& [pool, end] : ends) {
    total = CheckedAdd(*total, end);
    if (!total) return nullopt;
  }
  return total;
}

}  // namespace stowage
