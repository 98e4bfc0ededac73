// SPDX-License-Identifier: Apache-2.0
// Generates small random problems in which pairs pay for sharing bytes.
#ifndef STOWAGE_TESTS_BOUNDS_COSTLY_PROBLEMS_H_
#define STOWAGE_TESTS_BOUNDS_COSTLY_PROBLEMS_H_

#include "stowage/base/random.h"
#include "stowage/problem.h"

namespace stowage {

// Returns a problem of three to six records with few tasks. Any two records may
// pay for sharing bytes, may have to be apart, or may be live together. Records
// may be aligned, the first record may have a fixed offset, and there may be a
// hole. The problem may be infeasible.
ProblemSpec RandomCostlySpec(Random* random);

}  // namespace stowage

#endif  // STOWAGE_TESTS_BOUNDS_COSTLY_PROBLEMS_H_
