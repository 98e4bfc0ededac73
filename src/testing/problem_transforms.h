// SPDX-License-Identifier: Apache-2.0
// Problems derived from another. For instances without constraints see
// transforms.h.
#ifndef STOWAGE_SRC_TESTING_PROBLEM_TRANSFORMS_H_
#define STOWAGE_SRC_TESTING_PROBLEM_TRANSFORMS_H_

#include <cstddef>

#include "absl/types/span.h"
#include "stowage/testing/instance.h"

namespace stowage::testing {

// The problem of some of its records, in this order, with the constraints that
// speak of these alone.
Instance ProblemOfRecords(const Instance& instance,
                          absl::Span<const size_t> kept);

// Execution from the last task to the first; record i stays record i.
Instance ReversedProblem(const Instance& instance);

// With a partial order: tasks have other numbers, streams another order.
Instance WithTasksRenumbered(const Instance& instance);

// With a partial order: the tasks that use a record alone, ordered as they were
// among each other and numbered from 0, by the edges that this takes.
Instance WithUsedTasksAlone(const Instance& instance);

// With a partial order: without the `user`-th task that uses the record, which
// has another.
Instance WithoutUser(const Instance& instance, size_t record, size_t user);

// With a partial order: takes out the edge or wait of this index. Returns
// whether what is left is an order, which may take too many chains.
bool DropEdge(size_t edge, Instance* instance);

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_TESTING_PROBLEM_TRANSFORMS_H_
