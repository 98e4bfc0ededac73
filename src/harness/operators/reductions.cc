// SPDX-License-Identifier: Apache-2.0
// Registers the reductions, one in each row of a table. Each element of the
// output combines all elements of the input along some axes, in the order in
// which they are stored.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "absl/algorithm/container.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/strided_loop.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/fixed_point.h"

namespace stowage::harness::reductions {
namespace {

using Numbers = TypeList<float, int32_t, int64_t, int8_t, uint8_t, int16_t>;

// The base class of reductions. A reduction has two inputs, a tensor and the
// axes to reduce, and the option keep_dims.
class ReduceKernel : public DataShapedKernel {
 protected:
  ReduceKernel() : DataShapedKernel({1}) {}

  // Checks types and scales.
  virtual absl::Status CheckType(OperatorContext& context) = 0;

  // Returns the number of input elements that each output element combines.
  int64_t reduced_elements() const { return reduced_elements_; }

  // Computes every output element as end(sum), where `sum` starts as `initial`
  // and becomes add(sum, x) for each input element x that belongs to the output
  // element. Requires that the output does not share memory with the input.
  template <typename Sum, typename In, typename Out, typename Add, typename End>
  void ForEachOutput(const In* in, Out* out, Sum initial, Add add,
                     End end) const {
    constexpr int64_t kBlock = 64;
    const int64_t outputs = kept_.inner().extent;
    const int64_t step = kept_.inner().strides[1];
    const int64_t row_length = reduced_.inner().extent;
    const int64_t row_step = reduced_.inner().strides[0];
    Sum sums[kBlock];
    const auto add_row = [&](const In* from, int64_t count) {
      for (int64_t i = 0; i < row_length; ++i, from += row_step) {
        if (step == 1) {
          for (int64_t c = 0; c < count; ++c) sums[c] = add(sums[c], from[c]);
        } else {
          for (int64_t c = 0; c < count; ++c) {
            sums[c] = add(sums[c], from[c * step]);
          }
        }
      }
    };
    kept_.ForEachRow({}, [&](const StridedLoop<2>::Offsets& at) {
      for (int64_t first = 0; first < outputs; first += kBlock) {
        const int64_t count = std::min(kBlock, outputs - first);
        std::fill_n(sums, count, initial);
        reduced_.ForEachRow({at[1] + first * step},
                            [&](const StridedLoop<1>::Offsets& row) {
                              add_row(in + row[0], count);
                            });
        for (int64_t c = 0; c < count; ++c) {
          out[at[0] + first + c] = end(sums[c]);
        }
      }
    });
  }

 private:
  absl::Status Check(OperatorContext& context) final {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 1, {ElementType::kInt32}));
    STOWAGE_RETURN_IF_ERROR(
        CheckOutputType(context, 0, {context.input(0).type}));
    STOWAGE_ASSIGN_OR_RETURN(const auto* options,
                             OptionsOf<tflite::ReducerOptions>(context));
    keep_dims_ = options->keep_dims();
    return CheckType(context);
  }

  // Returns, for each dimension of the input, whether it is listed in the axes.
  // A dimension may be listed twice.
  static absl::StatusOr<std::vector<bool>> ReducedDimensions(
      const Tensor& input, const Tensor& axes) {
    std::vector<bool> reduced(static_cast<size_t>(input.rank()), false);
    // A scalar has no dimensions, so its axes are ignored.
    if (input.rank() == 0) return reduced;
    for (const int32_t axis : axes.span<int32_t>()) {
      STOWAGE_ASSIGN_OR_RETURN(const int dimension,
                               ResolveAxis(axis, input.rank()));
      reduced[static_cast<size_t>(dimension)] = true;
    }
    return reduced;
  }

