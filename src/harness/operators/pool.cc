// SPDX-License-Identifier: Apache-2.0
// Registers AVERAGE_POOL_2D, L2_POOL_2D and MAX_POOL_2D. They compute the mean,
// the root mean square or the maximum of the elements in each window of an
// image, for each channel. Padding does not count as elements. The input and
// the output are assumed to have the same scale.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "src/harness/kernels/support.h"
#include "stowage/harness/fixed_point.h"
#include "stowage/harness/window.h"

namespace stowage::harness::pool {
namespace {

// Computes means. Quantized means are rounded to the nearest integer, with
// halves rounded away from zero.
template <typename T>
struct Average {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, T, int64_t>;
  static constexpr Sum kFirst = 0;
  static Sum Add(Sum sum, T x) { return sum + x; }
  static Sum Finish(Sum sum, int64_t count) {
    if constexpr (std::is_floating_point_v<T>) {
      return sum / static_cast<T>(count);
    } else {
      return (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
    }
  }
};

template <typename T>
struct Maximum {
  using Sum = T;
  static constexpr T kFirst = std::numeric_limits<T>::lowest();
  static T Add(T largest, T x) { return largest < x ? x : largest; }
  static T Finish(T largest, int64_t /*count*/) { return largest; }
};

template <typename T>
struct RootMeanSquare {
  using Sum = T;
  static constexpr T kFirst = 0;
  static T Add(T sum, T x) { return sum + x * x; }
  static T Finish(T sum, int64_t count) {
    return std::sqrt(sum / static_cast<T>(count));
  }
};

// Computes one output pixel in every channel from rows [top, bottom) and
// columns [left, right) of the image. Channels are processed in blocks, which
// keeps sums in registers.
template <typename Fold, typename T, typename Limits>
void PoolWindow(const ImageWindow& w, const T* image, int64_t top,
                int64_t bottom, int64_t left, int64_t right,
                const Limits& limits, T* output) {
  using Sum = typename Fold::Sum;
  constexpr int64_t kBlock = 64;
  for (int64_t begin = 0; begin < w.channels; begin += kBlock) {
    const int64_t block = std::min(kBlock, w.channels - begin);
    Sum sums[kBlock];
    for (int64_t c = 0; c < block; ++c) sums[c] = Fold::kFirst;
    for (int64_t row = top; row < bottom; ++row) {
      const T* in = image + (row * w.x.in + left) * w.channels + begin;
      for (int64_t i = left; i < right; ++i, in += w.channels) {
        for (int64_t c = 0; c < block; ++c) sums[c] = Fold::Add(sums[c], in[c]);
      }
    }
    const int64_t count = (bottom - top) * (right - left);
    for (int64_t c = 0; c < block; ++c) {
      using Limit = decltype(limits.min);
      output[begin + c] = static_cast<T>(
          limits.Clamp(static_cast<Limit>(Fold::Finish(sums[c], count))));
    }
  }
}

template <typename Fold, typename T, typename Limits>
void PoolImages(const ImageWindow& w, const T* input, const Limits& limits,
                T* output) {
  for (int64_t batch = 0; batch < w.batches; ++batch) {
    const T* const image = input + batch * w.y.in * w.x.in * w.channels;
    for (int64_t y = 0; y < w.y.out; ++y) {
      for (int64_t x = 0; x < w.x.out; ++x, output += w.channels) {
        const int64_t top = w.y.Origin(y);
        const int64_t left = w.x.Origin(x);
        PoolWindow<Fold>(w, image, top + w.y.FirstTap(y), top + w.y.EndTap(y),
                         left + w.x.FirstTap(x), left + w.x.EndTap(x), limits,
                         output);
      }
    }
  }
}

template <template <typename> class Fold,
          typename Types = FloatAndQuantizedTypes>
class Pool : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckOneType(context, 1, Types()));
    STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 0, 4, 4));
    const Tensor& input = context.input(0);
    STOWAGE_ASSIGN_OR_RETURN(const PoolOptions options,
                             PoolOptionsOf(context.spec()));
    STOWAGE_ASSIGN_OR_RETURN(
        window_, MakeImageWindow(input.shape, options.padding, options.filter,
                                 options.stride));
    if (input.type == ElementType::kFloat32) {
      STOWAGE_ASSIGN_OR_RETURN(float_range_, FloatRange(options.activation));
    } else {
      STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, 0));
      STOWAGE_ASSIGN_OR_RETURN(
          output_, QuantizedOutputOf(context.output(0), options.activation));
    }
    return context.ResizeOutput(0, window_.OutputShape(window_.channels));
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    return DispatchType(Types(), input.type, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_floating_point_v<T>) {
        PoolImages<Fold<T>>(window_, input.as<T>(), float_range_,
                            output.as<T>());
      } else {
        PoolImages<Fold<T>>(window_, input.as<T>(), output_.range,
                            output.as<T>());
      }
    });
  }

 private:
  ImageWindow window_;
  Range<float> float_range_ = {};
  QuantizedOutput output_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<Pool<Average>>(
              "AVERAGE_POOL_2D",
              "the mean of the elements in each window, channel by "
              "channel")
              .OfVersions(1, 3),
          Operator<Pool<RootMeanSquare, TypeList<float>>>(
              "L2_POOL_2D",
              "the root of the mean of the squares of the elements in each "
              "window, channel by channel"),
          Operator<Pool<Maximum>>(
              "MAX_POOL_2D",
              "the largest of the elements in each window, channel "
              "by channel")
              .OfVersions(1, 3)};
}

}  // namespace stowage::harness::pool
