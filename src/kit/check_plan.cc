// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "src/base/str_cat.h"
#include "src/kit/sides.h"
#include "stowage/assignment.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage::testing {
namespace {

Status CheckTotal(size_t total, size_t lower_bound) {
  if (total >= lower_bound) return OkStatus();
  return InternalError(
      StrCat("the total ", total, " is below the lower bound ", lower_bound));
}

}  // namespace

Status CheckPlan(Span<const TensorUsageRecord<size_t>> records,
                 const OffsetsAssignment& plan, const Alignments& alignments) {
  if (const auto violation = FindViolation(records, plan, alignments)) {
    return InternalError(Describe(*violation));
  }
  // If the sum of the sizes does not fit in 64 bits, there is no lower bound
  // with which the total could be compared.
  if (!CheckUsageRecords(records).ok()) return OkStatus();
  return CheckTotal(plan.total_size, OffsetsLowerBound(records));
}

Status CheckPlan(Span<const TensorUsageRecord<size_t>> records,
                 const ObjectsAssignment<size_t>& plan) {
  if (const auto violation = FindViolation(records, plan)) {
    return InternalError(Describe(*violation));
  }
  const StatusOr<size_t> total = TotalSize(plan);
  if (!total.ok()) return total.status();
  if (!CheckUsageRecords(records).ok()) return OkStatus();
  return CheckTotal(*total, ObjectsLowerBound(records));
}

Status CheckSafety(const ProblemSpec& spec, const OffsetsAssignment& plan) {
  if (!HasConstraints(spec)) {
    return CheckPlan(spec.records, plan, AlignmentsOf(spec));
  }
  const StatusOr<Problem> problem = Problem::Create(spec);
  if (!problem.ok()) return problem.status();
  const auto violation = FindViolation(*problem, plan);
  if (!violation) return OkStatus();
  return InternalError(Describe(*violation, *problem));
}

}  // namespace stowage::testing