  absl::Status Resize(OperatorContext& context) final {
    const Tensor& input = context.input(0);
    STOWAGE_ASSIGN_OR_RETURN(const std::vector<bool> reduced,
                             ReducedDimensions(input, context.input(1)));
    const std::vector<int64_t> strides = Strides(input.shape);
    Shape shape;
    Shape kept_shape;
    std::vector<StridedLoop<2>::Axis> kept;
    std::vector<StridedLoop<1>::Axis> others;
    // If a dimension is 0, the product of the other dimensions may overflow.
    const bool is_empty = absl::c_linear_search(input.shape, 0);
    reduced_elements_ = is_empty ? 0 : 1;
    for (size_t d = 0; d < reduced.size(); ++d) {
      const int32_t extent = input.shape[d];
      if (reduced[d]) {
        others.push_back({extent, {strides[d]}});
        reduced_elements_ *= extent;
        if (keep_dims_) shape.push_back(1);
      } else {
        kept.push_back({extent, {0, strides[d]}});
        kept_shape.push_back(extent);
        shape.push_back(extent);
      }
    }
    const std::vector<int64_t> to = Strides(kept_shape);
    for (size_t i = 0; i < to.size(); ++i) kept[i].strides[0] = to[i];
    kept_ = StridedLoop<2>(kept);
    reduced_ = StridedLoop<1>(others);
    return context.ResizeOutput(0, shape);
  }

  bool keep_dims_ = false;
  int64_t reduced_elements_ = 0;
  // Loops over the dimensions that are not reduced, in the output and in the
  // input.
  StridedLoop<2> kept_;
  // Loops over the reduced dimensions of the input.
  StridedLoop<1> reduced_;
};

bool HasOneScale(OperatorContext& context) {
  const Quantization& in = context.input(0).quantization;
  const Quantization& out = context.output(0).quantization;
  return in.scale() == out.scale() && in.zero_point() == out.zero_point();
}

// Combines elements. A sum starts as initial(T()), and next(sum, x) adds an
// element. The type of the sum may be wider than T.
template <typename Types, typename Initial, typename Next>
class Fold : public ReduceKernel {
 public:
  Fold(Initial initial, Next next) : initial_(initial), next_(next) {}

 protected:
  absl::Status CheckType(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, Types()));
    // Quantized numbers are combined without rescaling, so input and output
    // must have the same scale and zero point.
    if (!Types::Has(ElementType::kInt8) || HasOneScale(context)) {
      return absl::OkStatus();
    }
    const Quantization& in = context.input(0).quantization;
    const Quantization& out = context.output(0).quantization;
    return RefuseModel("its input has scale ", in.scale(), " and zero point ",
                       in.zero_point(), ", its output ", out.scale(), " and ",
                       out.zero_point(), "; expected them to be equal");
  }

  absl::Status Run(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    return DispatchType(Types(), input.type, [&](auto zero) {
      using T = decltype(zero);
      ForEachOutput(input.as<T>(), output.as<T>(), initial_(zero), next_,
                    [](auto sum) { return static_cast<T>(sum); });
    });
  }

 private:
  Initial initial_;
  Next next_;
};

template <typename Types, typename Initial, typename Next>
OperatorRegistration Row(const char* name, const char* what, Types /*types*/,
                         Initial initial, Next next) {
  return Operator<Fold<Types, Initial, Next>>(name, what, initial, next);
}

class SumOrMean : public ReduceKernel {
 public:
  explicit SumOrMean(bool is_mean) : is_mean_(is_mean) {}

