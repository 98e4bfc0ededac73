// AVERAGE_POOL_2D: the mean of the elements in each window, channel by channel.
// Padding does not count. Quantised means are rounded to nearest, halves away
// from zero; input and output are taken to be of one scale.
#include <cstdint>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/pool.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::average_pool_2d {
namespace {

int64_t RoundedQuotient(int64_t sum, int64_t count) {
  return (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
}

template <typename T>
void Average(const Pool& pool, const Tensor& input, Tensor& output) {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, T, int64_t>;
  ForEachWindow<Sum>(
      pool, input.as<T>(), output.as<T>(),
      [](Sum* sums, int64_t n) {
        for (int64_t c = 0; c < n; ++c) sums[c] = 0;
      },
      [](Sum* sums, const T* in, int64_t n) {
        for (int64_t c = 0; c < n; ++c) sums[c] += in[c];
      },
      [&](const Sum* sums, T* out, int64_t n, int64_t count) {
        for (int64_t c = 0; c < n; ++c) {
          if constexpr (std::is_floating_point_v<T>) {
            out[c] = pool.real_range.Clamp(sums[c] / static_cast<T>(count));
          } else {
            const auto mean =
                static_cast<int32_t>(RoundedQuotient(sums[c], count));
            out[c] = static_cast<T>(pool.range.Clamp(mean));
          }
        }
      });
}

class AveragePool2D : public Kernel {
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
        Average<float>(pool_, input, output);
        break;
      case ElementType::kInt8:
        Average<int8_t>(pool_, input, output);
        break;
      case ElementType::kUint8:
        Average<uint8_t>(pool_, input, output);
        break;
      default:
        Average<int16_t>(pool_, input, output);
    }
    return absl::OkStatus();
  }

 private:
  Pool pool_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("AVERAGE_POOL_2D")
              .Computes(
                  "the mean of the elements in each window, channel by channel")
              .OfVersions(1, 3)
              .Creates<AveragePool2D>()};
}

}  // namespace stowage::harness::average_pool_2d
