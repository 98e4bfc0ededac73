// SPDX-License-Identifier: Apache-2.0
// Generates the problems that a search tries, one after the other.
#ifndef STOWAGE_SRC_TESTING_PROBLEM_SEARCH_H_
#define STOWAGE_SRC_TESTING_PROBLEM_SEARCH_H_

#include <cstddef>
#include <cstdint>

#include "stowage/testing/instance.h"
#include "stowage/testing/random_problems.h"

namespace stowage::testing {

// Returns the n-th problem. Problems with a single feature of the parameters
// alternate with problems that have all of them.
Instance NthProblem(size_t n, uint64_t seed, size_t size,
                    const ProblemParameters& parameters);

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_TESTING_PROBLEM_SEARCH_H_
