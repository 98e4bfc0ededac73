// SPDX-License-Identifier: Apache-2.0
// Runs one operator as part of a model: builds a model with only this operator,
// and loads, plans and invokes it.
//
//   OperatorCase relu{BuiltinOperator::RELU};
//   relu.inputs = {Values<float>({1, 2}, {-1, 1})};
//   relu.outputs = {Output(ElementType::kFloat32, {1, 2})};
//   EXPECT_THAT(ValuesOf<float>(RunOperator(relu)), ElementsAre(0, 1));
#ifndef STOWAGE_TESTS_HARNESS_RUN_OPERATOR_H_
#define STOWAGE_TESTS_HARNESS_RUN_OPERATOR_H_

#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// An input or an output of the operator.
struct TensorValue {
  ElementType type = ElementType::kFloat32;
  Shape shape;
  Quantization quantization = {};
  std::vector<uint8_t> bytes = {};  // of inputs
  bool is_constant = false;
  bool is_variable = false;  // starts at its zero point; `bytes` are not used
  bool is_absent = false;    // in the place of an input that is left out

  TensorValue Constant() const;
  TensorValue Variable() const;
};

inline Quantization Scaled(float scale, int32_t zero_point) {
  return {{scale}, {zero_point}, 0};
}

template <typename T>
TensorValue Values(Shape shape, const std::vector<T>& values,
                   Quantization quantization = {}) {
  TensorValue result{kElementTypeOf<T>, std::move(shape),
                     std::move(quantization)};
  for (const T value : values) {
    const size_t size = result.bytes.size();
    result.bytes.resize(size + sizeof(T));
    std::memcpy(result.bytes.data() + size, &value, sizeof(T));
  }
  return result;
}

// Returns a tensor of the given shape with the elements 0, 1, 2, ...
template <typename T>
TensorValue Numbered(const Shape& shape) {
  std::vector<T> values(static_cast<size_t>(*ElementCount(shape)));
  std::iota(values.begin(), values.end(), T{0});
  return Values<T>(shape, values);
}

// Returns an output of the given type. `shape` may be wrong, because the kernel
// must set the right shape in Prepare.
inline TensorValue Output(ElementType type, Shape shape,
                          Quantization quantization = {}) {
  return {type, std::move(shape), std::move(quantization)};
}

inline TensorValue Absent() {
  TensorValue result;
  result.is_absent = true;
  return result;
}

struct OperatorCase {
  tflite::BuiltinOperator code = tflite::BuiltinOperator::ADD;
  tflite::BuiltinOptionsUnion options = {};  // options.Set(tflite::...OptionsT)
  std::vector<TensorValue> inputs = {};
  std::vector<TensorValue> outputs = {};
  std::string custom_code = {};
  std::vector<uint8_t> custom_options = {};
  int32_t version = 1;
  int invocations = 1;  // with the same inputs; the last one's outputs count
};

// Runs the operator and returns its outputs. Errors: those of loading,
// preparing and invoking the model.
absl::StatusOr<std::vector<TensorValue>> RunOperator(const OperatorCase& c);

// Returns the message of RunOperator's error, or an empty string if the
// operator runs.
std::string ErrorOf(const OperatorCase& c);

// Returns the model that RunOperator runs, as the bytes of a model file. The
// model contains the operator and its tensors, inputs before outputs.
std::string ModelOf(const OperatorCase& c);

// Returns the elements of output `i`. If `outputs` is an error, the expectation
// fails and the result is empty.
template <typename T>
std::vector<T> ValuesOf(const absl::StatusOr<std::vector<TensorValue>>& outputs,
                        size_t i = 0) {
  EXPECT_TRUE(outputs.ok()) << outputs.status();
  if (!outputs.ok()) return {};
  const TensorValue& output = (*outputs)[i];
  EXPECT_EQ(output.type, kElementTypeOf<T>);
  std::vector<T> values;
  for (size_t at = 0; at + sizeof(T) <= output.bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, output.bytes.data() + at, sizeof(T));
    values.push_back(value);
  }
  return values;
}

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_HARNESS_RUN_OPERATOR_H_
