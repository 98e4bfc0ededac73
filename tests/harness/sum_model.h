// SPDX-License-Identifier: Apache-2.0
// Builds a model of one operator of the library, for tests of runs and dumps.
// The model computes "sum" = "x" + "y". Each of the three tensors has two
// FLOAT32 elements.
#ifndef STOWAGE_TESTS_HARNESS_SUM_MODEL_H_
#define STOWAGE_TESTS_HARNESS_SUM_MODEL_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "tests/support/net_builder.h"

namespace stowage::harness {

inline ModelSpec SumModel() {
  NetBuilder net;
  const int32_t x = net.Input({2});
  const int32_t y = net.Input({2});
  net.MarkOutput(net.Add(tflite::BuiltinOperator::ADD, {x, y}, {2},
                         tflite::AddOptionsT()));
  ModelSpec spec = net.spec();
  spec.graphs[0].tensors[0].name = "x";
  spec.graphs[0].tensors[1].name = "y";
  spec.graphs[0].tensors[2].name = "sum";
  return spec;
}

// Returns the values as the content of an input file.
inline std::string FloatBytes(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_HARNESS_SUM_MODEL_H_
