// Softmax of 8-bit rows without floating point, bit for bit as the reference
// kernels of TensorFlow Lite compute it.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_SOFTMAX8_H_
#define STOWAGE_SRC_HARNESS_KERNELS_SOFTMAX8_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "absl/status/statusor.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/fixed_point_functions.h"

namespace stowage::harness {

class Softmax8 {
 public:
  // Of inputs in units of `scale`, each multiplied by `beta`. Error:
  // InvalidArgument if their product is not above 2^-26.
  static absl::StatusOr<Softmax8> Make(float scale, float beta);

  // The softmax of a row, in units of 1 / the number of values of Out, from the
  // least of them on. `in` and `out` may be the same. O(depth).
  template <typename In, typename Out>
  void Row(const In* in, int64_t depth, Out* out) const {
    const In max = *std::max_element(in, in + depth);
    uint64_t sum = 0;
    for (int64_t c = 0; c < depth; ++c) {
      sum += static_cast<uint64_t>(RoundingShift(Exp(max - in[c]), kSumBits));
    }
    const Reciprocal reciprocal =
        FixedPointReciprocal(static_cast<uint32_t>(std::min<uint64_t>(
                                 sum, std::numeric_limits<uint32_t>::max())),
                             kSumBits);
    constexpr int kBits = std::numeric_limits<Out>::digits +
                          (std::numeric_limits<Out>::is_signed ? 1 : 0);
    const int shift = reciprocal.exponent + 31 - kBits;
    constexpr int32_t kLeast = std::numeric_limits<Out>::is_signed
                                   ? -(1 << std::numeric_limits<Out>::digits)
                                   : 0;
    constexpr int32_t kLargest = std::numeric_limits<Out>::max();
    for (int64_t c = 0; c < depth; ++c) {
      const int32_t fraction =
          DoublingHighMul(reciprocal.mantissa, Exp(max - in[c]));
      // A shift by more than 31 bits leaves nothing.
      const int32_t result = shift > 31 ? 0 : RoundingShift(fraction, shift);
      out[c] = static_cast<Out>(std::min(result, kLargest - kLeast) + kLeast);
    }
  }

 private:
  // Exponentials are added up with so many integer bits.
  static constexpr int kSumBits = 12;

  // exp(-difference * scale * beta) in Q0.
  int32_t Exp(int difference) const {
    return exp_[static_cast<size_t>(difference)];
  }

  std::array<int32_t, 256> exp_ = {};
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_SOFTMAX8_H_
