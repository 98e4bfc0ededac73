// SPDX-License-Identifier: Apache-2.0
// Computes the support chain of one arena or pool.
#ifndef STOWAGE_SRC_EXPLAIN_SUPPORT_CHAIN_H_
#define STOWAGE_SRC_EXPLAIN_SUPPORT_CHAIN_H_

#include <cstddef>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/explain/explain.h"
#include "stowage/explain/plan_view.h"

namespace stowage::views {

// Returns the support chain of the records `members`, which are in `band`, or
// in the whole arena if `band` is nullopt. The chain has no parts if none of
// these records has bytes. O(n log n).
SupportChain SupportChainOf(const PlanView& view,
                            absl::Span<const size_t> members,
                            absl::optional<size_t> band);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_EXPLAIN_SUPPORT_CHAIN_H_
