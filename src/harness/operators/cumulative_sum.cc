// SPDX-License-Identifier: Apache-2.0
// Registers CUMSUM. Each element of the output is the sum of the input elements
// along an axis from the beginning (or, in reverse, the end) of the axis up to
// the position of the output element. The input element at this position is
// either included or not.
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::cumulative_sum {
namespace {

class CumulativeSum : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, Types()));
    const Tensor& input = context.input(0);
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {input.type}));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 1, IndexTypes()));
    STOWAGE_ASSIGN_OR_RETURN(const auto* options,
                             OptionsOf<tflite::CumsumOptions>(context));
    is_exclusive_ = options->exclusive();
    is_reverse_ = options->reverse();
    return context.ResizeOutput(0, input.shape);
  }

  // The axis may be computed by another operator, because the shape of the
  // output does not depend on it.
  absl::Status Invoke(OperatorContext& context) override {
    STOWAGE_ASSIGN_OR_RETURN(const int64_t wanted, IntegerOf(context, 1));
    const Tensor& input = context.input(0);
    STOWAGE_ASSIGN_OR_RETURN(const int axis, ResolveAxis(wanted, input.rank()));
    if (input.bytes == 0) return absl::OkStatus();
    const int64_t size = input.dim(axis);
    const int64_t inner = FlatSize(input.shape, axis + 1, input.rank());
    return DispatchType(Types(), input.type, [&](auto zero) {
      using T = decltype(zero);
      const int64_t slice = size * inner;
      for (int64_t at = 0; at < input.elements(); at += slice) {
        AddSlice(input.as<T>() + at, size, inner,
                 context.output(0).as<T>() + at);
      }
    });
  }

 private:
  using Types = TypeList<float, int32_t, int64_t>;

  // Computes `size` rows of `inner` elements, where row i is the sum of the
  // input rows up to row i. Integers wrap around.
  template <typename T>
  void AddSlice(const T* in, int64_t size, int64_t inner, T* out) const {
    const auto sum = [](auto x, auto y) { return x + y; };
    const int64_t step = is_reverse_ ? -inner : inner;
    const int64_t first = is_reverse_ ? (size - 1) * inner : 0;
    for (int64_t c = 0; c < inner; ++c) {
      T total = 0;
      for (int64_t i = 0, at = first + c; i < size; ++i, at += step) {
        const T before = total;
        total = Wrapping(total, in[at], sum);
        out[at] = is_exclusive_ ? before : total;
      }
    }
  }

  bool is_exclusive_ = false;
  bool is_reverse_ = false;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      Operator<CumulativeSum>(
          "CUMSUM", "the sum of all elements up to each position along an axis")
          .SharesMemoryOf(InPlace::kInput0)};
}

}  // namespace stowage::harness::cumulative_sum
