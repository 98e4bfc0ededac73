// Draws from a seed.
#ifndef STOWAGE_TESTING_RANDOM_DRAWS_H_
#define STOWAGE_TESTING_RANDOM_DRAWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/testing/families.h"

namespace stowage::testing {

// `count` draws whose numbers are below those of `limits`.
std::vector<Draw> DrawsBelow(const Draw& limits, uint64_t seed, size_t count);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_RANDOM_DRAWS_H_
