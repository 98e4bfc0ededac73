// SPDX-License-Identifier: Apache-2.0
// Presents planners of offsets and planners of shared objects in a common form,
// so that each property is written only once.
#ifndef STOWAGE_SRC_KIT_SIDES_H_
#define STOWAGE_SRC_KIT_SIDES_H_

#include <cstddef>
#include <exception>
#include <string>
#include <type_traits>

#include "src/base/str_cat.h"
#include "stowage/assignment.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

// Returns the problem that is passed to a planner. For a planner of shared
// objects, it contains only the records.
template <typename Plan>
ProblemSpec AskedOf(const ProblemSpec& spec) {
  if (std::is_same_v<Plan, OffsetsAssignment>) return spec;
  ProblemSpec asked = SpecOf(spec.records);
  asked.kind = PlanKind::kObjects;
  return asked;
}

// Calls the planner with a copy of the problem, and returns its result. The
// planner cannot change the original records, so its plan can be checked
// against them. Exceptions are converted to errors.
template <typename Plan>
StatusOr<Plan> CallPlanner(const PlannerFn<Plan>& planner,
                           const ProblemSpec& spec) {
  if (!planner) {
    return DataLossError("there is no planner: the function is empty");
  }
  const ProblemSpec copy = AskedOf<Plan>(spec);
#ifdef __cpp_exceptions
  try {
    return planner(copy);
  } catch (const std::exception& thrown) {
    return DataLossError(StrCat("the planner threw: ", thrown.what()));
  } catch (...) {
    return DataLossError(
        "the planner threw something that is not a std::exception");
  }
#else
  return planner(copy);
#endif
}

inline size_t CountPlaces(const OffsetsAssignment& plan) {
  return plan.offsets.size();
}
inline size_t CountPlaces(const ObjectsAssignment<size_t>& plan) {
  return plan.object_ids.size();
}

inline StatusOr<size_t> TotalOf(const OffsetsAssignment& plan) {
  return plan.total_size;
}
inline StatusOr<size_t> TotalOf(const ObjectsAssignment<size_t>& plan) {
  return TotalSize(plan);
}

// Checks that the plan is a safe plan of the problem, like CheckPlan.
Status CheckSafety(const ProblemSpec& spec, const OffsetsAssignment& plan);
inline Status CheckSafety(const ProblemSpec& spec,
                          const ObjectsAssignment<size_t>& plan) {
  return CheckPlan(spec.records, plan);
}

// Returns whether the planner refused the problem wrongly: the records have a
// plan, and the error is not that the planner does not support the problem.
inline bool IsWrongRefusal(const Status& answer, const ProblemSpec& spec) {
  return !answer.ok() && answer.code() != StatusCode::kUnimplemented &&
         IsPlannable(spec);
}

// Returns the message of a failed property for a planner that wrongly refused
// the problem with the error `answer`.
inline std::string RefusalText(const Status& answer) {
  if (answer.code() == StatusCode::kDataLoss) {
    return std::string(answer.message());
  }
  return StrCat("the planner refused records that have a plan: ",
                answer.message());
}

// Returns the error for a property that is violated.
template <typename... Pieces>
Status Violated(const Pieces&... pieces) {
  return InternalError(StrCat(pieces...));
}

// Checks that the records, alignments and constraints are valid. Without
// constraints, the sum of sizes may exceed 2^64 - 1. Errors: InvalidArgument;
// with constraints, also those of Problem::Create.
inline Status CheckSpec(const ProblemSpec& spec) {
  Status status = CheckUsageRecords(spec.records);
  if (IsInvalidArgument(status)) return status;
  status = AlignmentsOf(spec).Check(spec.records.size());
  if (!status.ok() || !HasConstraints(spec)) return status;
  return Problem::Create(spec).status();
}

// Adapts a check that requires a valid problem to PropertyOf::check. If the
// problem is invalid, the property fails with the error of CheckSpec.
template <typename Plan, typename PropertyOf<Plan>::Check kCheck>
Status OnProblems(const PlannerFn<Plan>& planner, const ProblemSpec& spec) {
  Status status = CheckSpec(spec);
  return status.ok() ? kCheck(planner, spec) : status;
}

// Adapts a check for records without constraints to PropertyOf::check. If the
// problem is invalid, the property fails with the error of CheckSpec. If it has
// constraints, nothing else is checked.
template <typename Plan, typename PropertyOf<Plan>::Check kCheck>
Status OnRecords(const PlannerFn<Plan>& planner, const ProblemSpec& spec) {
  if (HasConstraints(spec)) return CheckSpec(spec);
  return OnProblems<Plan, kCheck>(planner, AskedOf<Plan>(spec));
}

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_KIT_SIDES_H_