 protected:
  absl::Status CheckType(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, Numbers()));
    if (!QuantizedTypes::Has(context.input(0).type)) return absl::OkStatus();
    STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
    STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, 0));
    has_one_scale_ = HasOneScale(context);
    factor_ = RescalingFactor(context.input(0), context.output(0));
    return absl::OkStatus();
  }

  absl::Status Run(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    return DispatchType(Numbers(), input.type, [&](auto zero) {
      using T = decltype(zero);
      const int64_t divisor =
          is_mean_ ? std::max<int64_t>(reduced_elements(), 1) : 1;
      if constexpr (QuantizedTypes::Has(kElementTypeOf<T>)) {
        ReduceQuantized<T>(input, output);
      } else if constexpr (std::is_floating_point_v<T>) {
        const auto real_divisor = static_cast<T>(divisor);
        ForEachOutput(
            input.as<T>(), output.as<T>(), T{0},
            [](T sum, T x) { return sum + x; },
            [=](T sum) { return sum / real_divisor; });
      } else {
        ReduceSums<T>(input, output,
                      [=](int64_t sum) { return sum / divisor; });
      }
    });
  }

 private:
  // Computes every output element as end(sum). Sums of integers wrap like
  // unsigned arithmetic.
  template <typename T, typename End>
  void ReduceSums(const Tensor& input, Tensor& output, End end) const {
    ForEachOutput(
        input.as<T>(), output.as<T>(), uint64_t{0},
        [](uint64_t sum, T x) {
          return sum + static_cast<uint64_t>(int64_t{x});
        },
        [=](uint64_t sum) {
          return static_cast<T>(end(static_cast<int64_t>(sum)));
        });
  }

  // Computes the sum or the mean of quantized elements. A mean is rounded
  // toward 0 if input and output have the same scale and zero point. All other
  // results are rescaled.
  template <typename T>
  void ReduceQuantized(const Tensor& input, Tensor& output) const {
    const int64_t count = reduced_elements();
    if (is_mean_ && has_one_scale_ && count > 0) {
      ReduceSums<T>(input, output, [=](int64_t sum) { return sum / count; });
      return;
    }
    const QuantizedOutput result = QuantizedOutputOf(output);
    const Multiplier factor =
        is_mean_ && count > 0 ? DividedBy(factor_, count) : factor_;
    const int64_t zeros = count * input.quantization.zero_point();
    ReduceSums<T>(input, output, [=](int64_t sum) {
      return result.At(Multiply(Saturate<int32_t>(sum - zeros), factor));
    });
  }

  bool is_mean_;
  bool has_one_scale_ = false;
  Multiplier factor_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  const auto lowest = [](auto zero) {
    return std::numeric_limits<decltype(zero)>::lowest();
  };
  const auto highest = [](auto zero) {
    return std::numeric_limits<decltype(zero)>::max();
  };
  // Products of integers wrap around like unsigned arithmetic.
  const auto one = [](auto zero) {
    using T = decltype(zero);
    return std::conditional_t<std::is_floating_point_v<T>, T, uint64_t>{1};
  };
  return {
      Operator<SumOrMean>("MEAN", "the mean of the elements along some axes",
                          true)
          .OfVersions(1, 3),
      Row(
          "REDUCE_ALL", "whether all elements along some axes are true",
          TypeList<Bool>(), [](Bool /*zero*/) { return true; },
          [](bool sum, Bool x) { return sum && x; })
          .OfVersions(1, 2),
      Row(
          "REDUCE_ANY", "whether any element along some axes is true",
          TypeList<Bool>(), [](Bool /*zero*/) { return false; },
          [](bool sum, Bool x) { return sum || x; })
          .OfVersions(1, 2),
      Row("REDUCE_MAX", "the largest of the elements along some axes",
          Numbers(), lowest, [](auto sum, auto x) { return sum < x ? x : sum; })
          .OfVersions(1, 3),
      Row("REDUCE_MIN", "the smallest of the elements along some axes",
          Numbers(), highest,
          [](auto sum, auto x) { return x < sum ? x : sum; })
          .OfVersions(1, 3),
      Row("REDUCE_PROD", "the product of the elements along some axes",
          TypeList<float, int32_t, int64_t>(), one,
          [](auto product, auto x) {
            return product * static_cast<decltype(product)>(x);
          })
          .OfVersions(1, 2),
      Operator<SumOrMean>("SUM", "the sum of the elements along some axes",
                          false)
          .OfVersions(1, 2),
  };
}

}  // namespace stowage::harness::reductions
