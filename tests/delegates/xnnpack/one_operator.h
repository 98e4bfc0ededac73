// SPDX-License-Identifier: Apache-2.0
// Runs one operator with random tensors by the delegate "xnnpack" and by the
// kernel here.
#ifndef STOWAGE_TESTS_DELEGATES_XNNPACK_ONE_OPERATOR_H_
#define STOWAGE_TESTS_DELEGATES_XNNPACK_ONE_OPERATOR_H_

#include <string>

#include "stowage/harness/tensor.h"
#include "tests/harness/run_operator.h"

namespace stowage::harness {

// Returns a tensor of FLOAT32 numbers in [-4, 4), or of any values of INT8 or
// UINT8 with a scale near 1/16 and a zero point in the middle of the type. For
// use in properties of RapidCheck.
TensorValue AnyTensor(ElementType type, const Shape& shape);
// Returns FLOAT32, INT8 or UINT8.
ElementType AnyDataType();
// Returns a scale and a zero point for a type, near those of AnyTensor.
Quantization AnyQuantization(ElementType type);

// Returns "" if the delegate claims the operator and its kernel computes what
// the interpreter's computes: within a step of a quantized output, or within
// 1e-5 of the largest magnitude, at least 1, of a FLOAT32 one. Otherwise
// returns what went wrong.
std::string CompareByXnnpack(const OperatorCase& c);

// Returns whether the delegate claims the operator, which the interpreter can
// run.
bool IsClaimedByXnnpack(const OperatorCase& c);

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_DELEGATES_XNNPACK_ONE_OPERATOR_H_
