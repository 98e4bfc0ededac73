// SPDX-License-Identifier: Apache-2.0
// Registers SVDF, which applies filters with matrices of limited rank to a
// sequence over time. Inputs: the input [batch, inputs]; feature weights
// [filters, inputs]; time weights [filters, memory]; an optional bias [units],
// with filters = units * rank; and the state, a variable of batch * filters *
// memory elements. Output [batch, units].
//
// Each run shifts the state by one step, appends the products of the input and
// the feature weights to the state, and multiplies the state by the time
// weights.
//
// Source: P. Nakkiran et al., "Compressing Deep Neural Networks using a
// Rank-Constrained Topology" (2015).
#include <cstring>

#include "src/harness/kernels/support.h"
#include "stowage/harness/fixed_point.h"

namespace stowage::harness::svdf {
namespace {

constexpr size_t kInput = 0;
constexpr size_t kFeature = 1;
constexpr size_t kTime = 2;
constexpr size_t kBias = 3;
constexpr size_t kState = 4;

struct Geometry {
  int64_t batches = 0;
  int64_t inputs = 0;
  int64_t filters = 0;
  int64_t memory = 0;
  int64_t rank = 1;

  int64_t units() const { return filters / rank; }
};

// The classes below contain the arithmetic for each kind of model. FeatureSum
// and TimeSum compute sums of products; ToState and ToOutput convert these
// sums.
struct FloatArithmetic {
  using Value = float;
  using Time = float;
  using Bias = float;
  using Sum = float;

  static float FeatureSum(const float* weights, const float* x, int64_t count) {
    float sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += weights[i] * x[i];
    return sum;
  }
  static float TimeSum(const float* weights, const float* state,
                       int64_t count) {
    return FeatureSum(weights, state, count);
  }
  static float ToState(float sum) { return sum; }
  float ToOutput(float sum) const { return range.Clamp(sum); }

  Range<float> range = {};
};

struct Factors {
  int32_t input_zero = 0;
  Multiplier feature;
  QuantizedOutput state;
  Multiplier time;
  QuantizedOutput output;
};

template <typename State>
struct IntegerArithmetic {
  using Value = int8_t;
  using Time = State;
  using Bias = int32_t;
  using Sum = int64_t;

  // Sums wrap at 32 bits, as in kernels with 32-bit accumulators.
  int32_t FeatureSum(const int8_t* weights, const int8_t* x,
                     int64_t count) const {
    uint32_t sum = 0;
    for (int64_t i = 0; i < count; ++i) {
      sum += static_cast<uint32_t>(weights[i] * (x[i] - factors.input_zero));
    }
    return static_cast<int32_t>(sum);
  }
  // Every sum of products of 16-bit numbers fits in 64 bits.
  int64_t TimeSum(const State* weights, const State* state,
                  int64_t count) const {
    int64_t sum = 0;
    for (int64_t i = 0; i < count; ++i) {
      sum += int64_t{weights[i]} * (state[i] - factors.state.zero_point);
    }
    return sum;
  }
  State ToState(int32_t sum) const {
    return static_cast<State>(factors.state.At(Multiply(sum, factors.feature)));
  }
  int8_t ToOutput(int64_t sum) const {
    return static_cast<int8_t>(
        factors.output.At(Multiply(static_cast<int32_t>(sum), factors.time)));
  }

  const Factors& factors;
};

template <typename Arithmetic>
void Run(const Geometry& g, const Arithmetic& arithmetic,
         OperatorContext& context) {
  using Value = typename Arithmetic::Value;
  using Time = typename Arithmetic::Time;
  using Sum = typename Arithmetic::Sum;
  const auto* const feature = context.input(kFeature).as<Value>();
  const auto* const time = context.input(kTime).as<Time>();
  const auto* const bias =
      OptionalInput<typename Arithmetic::Bias>(context, kBias);
  auto* state = context.variable(kState).as<Time>();
  auto* output = context.output(0).as<Value>();
  const int64_t size = g.batches * g.filters * g.memory;
  if (size == 0) return;
  std::memmove(state, state + 1, static_cast<size_t>(size - 1) * sizeof(Time));
  for (int64_t b = 0; b < g.batches; ++b, state += g.filters * g.memory) {
    const auto* const input = context.input(kInput).as<Value>() + b * g.inputs;
    for (int64_t f = 0; f < g.filters; ++f) {
      state[(f + 1) * g.memory - 1] = arithmetic.ToState(
          arithmetic.FeatureSum(feature + f * g.inputs, input, g.inputs));
    }
    for (int64_t u = 0; u < g.units(); ++u) {
      Sum sum = bias == nullptr ? 0 : static_cast<Sum>(bias[u]);
      for (int64_t f = u * g.rank; f < (u + 1) * g.rank; ++f) {
        sum += arithmetic.TimeSum(time + f * g.memory, state + f * g.memory,
                                  g.memory);
      }
      *output++ = arithmetic.ToOutput(sum);
    }
  }
}

absl::StatusOr<Geometry> MakeGeometry(OperatorContext& context, int32_t rank) {
  for (const size_t i : {kInput, kFeature, kTime}) {
    STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, i, 2, 2));
  }
  const Tensor& feature = context.input(kFeature);
  Geometry g;
  g.batches = context.input(kInput).dim(0);
  g.inputs = context.input(kInput).dim(1);
  g.filters = feature.dim(0);
  g.memory = context.input(kTime).dim(1);
  g.rank = rank;
  if (rank < 1 || g.filters < 1 || g.filters % rank != 0 ||
      feature.dim(1) != g.inputs || context.input(kTime).dim(0) != g.filters ||
      g.memory < 1) {
    return RefuseModel(
        "its input is ", ShapeText(context.input(kInput).shape),
        ", its weights ", ShapeText(feature.shape), " and ",
        ShapeText(context.input(kTime).shape), ", its rank ", rank,
        "; expected [batch, inputs], [units * rank, inputs] and [units * rank, "
        "memory]");
  }
  if (context.has_input(kBias) &&
      context.input(kBias).elements() != g.units()) {
    return RefuseModel(InputPlace(context, kBias), ": it has ",
                       context.input(kBias).elements(),
                       " elements; expected one for each of ", g.units(),
                       " units");
  }
  const Tensor& state = context.input(kState);
  const int64_t image = g.filters * g.memory;
  if (!state.is_variable || state.elements() % image != 0 ||
      state.elements() / image != g.batches) {
    return RefuseModel(InputPlace(context, kState), ": its shape is ",
                       ShapeText(state.shape), "; expected a variable of ",
                       g.batches, " times ", g.filters, " times ", g.memory,
                       " elements");
  }
  return g;
}

