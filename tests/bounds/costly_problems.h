// SPDX-License-Identifier: Apache-2.0
// Small random problems whose pairs pay for sharing bytes.
#ifndef STOWAGE_TESTS_BOUNDS_COSTLY_PROBLEMS_H_
#define STOWAGE_TESTS_BOUNDS_COSTLY_PROBLEMS_H_

#include "stowage/base/random.h"
#include "stowage/problem.h"

namespace stowage {

// Returns three to six records of a few tasks. Any two may pay for sharing, be
// apart or be live together. Some are aligned, at a fixed offset or around a
// hole. They need not fit within the capacity.
ProblemSpec RandomCostlySpec(Random* random);

}  // namespace stowage

#endif  // STOWAGE_TESTS_BOUNDS_COSTLY_PROBLEMS_H_
