// SPDX-License-Identifier: Apache-2.0
// Describes elementwise functions of one or two tensors, and SOFTMAX.
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/delegates/xnnpack/operation.h"

namespace stowage::harness::xnnpack {
namespace {

constexpr InPlace kEither = InPlace::kInput0 | InPlace::kInput1;

// Returns a function that calls setup(operator, rank of input 0, shape of input
// 0, rank of input 1, shape of input 1, input 0, input 1, output, pool).
template <typename T, typename F>
Operation::Setup SetupBinary(const Node& node, F setup) {
  return
      [setup, a = Sizes(node.input(0).shape), b = Sizes(node.input(1).shape)](
          xnn_operator_t op, const Addresses& at, pthreadpool_t pool) {
        return setup(op, a.size(), a.data(), b.size(), b.data(),
                     static_cast<const T*>(at.inputs[0]),
                     static_cast<const T*>(at.inputs[1]),
                     static_cast<T*>(at.output), pool);
      };
}

Operation BinaryOperation(const Node& node) {
  Operation operation;
  operation.inputs = {node.spec().inputs[0], node.spec().inputs[1]};
  operation.in_place = kEither;
  return operation;
}

absl::Status CheckBinary(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(node.CheckOneDataType({0, 1}));
  if (node.output().rank() <= XNN_MAX_TENSOR_DIMS) return absl::OkStatus();
  return Refuse("it has ", node.output().rank(),
                " dimensions; expected at most ", XNN_MAX_TENSOR_DIMS);
}

absl::StatusOr<OutputRange> FusedRangeOf(const Node& node) {
  STOWAGE_ASSIGN_OR_RETURN(const FusedActivation activation,
                           ArithmeticActivationOf(node.spec()));
  return OutputRangeOf(node.output(), activation);
}

// Describes a quantized function of two inputs with a fused activation. The
// inputs may have different scales.
template <typename T, typename Create, typename Setup>
absl::StatusOr<Operation> QuantizedBinary(const Node& node,
                                          const OutputRange& out, Create create,
                                          Setup setup) {
  STOWAGE_ASSIGN_OR_RETURN(const ScaleAndZero a, ScaleAndZeroOf(node.input(0)));
  STOWAGE_ASSIGN_OR_RETURN(const ScaleAndZero b, ScaleAndZeroOf(node.input(1)));
  Operation operation = BinaryOperation(node);
  operation.create = [=](xnn_operator_t* op) {
    return create(static_cast<T>(a.zero_point), a.scale,
                  static_cast<T>(b.zero_point), b.scale,
                  static_cast<T>(out.scale.zero_point), out.scale.scale,
                  static_cast<T>(out.quantized.min),
                  static_cast<T>(out.quantized.max), 0, op);
  };
  operation.setup = SetupBinary<T>(node, setup);
  return operation;
}

template <typename Create, typename Setup>
Operation RealBinary(const Node& node, const Range<float>& range, Create create,
                     Setup setup) {
  Operation operation = BinaryOperation(node);
  operation.create = [=](xnn_operator_t* op) {
    return create(range.min, range.max, 0, op);
  };
  operation.setup = SetupBinary<float>(node, setup);
  return operation;
}

// Describes a function of two numbers, for all types. The template arguments
// are XNNPACK's create and setup functions for each type.
template <auto kCreateF32, auto kSetupF32, auto kCreateS8, auto kSetupS8,
          auto kCreateU8, auto kSetupU8>
absl::StatusOr<Operation> DescribeBinary(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(CheckBinary(node));
  STOWAGE_ASSIGN_OR_RETURN(const OutputRange out, FusedRangeOf(node));
  switch (node.output().type) {
    case ElementType::kInt8:
      return QuantizedBinary<int8_t>(node, out, kCreateS8, kSetupS8);
    case ElementType::kUint8:
      return QuantizedBinary<uint8_t>(node, out, kCreateU8, kSetupU8);
    default:
      return RealBinary(node, out.real, kCreateF32, kSetupF32);
  }
}

absl::Status CheckReal(const Node& node) {
  if (node.output().type == ElementType::kFloat32) return absl::OkStatus();
  return Refuse("its output is of ", ElementTypeName(node.output().type),
                "; expected FLOAT32");
}

absl::StatusOr<Operation> DescribeQuotient(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(CheckBinary(node));
  STOWAGE_RETURN_IF_ERROR(CheckReal(node));
  STOWAGE_ASSIGN_OR_RETURN(const OutputRange out, FusedRangeOf(node));
  return RealBinary(node, out.real, xnn_create_divide_nd_f32,
                    xnn_setup_divide_nd_f32);
}

// Describes a function of two FLOAT32 numbers without an activation.
template <auto kCreate, auto kSetup>
absl::StatusOr<Operation> DescribeRealBinary(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(CheckBinary(node));
  STOWAGE_RETURN_IF_ERROR(CheckReal(node));
  const auto create = [](float /*min*/, float /*max*/, uint32_t flags,
                         xnn_operator_t* op) { return kCreate(flags, op); };
  return RealBinary(node, {}, create, kSetup);
}

Operation UnaryOperation(const Node& node, Operation::Create create,
                         Operation::Setup setup) {
  Operation operation;
  operation.inputs = {node.spec().inputs[0]};
  operation.in_place = InPlace::kInput0;
  operation.create = std::move(create);
  operation.setup = std::move(setup);
  return operation;
}

// Describes a function of one FLOAT32 number that has no options.
template <auto kCreate, auto kSetup>
absl::StatusOr<Operation> DescribeReal(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(node.CheckOneDataType({0}));
  STOWAGE_RETURN_IF_ERROR(CheckReal(node));
  const Rows rows(node.input(0));
  return UnaryOperation(
      node,
      [=, channels = rows.channels](xnn_operator_t* op) {
        return kCreate(channels, channels, channels, 0, op);
      },
      SetupUnary<float, float>(kSetup, rows.count));
}

// Describes a function that clamps values to a range. If the tensors are
// quantized, the input and the output must have the same scale.
template <int kMin, int kMax>
absl::StatusOr<Operation> DescribeClamp(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(node.CheckOneDataType({0}));
  const Rows rows(node.input(0));
  const size_t channels = rows.channels;
  const Range<float> range = {
      kMin, kMax == 0 ? std::numeric_limits<float>::infinity() : kMax};
  const ElementType type = node.input(0).type;
  Range<int32_t> steps = {};
  if (type != ElementType::kFloat32) {
    STOWAGE_RETURN_IF_ERROR(CheckSameScale(node.input(0), node.output()));
    STOWAGE_ASSIGN_OR_RETURN(const OutputRange out,
                             OutputRangeOf(node.output()));
    const auto step_of = [&](float real) {
      const double step = std::round(real / out.scale.scale);
      const Range<double> all = {static_cast<double>(out.quantized.min),
                                 static_cast<double>(out.quantized.max)};
      return static_cast<int32_t>(all.Clamp(step + out.scale.zero_point));
    };
    steps = {step_of(range.min), step_of(range.max)};
  }
  const auto create = [=](xnn_operator_t* op) {
    switch (type) {
      case ElementType::kInt8:
        return xnn_create_clamp_nc_s8(channels, channels, channels,
                                      static_cast<int8_t>(steps.min),
                                      static_cast<int8_t>(steps.max), 0, op);
      case ElementType::kUint8:
        return xnn_create_clamp_nc_u8(channels, channels, channels,
                                      static_cast<uint8_t>(steps.min),
                                      static_cast<uint8_t>(steps.max), 0, op);
      default:
        return xnn_create_clamp_nc_f32(channels, channels, channels, range.min,
                                       range.max, 0, op);
    }
  };
  return UnaryOperation(
      node, create,
      SetupUnaryOf(type, xnn_setup_clamp_nc_f32, xnn_setup_clamp_nc_s8,
                   xnn_setup_clamp_nc_u8, rows.count));
}

// Describes a function that XNNPACK evaluates by looking up 8-bit values in a
// table.
template <typename T, typename Create, typename Setup>
absl::StatusOr<Operation> TableOperation(const Node& node, Create create,
                                         Setup setup) {
  STOWAGE_ASSIGN_OR_RETURN(const ScaleAndZero in,
                           ScaleAndZeroOf(node.input(0)));
  STOWAGE_ASSIGN_OR_RETURN(const OutputRange out, OutputRangeOf(node.output()));
  const Rows rows(node.input(0));
  return UnaryOperation(
      node,
      [=, channels = rows.channels](xnn_operator_t* op) {
        return create(channels, channels, channels,
                      static_cast<T>(in.zero_point), in.scale,
                      static_cast<T>(out.scale.zero_point), out.scale.scale,
                      static_cast<T>(out.quantized.min),
                      static_cast<T>(out.quantized.max), uint32_t{0}, op);
      },
      SetupUnary<T, T>(setup, rows.count));
}

absl::StatusOr<Operation> DescribeLogistic(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(node.CheckOneDataType({0}));
  switch (node.output().type) {
    case ElementType::kInt8:
      return TableOperation<int8_t>(node, xnn_create_sigmoid_nc_qs8,
                                    xnn_setup_sigmoid_nc_qs8);
    case ElementType::kUint8:
      return TableOperation<uint8_t>(node, xnn_create_sigmoid_nc_qu8,
                                     xnn_setup_sigmoid_nc_qu8);
    default:
      return DescribeReal<xnn_create_sigmoid_nc_f32, xnn_setup_sigmoid_nc_f32>(
          node);
  }
}

absl::StatusOr<Operation> DescribeTanh(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(node.CheckOneDataType({0}));
  switch (node.output().type) {
    case ElementType::kInt8:
      return TableOperation<int8_t>(node, xnn_create_tanh_nc_qs8,
                                    xnn_setup_tanh_nc_qs8);
    case ElementType::kUint8:
      return TableOperation<uint8_t>(node, xnn_create_tanh_nc_qu8,
                                     xnn_setup_tanh_nc_qu8);
    default:
      return Refuse("XNNPACK has no TANH of FLOAT32");
  }
}

absl::StatusOr<Operation> DescribeLeakyRelu(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(node.CheckOneDataType({0}));
  STOWAGE_ASSIGN_OR_RETURN(const float alpha, LeakyReluAlphaOf(node.spec()));
  switch (node.output().type) {
    case ElementType::kInt8:
      return Refuse("XNNPACK has no LEAKY_RELU of INT8");
    case ElementType::kUint8:
      return TableOperation<uint8_t>(
          node,
          [alpha](size_t channels, size_t input_stride, size_t output_stride,
                  auto... rest) {
            return xnn_create_leaky_relu_nc_qu8(channels, input_stride,
                                                output_stride, alpha, rest...);
          },
          xnn_setup_leaky_relu_nc_qu8);
    default: {
      const Rows rows(node.input(0));
      return UnaryOperation(
          node,
          [=, channels = rows.channels](xnn_operator_t* op) {
            return xnn_create_leaky_relu_nc_f32(channels, channels, channels,
                                                alpha, 0, op);
          },
          SetupUnary<float, float>(xnn_setup_leaky_relu_nc_f32, rows.count));
    }
  }
}

absl::StatusOr<Operation> DescribePrelu(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(node.CheckOneDataType({0, 1}));
  STOWAGE_RETURN_IF_ERROR(CheckReal(node));
  const Rows rows(node.input(0));
  const Tensor* const slopes = node.constant(1);
  if (slopes == nullptr || slopes->elements() != int64_t(rows.channels) ||
      slopes->rank() > node.input(0).rank() ||
      slopes->dim(-1) != node.input(0).dim(-1)) {
    return Refuse("its slopes are ", ShapeText(node.input(1).shape),
                  "; expected a constant for each of ", rows.channels,
                  " channels");
  }
  Operation operation = UnaryOperation(
      node,
      [=, channels = rows.channels](xnn_operator_t* op) {
        return xnn_create_prelu_nc_f32(channels, channels, channels,
                                       ConstantFloats(slopes).data(), 0, op);
      },
      SetupUnary<float, float>(xnn_setup_prelu_nc_f32, rows.count));
  operation.packs_weights = true;
  return operation;
}

absl::StatusOr<Operation> DescribeSoftmax(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(node.CheckOneDataType({0}));
  STOWAGE_ASSIGN_OR_RETURN(const float beta, SoftmaxBetaOf(node.spec()));
  if (node.output().type == ElementType::kInt8) {
    return Refuse("XNNPACK has no SOFTMAX of INT8");
  }
  if (node.output().type == ElementType::kFloat32) {
    if (beta == 1.0F) {
      return DescribeReal<xnn_create_softmax_nc_f32, xnn_setup_softmax_nc_f32>(
          node);
    }
    return Refuse("its beta is ", beta, "; expected 1");
  }
  STOWAGE_ASSIGN_OR_RETURN(const ScaleAndZero in,
                           ScaleAndZeroOf(node.input(0)));
  STOWAGE_ASSIGN_OR_RETURN(const ScaleAndZero out,
                           ScaleAndZeroOf(node.output()));
  const Rows rows(node.input(0));
  return UnaryOperation(
      node,
      [=, channels = rows.channels,
       scale = in.scale * beta](xnn_operator_t* op) {
        return xnn_create_softmax_nc_qu8(channels, channels, channels, scale,
                                         static_cast<uint8_t>(out.zero_point),
                                         out.scale, 0, op);
      },
      SetupUnary<uint8_t, uint8_t>(xnn_setup_softmax_nc_qu8, rows.count));
}

}  // namespace

absl::Span<const DescribeRow> ElementwiseRows() {
  static const DescribeRow rows[] = {
      {"ABS", DescribeReal<xnn_create_abs_nc_f32, xnn_setup_abs_nc_f32>},
      {"ADD", DescribeBinary<xnn_create_add_nd_f32, xnn_setup_add_nd_f32,
                             xnn_create_add_nd_qs8, xnn_setup_add_nd_qs8,
                             xnn_create_add_nd_qu8, xnn_setup_add_nd_qu8>},
      {"CEIL",
       DescribeReal<xnn_create_ceiling_nc_f32, xnn_setup_ceiling_nc_f32>},
      {"DIV", DescribeQuotient},
      {"FLOOR", DescribeReal<xnn_create_floor_nc_f32, xnn_setup_floor_nc_f32>},
      {"HARD_SWISH",
       DescribeReal<xnn_create_hardswish_nc_f32, xnn_setup_hardswish_nc_f32>},
      {"LEAKY_RELU", DescribeLeakyRelu},
      {"LOGISTIC", DescribeLogistic},
      {"MAXIMUM",
       DescribeRealBinary<xnn_create_maximum_nd_f32, xnn_setup_maximum_nd_f32>},
      {"MINIMUM",
       DescribeRealBinary<xnn_create_minimum_nd_f32, xnn_setup_minimum_nd_f32>},
      {"MUL",
       DescribeBinary<xnn_create_multiply_nd_f32, xnn_setup_multiply_nd_f32,
                      xnn_create_multiply_nd_qs8, xnn_setup_multiply_nd_qs8,
                      xnn_create_multiply_nd_qu8, xnn_setup_multiply_nd_qu8>},
      {"NEG", DescribeReal<xnn_create_negate_nc_f32, xnn_setup_negate_nc_f32>},
      {"PRELU", DescribePrelu},
      {"RELU", DescribeClamp<0, 0>},
      {"RELU6", DescribeClamp<0, 6>},
      {"RELU_0_TO_1", DescribeClamp<0, 1>},
      {"RELU_N1_TO_1", DescribeClamp<-1, 1>},
      {"ROUND", DescribeReal<xnn_create_bankers_rounding_nc_f32,
                             xnn_setup_bankers_rounding_nc_f32>},
      {"SOFTMAX", DescribeSoftmax},
      {"SQRT", DescribeReal<xnn_create_square_root_nc_f32,
                            xnn_setup_square_root_nc_f32>},
      {"SQUARE",
       DescribeReal<xnn_create_square_nc_f32, xnn_setup_square_nc_f32>},
      {"SQUARED_DIFFERENCE",
       DescribeRealBinary<xnn_create_squared_difference_nd_f32,
                          xnn_setup_squared_difference_nd_f32>},
      {"SUB",
       DescribeBinary<xnn_create_subtract_nd_f32, xnn_setup_subtract_nd_f32,
                      xnn_create_subtract_nd_qs8, xnn_setup_subtract_nd_qs8,
                      xnn_create_subtract_nd_qu8, xnn_setup_subtract_nd_qu8>},
      {"TANH", DescribeTanh},
  };
  return rows;
}

}  // namespace stowage::harness::xnnpack
