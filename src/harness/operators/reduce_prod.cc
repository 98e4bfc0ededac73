// REDUCE_PROD: the product of the elements along some axes.
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "src/harness/kernels/reduce.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::reduce_prod {
namespace {

class ReduceProd : public ReduceKernel {
 protected:
  absl::Status PrepareType(OperatorContext& context) override {
    return CheckInputType(
        context, 0,
        {ElementType::kFloat32, ElementType::kInt32, ElementType::kInt64});
  }

  absl::Status Reduce(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    switch (input.type) {
      case ElementType::kFloat32:
        ForEachOutput(
            input.as<float>(), output.as<float>(), 1.0F,
            [](float product, float x) { return product * x; },
            [](float product) { return product; });
        break;
      case ElementType::kInt32:
        Whole<int32_t>(input, output);
        break;
      default:
        Whole<int64_t>(input, output);
    }
    return absl::OkStatus();
  }

 private:
  // Products that wrap as unsigned arithmetic does.
  template <typename T>
  void Whole(const Tensor& input, Tensor& output) const {
    ForEachOutput(
        input.as<T>(), output.as<T>(), uint64_t{1},
        [](uint64_t product, T x) {
          return product * static_cast<uint64_t>(int64_t{x});
        },
        [](uint64_t product) { return static_cast<T>(product); });
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("REDUCE_PROD")
              .Computes("the product of the elements along some axes")
              .OfVersions(1, 2)
              .Creates<ReduceProd>()};
}

}  // namespace stowage::harness::reduce_prod
