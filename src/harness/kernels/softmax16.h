// Softmax of 16-bit rows by interpolation in two tables, bit for bit as the
// reference kernels of TensorFlow Lite compute it.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_SOFTMAX16_H_
#define STOWAGE_SRC_HARNESS_KERNELS_SOFTMAX16_H_

#include <array>
#include <cstdint>

#include "src/harness/kernels/fixed_point.h"

namespace stowage::harness {

// A function of 16-bit numbers: values at every 128th of them, and straight
// lines between.
class Table16 {
 public:
  // Of `function`, its argument `min` at -32768 and nearly `max` at 32767, its
  // value in units of 2^-15.
  Table16(float (*function)(float), float min, float max);

  // `x` beyond 16 bits is the nearest within.
  int16_t At(int32_t x) const;

 private:
  std::array<int16_t, 513> values_ = {};
};

class Softmax16 {
 public:
  // Of inputs in units of `scale`, each multiplied by `beta`.
  Softmax16(float scale, float beta);

  // The softmax of a row in units of 2^-15. `in` and `out` may be the same.
  // O(depth).
  void Row(const int16_t* in, int64_t depth, int16_t* out) const;

 private:
  Table16 exp_;                // of [-10, 0]
  Table16 one_over_one_plus_;  // of [0, 1]
  Multiplier factor_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_SOFTMAX16_H_
