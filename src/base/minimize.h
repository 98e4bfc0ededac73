// SPDX-License-Identifier: Apache-2.0
// Minimizes a list that causes a failure. It is used to shrink traces
// (stowage/testing/shrink.h) and to find the cause of unsafe sharing
// (stowage/harness/checks.h).
//
// Source: delta debugging by complements alone, as in Zeller and Hildebrandt,
// "Simplifying and Isolating Failure-Inducing Input", IEEE Transactions on
// Software Engineering 28(2), 2002.
#ifndef STOWAGE_SRC_BASE_MINIMIZE_H_
#define STOWAGE_SRC_BASE_MINIMIZE_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"

namespace stowage {

// A function that returns whether the failure happens with these elements
// alone. It is never called with an empty list.
using HappensWith =
    std::function<absl::StatusOr<bool>(const std::vector<size_t>&)>;

// Returns a sublist of `all` with which the failure happens. If it has several
// elements, each of them is needed: if it alone is left out, the failure does
// not happen. Requires that the failure happens with `all`. Error: that of
// `happens`. Calls `happens` about 2 log2(n) times if a single element is to
// blame, O(n^2) times at worst.
absl::StatusOr<std::vector<size_t>> Minimize(std::vector<size_t> all,
                                             const HappensWith& happens);

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_MINIMIZE_H_
