// SPDX-License-Identifier: Apache-2.0
// Generates a pseudorandom sequence from a seed. The sequence is the same on
// every machine. This is the only generator of strategies, the testing kit,
// random inputs, benchmarks and fuzzers. <random> guarantees the same engines
// everywhere, but not the same distributions.
#ifndef STOWAGE_SRC_BASE_RANDOM_H_
#define STOWAGE_SRC_BASE_RANDOM_H_

#include <cstdint>

namespace stowage {

// SplitMix64. Source: Steele, Lea and Flood, "Fast splittable pseudorandom
// number generators" (2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  // Returns a number from 0 to bound - 1. The bias is bound / 2^64 and not
  // corrected. Requires bound > 0.
  uint64_t Below(uint64_t bound) { return Next() % bound; }

  // Returns the seed of a generator that continues where this one is.
  uint64_t state() const { return state_; }

 private:
  uint64_t state_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_RANDOM_H_
