// SPDX-License-Identifier: Apache-2.0
// Generates a pseudorandom sequence from a seed. The sequence is the same on
// every machine. Strategies, the testing kit, random inputs, benchmarks and
// fuzzers use no other generator, so a seed gives the same sequence in all of
// them. Do not use this generator for secrets. The standard header <random>
// guarantees the same engines on every machine, but not the same distributions,
// so use it only where the sequence may differ between machines.
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

  // Returns a number from 0 to bound - 1. The bias of bound / 2^64 is not
  // corrected. Requires bound > 0.
  uint64_t Below(uint64_t bound) { return Next() % bound; }

  // Returns a seed. A new generator with this seed continues the sequence of
  // this generator.
  uint64_t state() const { return state_; }

 private:
  uint64_t state_;
};

}  // namespace stowage

#endif  // STOWAGE_BASE_RANDOM_H_
