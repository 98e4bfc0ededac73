// SPDX-License-Identifier: Apache-2.0
// One operator run by the delegate "xnnpack" and by the kernel here, with
// tensors drawn at random.
#ifndef STOWAGE_TESTS_DELEGATES_XNNPACK_ONE_OPERATOR_H_
#define STOWAGE_TESTS_DELEGATES_XNNPACK_ONE_OPERATOR_H_

#include <string>

#include "stowage/harness/tensor.h"
#include "tests/harness/run_operator.h"

namespace stowage::harness {

// FLOAT32 in [-4, 4), or any values of INT8 or UINT8 with a scale near 1/16 and
// a zero point in the middle of the type. For use in properties of RapidCheck.
TensorValue AnyTensor(ElementType type, const Shape& shape);
// FLOAT32, INT8 or UINT8.
ElementType AnyDataType();
// A scale and a zero point for a type, near those of AnyTensor.
Quantization AnyQuantization(ElementType type);

// Empty if the delegate claims the operator, and its kernel computes what the
// interpreter's does: within a step of a quantized output, or 1e-5 of the
// largest magnitude, at least 1, of a FLOAT32 one. Otherwise what went wrong.
std::string CompareByXnnpack(const OperatorCase& c);

// Returns whether the delegate claims the operator, which the interpreter can
// run.
bool IsClaimedByXnnpack(const OperatorCase& c);

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_DELEGATES_XNNPACK_ONE_OPERATOR_H_
