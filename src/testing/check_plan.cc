// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "src/testing/sides.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage::testing {
namespace {

absl::Status CheckTotal(size_t total, size_t lower_bound) {
  if (total >= lower_bound) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(
      "the total ", total, " is below the lower bound ", lower_bound));
}

}  // namespace

absl::Status CheckPlan(absl::Span<const TensorUsageRecord<size_t>> records,
                       const OffsetsAssignment& plan,
                       const Alignments& alignments) {
  if (const auto violation = FindViolation(records, plan, alignments)) {
    return absl::InternalError(Describe(*violation));
  }
  // A lower bound exists only if the sum of the sizes fits 64 bits. Without
  // one, the total cannot be compared with it.
  if (!CheckUsageRecords(records).ok()) return absl::OkStatus();
  return CheckTotal(plan.total_size, OffsetsLowerBound(records));
}

absl::Status CheckPlan(absl::Span<const TensorUsageRecord<size_t>> records,
                       const ObjectsAssignment<size_t>& plan) {
  if (const auto violation = FindViolation(records, plan)) {
    return absl::InternalError(Describe(*violation));
  }
  const absl::StatusOr<size_t> total = TotalSize(plan);
  if (!total.ok()) return total.status();
  if (!CheckUsageRecords(records).ok()) return absl::OkStatus();
  return CheckTotal(*total, ObjectsLowerBound(records));
}

absl::Status CheckSafety(const ProblemSpec& spec,
                         const OffsetsAssignment& plan) {
  if (!HasConstraints(spec)) {
    return CheckPlan(spec.records, plan, AlignmentsOf(spec));
  }
  const absl::StatusOr<Problem> problem = Problem::Create(spec);
  if (!problem.ok()) return problem.status();
  const auto violation = FindViolation(*problem, plan);
  if (!violation) return absl::OkStatus();
  return absl::InternalError(Describe(*violation, *problem));
}

}  // namespace stowage::testing