class Svdf : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 3, 5, 1));
    if (!context.has_input(kState)) {
      return RefuseModel("input 4 is left out; expected the state");
    }
    STOWAGE_ASSIGN_OR_RETURN(const auto* const options,
                             OptionsOf<tflite::SVDFOptions>(context));
    STOWAGE_RETURN_IF_ERROR(CheckTypes(context));
    STOWAGE_ASSIGN_OR_RETURN(geometry_, MakeGeometry(context, options->rank()));
    const auto activation =
        FusedActivationOf(options->fused_activation_function());
    if (is_float_) {
      STOWAGE_ASSIGN_OR_RETURN(range_, FloatRange(activation));
    } else {
      STOWAGE_RETURN_IF_ERROR(PrepareFactors(context, activation));
    }
    return context.ResizeOutput(0, {static_cast<int32_t>(geometry_.batches),
                                    static_cast<int32_t>(geometry_.units())});
  }

  absl::Status Invoke(OperatorContext& context) override {
    if (is_float_) {
      Run(geometry_, FloatArithmetic{range_}, context);
    } else if (context.input(kState).type == ElementType::kInt16) {
      Run(geometry_, IntegerArithmetic<int16_t>{factors_}, context);
    } else {
      Run(geometry_, IntegerArithmetic<int8_t>{factors_}, context);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status CheckTypes(OperatorContext& context) {
    STOWAGE_RETURN_IF_ERROR(
        CheckInputType(context, kInput, TypeList<float, int8_t>()));
    const ElementType type = context.input(kInput).type;
    is_float_ = type == ElementType::kFloat32;
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, kFeature, {type}));
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {type}));
    if (context.has_input(kBias)) {
      STOWAGE_RETURN_IF_ERROR(CheckInputType(
          context, kBias, {is_float_ ? type : ElementType::kInt32}));
    }
    STOWAGE_RETURN_IF_ERROR(
        is_float_
            ? CheckInputType(context, kState, {type})
            : CheckInputType(context, kState, TypeList<int8_t, int16_t>()));
    return CheckInputType(context, kTime, {context.input(kState).type});
  }

  absl::Status PrepareFactors(OperatorContext& context,
                              FusedActivation activation) {
    for (const size_t i : {kInput, kFeature, kTime, kState}) {
      STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, i));
    }
    STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, 0));
    // RELU needs no clamping, because converters put its lower end at the zero
    // point of the output.
    if (activation != FusedActivation::kNone &&
        activation != FusedActivation::kRelu) {
      return RefuseModel("its fused activation is number ",
                         static_cast<int>(activation),
                         "; expected NONE or RELU");
    }
    const auto scale = [&](size_t i) {
      return context.input(i).quantization.scale();
    };
    const float feature = scale(kInput) * scale(kFeature) / scale(kState);
    const float time =
        scale(kState) * scale(kTime) / context.output(0).quantization.scale();
    factors_.input_zero = context.input(kInput).quantization.zero_point();
    STOWAGE_ASSIGN_OR_RETURN(factors_.feature, MultiplierOfScales(feature));
    STOWAGE_ASSIGN_OR_RETURN(factors_.time, MultiplierOfScales(time));
    factors_.state = QuantizedOutputOf(context.input(kState));
    factors_.output = QuantizedOutputOf(context.output(0));
    return absl::OkStatus();
  }

  Geometry geometry_;
  bool is_float_ = true;
  Range<float> range_ = {};
  Factors factors_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      Operator<Svdf>("SVDF",
                     "filters of low rank over features and time, with a state")
          .OfVersions(1, 4)};
}

}  // namespace stowage::harness::svdf
