// SPDX-License-Identifier: Apache-2.0
// The order in which tasks meet the records, whatever order they came in.
#ifndef STOWAGE_CORE_EXECUTION_ORDER_H_
#define STOWAGE_CORE_EXECUTION_ORDER_H_

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "absl/types/span.h"
#include "stowage/usage_record.h"

namespace stowage {

// Indices of the records by first task, ties by index. O(n) if they are in
// that order already, else O(n log n).
template <typename TensorSizeT>
std::vector<size_t> ExecutionOrder(
    absl::Span<const TensorUsageRecord<TensorSizeT>> records) {
  std::vector<size_t> order(records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (!std::is_sorted(records.begin(), records.end())) {
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return records[a].first_task < records[b].first_task;
    });
  }
  return order;
}

}  // namespace stowage

#endif  // STOWAGE_CORE_EXECUTION_ORDER_H_
