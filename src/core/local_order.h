// SPDX-License-Identifier: Apache-2.0
// Another order in which the same plan is made, for planners of a million
// records: one record after another in time, so that what they look at is still
// in the cache. For the orders that strategies place by, see placing_order.h.
//
// Where a record goes depends on those before it that conflict with it, and on
// no others. So the order of two that do not conflict is of no account:
//
//   order        a  b  c  d        [== a ==]           [== b ==]
//   as good      a  c  b  d             [== c ==]        [== d ==]
//
// Source: own.
#ifndef STOWAGE_SRC_CORE_LOCAL_ORDER_H_
#define STOWAGE_SRC_CORE_LOCAL_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "src/core/interval_ranks.h"

namespace stowage {

// Records in an order that is changed within batches.
inline constexpr size_t kLocalBatch = size_t{1} << 16;

// The same records in an order in which those that conflict come as in `order`,
// and others close to those that they are close to in time. As given if they
// are fewer than a batch. O(n) time and memory. `batch` changes nothing but how
// close.
template <typename Index>
std::vector<Index> LocalOrder(absl::Span<const StepInterval> intervals,
                              absl::Span<const Index> order,
                              size_t batch = kLocalBatch);

}  // namespace stowage

#endif  // STOWAGE_SRC_CORE_LOCAL_ORDER_H_
