// RESIZE_NEAREST_NEIGHBOR: each element of the output is the element of the
// input nearest to its place.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/status/statusor.h"
#include "src/harness/kernels/resize.h"
#include "src/harness/kernels/support.h"
#include "src/tflite/model_generated.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::resize_nearest_neighbor {
namespace {

std::vector<int64_t> Places(int32_t in, int32_t out,
                            const ResizeMapping& mapping) {
  const bool align = mapping.align_corners && out > 1;
  const float scale =
      align ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
            : static_cast<float>(in) / static_cast<float>(out);
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

class ResizeNearestNeighbor : public ResizeKernel {
 protected:
  absl::StatusOr<ResizeMapping> Mapping(
      const OperatorContext& context) const override {
    const absl::StatusOr<const tflite::ResizeNearestNeighborOptions*> options =
        OptionsOf<tflite::ResizeNearestNeighborOptions>(context.spec());
    if (!options.ok()) return options.status();
    return ResizeMapping{(*options)->align_corners(),
                         (*options)->half_pixel_centers()};
  }

  void Resize(const Tensor& input, Tensor& output,
              const ResizeMapping& mapping) const override {
    const size_t pixel =
        static_cast<size_t>(input.dim(3)) * ElementBytes(input.type);
    const size_t row = static_cast<size_t>(input.dim(2)) * pixel;
    const std::vector<int64_t> ys =
        Places(input.dim(1), output.dim(1), mapping);
    const std::vector<int64_t> xs =
        Places(input.dim(2), output.dim(2), mapping);
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
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("RESIZE_NEAREST_NEIGHBOR")
              .Computes("each element of the output is the element of the "
                        "input nearest to its place")
              .OfVersions(1, 4)
              .Creates<ResizeNearestNeighbor>()};
}

}  // namespace stowage::harness::resize_nearest_neighbor
