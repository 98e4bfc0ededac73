// SPDX-License-Identifier: Apache-2.0
// Finds a small part of a list that still causes a failure. The elements may be
// the records of a trace, the pairs of tensors that share memory in a plan, or
// the nodes of a delegate. To shrink a problem on which a planner fails, use
// testing/shrink.h. To find the cause of wrong outputs, use harness/checks.h
// and harness/bisect_delegate.h. All of these headers are built on Minimize.
//
//   const auto culprits = Minimize({0, 1, 2, 3}, [](const auto& kept) {
//     return FailsWith(kept);  // a function of yours
//   });
//
// Source: delta debugging, using complements only. Zeller and Hildebrandt,
// "Simplifying and Isolating Failure-Inducing Input", IEEE Transactions on
// Software Engineering 28(2), 2002.
#ifndef STOWAGE_BASE_MINIMIZE_H_
#define STOWAGE_BASE_MINIMIZE_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "stowage/base/statusor.h"

namespace stowage {

// A function that returns whether the failure happens if the list consists of
// these elements only. It is never called with an empty list.
using HappensWith = std::function<StatusOr<bool>(const std::vector<size_t>&)>;

// Returns a part of `all` that still causes the failure. If the part has
// several elements, all of them are necessary: the failure disappears if any
// one of them is removed. Requires that `all` causes the failure. Errors: those
// that `happens` returns. Calls `happens` about 2 log2(n) times if a single
// element causes the failure, and O(n^2) times in the worst case.
StatusOr<std::vector<size_t>> Minimize(std::vector<size_t> all,
                                       const HappensWith& happens);

}  // namespace stowage

#endif  // STOWAGE_BASE_MINIMIZE_H_
