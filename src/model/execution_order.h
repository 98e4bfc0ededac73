// SPDX-License-Identifier: Apache-2.0
// Sorts records by execution order, regardless of their order in the problem.
#ifndef STOWAGE_SRC_MODEL_EXECUTION_ORDER_H_
#define STOWAGE_SRC_MODEL_EXECUTION_ORDER_H_

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "src/base/sort_until.h"
#include "src/base/work_limit.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/usage_record.h"

namespace stowage {

// Returns the indices of the records, sorted by first task and then by index.
// Returns nothing if the signal is set before the sort is complete. O(n) if the
// records are already sorted, otherwise O(n log n).
template <typename TensorSizeT>
optional<std::vector<size_t>> ExecutionOrderUntil(
    const StopSignal& stop,
    Span<const TensorUsageRecord<TensorSizeT>> records) {
  std::vector<size_t> order(records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (std::is_sorted(records.begin(), records.end(), BeginsBefore())) {
    return order;
  }
  const auto is_before = [&](size_t a, size_t b) {
    const TaskId x = records[a].first_task;
    const TaskId y = records[b].first_task;
    return x != y ? x < y : a < b;
  };
  if (!SortUntil(stop, is_before, &order)) return nullopt;
  return order;
}

// Returns the same order as ExecutionOrderUntil, but cannot be interrupted.
template <typename TensorSizeT>
std::vector<size_t> ExecutionOrder(
    Span<const TensorUsageRecord<TensorSizeT>> records) {
  static const StopSignal never;
  return *ExecutionOrderUntil(never, records);
}

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_EXECUTION_ORDER_H_
