// SVDF: filters over time of rank-limited matrices. Inputs: the input [batch,
// inputs]; feature weights [filters, inputs]; time weights [filters, memory];
// an optional bias [units], filters = units * rank; and the state, a variable
// of batch * filters * memory elements. Output [batch, units].
//
// Each run moves the state by one step, puts the products of input and feature
// weights at its end, and multiplies it with the time weights.
//
// Source: P. Nakkiran et al., "Compressing Deep Neural Networks using a
// Rank-Constrained Topology" (2015).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/support.h"
#include "src/tflite/model_generated.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

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

struct Factors {
  Multiplier feature;
  Multiplier time;
  int32_t input_zero = 0;
  int32_t state_zero = 0;
  int32_t output_zero = 0;
};

// Sums wrap at 32 bits, as they do in kernels that have no more.
template <typename T>
int32_t Dot(const int8_t* weights, const T* x, int32_t zero, int64_t count) {
  uint32_t sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    sum += static_cast<uint32_t>(weights[i] * (x[i] - zero));
  }
  return static_cast<int32_t>(sum);
}

// Products of 16-bit numbers: 64 bits hold any sum of them.
template <typename T>
int64_t TimeDot(const T* weights, const T* state, int32_t zero, int64_t count) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    sum += int64_t{weights[i]} * (state[i] - zero);
  }
  return sum;
}

float FloatDot(const float* weights, const float* x, int64_t count) {
  float sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += weights[i] * x[i];
  return sum;
}

template <typename T>
void MoveState(const Geometry& g, T* state) {
  const int64_t count = g.batches * g.filters * g.memory;
  if (count == 0) return;
  std::memmove(state, state + 1, static_cast<size_t>(count - 1) * sizeof(T));
}

void RunFloat(const Geometry& g, const Range<float>& range, const float* input,
              const float* feature, const float* time, const float* bias,
              float* state, float* output) {
  MoveState(g, state);
  for (int64_t b = 0; b < g.batches; ++b) {
    for (int64_t f = 0; f < g.filters; ++f) {
      state[(b * g.filters + f + 1) * g.memory - 1] =
          FloatDot(feature + f * g.inputs, input + b * g.inputs, g.inputs);
    }
    for (int64_t u = 0; u < g.units(); ++u) {
      float sum = bias == nullptr ? 0 : bias[u];
      for (int64_t f = u * g.rank; f < (u + 1) * g.rank; ++f) {
        sum += FloatDot(time + f * g.memory,
                        state + (b * g.filters + f) * g.memory, g.memory);
      }
      output[b * g.units() + u] = range.Clamp(sum);
    }
  }
}

