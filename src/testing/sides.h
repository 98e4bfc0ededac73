// SPDX-License-Identifier: Apache-2.0
// Presents planners of offsets and planners of shared objects in one form, so
// that each property is written only once.
#ifndef STOWAGE_TESTING_SIDES_H_
#define STOWAGE_TESTING_SIDES_H_

#include <cstddef>
#include <exception>
#include <string>

#include "absl/base/config.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/instance.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

// The name and the sentence of a property, for both kinds of plan.
struct PropertyText {
  absl::string_view name;
  absl::string_view sentence;
};

// Calls `call` with a copy of the instance and returns its result. The plan can
// then be checked against records that the planner cannot have changed. An
// exception becomes an error.
template <typename Plan, typename CallFn>
absl::StatusOr<Plan> CallWithCopy(const CallFn& call,
                                  const Instance& instance) {
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): see above
  const Instance copy = instance;
#ifdef ABSL_HAVE_EXCEPTIONS
  try {
    return call(copy);
  } catch (const std::exception& thrown) {
    return absl::DataLossError(
        absl::StrCat("the planner threw: ", thrown.what()));
  } catch (...) {
    return absl::DataLossError(
        "the planner threw something that is not a std::exception");
  }
#else
  return call(copy);
#endif
}

inline absl::Status NoPlanner() {
  return absl::DataLossError("there is no planner: the function is empty");
}

struct OffsetsSide {
  using Fn = PlanFn;
  using Plan = OffsetsAssignment;

  static absl::StatusOr<Plan> CallPlanner(const Fn& planner,
                                          const Instance& instance) {
    if (!planner) return NoPlanner();
    return CallWithCopy<Plan>(
        [&](const Instance& copy) {
          return planner(copy.records, copy.alignment());
        },
        instance);
  }
  static size_t CountPlaces(const Plan& plan) { return plan.offsets.size(); }
  static absl::Status CheckSafety(const Instance& instance, const Plan& plan) {
    return CheckPlan(instance.records, plan, instance.alignment());
  }
  static absl::StatusOr<size_t> TotalOf(const Plan& plan) {
    return plan.total_size;
  }
};

struct ObjectsSide {
  using Fn = ObjectsPlanFn;
  using Plan = ObjectsAssignment<size_t>;

  static absl::StatusOr<Plan> CallPlanner(const Fn& planner,
                                          const Instance& instance) {
    if (!planner) return NoPlanner();
    return CallWithCopy<Plan>(
        [&](const Instance& copy) { return planner(copy.records); }, instance);
  }
  static size_t CountPlaces(const Plan& plan) { return plan.object_ids.size(); }
  static absl::Status CheckSafety(const Instance& instance, const Plan& plan) {
    return CheckPlan(instance.records, plan);
  }
  static absl::StatusOr<size_t> TotalOf(const Plan& plan) {
    return TotalSize(plan);
  }
};

// Returns whether the planner's error is a failure: it refuses records that
// have a plan although it claims to support them.
inline bool IsWrongRefusal(const absl::Status& answer,
                           const Instance& instance) {
  return !answer.ok() && answer.code() != absl::StatusCode::kUnimplemented &&
         IsPlannable(instance);
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

// Checks that the records and alignments are valid. The sum of sizes may pass
// 2^64 - 1. Error: InvalidArgument.
inline absl::Status CheckInstance(absl::Span<const ByteRecord> records,
                                  const Alignments& alignments) {
  absl::Status status = CheckUsageRecords(records);
  if (absl::IsInvalidArgument(status)) return status;
  return alignments.Check(records.size());
}

// Adapts a check of offsets to the form of Property::check.
template <absl::Status (*kCheck)(const PlanFn&, const Instance&)>
absl::Status OnOffsets(const PlanFn& planner,
                       absl::Span<const ByteRecord> records,
                       const Alignments& alignments) {
  if (absl::Status status = CheckInstance(records, alignments); !status.ok()) {
    return status;
  }
  return kCheck(planner, MakeInstance(records, alignments));
}

// Adapts a check of shared objects to the form of ObjectsProperty::check.
template <absl::Status (*kCheck)(const ObjectsPlanFn&, const Instance&)>
absl::Status OnObjects(const ObjectsPlanFn& planner,
                       absl::Span<const ByteRecord> records) {
  if (absl::Status status = CheckInstance(records, Alignments());
      !status.ok()) {
    return status;
  }
  return kCheck(planner, MakeInstance(records));
}

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_SIDES_H_
