// SPDX-License-Identifier: Apache-2.0
// Infers the shapes of operators that process each element separately.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/recordings/onnx_call.h"
#include "src/recordings/onnx_shapes.h"
#include "src/recordings/onnx_type.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::recordings {
namespace {

// Sets the extents of the first output to the broadcast of inputs [first, end).
void SetBroadcast(size_t first, size_t end, OnnxCall* call) {
  OnnxDims dims;
  for (size_t i = first; i < end; ++i) {
    const OnnxDims* const input = call->Dims(i);
    if (input == nullptr) return;
    optional<OnnxDims> both = BroadcastOnnxDims(dims, *input);
    if (!both) return;
    dims = *std::move(both);
  }
  call->SetDims(0, std::move(dims));
}

void ShapeOfComparison(OnnxCall* call) {
  ShapeOfBroadcast(call);
  call->SetElement(0, kOnnxBool);
}

void ShapeOfTest(OnnxCall* call) { call->SetLike(0, 0, kOnnxBool); }

void ShapeOfWhere(OnnxCall* call) {
  call->SetElement(0, call->Element(1) != kOnnxUnknown ? call->Element(1)
                                                       : call->Element(2));
  SetBroadcast(0, 3, call);
}

void ShapeOfCast(OnnxCall* call) {
  auto element = static_cast<int32_t>(call->Int("to", kOnnxUnknown));
  // Before version 6, the attribute is the name of a type.
  if (element == kOnnxUnknown) element = OnnxElementOf(call->Text("to"));
  call->SetLike(0, 0, element);
}

void ShapeOfCastLike(OnnxCall* call) { call->SetLike(0, 0, call->Element(1)); }

void ShapeOfIdentity(OnnxCall* call) { call->SetType(0, call->Input(0)); }

void ShapeOfDropout(OnnxCall* call) {
  ShapeOfSameAsInput(call);
  // Before version 10, the mask exists only in training, and inference runtimes
  // do not compute it.
  if (call->opset() >= 10) call->SetLike(1, 0, kOnnxBool);
}

void ShapeOfQuantize(OnnxCall* call) {
  auto element = static_cast<int32_t>(call->Int("output_dtype", kOnnxUnknown));
  if (call->HasInput(2)) element = call->Element(2);
  call->SetLike(0, 0, element == kOnnxUnknown ? kOnnxUint8 : element);
}

void ShapeOfDequantize(OnnxCall* call) {
  auto element = static_cast<int32_t>(call->Int("output_dtype", kOnnxUnknown));
  if (element == kOnnxUnknown) element = call->Element(1);
  call->SetLike(0, 0, element == kOnnxUnknown ? kOnnxFloat : element);
}

void ShapeOfDynamicQuantize(OnnxCall* call) {
  call->SetLike(0, 0, kOnnxUint8);
  call->Set(1, kOnnxFloat, {});
  call->Set(2, kOnnxUint8, {});
}

constexpr OnnxShapeRow kElementwiseShapes[] = {
    {"Abs", ShapeOfSameAsInput},
    {"Acos", ShapeOfSameAsInput},
    {"Acosh", ShapeOfSameAsInput},
    {"Add", ShapeOfBroadcast},
    {"Affine", ShapeOfSameAsInput},
    {"And", ShapeOfComparison},
    {"Asin", ShapeOfSameAsInput},
    {"Asinh", ShapeOfSameAsInput},
    {"Atan", ShapeOfSameAsInput},
    {"Atanh", ShapeOfSameAsInput},
    {"BitCast", ShapeOfCast},
    {"BitShift", ShapeOfBroadcast},
    {"BitwiseAnd", ShapeOfBroadcast},
    {"BitwiseNot", ShapeOfSameAsInput},
    {"BitwiseOr", ShapeOfBroadcast},
    {"BitwiseXor", ShapeOfBroadcast},
    {"Cast", ShapeOfCast},
    {"CastLike", ShapeOfCastLike},
    {"Ceil", ShapeOfSameAsInput},
    {"Celu", ShapeOfSameAsInput},
    {"Clip", ShapeOfSameAsInput},
    {"Cos", ShapeOfSameAsInput},
    {"Cosh", ShapeOfSameAsInput},
    {"DequantizeLinear", ShapeOfDequantize},
    {"Div", ShapeOfBroadcast},
    {"Dropout", ShapeOfDropout},
    {"DynamicQuantizeLinear", ShapeOfDynamicQuantize},
    {"Elu", ShapeOfSameAsInput},
    {"Equal", ShapeOfComparison},
    {"Erf", ShapeOfSameAsInput},
    {"Exp", ShapeOfSameAsInput},
    {"Floor", ShapeOfSameAsInput},
    {"Gelu", ShapeOfSameAsInput},
    {"Greater", ShapeOfComparison},
    {"GreaterOrEqual", ShapeOfComparison},
    {"HardSigmoid", ShapeOfSameAsInput},
    {"HardSwish", ShapeOfSameAsInput},
    {"Identity", ShapeOfIdentity},
    {"ImageScaler", ShapeOfSameAsInput},
    {"IsInf", ShapeOfTest},
    {"IsNaN", ShapeOfTest},
    {"LeakyRelu", ShapeOfSameAsInput},
    {"Less", ShapeOfComparison},
    {"LessOrEqual", ShapeOfComparison},
    {"Log", ShapeOfSameAsInput},
    {"Max", ShapeOfBroadcast},
    {"Mean", ShapeOfBroadcast},
    {"Min", ShapeOfBroadcast},
    {"Mish", ShapeOfSameAsInput},
    {"Mod", ShapeOfBroadcast},
    {"Mul", ShapeOfBroadcast},
    {"Neg", ShapeOfSameAsInput},
    {"Not", ShapeOfTest},
    {"Or", ShapeOfComparison},
    {"PRelu", ShapeOfSameAsInput},
    {"ParametricSoftplus", ShapeOfSameAsInput},
    {"Pow", ShapeOfBroadcast},
    {"QuantizeLinear", ShapeOfQuantize},
    {"Reciprocal", ShapeOfSameAsInput},
    {"Relu", ShapeOfSameAsInput},
    {"Round", ShapeOfSameAsInput},
    {"Scale", ShapeOfSameAsInput},
    {"ScaledTanh", ShapeOfSameAsInput},
    {"Selu", ShapeOfSameAsInput},
    {"Shrink", ShapeOfSameAsInput},
    {"Sigmoid", ShapeOfSameAsInput},
    {"Sign", ShapeOfSameAsInput},
    {"Sin", ShapeOfSameAsInput},
    {"Sinh", ShapeOfSameAsInput},
    {"Softplus", ShapeOfSameAsInput},
    {"Softsign", ShapeOfSameAsInput},
    {"Sqrt", ShapeOfSameAsInput},
    {"Sub", ShapeOfBroadcast},
    {"Sum", ShapeOfBroadcast},
    {"Swish", ShapeOfSameAsInput},
    {"Tan", ShapeOfSameAsInput},
    {"Tanh", ShapeOfSameAsInput},
    {"ThresholdedRelu", ShapeOfSameAsInput},
    {"Where", ShapeOfWhere},
    {"Xor", ShapeOfComparison},
};

}  // namespace

void ShapeOfSameAsInput(OnnxCall* call) {
  call->SetLike(0, 0, call->Element(0));
}

void ShapeOfBroadcast(OnnxCall* call) {
  for (size_t i = 0; i < call->input_count(); ++i) {
    if (call->Element(i) == kOnnxUnknown) continue;
    call->SetElement(0, call->Element(i));
    break;
  }
  // Before version 7, the second operand is aligned with the first operand at
  // an axis that is given by an attribute.
  if (call->opset() < 7 && call->HasAttribute("broadcast")) {
    const OnnxDims* const dims = call->Dims(0);
    if (dims != nullptr) call->SetDims(0, *dims);
    return;
  }
  SetBroadcast(0, call->input_count(), call);
}

Span<const OnnxShapeRow> OnnxElementwiseShapes() { return kElementwiseShapes; }

}  // namespace stowage::recordings
