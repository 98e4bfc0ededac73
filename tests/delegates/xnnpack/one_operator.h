// SPDX-License-Identifier: Apache-2.0
// Runs one operator with random tensors, both with the delegate "xnnpack" and
// with the kernel of this library.
#ifndef STOWAGE_TESTS_DELEGATES_XNNPACK_ONE_OPERATOR_H_
#define STOWAGE_TESTS_DELEGATES_XNNPACK_ONE_OPERATOR_H_

#include <string>

#include "stowage/harness/tensor.h"
#include "tests/harness/run_operator.h"

namespace stowage::harness {

// Returns a random tensor, for use in properties of RapidCheck. FLOAT32
// elements are in [-4, 4). INT8 and UINT8 elements may have any value, with a
// scale near 1/16 and a zero point near the middle of the range of the type.
TensorValue AnyTensor(ElementType type, const Shape& shape);
// Returns FLOAT32, INT8 or UINT8 at random.
ElementType AnyDataType();
// Returns a random scale and zero point for a type, close to those that
// AnyTensor uses.
Quantization AnyQuantization(ElementType type);

// Compares a run with the delegate and a run with the interpreter. Returns ""
// if the delegate claims the operator and the outputs agree, and otherwise a
// description of the failure. Quantized outputs may differ by one step, and
// FLOAT32 outputs by 1e-5 times the larger of 1 and the largest magnitude.
std::string CompareByXnnpack(const OperatorCase& c);

// Returns whether the delegate claims the operator. Requires that the
// interpreter can run the operator.
bool IsClaimedByXnnpack(const OperatorCase& c);

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_DELEGATES_XNNPACK_ONE_OPERATOR_H_
