// SPDX-License-Identifier: Apache-2.0
// Registers WHERE, which lists the positions of all elements that are true or
// not 0. Each row of the output is the position of one such element. The rows
// are in the order in which the elements are stored.
#include <algorithm>

#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::where {
namespace {

using Conditions =
    TypeList<Bool, float, int8_t, uint8_t, int16_t, int32_t, uint32_t, int64_t>;

class Where : public DataShapedKernel {
 public:
  Where() : DataShapedKernel({0}) {}

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, Conditions()));
    return CheckOutputType(context, 0, {ElementType::kInt64});
  }

  absl::Status Resize(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    int64_t count = 0;
    STOWAGE_RETURN_IF_ERROR(
        DispatchType(Conditions(), input.type, [&](auto zero) {
          using T = decltype(zero);
          for (const T x : input.span<T>()) count += x != T() ? 1 : 0;
        }));
    if (count > INT32_MAX) {
      return RefuseModel(InputPlace(context, 0), ": ", count,
                         " of its elements are true; expected below 2^31");
    }
    return context.ResizeOutput(0, {static_cast<int32_t>(count), input.rank()});
  }

  absl::Status Run(OperatorContext& context) override {
    if (context.output(0).bytes == 0) return absl::OkStatus();
    return DispatchType(Conditions(), context.input(0).type, [&](auto zero) {
      ListPositions<decltype(zero)>(context);
    });
  }

  template <typename T>
  static void ListPositions(OperatorContext& context) {
    const Tensor& input = context.input(0);
    auto* to = context.output(0).as<int64_t>();
    std::vector<int64_t> position(input.shape.size(), 0);
    for (const T x : input.span<T>()) {
      if (x != T()) to = std::copy(position.begin(), position.end(), to);
      for (size_t d = position.size(); d-- > 0;) {
        if (++position[d] < input.shape[d]) break;
        position[d] = 0;
      }
    }
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<Where>(
              "WHERE", "the positions of all elements that are true or not 0")
              .OfVersions(1, 2)};
}

}  // namespace stowage::harness::where
