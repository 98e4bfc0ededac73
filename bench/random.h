// The one source of random numbers in benchmarks: the same on every machine.
#ifndef STOWAGE_BENCH_RANDOM_H_
#define STOWAGE_BENCH_RANDOM_H_

#include <cstdint>

namespace stowage::bench {

// SplitMix64. Source: Steele, Lea and Flood, "Fast splittable pseudorandom
// number generators" (2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15u;
    uint64_t bits = state_;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
    return bits ^ (bits >> 31);
  }

  // Below `bound`, which is small enough that the bias does not matter.
  uint64_t Below(uint64_t bound) { return Next() % bound; }

 private:
  uint64_t state_;
};

}  // namespace stowage::bench

#endif  // STOWAGE_BENCH_RANDOM_H_
