// SPDX-License-Identifier: Apache-2.0
// Minimizes a list that causes a failure. The list may have the records of a
// trace, the pairs of tensors that share memory in a plan, or the nodes of a
// delegate. To shrink a problem on which a planner fails, use testing/shrink.h.
// To find the cause of wrong outputs, use harness/checks.h and
// harness/bisect_delegate.h. All of these headers call Minimize.
//
//   const auto culprits = Minimize({0, 1, 2, 3}, [](const auto& kept) {
//     return FailsWith(kept);  // a function of yours
//   });
//
// Source: delta debugging by complements alone, as in Zeller and Hildebrandt,
// "Simplifying and Isolating Failure-Inducing Input", IEEE Transactions on
// Software Engineering 28(2), 2002.
#ifndef STOWAGE_BASE_MINIMIZE_H_
#define STOWAGE_BASE_MINIMIZE_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "stowage/base/statusor.h"

namespace stowage {

// A function that returns whether the failure happens with these elements
// alone. It is never called with an empty list.
using HappensWith = std::function<StatusOr<bool>(const std::vector<size_t>&)>;

// Returns a sublist of `all` with which the failure happens. If the sublist has
// several elements, each of them is needed: without any one of them the failure
// does not happen. Requires that the failure happens with `all`. Errors: those
// that `happens` returns. Calls `happens` about 2 log2(n) times if a single
// element causes the failure, and O(n^2) times at worst.
StatusOr<std::vector<size_t>> Minimize(std::vector<size_t> all,
                                       const HappensWith& happens);

}  // namespace stowage

#endif  // STOWAGE_BASE_MINIMIZE_H_
