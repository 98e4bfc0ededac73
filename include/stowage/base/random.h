// SPDX-License-Identifier: Apache-2.0
// Generates a pseudorandom sequence from a seed. A seed gives the same sequence
// on every machine. All parts of this project use this generator: strategies,
// the testing kit, random inputs, benchmarks and fuzzers. Do not use it for
// secrets. Use the standard header <random> only where results may differ
// between machines, because its distributions are not the same everywhere,
// although its engines are.
//
//   Random random(/*seed=*/1);
//   const uint64_t die = 1 + random.Below(6);
#ifndef STOWAGE_BASE_RANDOM_H_
#define STOWAGE_BASE_RANDOM_H_

#include <cstdint>

namespace stowage {

// Implements the generator SplitMix64. Source: Steele, Lea and Flood, "Fast
// splittable pseudorandom number generators" (2014).
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

  // Returns a number in [0, bound). Numbers are not exactly equally likely: the
  // bias is at most bound / 2^64. Requires bound > 0.
  uint64_t Below(uint64_t bound) { return Next() % bound; }

  // Returns the current state. A new generator with this state as its seed
  // continues the sequence of this generator.
  uint64_t state() const { return state_; }

 private:
  uint64_t state_;
};

}  // namespace stowage

#endif  // STOWAGE_BASE_RANDOM_H_
