// SPDX-License-Identifier: Apache-2.0
// Builds models whose inputs have open extents, for tests of shapes with
// parameters.
#ifndef STOWAGE_TESTS_HARNESS_OPEN_MODELS_H_
#define STOWAGE_TESTS_HARNESS_OPEN_MODELS_H_

#include <cstdint>

#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "tests/support/net_builder.h"

namespace stowage::harness {

// Returns a model with self-attention on "x", whose shape is [n, s, 8] with
// open n and s. The scores have n * s * s elements.
inline ModelSpec AttentionModel() {
  using tflite::BuiltinOperator;
  NetBuilder net;
  const int32_t x = net.Input({1, 1, 8});
  const int32_t keys =
      net.Add(BuiltinOperator::NEG, {x}, {1, 1, 8}, tflite::NegOptionsT());
  tflite::BatchMatMulOptionsT transposed;
  transposed.adj_y = true;
  const int32_t scores =
      net.Add(BuiltinOperator::BATCH_MATMUL, {x, keys}, {1, 1, 1}, transposed);
  const int32_t read = net.Add(BuiltinOperator::BATCH_MATMUL, {scores, x},
                               {1, 1, 8}, tflite::BatchMatMulOptionsT());
  net.MarkOutput(net.Add(BuiltinOperator::ADD, {read, keys}, {1, 1, 8},
                         tflite::AddOptionsT()));
  ModelSpec spec = net.spec();
  for (TensorDraft& tensor : spec.graphs[0].tensors) {
    tensor.shape_signature = {-1, -1, 8};
  }
  spec.graphs[0].tensors[static_cast<size_t>(scores)].shape_signature = {-1, -1,
                                                                         -1};
  spec.graphs[0].tensors[static_cast<size_t>(x)].name = "x";
  spec.graphs[0].tensors[static_cast<size_t>(scores)].name = "scores";
  return spec;
}

// Returns a model that pools "image" twice. Each pooling has a size of 2 and a
// stride of 2, and rounds up. The shape of "image" is [1, h, w, 2] with open h
// and w.
inline ModelSpec PoolingModel() {
  using tflite::BuiltinOperator;
  NetBuilder net;
  int32_t tensor = net.Input({1, 1, 1, 2});
  for (int i = 0; i < 2; ++i) {
    tflite::Pool2DOptionsT pool;
    pool.stride_w = pool.stride_h = 2;
    pool.filter_width = pool.filter_height = 2;
    tensor =
        net.Add(BuiltinOperator::MAX_POOL_2D, {tensor}, {1, 1, 1, 2}, pool);
  }
  net.MarkOutput(tensor);
  ModelSpec spec = net.spec();
  for (TensorDraft& each : spec.graphs[0].tensors) {
    each.shape_signature = {1, -1, -1, 2};
  }
  spec.graphs[0].tensors[0].name = "image";
  return spec;
}

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_HARNESS_OPEN_MODELS_H_
