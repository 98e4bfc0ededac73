// SPDX-License-Identifier: Apache-2.0
// Reorders records so that planning a million of them takes less time, without
// changing the plan. Consecutive records of the new order are close in time, so
// the data that they need are still in the cache. For the orders in which
// strategies place records, see placing_order.h.
//
// The offset of a record depends only on earlier records that conflict with it.
// The order of two records that do not conflict therefore does not matter:
//
//   order        a  b  c  d        [== a ==]           [== b ==]
//   as good      a  c  b  d             [== c ==]        [== d ==]
//
// Source: own.
#ifndef STOWAGE_SRC_CONSTRUCT_LOCAL_ORDER_H_
#define STOWAGE_SRC_CONSTRUCT_LOCAL_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/bounds/interval_ranks.h"
#include "stowage/base/span.h"

namespace stowage {

// The number of consecutive records of an order that are reordered together.
inline constexpr size_t kLocalBatch = size_t{1} << 16;

// Returns the records of `order` in another order. If two records conflict with
// each other, the one that was first remains first. Apart from that, each
// `batch` consecutive records are sorted by their first steps, so that records
// that are close in time become neighbors. If there are fewer than `batch`
// records, the order is not changed. Every value of `batch` leads to the same
// plan, but a larger batch brings more records together. Requires batch > 0.
// O(n) time and memory.
template <typename Index>
std::vector<Index> LocalOrder(Span<const StepInterval> intervals,
                              Span<const Index> order,
                              size_t batch = kLocalBatch);

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_LOCAL_ORDER_H_
