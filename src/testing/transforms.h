// SPDX-License-Identifier: Apache-2.0
// Derives instances from another instance. A planner that can plan the original
// should be able to plan the derived instances as well.
#ifndef STOWAGE_TESTING_TRANSFORMS_H_
#define STOWAGE_TESTING_TRANSFORMS_H_

#include <cstddef>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/testing/instance.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

// Returns the instance with record order[i] at index i.
Instance Reordered(const Instance& instance, absl::Span<const size_t> order);

// Return two orders of `count` records: backward and shuffled.
std::vector<size_t> BackwardOrder(size_t count);
std::vector<size_t> ShuffledOrder(size_t count);

// Returns the instance with sizes and alignments multiplied by these factors,
// or nullopt if a product passes 2^64 - 1. Requires that a factor of alignments
// is a power of two.
absl::optional<Instance> Scaled(const Instance& instance, size_t size_factor,
                                size_t alignment_factor);

// Returns the instance with execution reversed: its last task comes first. The
// result is in execution order if `instance` is; otherwise records keep their
// indices.
Instance Reversed(const Instance& instance);

// Returns the instance with an additional first record, which is as large as
// the largest record and live from the first task to the last. The instance
// must have records.
Instance WithLongRecord(const Instance& instance);

// Returns the instance without record `i`.
Instance Without(const Instance& instance, size_t i);

// Returns the instance with all tasks moved `later`, or nullopt if a task
// passes 2^64 - 1.
absl::optional<Instance> Shifted(const Instance& instance, TaskId later);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_TRANSFORMS_H_
