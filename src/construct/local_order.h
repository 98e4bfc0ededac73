// SPDX-License-Identifier: Apache-2.0
// Finds another order that makes the same plan, for planners of a million
// records: consecutive records are close in time, so that the data that they
// need is still in the cache. For the orders that strategies place by, see
// placing_order.h.
//
// The offset of a record depends only on the records before it that conflict
// with it. The order of two records that do not conflict therefore does not
// matter:
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

#include "absl/types/span.h"
#include "src/bounds/interval_ranks.h"

namespace stowage {

// The number of consecutive records of an order that are reordered together.
inline constexpr size_t kLocalBatch = size_t{1} << 16;

// Returns the same records in another order. Records that conflict with each
// other keep their order, and the other records come close to those that are
// close to them in time. Returns `order` itself if it has fewer records than a
// batch. O(n) time and memory. `batch` affects only how close they come.
template <typename Index>
std::vector<Index> LocalOrder(absl::Span<const StepInterval> intervals,
                              absl::Span<const Index> order,
                              size_t batch = kLocalBatch);

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_LOCAL_ORDER_H_
