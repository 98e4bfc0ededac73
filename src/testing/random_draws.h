// SPDX-License-Identifier: Apache-2.0
// Generates draws from a seed, and large instances from such draws.
#ifndef STOWAGE_TESTING_RANDOM_DRAWS_H_
#define STOWAGE_TESTING_RANDOM_DRAWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/testing/families.h"
#include "stowage/testing/instance.h"

namespace stowage::testing {

// Returns `count` draws whose numbers are below those of `limits`.
std::vector<Draw> DrawsBelow(const Draw& limits, uint64_t seed, size_t count);

// Returns a random instance with at most `records` records. `records` must not
// be very small, because a block of some families has twelve records.
Instance LargeInstance(Family family, uint64_t seed, size_t records,
                       const Parameters& parameters);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_RANDOM_DRAWS_H_
