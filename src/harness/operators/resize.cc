// SPDX-License-Identifier: Apache-2.0
// Registers RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR, which change the
// height and width of an image [batch, height, width, channels]. Each element
// of the output is the weighted mean of the four input elements around its
// position, or the nearest input element. INT8 and INT16 are interpolated with
// 10 fractional bits.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/fixed_point.h"

namespace stowage::harness::resize {
namespace {

// Maps the elements of an output to positions in the input.
struct Mapping {
  bool align_corners = false;       // maps the last element to the last element
  bool half_pixel_centers = false;  // maps the centres of pixels

  // Returns the distance in the input between two neighboring elements of the
  // output.
  float Scale(int32_t in, int32_t out) const {
    return align_corners && out > 1
               ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
               : static_cast<float>(in) / static_cast<float>(out);
  }
};

// A position in the input along one dimension: the two elements around it, and
// their weights.
template <typename Weight>
struct Place {
  int64_t first = 0;
  int64_t second = 0;
  Weight first_weight = 0;
  Weight second_weight = 0;
};

std::vector<Place<float>> Places(int32_t in, int32_t out,
                                 const Mapping& mapping, float /*weight*/) {
  const float scale = mapping.Scale(in, out);
  std::vector<Place<float>> places;
  places.reserve(static_cast<size_t>(out));
  for (int32_t i = 0; i < out; ++i) {
    const auto index = static_cast<float>(i);
    const float at = mapping.half_pixel_centers ? (index + 0.5F) * scale - 0.5F
                                                : index * scale;
    // Large floats are rounded, so the position of the last element may be
    // beyond the input. Positions are therefore clamped.
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
                                   const Mapping& mapping, int64_t /*weight*/) {
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
    // The scale is rounded, so positions may be beyond the last element. They
    // are therefore clamped.
    const int64_t last = in - 1;
    const int64_t first = std::clamp<int64_t>(at / kOne, 0, last);
    const int64_t second = std::clamp<int64_t>((at + kOne - 1) / kOne, 0, last);
    const int64_t weight = at - kOne * first;
    places.push_back({first, second, kOne - weight, weight});
  }
  return places;
}

// Returns the weighted mean of four elements: `a` top left, `b` bottom left,
// `c` top right and `d` bottom right. The weighted elements are added in this
// order.
template <typename T, typename Weight>
T Mean(T a, T b, T c, T d, const Place<Weight>& y, const Place<Weight>& x) {
  const Weight sum = a * y.first_weight * x.first_weight +
                     b * y.second_weight * x.first_weight +
                     c * y.first_weight * x.second_weight +
                     d * y.second_weight * x.second_weight;
  if constexpr (std::is_same_v<T, Weight>) {
    return sum;
  } else if constexpr (std::is_same_v<Weight, float>) {
    return static_cast<T>(std::clamp(sum + 0.5F, 0.0F, 255.0F));
  } else {
    constexpr int64_t kHalf = kOne * kOne / 2;
    return Saturate<T>((sum + (sum > 0 ? kHalf : -kHalf)) / (kOne * kOne));
  }
}

template <typename T, typename Weight>
void Interpolate(const Tensor& input, Tensor& output, const Mapping& mapping) {
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

absl::Status ResizeBilinear(const Tensor& input, Tensor& output,
                            const Mapping& mapping) {
  return DispatchType(FloatAndQuantizedTypes(), input.type, [&](auto zero) {
    using T = decltype(zero);
    // UINT8 is interpolated in floating point.
    constexpr bool kIsReal = !std::is_signed_v<T> || std::is_same_v<T, float>;
    using Weight = std::conditional_t<kIsReal, float, int64_t>;
    Interpolate<T, Weight>(input, output, mapping);
  });
}

std::vector<int64_t> NearestPlaces(int32_t in, int32_t out,
                                   const Mapping& mapping) {
  const float scale = mapping.Scale(in, out);
  const float offset = mapping.half_pixel_centers ? 0.5F : 0.0F;
  std::vector<int64_t> places;
  places.reserve(static_cast<size_t>(out));
  for (int32_t i = 0; i < out; ++i) {
    const float at = (static_cast<float>(i) + offset) * scale;
    const float nearest =
        mapping.align_corners ? std::round(at) : std::floor(at);
    places.push_back(
        std::clamp<int64_t>(static_cast<int64_t>(nearest), 0, in - 1));
  }
  return places;
}

absl::Status ResizeNearest(const Tensor& input, Tensor& output,
                           const Mapping& mapping) {
  const size_t pixel =
      static_cast<size_t>(input.dim(3)) * ElementBytes(input.type);
  const size_t row = static_cast<size_t>(input.dim(2)) * pixel;
  const std::vector<int64_t> ys =
      NearestPlaces(input.dim(1), output.dim(1), mapping);
  const std::vector<int64_t> xs =
      NearestPlaces(input.dim(2), output.dim(2), mapping);
  const auto* from = static_cast<const uint8_t*>(input.data);
  auto* to = static_cast<uint8_t*>(output.data);
  for (int32_t b = 0; b < input.dim(0); ++b) {
    for (const int64_t y : ys) {
      const uint8_t* const line = from + static_cast<size_t>(y) * row;
      for (const int64_t x : xs) {
        std::memcpy(to, line + static_cast<size_t>(x) * pixel, pixel);
        to += pixel;
      }
    }
    from += static_cast<size_t>(input.dim(1)) * row;
  }
  return absl::OkStatus();
}

// A kernel that resizes images with `kResize`, which requires that both images
// have the same element type and are not empty.
template <absl::Status (*kResize)(const Tensor&, Tensor&, const Mapping&)>
class ResizeKernel : public DataShapedKernel {
 public:
  ResizeKernel() : DataShapedKernel({1}) {}

 protected:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 0, 4, 4));
    STOWAGE_RETURN_IF_ERROR(
        CheckInputType(context, 0, FloatAndQuantizedTypes()));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 1, {ElementType::kInt32}));
    STOWAGE_RETURN_IF_ERROR(
        CheckOutputType(context, 0, {context.input(0).type}));
    STOWAGE_ASSIGN_OR_RETURN(const ResizeOptions options,
                             ResizeOptionsOf(context.spec()));
    mapping_ = {options.aligns_corners, options.has_half_pixel_centers};
    if (mapping_.align_corners && mapping_.half_pixel_centers) {
      return RefuseModel(
          "it has align_corners and half_pixel_centers; expected at most one");
    }
    if (context.input(1).shape != Shape{2}) {
      return RefuseModel(InputPlace(context, 1), ": its shape is ",
                         ShapeText(context.input(1).shape), "; expected [2]");
    }
    return absl::OkStatus();
  }

  absl::Status Resize(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    const auto size = context.input(1).span<int32_t>();
    if (size[0] < 1 || size[1] < 1 || input.dim(1) < 1 || input.dim(2) < 1) {
      return RefuseModel("its image is ", input.dim(1), " high and ",
                         input.dim(2), " wide, the new one ", size[0], " and ",
                         size[1], "; expected 1 or more of each");
    }
    return context.ResizeOutput(0,
                                {input.dim(0), size[0], size[1], input.dim(3)});
  }

  absl::Status Run(OperatorContext& context) override {
    Tensor& output = context.output(0);
    if (output.elements() == 0) return absl::OkStatus();
    return kResize(context.input(0), output, mapping_);
  }

 private:
  Mapping mapping_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<ResizeKernel<ResizeBilinear>>(
              "RESIZE_BILINEAR",
              "each element of the output is a weighted mean of the four "
              "elements of the input around its position")
              .OfVersions(1, 4),
          Operator<ResizeKernel<ResizeNearest>>(
              "RESIZE_NEAREST_NEIGHBOR",
              "each element of the output is the element of the input nearest "
              "to its position")
              .OfVersions(1, 4)};
}

}  // namespace stowage::harness::resize
