// MAX_POOL_2D: the largest of the elements in each window, channel by channel.
// Input and output are taken to be of one scale.
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/pool.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::max_pool_2d {
namespace {

template <typename T>
void Max(const Pool& pool, const Tensor& input, Tensor& output) {
  ForEachWindow<T>(
      pool, input.as<T>(), output.as<T>(),
      [](T* largest, int64_t n) {
        for (int64_t c = 0; c < n; ++c) {
          largest[c] = std::numeric_limits<T>::lowest();
        }
      },
      [](T* largest, const T* in, int64_t n) {
        for (int64_t c = 0; c < n; ++c) {
          largest[c] = largest[c] < in[c] ? in[c] : largest[c];
        }
      },
      [&](const T* largest, T* out, int64_t n, int64_t /*count*/) {
        for (int64_t c = 0; c < n; ++c) {
          if constexpr (std::is_floating_point_v<T>) {
            out[c] = pool.real_range.Clamp(largest[c]);
          } else {
            out[c] = static_cast<T>(pool.range.Clamp(largest[c]));
          }
        }
      });
}

class MaxPool2D : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    const absl::StatusOr<Pool> pool = PreparePool(context);
    if (!pool.ok()) return pool.status();
    pool_ = *pool;
    return absl::OkStatus();
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    switch (input.type) {
      case ElementType::kFloat32:
        Max<float>(pool_, input, output);
        break;
      case ElementType::kInt8:
        Max<int8_t>(pool_, input, output);
        break;
      case ElementType::kUint8:
        Max<uint8_t>(pool_, input, output);
        break;
      default:
        Max<int16_t>(pool_, input, output);
    }
    return absl::OkStatus();
  }

 private:
  Pool pool_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      OperatorRegistration("MAX_POOL_2D")
          .Computes(
              "the largest of the elements in each window, channel by channel")
          .OfVersions(1, 3)
          .Creates<MaxPool2D>()};
}

}  // namespace stowage::harness::max_pool_2d
