// SPDX-License-Identifier: Apache-2.0
// Provides loops for operators that compute each element of the output from one
// element of each input, and a base class for such operators with two inputs.
// The output may share memory with one of the inputs.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_ELEMENTWISE_H_
#define STOWAGE_SRC_HARNESS_KERNELS_ELEMENTWISE_H_

#include <cstdint>
#include <type_traits>

#include "src/harness/kernels/strided_loop.h"
#include "src/harness/kernels/support.h"

// Declares to GCC that the iterations of a loop are independent. This is true
// even if the output shares memory with an input, because every element is read
// before it is written and is never read again. GCC cannot infer this, and
// without the pragma would not vectorize the loop.
#if defined(__GNUC__) && !defined(__clang__)
#define STOWAGE_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define STOWAGE_INDEPENDENT_ITERATIONS
#endif

namespace stowage::harness {

// Returns f(a, b). Integers are converted to the unsigned type of T before `f`
// is called, so the result wraps around on overflow.
template <typename T, typename F>
T Wrapping(T a, T b, F f) {
  if constexpr (std::is_floating_point_v<T>) {
    return f(a, b);
  } else {
    using Unsigned = std::common_type_t<std::make_unsigned_t<T>, uint32_t>;
    return static_cast<T>(
        f(static_cast<Unsigned>(a), static_cast<Unsigned>(b)));
  }
}

// Sets output[i] = f(input[i]).
template <typename In, typename Out, typename F>
void ForEachElement(const In* input, Out* output, int64_t count, F f) {
  STOWAGE_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < count; ++i) output[i] = f(input[i]);
}

// Sets output = f(a, b) for all elements that the loop visits. The streams of
// the loop are `output`, `a` and `b`, in this order.
template <typename In, typename Out, typename F>
void ForEachPair(const StridedLoop<3>& loop, const In* a, const In* b,
                 Out* output, F f) {
  const int64_t n = loop.inner().extent;
  const bool a_repeats = loop.inner().strides[1] == 0;
  const bool b_repeats = loop.inner().strides[2] == 0;
  loop.ForEachRow({}, [=](const StridedLoop<3>::Offsets& at) {
    Out* to = output + at[0];
    const In* x = a + at[1];
    const In* y = b + at[2];
    if (a_repeats) {
      const In first = *x;
      STOWAGE_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < n; ++i) to[i] = f(first, y[i]);
    } else if (b_repeats) {
      const In second = *y;
      STOWAGE_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < n; ++i) to[i] = f(x[i], second);
    } else {
      STOWAGE_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < n; ++i) to[i] = f(x[i], y[i]);
    }
  });
}

// The base class of operators that broadcast two inputs of the same type to one
// output.
class BinaryKernel : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) final {
    STOWAGE_RETURN_IF_ERROR(Check(context));
    const Shape& a = context.input(0).shape;
    const Shape& b = context.input(1).shape;
    STOWAGE_ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(a, b));
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, shape));
    loop_ = BroadcastLoop<2>(shape, {&a, &b});
    return absl::OkStatus();
  }

 protected:
  // Checks counts, types, quantization and options.
  virtual absl::Status Check(OperatorContext& context) = 0;

  // Sets output = f(input 0, input 1) for all elements. `In` and `Out` are the
  // C++ types of the elements of the inputs and of the output.
  template <typename In, typename Out, typename F>
  void Compute(OperatorContext& context, F f) const {
    ForEachPair(loop_, context.input(0).as<In>(), context.input(1).as<In>(),
                context.output(0).as<Out>(), f);
  }

 private:
  StridedLoop<3> loop_;  // has three streams: the output and the two inputs
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_ELEMENTWISE_H_
