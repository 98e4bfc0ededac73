// SPDX-License-Identifier: Apache-2.0
// A planner under test: a function from usage records to a plan. Everything in
// stowage/testing takes a planner in this form; for one that is a separate
// program see check_planner.h, for one in C plan_c.h.
//
// A planner of another project needs only one adapter:
//
//   PlanFn planner = [](absl::Span<const ByteRecord> records,
//                       const Alignments& alignments)
//       -> absl::StatusOr<OffsetsAssignment> {
//     MyArena arena = MyPlanner().Plan(Convert(records));
//     return OffsetsAssignment{arena.offsets, arena.size};
//   };
//
// If the planner's intervals are half-open the adapter converts them: here both
// ends are inclusive (usage_record.h has the picture).
//
// A planner returns:
//   a plan         for all records that pass CheckUsageRecords and whose sizes,
//                  padded to the alignment, fit 64 bits in sum
//   Unimplemented  for what it does not claim to do, such as alignments or
//                  records out of order: no property fails by that
//   another error  for records that no plan can hold
//
// An exception counts as an error, and so does an empty function. The records
// and alignments of a call are copies: if a planner changes them, its plan is
// checked against the originals.
#ifndef STOWAGE_TESTING_PLAN_FN_H_
#define STOWAGE_TESTING_PLAN_FN_H_

#include <cstddef>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/planner.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/plan_c.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

// Plans offsets in one arena, each a multiple of its alignment.
using PlanFn = std::function<absl::StatusOr<OffsetsAssignment>(
    absl::Span<const TensorUsageRecord<size_t>> records,
    const Alignments& alignments)>;

// Plans shared objects.
using ObjectsPlanFn = std::function<absl::StatusOr<ObjectsAssignment<size_t>>(
    absl::Span<const TensorUsageRecord<size_t>> records)>;

// Returns a C function as a planner; `context` is passed to every call. Offsets
// that the function does not write count as beyond any arena. Errors of the
// planner: Unimplemented and OutOfRange as the function returns them; Internal,
// if it returns another number or writes past the last offset. If the function
// is null, returns an empty PlanFn.
PlanFn PlanFnOf(stowage_test_plan_fn plan, void* context);

// Returns a registered strategy as a planner, as Solve (planner.h) runs it.
// Errors of the problem, the strategy or the verifier are the planner's error.
PlanFn StrategyPlanFn(std::string strategy, SolveOptions options = {});
ObjectsPlanFn StrategyObjectsPlanFn(std::string strategy,
                                    SolveOptions options = {});

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_PLAN_FN_H_
