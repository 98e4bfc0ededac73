// SPDX-License-Identifier: Apache-2.0
// Converts records and plans between the C interface and the library.
#ifndef STOWAGE_SRC_C_PLANS_H_
#define STOWAGE_SRC_C_PLANS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/c/solve.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/usage_record.h"

namespace stowage::c_api {

// Returns a copy of `count` records. Requires that CheckArray accepts them.
// O(count).
std::vector<ByteRecord> RecordsOf(const stowage_record* records, size_t count);

// Returns an assignment of shared objects. `numbers` has a number for each
// record; records with equal numbers share an object. Each object has the size
// of its largest record. Objects are renumbered in the order of their first
// use. O(n log n).
ObjectsAssignment<size_t> LeastObjects(const Problem& problem,
                                       const std::vector<uint64_t>& numbers);

// Converts a plan of the caller, without verifying it. Errors: InvalidArgument,
// Unimplemented, OutOfRange.
StatusOr<Solution> SolutionOf(const Problem& problem, const stowage_plan* plan);

// Returns OK if the plan is safe. Errors: FailedPrecondition with the
// violation; InvalidArgument if the problem has a free order and the plan does
// not contain an order.
Status Verify(const Problem& problem, const Solution& solution);

// Returns a view of a plan.
stowage_plan ViewOf(const OffsetsAssignment& plan);
stowage_plan ViewOf(const ObjectsAssignment<size_t>& plan);

}  // namespace stowage::c_api

#endif  // STOWAGE_SRC_C_PLANS_H_
