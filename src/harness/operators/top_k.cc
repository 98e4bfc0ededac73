// SPDX-License-Identifier: Apache-2.0
// Registers TOPK_V2, which returns the k largest elements of each row and their
// positions, with the largest first. Equal elements are sorted by position. NaN
// comes after all numbers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::top_k {
namespace {

using Numbers = TypeList<float, int8_t, uint8_t, int16_t, int32_t, int64_t>;
using Places = TypeList<int16_t, int32_t>;

template <typename T>
bool IsLarger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(b)) return !std::isnan(a);
  }
  return a > b;
}

class TopK : public DataShapedKernel {
 public:
  TopK() : DataShapedKernel({1}) {}

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 2));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, Numbers()));
    const Tensor& input = context.input(0);
    STOWAGE_RETURN_IF_ERROR(
        CheckInputRank(context, 0, 1, std::numeric_limits<int>::max()));
    STOWAGE_RETURN_IF_ERROR(
        CheckInputType(context, 1, TypeList<int16_t, int32_t, int64_t>()));
    STOWAGE_RETURN_IF_ERROR(CheckInputIsOneElement(context, 1));
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {input.type}));
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 1, Places()));
    if (context.output(1).type == ElementType::kInt16 &&
        input.dim(-1) > std::numeric_limits<int16_t>::max()) {
      return RefuseModel(InputPlace(context, 0), ": its rows have ",
                         input.dim(-1),
                         " elements; expected at most 32767, for positions of "
                         "INT16");
    }
    STOWAGE_ASSIGN_OR_RETURN(
        order_, context.AddTemporary(ElementType::kInt32, {input.dim(-1)}));
    return absl::OkStatus();
  }

  absl::Status Resize(OperatorContext& context) override {
    int64_t k = 0;
    const Tensor& wanted = context.input(1);
    STOWAGE_RETURN_IF_ERROR(
        DispatchType(TypeList<int16_t, int32_t, int64_t>(), wanted.type,
                     [&](auto zero) { k = *wanted.as<decltype(zero)>(); }));
    const int32_t depth = context.input(0).dim(-1);
    if (k < 0 || k > depth) {
      return RefuseModel(InputPlace(context, 1), ": k is ", k,
                         "; expected 0 to ", depth,
                         ", the elements of a row of input 0");
    }
    Shape shape = context.input(0).shape;
    shape.back() = static_cast<int32_t>(k);
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, shape));
    return context.ResizeOutput(1, shape);
  }

  absl::Status Run(OperatorContext& context) override {
    return DispatchType(Numbers(), context.input(0).type, [&](auto zero) {
      return DispatchType(Places(), context.output(1).type, [&](auto place) {
        Compute<decltype(zero), decltype(place)>(context);
      });
    });
  }

  template <typename T, typename Place>
  void Compute(OperatorContext& context) const {
    const int64_t depth = context.input(0).dim(-1);
    const int64_t k = context.output(0).dim(-1);
    const T* row = context.input(0).as<T>();
    T* values = context.output(0).as<T>();
    auto* places = context.output(1).as<Place>();
    auto* const order = context.temporary(order_).as<int32_t>();
    // The outputs are empty if k is 0 or there are no rows.
    const auto count =
        static_cast<int64_t>(context.output(0).bytes / sizeof(T));
    for (int64_t at = 0; at < count; at += k, row += depth) {
      std::iota(order, order + depth, 0);
      std::partial_sort(order, order + k, order + depth,
                        [row](int32_t a, int32_t b) {
                          if (IsLarger(row[a], row[b])) return true;
                          return !IsLarger(row[b], row[a]) && a < b;
                        });
      for (int64_t i = 0; i < k; ++i) {
        *values++ = row[order[i]];
        *places++ = static_cast<Place>(order[i]);
      }
    }
  }

  size_t order_ =
      0;  // the temporary in which the positions of a row are sorted
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      Operator<TopK>("TOPK_V2",
                     "the largest elements of each row and their positions, "
                     "as many as input 1 says")
          .OfVersions(1, 3)};
}

}  // namespace stowage::harness::top_k
