// SPDX-License-Identifier: Apache-2.0
// Makes a list that causes something as small as possible: the one search for
// small failures, of traces (stowage/testing/shrink.h) and of sharing
// (stowage/harness/checks.h).
//
// Source: delta debugging by complements alone, as in Zeller and Hildebrandt,
// "Simplifying and Isolating Failure-Inducing Input", IEEE Transactions on
// Software Engineering 28(2), 2002.
#ifndef STOWAGE_SRC_CORE_MINIMIZE_H_
#define STOWAGE_SRC_CORE_MINIMIZE_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"

namespace stowage {

// Whether it happens with these elements alone, which are never none.
using HappensWith =
    std::function<absl::StatusOr<bool>(const std::vector<size_t>&)>;

// Part of `all`, in its order, with which it happens; if it has more than one
// element, without any one of them it does not. Requires that it happens with
// `all`. Error: that of `happens`. Calls it about 2 log2(n) times for one
// culprit, O(n^2) times at worst.
absl::StatusOr<std::vector<size_t>> Minimize(std::vector<size_t> all,
                                             const HappensWith& happens);

}  // namespace stowage

#endif  // STOWAGE_SRC_CORE_MINIMIZE_H_