template <typename T>
void RunInteger(const Geometry& g, const Factors& factors, const int8_t* input,
                const int8_t* feature, const T* time, const int32_t* bias,
                T* state, int8_t* output) {
  MoveState(g, state);
  for (int64_t b = 0; b < g.batches; ++b) {
    for (int64_t f = 0; f < g.filters; ++f) {
      const int32_t sum = Dot(feature + f * g.inputs, input + b * g.inputs,
                              factors.input_zero, g.inputs);
      const int64_t scaled =
          int64_t{Multiply(sum, factors.feature)} + factors.state_zero;
      state[(b * g.filters + f + 1) * g.memory - 1] = static_cast<T>(
          std::clamp<int64_t>(scaled, std::numeric_limits<T>::min(),
                              std::numeric_limits<T>::max()));
    }
    for (int64_t u = 0; u < g.units(); ++u) {
      int64_t sum = bias == nullptr ? 0 : bias[u];
      for (int64_t f = u * g.rank; f < (u + 1) * g.rank; ++f) {
        sum +=
            TimeDot(time + f * g.memory, state + (b * g.filters + f) * g.memory,
                    factors.state_zero, g.memory);
      }
      const int64_t scaled =
          int64_t{Multiply(static_cast<int32_t>(sum), factors.time)} +
          factors.output_zero;
      output[b * g.units() + u] =
          static_cast<int8_t>(std::clamp<int64_t>(scaled, -128, 127));
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
    return absl::InvalidArgumentError(absl::StrCat(
        "its input is ", ShapeText(context.input(kInput).shape),
        ", its weights ", ShapeText(feature.shape), " and ",
        ShapeText(context.input(kTime).shape), ", its rank ", rank,
        ": expected [batch, inputs], [units * rank, inputs] and [units * rank, "
        "memory]"));
  }
  if (context.has_input(kBias) &&
      context.input(kBias).elements() != g.units()) {
    return absl::InvalidArgumentError(absl::StrCat(
        InputPlace(context, kBias), ": it has ",
        context.input(kBias).elements(), " elements: expected one for each of ",
        g.units(), " units"));
  }
  const Tensor& state = context.input(kState);
  const int64_t image = g.filters * g.memory;
  if (!state.is_variable || state.elements() % image != 0 ||
      state.elements() / image != g.batches) {
    return absl::InvalidArgumentError(absl::StrCat(
        InputPlace(context, kState), ": its shape is ", ShapeText(state.shape),
        ": expected a variable of ", g.batches, " times ", g.filters, " times ",
        g.memory, " elements"));
  }
  return g;
}

class Svdf : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 3, 5, 1));
    if (!context.has_input(kState)) {
      return absl::InvalidArgumentError(
          "input 4 is left out: expected the state");
    }
    const absl::StatusOr<const tflite::SVDFOptions*> options =
        OptionsOf<tflite::SVDFOptions>(context.spec());
    if (!options.ok()) return options.status();
    STOWAGE_RETURN_IF_ERROR(CheckTypes(context));
    const absl::StatusOr<Geometry> geometry =
        MakeGeometry(context, (*options)->rank());
    if (!geometry.ok()) return geometry.status();
    geometry_ = *geometry;
    if (is_float_) {
      const absl::StatusOr<Range<float>> range =
          FloatRange((*options)->fused_activation_function());
      if (!range.ok()) return range.status();
      range_ = *range;
    } else {
      STOWAGE_RETURN_IF_ERROR(PrepareFactors(context, **options));
    }
    return context.ResizeOutput(0, {static_cast<int32_t>(geometry_.batches),
                                    static_cast<int32_t>(geometry_.units())});
  }

  absl::Status Invoke(OperatorContext& context) override {
    if (is_float_) {
      RunFloat(geometry_, range_, context.input(kInput).as<float>(),
               context.input(kFeature).as<float>(),
               context.input(kTime).as<float>(), Bias<float>(context),
               context.variable(kState).as<float>(),
               context.output(0).as<float>());
    } else if (context.input(kState).type == ElementType::kInt16) {
      InvokeInteger<int16_t>(context);
    } else {
      InvokeInteger<int8_t>(context);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status CheckTypes(OperatorContext& context) {
    STOWAGE_RETURN_IF_ERROR(CheckInputType(
        context, kInput, {ElementType::kFloat32, ElementType::kInt8}));
    const ElementType type = context.input(kInput).type;
    is_float_ = type == ElementType::kFloat32;
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, kFeature, {type}));
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {type}));
    if (context.has_input(kBias)) {
      const ElementType bias_type =
          is_float_ ? ElementType::kFloat32 : ElementType::kInt32;
      STOWAGE_RETURN_IF_ERROR(CheckInputType(context, kBias, {bias_type}));
    }
    if (is_float_) {
      STOWAGE_RETURN_IF_ERROR(CheckInputType(context, kTime, {type}));
      return CheckInputType(context, kState, {type});
    }
    STOWAGE_RETURN_IF_ERROR(CheckInputType(
        context, kState, {ElementType::kInt8, ElementType::kInt16}));
    return CheckInputType(context, kTime, {context.input(kState).type});
  }

  absl::Status PrepareFactors(OperatorContext& context,
                              const tflite::SVDFOptions& options) {
    for (const size_t i : {kInput, kFeature, kTime, kState}) {
      STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, i));
    }
    STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, 0));
    // Converters put the lower end of RELU at the zero point of the output.
    using Activation = tflite::ActivationFunctionType;
    const Activation activation = options.fused_activation_function();
    if (activation != Activation::NONE && activation != Activation::RELU) {
      return absl::InvalidArgumentError(absl::StrCat(
          "its fused activation is number ", static_cast<int>(activation),
          ": expected NONE or RELU"));
    }
    const auto scale = [&](size_t i) {
      return context.input(i).quantization.scale();
    };
    const float feature = scale(kInput) * scale(kFeature) / scale(kState);
    const float time =
        scale(kState) * scale(kTime) / context.output(0).quantization.scale();
    if (!std::isfinite(feature) || !std::isfinite(time)) {
      return absl::InvalidArgumentError(
          absl::StrCat("its scales give factors of ", feature, " and ", time,
                       ": expected finite ones"));
    }
    factors_.feature = QuantizeMultiplier(double{feature});
    factors_.time = QuantizeMultiplier(double{time});
    factors_.input_zero = context.input(kInput).quantization.zero_point();
    factors_.state_zero = context.input(kState).quantization.zero_point();
    factors_.output_zero = context.output(0).quantization.zero_point();
    return absl::OkStatus();
  }

  template <typename T>
  static const T* Bias(const OperatorContext& context) {
    return context.has_input(kBias) ? context.input(kBias).as<T>() : nullptr;
  }

  template <typename T>
  void InvokeInteger(OperatorContext& context) {
    RunInteger(geometry_, factors_, context.input(kInput).as<int8_t>(),
               context.input(kFeature).as<int8_t>(),
               context.input(kTime).as<T>(), Bias<int32_t>(context),
               context.variable(kState).as<T>(),
               context.output(0).as<int8_t>());
  }

  Geometry geometry_;
  bool is_float_ = true;
  Range<float> range_ = {0, 0};
  Factors factors_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("SVDF")
              .Computes("filters over time of rank-limited matrices")
              .OfVersions(1, 4)
              .Creates<Svdf>()};
}

}  // namespace stowage::harness::svdf
