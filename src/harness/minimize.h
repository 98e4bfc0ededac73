// SPDX-License-Identifier: Apache-2.0
// Delta debugging: the part of a list that it takes for something to happen.
//
// Source: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing
// Input", IEEE Transactions on Software Engineering 28(2), 2002: ddmin.
#ifndef STOWAGE_SRC_HARNESS_MINIMIZE_H_
#define STOWAGE_SRC_HARNESS_MINIMIZE_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"

namespace stowage::harness {

using HappensWith =
    std::function<absl::StatusOr<bool>(const std::vector<size_t>&)>;

// A part of `all`, in its order, with which it happens, and without any one
// element of which it does not. It happens with `all` and not with nothing.
// Error: that of `happens`. Calls it about 2 log2(n) times for one culprit,
// O(n^2) times at worst.
absl::StatusOr<std::vector<size_t>> Minimize(std::vector<size_t> all,
                                             const HappensWith& happens);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_MINIMIZE_H_
