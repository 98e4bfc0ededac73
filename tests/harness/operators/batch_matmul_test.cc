// SPDX-License-Identifier: Apache-2.0
// Tests BATCH_MATMUL.
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/harness/tensor.h"
#include "tests/harness/operators/naive_convolution.h"
#include "tests/harness/run_operator.h"

namespace stowage::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

OperatorCase MatMul(const TensorValue& left, const TensorValue& right,
                    bool adj_x, bool adj_y, const Quantization& output = {}) {
  OperatorCase matmul{tflite::BuiltinOperator::BATCH_MATMUL};
  tflite::BatchMatMulOptionsT options;
  options.adj_x = adj_x;
  options.adj_y = adj_y;
  matmul.options.Set(options);
  matmul.inputs = {left, right};
  matmul.outputs = {Output(left.type, {1}, output)};
  return matmul;
}

// Describes the two factors of a product, which are stacks of matrices of the
// shapes [left_batches, rows, depth] and [batches, depth, columns].
// `left_batches` is either 1 or `batches`.
struct Matrices {
  int left_batches = 1;
  int batches = 1;
  int rows = 1;
  int depth = 1;
  int columns = 1;
  bool adj_x = false;
  bool adj_y = false;

  Shape Left() const {
    return adj_x ? Shape{left_batches, depth, rows}
                 : Shape{left_batches, rows, depth};
  }
  Shape Right() const {
    return adj_y ? Shape{batches, columns, depth}
                 : Shape{batches, depth, columns};
  }
  int LeftAt(int batch, int row, int k) const {
    const int b = left_batches == 1 ? 0 : batch;
    return adj_x ? (b * depth + k) * rows + row : (b * rows + row) * depth + k;
  }
  int RightAt(int b, int k, int column) const {
    return adj_y ? (b * columns + column) * depth + k
                 : (b * depth + k) * columns + column;
  }
};

Numbers Product(const Matrices& m, const Numbers& left, const Numbers& right) {
  Numbers output;
  for (int b = 0; b < m.batches; ++b) {
    for (int r = 0; r < m.rows; ++r) {
      for (int c = 0; c < m.columns; ++c) {
        int sum = 0;
        for (int k = 0; k < m.depth; ++k) {
          sum += left[static_cast<size_t>(m.LeftAt(b, r, k))] *
                 right[static_cast<size_t>(m.RightAt(b, k, c))];
        }
        output.push_back(sum);
      }
    }
  }
  return output;
}

Matrices AnyMatrices() {
  Matrices m;
  m.batches = *rc::gen::inRange(1, 4);
  m.left_batches = *rc::gen::element(1, m.batches);
  m.rows = *rc::gen::inRange(1, 20);
  m.depth = *rc::gen::inRange(1, 20);
  m.columns = *rc::gen::inRange(1, 20);
  m.adj_x = *rc::gen::arbitrary<bool>();
  m.adj_y = *rc::gen::arbitrary<bool>();
  return m;
}

RC_GTEST_PROP(BatchMatMul, IsTheProductOfMatrices, ()) {
  const Matrices m = AnyMatrices();
  const Numbers left = AnyNumbers(Count(m.Left()), -100, 100);
  const Numbers right = AnyNumbers(Count(m.Right()), -100, 100);
  const Numbers product = Product(m, left, right);
  const auto floats = RunOperator(
      MatMul(Values(m.Left(), Elements<float>(left)),
             Values(m.Right(), Elements<float>(right)), m.adj_x, m.adj_y));
  RC_ASSERT(ValuesOf<float>(floats) == Elements<float>(product));
  RC_ASSERT(floats->at(0).shape == (Shape{m.batches, m.rows, m.columns}));
  const auto bytes = RunOperator(
      MatMul(Values(m.Left(), Elements<int8_t>(left, 3), Scaled(0.5F, 3)),
             Values(m.Right(), Elements<int8_t>(right, -9), Scaled(0.5F, -9)),
             m.adj_x, m.adj_y, Scaled(0.25F, 17)));
  RC_ASSERT(ValuesOf<int8_t>(bytes) == Saturated<int8_t>(product, 17));
}

struct BroadcastCase {
  const char* name;
  Shape left;
  Shape right;
  Shape output;
  std::vector<float> values;
};

class BatchMatMulBroadcast : public ::testing::TestWithParam<BroadcastCase> {};

// Each matrix has one element. The elements of the left factor are 1, 2, 3,
// ..., and those of the right factor are 10, 20, 30, ...
TEST_P(BatchMatMulBroadcast, RepeatsDimensionsOfOne) {
  std::vector<float> left;
  for (size_t i = 0; i < Count(GetParam().left); ++i) {
    left.push_back(static_cast<float>(i + 1));
  }
  std::vector<float> right;
  for (size_t i = 0; i < Count(GetParam().right); ++i) {
    right.push_back(static_cast<float>(10 * (i + 1)));
  }
  const auto outputs =
      RunOperator(MatMul(Values(GetParam().left, left),
                         Values(GetParam().right, right), false, false));
  EXPECT_EQ(ValuesOf<float>(outputs), GetParam().values);
  EXPECT_EQ(outputs->at(0).shape, GetParam().output);
}

INSTANTIATE_TEST_SUITE_P(
    BatchMatMul, BatchMatMulBroadcast,
    ::testing::Values(
        BroadcastCase{"Equal", {2, 1, 1}, {2, 1, 1}, {2, 1, 1}, {10, 40}},
        BroadcastCase{"Left", {1, 1, 1}, {2, 1, 1}, {2, 1, 1}, {10, 20}},
        BroadcastCase{
            "FewerDimensions", {2, 1, 1}, {1, 1}, {2, 1, 1}, {10, 20}},
        BroadcastCase{"BothWays",
                      {2, 1, 1, 1},
                      {3, 1, 1},
                      {2, 3, 1, 1},
                      {10, 20, 30, 20, 40, 60}},
        BroadcastCase{"NoMatrices", {0, 1, 1}, {1, 1, 1}, {0, 1, 1}, {}}),
    [](const auto& p) { return p.param.name; });

struct BatchMatmulRefusal {
  const char* name;
  TensorValue left;
  TensorValue right;
  const char* message;
};

class BatchMatMulRefuses : public ::testing::TestWithParam<BatchMatmulRefusal> {
};

TEST_P(BatchMatMulRefuses, With) {
  const auto outputs =
      RunOperator(MatMul(GetParam().left, GetParam().right, false, false));
  EXPECT_THAT(std::string(outputs.status().message()),
              HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    BatchMatMul, BatchMatMulRefuses,
    ::testing::Values(
        BatchMatmulRefusal{"Depths", Values<float>({1, 2}, {1, 2}),
                           Values<float>({1, 2}, {1, 2}),
                           "its matrices are 1 by 2 and 1 by 2"},
        BatchMatmulRefusal{"Batches", Values<float>({2, 1, 1}, {1, 2}),
                           Values<float>({3, 1, 1}, {1, 2, 3}),
                           "its operands are [2, 1, 1] and [3, 1, 1]"},
        BatchMatmulRefusal{"Vectors", Values<float>({1}, {1}),
                           Values<float>({1}, {1}),
                           "its shape is [1]; expected 2 to 8 dimensions"},
        BatchMatmulRefusal{"Types", Values<float>({1, 1}, {1}),
                           Values<int8_t>({1, 1}, {1}, Scaled(1, 0)),
                           "its type is INT8; expected FLOAT32"}),
    [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace stowage::harness
