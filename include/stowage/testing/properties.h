// What every plan must satisfy, as checks that fit any test framework.
//
// Point them at a planner of your own: anything that can be called with usage
// records and returns an OffsetsAssignment or an ObjectsAssignment.
//
//   OffsetsAssignment MyPlan(const std::vector<TensorUsageRecord<size_t>>&);
//
//   absl::Status status = stowage::testing::CheckPlanner(records, MyPlan);
//   // INTERNAL: tensor 3 and tensor 7 both hold bytes [64, 128) at task 5
//
// For records to call it with, see generators.h. To check a single plan in
// production, FindViolation (verify.h) is enough.
#ifndef STOWAGE_TESTING_PROPERTIES_H_
#define STOWAGE_TESTING_PROPERTIES_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/profile.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage::testing {
namespace detail {

inline absl::Status CheckTotal(size_t total, size_t lower_bound) {
  if (total >= lower_bound) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(
      "the total ", total, " is below the lower bound ", lower_bound));
}

}  // namespace detail

// Error: Internal, saying what is wrong, unless the plan is safe (verify.h) and
// its total at least the lower bound. A smaller total would mean that the
// verifier has missed something, for no safe plan has one. O(n log n).
inline absl::Status CheckPlan(
    absl::Span<const TensorUsageRecord<size_t>> records,
    const OffsetsAssignment& plan,
    const Alignments& alignments = Alignments()) {
  if (const auto violation = FindViolation(records, plan, alignments)) {
    return absl::InternalError(Describe(*violation));
  }
  return detail::CheckTotal(plan.total_size, OffsetsLowerBound(records));
}

// The same for shared objects; and each object must be at least as large as
// every tensor in it.
inline absl::Status CheckPlan(
    absl::Span<const TensorUsageRecord<size_t>> records,
    const ObjectsAssignment<size_t>& plan) {
  if (const auto violation = FindViolation(records, plan)) {
    return absl::InternalError(Describe(*violation));
  }
  const absl::StatusOr<size_t> total = TotalSize(plan);
  if (!total.ok()) return total.status();
  return detail::CheckTotal(*total, ObjectsLowerBound(records));
}

// The same for uint2, uint3 and BHWC, which have no lower bound.
template <typename TensorSizeT>
absl::Status CheckPlan(absl::Span<const TensorUsageRecord<TensorSizeT>> records,
                       const ObjectsAssignment<TensorSizeT>& plan) {
  if (const auto violation = FindViolation(records, plan)) {
    return absl::InternalError(Describe(*violation));
  }
  return absl::OkStatus();
}

// Whether two plans give every tensor the same place in the same memory.
inline bool SamePlan(const OffsetsAssignment& a, const OffsetsAssignment& b) {
  return a.offsets == b.offsets && a.total_size == b.total_size;
}
template <typename TensorSizeT>
bool SamePlan(const ObjectsAssignment<TensorSizeT>& a,
              const ObjectsAssignment<TensorSizeT>& b) {
  return a.object_ids == b.object_ids && a.object_sizes == b.object_sizes;
}

// Error: Internal, unless `planner(records)` passes CheckPlan and is the same
// plan when asked for again. Calls it twice.
template <typename TensorSizeT, typename Planner>
absl::Status CheckPlanner(
    const std::vector<TensorUsageRecord<TensorSizeT>>& records,
    Planner&& planner) {
  const auto plan = planner(records);
  if (absl::Status status = CheckPlan(absl::MakeConstSpan(records), plan);
      !status.ok()) {
    return status;
  }
  if (!SamePlan(plan, planner(records))) {
    return absl::InternalError(
        "the planner returned another plan for the same records");
  }
  return absl::OkStatus();
}

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_PROPERTIES_H_
