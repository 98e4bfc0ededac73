// A planner under test: a function from usage records to a plan.
//
// Everything in stowage/testing takes a planner in this form, so that one
// adapter is all that a planner of another project needs:
//
//   PlanFn planner = [](absl::Span<const ByteRecord> records,
//                       const Alignments& alignments)
//       -> absl::StatusOr<OffsetsAssignment> {
//     MyArena arena = MyPlanner().Plan(Convert(records));
//     return OffsetsAssignment{arena.offsets, arena.size};
//   };
//
// If yours counts intervals as half-open, the adapter converts: here both ends
// belong to the interval (usage_record.h has the picture).
//
// What a planner answers:
//   a plan         for all records that pass CheckUsageRecords and whose sizes,
//                  padded to the alignment, fit 64 bits in sum
//   Unimplemented  for what it does not claim to do, such as alignments or
//                  records out of order: no property holds that against it
//   another error  for records that no plan can hold
//
// An exception counts as an error, and so does an empty function. The records
// and alignments of a call are copies: a planner that changes them is judged by
// what they were.
//
// A planner in C, Rust, Python, ... is a C function (plan_c.h), or a program
// (`stowage check-planner`). For our own strategies see StrategyPlanFn.
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

// The planner that a C function is; `context` is handed to every call. Offsets
// that the function leaves alone count as beyond any arena. Errors of the
// planner: Unimplemented and OutOfRange as the function answers; Internal, if
// it returns another number or writes past the last offset. Of a null function
// it is an empty PlanFn.
PlanFn PlanFnOf(stowage_test_plan_fn plan, void* context);

// A registered strategy, as Solve (planner.h) runs it. What the problem, the
// strategy or the verifier finds wrong is the planner's error.
PlanFn StrategyPlanFn(std::string strategy, SolveOptions options = {});
ObjectsPlanFn StrategyObjectsPlanFn(std::string strategy,
                                    SolveOptions options = {});

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_PLAN_FN_H_
