// AVERAGE_POOL_2D and MAX_POOL_2D: what they have in common.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_POOL_H_
#define STOWAGE_SRC_HARNESS_KERNELS_POOL_H_

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/window.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// What a pooling is told, checked: the input [batch, height, width, channels],
// the output resized.
struct Pool {
  int64_t batches = 0;
  int64_t channels = 0;
  Window height;
  Window width;
  Range<float> real_range = {};
  Range<int32_t> range = {};  // of quantised outputs
};

absl::StatusOr<Pool> PreparePool(OperatorContext& context);

// Calls begin(sums, channels), add(sums, input, channels) for each element of
// the window, and end(sums, output, channels, elements), for every element of
// the output and blocks of its channels.
template <typename Sum, typename T, typename Begin, typename Add, typename End>
void ForEachWindow(const Pool& pool, const T* input, T* output, Begin begin,
                   Add add, End end) {
  constexpr int64_t kBlock = 64;
  const Window& h = pool.height;
  const Window& w = pool.width;
  Sum sums[kBlock];
  for (int64_t b = 0; b < pool.batches; ++b) {
    const T* const image = input + b * h.in * w.in * pool.channels;
    for (int64_t y = 0; y < h.out; ++y) {
      const int64_t top = h.Origin(y) + h.FirstTap(y);
      const int64_t bottom = h.Origin(y) + h.EndTap(y);
      for (int64_t x = 0; x < w.out; ++x) {
        const int64_t left = w.Origin(x) + w.FirstTap(x);
        const int64_t right = w.Origin(x) + w.EndTap(x);
        for (int64_t c = 0; c < pool.channels; c += kBlock) {
          const int64_t count = std::min(kBlock, pool.channels - c);
          begin(sums, count);
          for (int64_t row = top; row < bottom; ++row) {
            const T* at = image + (row * w.in + left) * pool.channels + c;
            for (int64_t i = left; i < right; ++i, at += pool.channels) {
              add(sums, at, count);
            }
          }
          end(sums, output + c, count, (bottom - top) * (right - left));
        }
        output += pool.channels;
      }
    }
  }
}

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_POOL_H_
