// SPDX-License-Identifier: Apache-2.0
// Derives problems from another problem. For instances without constraints see
// transforms.h.
#ifndef STOWAGE_SRC_TESTING_PROBLEM_TRANSFORMS_H_
#define STOWAGE_SRC_TESTING_PROBLEM_TRANSFORMS_H_

#include <cstddef>

#include "absl/types/span.h"
#include "stowage/testing/instance.h"

namespace stowage::testing {

// Returns the problem of the records `kept`, in this order. It has those
// constraints that concern no other record.
Instance ProblemOfRecords(const Instance& instance,
                          absl::Span<const size_t> kept);

// Returns the problem with execution reversed: its last task comes first.
// Records keep their indices.
Instance ReversedProblem(const Instance& instance);

// For problems with a partial order: renumbers the tasks and reorders the
// streams.
Instance WithTasksRenumbered(const Instance& instance);

// For problems with a partial order: keeps only tasks that use a record. They
// keep their order among each other and are numbered from 0; edges are added as
// needed to preserve the order.
Instance WithUsedTasksAlone(const Instance& instance);

// For problems with a partial order: removes the `user`-th task from the users
// of the record. Requires that the record has another user.
Instance WithoutUser(const Instance& instance, size_t record, size_t user);

// For problems with a partial order: removes the edge or wait with this index.
// Returns false if the remaining order is not valid, which happens if it takes
// too many chains.
bool DropEdge(size_t edge, Instance* instance);

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_TESTING_PROBLEM_TRANSFORMS_H_
