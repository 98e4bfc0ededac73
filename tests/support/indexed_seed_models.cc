// SPDX-License-Identifier: Apache-2.0
#include "tests/support/indexed_seed_models.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "tests/support/net_builder.h"

namespace stowage {
namespace {

using tflite::BuiltinOperator;
using tflite::TensorType;

}  // namespace

ModelSpec SeedBlocks() {
  NetBuilder net;
  int32_t x = net.Input({1, 4, 4, 2});
  const int32_t sizes = net.List({2, 2});
  const int32_t margins = net.Numbers({2, 2}, {0, 0, 1, 1});
  x = net.Add(BuiltinOperator::SPACE_TO_BATCH_ND, {x, sizes, margins},
              {4, 2, 3, 2});
  tflite::Pool2DOptionsT pool;
  pool.stride_h = pool.stride_w = 1;
  pool.filter_height = pool.filter_width = 2;
  net.MarkOutput(net.Add(BuiltinOperator::L2_POOL_2D, {x}, {4, 2, 3, 2}, pool));
  x = net.Add(BuiltinOperator::BATCH_TO_SPACE_ND, {x, sizes, margins},
              {1, 4, 4, 2});
  x = net.Add(BuiltinOperator::ABS, {x}, {1, 4, 4, 2});
  const int32_t update =
      net.Constant<float>({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  x = net.Add(BuiltinOperator::DYNAMIC_UPDATE_SLICE,
              {x, update, net.List({0, 1, 3, 0})}, {1, 4, 4, 2});
  net.MarkOutput(x);
  return net.spec();
}

ModelSpec SeedSelection() {
  NetBuilder net;
  const int32_t x = net.Input({3, 4});
  tflite::ReverseSequenceOptionsT sequences;
  sequences.seq_dim = 1;
  const int32_t reversed = net.Add(BuiltinOperator::REVERSE_SEQUENCE,
                                   {x, net.List({0, 3, 4})}, {3, 4}, sequences);
  const int32_t values = net.Tensor({3, 2});
  net.SetType(TensorType::INT32);
  const int32_t places = net.Tensor({3, 2});
  net.AddOperator(BuiltinOperator::TOPK_V2, {reversed, net.Numbers({}, {2})},
                  {values, places});
  net.MarkOutput(places);
  net.SetType(TensorType::FLOAT32);
  net.MarkOutput(net.Add(
      BuiltinOperator::SCATTER_ND,
      {net.Numbers({3, 1}, {2, 0, 2}), values, net.List({4, 2})}, {4, 2}));
  return net.spec();
}

ModelSpec SeedSparse() {
  NetBuilder net;
  const int32_t x = net.Input({2, 3});
  const int32_t weights = net.Constant<float>({2, 3}, {1, 2, 3});
  auto sparsity = std::make_shared<tflite::SparsityParametersT>();
  sparsity->traversal_order = {0, 1};
  auto rows = std::make_unique<tflite::DimensionMetadataT>();
  rows->dense_size = 2;
  sparsity->dim_metadata.push_back(std::move(rows));
  auto columns = std::make_unique<tflite::DimensionMetadataT>();
  columns->format = tflite::DimensionType::SPARSE_CSR;
  tflite::Uint8VectorT segments;
  segments.values = {0, 1, 3};
  columns->array_segments.Set(std::move(segments));
  tflite::Uint8VectorT indices;
  indices.values = {0, 1, 2};
  columns->array_indices.Set(std::move(indices));
  sparsity->dim_metadata.push_back(std::move(columns));
  net.graph().tensors.back().sparsity = std::move(sparsity);
  const int32_t dense = net.Add(BuiltinOperator::DENSIFY, {weights}, {2, 3});
  net.MarkOutput(net.Add(BuiltinOperator::ADD, {x, dense}, {2, 3}));
  return net.spec();
}

}  // namespace stowage
