// RESIZE_BILINEAR: each element of the output is a weighted mean of the four
// elements of the input around its place. INT8 and INT16 are interpolated with
// 10 bits after the point.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/status/statusor.h"
#include "src/harness/kernels/resize.h"
#include "src/harness/kernels/support.h"
#include "src/tflite/model_generated.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::resize_bilinear {
namespace {

// A place in the input along one dimension: between which elements, and the
// weight of each.
template <typename Weight>
struct Place {
  int64_t first = 0;
  int64_t second = 0;
  Weight first_weight = 0;
  Weight second_weight = 0;
};

std::vector<Place<float>> Places(int32_t in, int32_t out,
                                 const ResizeMapping& mapping,
                                 float /*weight*/) {
  float scale = static_cast<float>(in) / static_cast<float>(out);
  if (mapping.align_corners && out > 1) {
    scale = static_cast<float>(in - 1) / static_cast<float>(out - 1);
  }
  std::vector<Place<float>> places;
  places.reserve(static_cast<size_t>(out));
  for (int32_t i = 0; i < out; ++i) {
    const auto index = static_cast<float>(i);
    const float at = mapping.half_pixel_centers ? (index + 0.5F) * scale - 0.5F
                                                : index * scale;
    // Rounding of the largest floats can step beyond the last element.
    const auto last = static_cast<float>(in - 1);
    const auto first =
        static_cast<int64_t>(std::clamp(std::floor(at), 0.0F, last));
    const auto second =
        static_cast<int64_t>(std::clamp(std::ceil(at), 0.0F, last));
    const float weight = at - static_cast<float>(first);
    places.push_back({std::min<int64_t>(first, in - 1),
                      std::min<int64_t>(second, in - 1), 1 - weight, weight});
  }
  return places;
}

constexpr int64_t kOne = 1 << 10;

std::vector<Place<int64_t>> Places(int32_t in, int32_t out,
                                   const ResizeMapping& mapping,
                                   int64_t /*weight*/) {
  int64_t scale = (kOne * in + out / 2) / out;
  if (mapping.align_corners && out > 1) {
    scale = (kOne * (in - 1) + (out - 1) / 2) / (out - 1);
  }
  std::vector<Place<int64_t>> places;
  places.reserve(static_cast<size_t>(out));
  for (int64_t i = 0; i < out; ++i) {
    const int64_t at = mapping.half_pixel_centers
                           ? i * scale + scale / 2 - kOne / 2
                           : i * scale;
    // The rounded scale can step beyond the last element.
    const int64_t last = in - 1;
    const int64_t first = std::clamp<int64_t>(at / kOne, 0, last);
    const int64_t second = std::clamp<int64_t>((at + kOne - 1) / kOne, 0, last);
    const int64_t weight = at - kOne * first;
    places.push_back({first, second, kOne - weight, weight});
  }
  return places;
}

// The weighted mean: `a` to `d` are top left, bottom left, top right and bottom
// right, added up in this order.
template <typename T>
T Mean(T a, T b, T c, T d, const Place<float>& y, const Place<float>& x) {
  const float sum = a * y.first_weight * x.first_weight +
                    b * y.second_weight * x.first_weight +
                    c * y.first_weight * x.second_weight +
                    d * y.second_weight * x.second_weight;
  if constexpr (std::numeric_limits<T>::is_integer) {
    return static_cast<T>(std::clamp(sum + 0.5F, 0.0F, 255.0F));
  } else {
    return sum;
  }
}
template <typename T>
T Mean(T a, T b, T c, T d, const Place<int64_t>& y, const Place<int64_t>& x) {
  const int64_t sum = a * y.first_weight * x.first_weight +
                      b * y.second_weight * x.first_weight +
                      c * y.first_weight * x.second_weight +
                      d * y.second_weight * x.second_weight;
  constexpr int64_t kHalf = kOne * kOne / 2;
  const int64_t mean = (sum + (sum > 0 ? kHalf : -kHalf)) / (kOne * kOne);
  return static_cast<T>(std::clamp<int64_t>(mean, std::numeric_limits<T>::min(),
                                            std::numeric_limits<T>::max()));
}

template <typename T, typename Weight>
void Interpolate(const Tensor& input, Tensor& output,
                 const ResizeMapping& mapping) {
  const int64_t channels = input.dim(3);
  const int64_t row = input.dim(2) * channels;
  const int64_t image = input.dim(1) * row;
  const auto ys = Places(input.dim(1), output.dim(1), mapping, Weight{});
  const auto xs = Places(input.dim(2), output.dim(2), mapping, Weight{});
  T* to = output.as<T>();
  for (int32_t b = 0; b < input.dim(0); ++b) {
    const T* const from = input.as<T>() + b * image;
    for (const Place<Weight>& y : ys) {
      const T* const top = from + y.first * row;
      const T* const bottom = from + y.second * row;
      for (const Place<Weight>& x : xs) {
        const int64_t left = x.first * channels;
        const int64_t right = x.second * channels;
        for (int64_t c = 0; c < channels; ++c) {
          to[c] = Mean<T>(top[left + c], bottom[left + c], top[right + c],
                          bottom[right + c], y, x);
        }
        to += channels;
      }
    }
  }
}

class ResizeBilinear : public ResizeKernel {
 protected:
  absl::StatusOr<ResizeMapping> Mapping(
      const OperatorContext& context) const override {
    const absl::StatusOr<const tflite::ResizeBilinearOptions*> options =
        OptionsOf<tflite::ResizeBilinearOptions>(context.spec());
    if (!options.ok()) return options.status();
    return ResizeMapping{(*options)->align_corners(),
                         (*options)->half_pixel_centers()};
  }

  void Resize(const Tensor& input, Tensor& output,
              const ResizeMapping& mapping) const override {
    switch (input.type) {
      case ElementType::kFloat32:
        return Interpolate<float, float>(input, output, mapping);
      case ElementType::kUint8:
        return Interpolate<uint8_t, float>(input, output, mapping);
      case ElementType::kInt8:
        return Interpolate<int8_t, int64_t>(input, output, mapping);
      default:
        return Interpolate<int16_t, int64_t>(input, output, mapping);
    }
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("RESIZE_BILINEAR")
              .Computes("each element of the output is a weighted mean of the "
                        "four elements of the input around its place")
              .OfVersions(1, 4)
              .Creates<ResizeBilinear>()};
}

}  // namespace stowage::harness::resize_bilinear
