// SPDX-License-Identifier: Apache-2.0
// Draws from a seed, and large instances of them.
#ifndef STOWAGE_TESTING_RANDOM_DRAWS_H_
#define STOWAGE_TESTING_RANDOM_DRAWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/testing/families.h"
#include "stowage/testing/instance.h"

namespace stowage::testing {

// `count` draws whose numbers are below those of `limits`.
std::vector<Draw> DrawsBelow(const Draw& limits, uint64_t seed, size_t count);

// A random instance with up to `records` records, and more than a few: blocks
// of some families are twelve.
Instance LargeInstance(Family family, uint64_t seed, size_t records,
                       const Parameters& parameters);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_RANDOM_DRAWS_H_
