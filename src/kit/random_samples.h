// SPDX-License-Identifier: Apache-2.0
// Generates samples from a seed, and records and problems from samples.
#ifndef STOWAGE_SRC_KIT_RANDOM_SAMPLES_H_
#define STOWAGE_SRC_KIT_RANDOM_SAMPLES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/problem.h"
#include "stowage/testing/families.h"
#include "stowage/testing/random_problems.h"

namespace stowage::testing {

// Returns `count` samples in which every number is below the corresponding
// number of `limits`.
std::vector<Sample> SamplesBelow(const Sample& limits, uint64_t seed,
                                 size_t count);

// Returns at most `records` random records. `records` must not be very small,
// because a single block of some families has twelve records.
ProblemSpec LargeInstance(Family family, uint64_t seed, size_t records,
                          const Parameters& parameters);

// Returns the n-th problem of a search. Successive problems have each feature
// of `parameters` alone, one after another, then all features together, and so
// on. Some of them have large numbers and rare forms (ProblemParameters).
ProblemSpec NthProblem(size_t n, uint64_t seed, size_t size,
                       const ProblemParameters& parameters);

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_KIT_RANDOM_SAMPLES_H_
