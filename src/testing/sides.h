// SPDX-License-Identifier: Apache-2.0
// Presents planners of offsets and planners of shared objects in one form, so
// that each property is written only once.
#ifndef STOWAGE_SRC_TESTING_SIDES_H_
#define STOWAGE_SRC_TESTING_SIDES_H_

#include <cstddef>
#include <exception>
#include <string>
#include <type_traits>

#include "absl/base/config.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

// Returns the problem with which a planner is called. For shared objects it has
// the records alone.
template <typename Plan>
ProblemSpec AskedOf(const ProblemSpec& spec) {
  if (std::is_same_v<Plan, OffsetsAssignment>) return spec;
  ProblemSpec asked = SpecOf(spec.records);
  asked.kind = PlanKind::kObjects;
  return asked;
}

// Calls the planner with a copy of the problem and returns its result. The plan
// can then be checked against records that the planner cannot have changed. An
// exception becomes an error.
template <typename Plan>
absl::StatusOr<Plan> CallPlanner(const PlannerFn<Plan>& planner,
                                 const ProblemSpec& spec) {
  if (!planner) {
    return absl::DataLossError("there is no planner: the function is empty");
  }
  const ProblemSpec copy = AskedOf<Plan>(spec);
#ifdef ABSL_HAVE_EXCEPTIONS
  try {
    return planner(copy);
  } catch (const std::exception& thrown) {
    return absl::DataLossError(
        absl::StrCat("the planner threw: ", thrown.what()));
  } catch (...) {
    return absl::DataLossError(
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

inline absl::StatusOr<size_t> TotalOf(const OffsetsAssignment& plan) {
  return plan.total_size;
}
inline absl::StatusOr<size_t> TotalOf(const ObjectsAssignment<size_t>& plan) {
  return TotalSize(plan);
}

// Checks that the plan is a safe plan of the problem, as CheckPlan does.
absl::Status CheckSafety(const ProblemSpec& spec,
                         const OffsetsAssignment& plan);
inline absl::Status CheckSafety(const ProblemSpec& spec,
                                const ObjectsAssignment<size_t>& plan) {
  return CheckPlan(spec.records, plan);
}

// Returns whether the planner was wrong to refuse the problem: the records have
// a plan, and the error does not say that the planner does not support them.
inline bool IsWrongRefusal(const absl::Status& answer,
                           const ProblemSpec& spec) {
  return !answer.ok() && answer.code() != absl::StatusCode::kUnimplemented &&
         IsPlannable(spec);
}

// Returns the message for a planner's error that is a wrong refusal.
inline std::string RefusalText(const absl::Status& answer) {
  if (absl::IsDataLoss(answer)) return std::string(answer.message());
  return absl::StrCat("the planner refused records that have a plan: ",
                      answer.message());
}

// Returns the error for a property that does not hold.
template <typename... Pieces>
absl::Status Violated(const Pieces&... pieces) {
  return absl::InternalError(absl::StrCat(pieces...));
}

// Checks that the records, alignments and constraints are valid. Without
// constraints, the sum of sizes may exceed 2^64 - 1. Errors: InvalidArgument
// and, with constraints, those of Problem::Create.
inline absl::Status CheckSpec(const ProblemSpec& spec) {
  absl::Status status = CheckUsageRecords(spec.records);
  if (absl::IsInvalidArgument(status)) return status;
  status = AlignmentsOf(spec).Check(spec.records.size());
  if (!status.ok() || !HasConstraints(spec)) return status;
  return Problem::Create(spec).status();
}

// Adapts a check that requires a valid problem to PropertyOf::check: invalid
// problems get the error of CheckSpec.
template <typename Plan, typename PropertyOf<Plan>::Check kCheck>
absl::Status OnProblems(const PlannerFn<Plan>& planner,
                        const ProblemSpec& spec) {
  absl::Status status = CheckSpec(spec);
  return status.ok() ? kCheck(planner, spec) : status;
}

// Adapts a check of records alone to PropertyOf::check: invalid problems get
// the error of CheckSpec, and problems with constraints are not checked.
template <typename Plan, typename PropertyOf<Plan>::Check kCheck>
absl::Status OnRecords(const PlannerFn<Plan>& planner,
                       const ProblemSpec& spec) {
  if (HasConstraints(spec)) return CheckSpec(spec);
  return OnProblems<Plan, kCheck>(planner, AskedOf<Plan>(spec));
}

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_TESTING_SIDES_H_
