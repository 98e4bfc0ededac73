// SPDX-License-Identifier: Apache-2.0
// Makes plans in which no two records share a byte. Such a plan is safe no
// matter which operators run at the same time.
#ifndef STOWAGE_TESTS_HARNESS_STACKED_PLAN_H_
#define STOWAGE_TESTS_HARNESS_STACKED_PLAN_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "stowage/assignment.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/lifetimes.h"

namespace stowage::harness {

inline absl::StatusOr<OffsetsAssignment> StackRecords(
    const ArenaRecords& records) {
  constexpr size_t kAlignment = 64;
  OffsetsAssignment plan;
  for (const TensorUsageRecord<size_t>& record : records.records) {
    plan.offsets.push_back(plan.total_size);
    plan.total_size =
        *CheckedAlignUp(plan.total_size + record.tensor_size, kAlignment);
  }
  return plan;
}

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_HARNESS_STACKED_PLAN_H_
