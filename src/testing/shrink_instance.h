// SPDX-License-Identifier: Apache-2.0
// Searches for a smaller instance on which a planner still fails. The instance
// consists of records only or is a problem. ShrinkRecords
// (stowage/testing/shrink.h) and ShrinkProblem
// (stowage/testing/problem_properties.h) use this search.
#ifndef STOWAGE_SRC_TESTING_SHRINK_INSTANCE_H_
#define STOWAGE_SRC_TESTING_SHRINK_INSTANCE_H_

#include <cstddef>
#include <functional>

#include "stowage/testing/instance.h"

namespace stowage::testing {

// Returns whether the planner still fails on the instance.
using InstanceFailsFn = std::function<bool(const Instance& instance)>;

struct ShrunkInstance {
  Instance smallest;
  bool is_complete = true;  // false if it ran out of calls
};

// Tries the steps of ShrinkRecords and, on problems, those of ShrinkProblem.
ShrunkInstance ShrinkInstance(Instance instance,
                              const InstanceFailsFn& still_fails,
                              size_t max_calls);

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_TESTING_SHRINK_INSTANCE_H_
