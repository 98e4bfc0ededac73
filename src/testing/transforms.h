// SPDX-License-Identifier: Apache-2.0
// Instances derived from another, which a planner should be able to plan, too.
#ifndef STOWAGE_TESTING_TRANSFORMS_H_
#define STOWAGE_TESTING_TRANSFORMS_H_

#include <cstddef>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/testing/instance.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

// Record order[i] in place i.
Instance Reordered(const Instance& instance, absl::Span<const size_t> order);

// Two orders of `count` records: the last first, and a shuffle.
std::vector<size_t> BackwardOrder(size_t count);
std::vector<size_t> ShuffledOrder(size_t count);

// Sizes and alignments times `factor`, or nothing if one passes 2^64 - 1.
// Requires a factor that is a power of two where alignments are scaled.
absl::optional<Instance> Scaled(const Instance& instance, size_t size_factor,
                                size_t alignment_factor);

// Execution from the last task to the first. In execution order if `instance`
// is; otherwise record i stays record i.
Instance Reversed(const Instance& instance);

// With one more record, the first, as large as the largest and live from the
// first task to the last. Requires records.
Instance WithLongRecord(const Instance& instance);

// Without record `i`.
Instance Without(const Instance& instance, size_t i);

// All tasks `later` by as much, or nothing if one passes 2^64 - 1.
absl::optional<Instance> Shifted(const Instance& instance, TaskId later);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_TRANSFORMS_H_
