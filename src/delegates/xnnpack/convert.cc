// SPDX-License-Identifier: Apache-2.0
// Describes operators that move elements or change their type: PAD, RESHAPE,
// QUANTIZE and others.
#include <array>
#include <cstring>
#include <limits>

#include "absl/algorithm/container.h"
#include "src/delegates/xnnpack/operation.h"

namespace stowage::harness::xnnpack {
namespace {

Operation MovingOperation(const Node& node) {
  Operation operation;
  operation.inputs = {node.spec().inputs[0]};
  return operation;
}

// Describes a copy of all elements to a tensor with another shape.
absl::StatusOr<Operation> DescribeCopy(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(node.CheckOneDataType({0}));
  if (node.has_input(1) && node.constant(1) == nullptr) {
    return Refuse("its shape is computed; expected a constant");
  }
  if (node.input(0).bytes != node.output().bytes) {
    return Refuse("its input has ", node.input(0).bytes, " bytes, its output ",
                  node.output().bytes, "; expected equal counts");
  }
  Operation operation = MovingOperation(node);
  operation.in_place = InPlace::kUnmodified | InPlace::kInput0;
  return operation;
}

// The numbers of elements that are added before and after the input in each
// dimension.
struct Paddings {
  std::vector<size_t> before;
  std::vector<size_t> after;
};
absl::StatusOr<Paddings> ConstantPaddings(const Node& node) {
  const Tensor* const counts = node.constant(1);
  const Tensor& input = node.input(0);
  if (counts == nullptr || counts->type != ElementType::kInt32 ||
      counts->elements() != 2 * int64_t{input.rank()}) {
    return Refuse("its paddings are not INT32 constants for each dimension");
  }
  if (input.rank() > XNN_MAX_TENSOR_DIMS) {
    return Refuse("it has ", input.rank(), " dimensions; expected at most ",
                  XNN_MAX_TENSOR_DIMS);
  }
  Paddings paddings;
  for (const int32_t count : counts->span<int32_t>()) {
    if (count < 0) {
      return Refuse("a padding is ", count, "; expected 0 or more");
    }
    const bool is_first = paddings.before.size() == paddings.after.size();
    (is_first ? paddings.before : paddings.after).push_back(Size(count));
  }
  return paddings;
}

// Returns the bytes of the element with which the padding is filled.
absl::StatusOr<uint32_t> PaddingElement(const Node& node) {
  uint32_t element = 0;
  if (node.input_count() > 2) {
    const Tensor* const value = node.constant(2);
    if (value == nullptr || value->type != node.input(0).type ||
        value->elements() != 1) {
      return Refuse("its value is not a constant of the type of its input");
    }
    std::memcpy(&element, value->data, value->bytes);
  } else if (node.output().type != ElementType::kFloat32) {
    element = static_cast<uint8_t>(node.output().quantization.zero_point());
  }
  return element;
}

absl::StatusOr<Operation> DescribePad(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(node.CheckOneDataType({0}));
  STOWAGE_ASSIGN_OR_RETURN(const Paddings paddings, ConstantPaddings(node));
  STOWAGE_ASSIGN_OR_RETURN(const uint32_t element, PaddingElement(node));
  const bool is_wide = node.input(0).type == ElementType::kFloat32;
  Operation operation = MovingOperation(node);
  operation.create = [=](xnn_operator_t* op) {
    return is_wide ? xnn_create_constant_pad_nd_x32(&element, 0, op)
                   : xnn_create_constant_pad_nd_x8(&element, 0, op);
  };
  operation.setup = [=, shape = Sizes(node.input(0).shape)](
                        xnn_operator_t op, const Addresses& at,
                        pthreadpool_t pool) {
    auto* const function =
        is_wide ? xnn_setup_constant_pad_nd_x32 : xnn_setup_constant_pad_nd_x8;
    return function(op, shape.size(), shape.data(), paddings.before.data(),
                    paddings.after.data(), at.inputs[0], at.output, pool);
  };
  return operation;
}

absl::StatusOr<Operation> DescribeQuantize(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(node.CheckData({0}));
  STOWAGE_ASSIGN_OR_RETURN(const ScaleAndZero to,
                           ScaleAndZeroOf(node.output()));
  if (node.input(0).type != ElementType::kFloat32) {
    return Refuse("its input is of ", ElementTypeName(node.input(0).type),
                  "; expected FLOAT32");
  }
  const Rows rows(node.input(0));
  const bool is_signed = node.output().type == ElementType::kInt8;
  Operation operation = MovingOperation(node);
  operation.create = [=](xnn_operator_t* op) {
    const auto with = [&](auto function, auto zero) {
      using T = decltype(zero);
      return function(rows.channels, rows.channels, rows.channels, to.scale,
                      static_cast<T>(to.zero_point),
                      std::numeric_limits<T>::min(),
                      std::numeric_limits<T>::max(), 0, op);
    };
    return is_signed ? with(xnn_create_convert_nc_f32_qs8, int8_t{})
                     : with(xnn_create_convert_nc_f32_qu8, uint8_t{});
  };
  operation.setup = is_signed ? SetupUnary<float, int8_t>(
                                    xnn_setup_convert_nc_f32_qs8, rows.count)
                              : SetupUnary<float, uint8_t>(
                                    xnn_setup_convert_nc_f32_qu8, rows.count);
  return operation;
}

// Describes the conversion of a FLOAT16 constant to floats, which is needed if
// an operator that XNNPACK does not run reads the floats.
absl::StatusOr<Operation> DescribeWiden(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(node.CheckData({}));
  if (node.constant(0) == nullptr ||
      node.output().type != ElementType::kFloat32) {
    return Refuse("it does not convert a FLOAT16 constant to FLOAT32");
  }
  const Rows rows(node.input(0));
  Operation operation = MovingOperation(node);
  operation.create = [=](xnn_operator_t* op) {
    return xnn_create_convert_nc_f16_f32(rows.channels, rows.channels,
                                         rows.channels, 0, op);
  };
  operation.setup =
      SetupUnary<void, float>(xnn_setup_convert_nc_f16_f32, rows.count);
  return operation;
}

absl::StatusOr<Operation> DescribeDequantize(const Node& node) {
  if (node.has_input(0) && node.input(0).type == ElementType::kFloat16) {
    return DescribeWiden(node);
  }
  STOWAGE_RETURN_IF_ERROR(node.CheckData({0}));
  STOWAGE_ASSIGN_OR_RETURN(const ScaleAndZero from,
                           ScaleAndZeroOf(node.input(0)));
  if (node.output().type != ElementType::kFloat32 ||
      node.constant(0) != nullptr) {
    return Refuse("it does not convert a computed input to FLOAT32");
  }
  const Rows rows(node.input(0));
  const bool is_signed = node.input(0).type == ElementType::kInt8;
  Operation operation = MovingOperation(node);
  operation.create = [=](xnn_operator_t* op) {
    const auto with = [&](auto function, auto zero) {
      return function(rows.channels, rows.channels, rows.channels, from.scale,
                      static_cast<decltype(zero)>(from.zero_point), 0, op);
    };
    return is_signed ? with(xnn_create_convert_nc_qs8_f32, int8_t{})
                     : with(xnn_create_convert_nc_qu8_f32, uint8_t{});
  };
  operation.setup = is_signed ? SetupUnary<int8_t, float>(
                                    xnn_setup_convert_nc_qs8_f32, rows.count)
                              : SetupUnary<uint8_t, float>(
                                    xnn_setup_convert_nc_qu8_f32, rows.count);
  return operation;
}

}  // namespace

absl::Span<const DescribeRow> ConvertRows() {
  static constexpr DescribeRow kRows[] = {
      {"DEQUANTIZE", DescribeDequantize},
      {"EXPAND_DIMS", DescribeCopy},
      {"PAD", DescribePad},
      {"PADV2", DescribePad},
      {"QUANTIZE", DescribeQuantize},
      {"RESHAPE", DescribeCopy},
      {"SQUEEZE", DescribeCopy},
  };
  return kRows;
}

}  // namespace stowage::harness::xnnpack
