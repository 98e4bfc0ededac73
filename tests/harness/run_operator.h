// SPDX-License-Identifier: Apache-2.0
// One operator, run as a model runs it: a model with nothing else is built,
// loaded, planned and invoked.
//
//   OperatorCase relu{BuiltinOperator::RELU};
//   relu.inputs = {Values<float>({1, 2}, {-1, 1})};
//   relu.outputs = {Output(ElementType::kFloat32, {1, 2})};
//   EXPECT_THAT(ValuesOf<float>(RunOperator(relu)), ElementsAre(0, 1));
#ifndef STOWAGE_TESTS_HARNESS_RUN_OPERATOR_H_
#define STOWAGE_TESTS_HARNESS_RUN_OPERATOR_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "src/tflite/model_generated.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// A tensor of the model: what goes in, or what is to come out.
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

// An output of that type. Its shape in the model may be wrong: Prepare is to
// set it.
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

// The outputs. Error: that of loading, preparing or invoking.
absl::StatusOr<std::vector<TensorValue>> RunOperator(const OperatorCase& c);

// The model that RunOperator runs: the operator, its tensors in the order
// inputs, outputs, as the bytes of a file.
std::string ModelOf(const OperatorCase& c);

// The elements of output `i`; a failed expectation, and none, on an error.
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
