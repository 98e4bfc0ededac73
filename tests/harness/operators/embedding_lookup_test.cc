// SPDX-License-Identifier: Apache-2.0
// Tests EMBEDDING_LOOKUP.
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/harness/tensor.h"
#include "tests/harness/run_operator.h"

namespace stowage::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

OperatorCase Lookup(TensorValue rows, TensorValue table, ElementType output) {
  OperatorCase result{tflite::BuiltinOperator::EMBEDDING_LOOKUP};
  result.inputs = {std::move(rows), std::move(table)};
  result.outputs = {Output(output, {})};
  return result;
}

TEST(EmbeddingLookup, ReturnsRows) {
  const auto outputs =
      RunOperator(Lookup(Values<int32_t>({3}, {2, 0, 2}),
                         Numbered<float>({3, 1, 2}), ElementType::kFloat32));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(3, 1, 2));
  EXPECT_THAT(ValuesOf<float>(outputs), ElementsAre(4, 5, 0, 1, 4, 5));
}

TEST(EmbeddingLookup, OfBytesIsACopyOrDequantizes) {
  const auto rows = Values<int32_t>({2}, {1, 0});
  const auto table = Values<int8_t>({2, 2}, {1, 2, -3, 4}, Scaled(0.5F, 1));
  EXPECT_THAT(
      ValuesOf<int8_t>(RunOperator(Lookup(rows, table, ElementType::kInt8))),
      ElementsAre(-3, 4, 1, 2));
  EXPECT_THAT(
      ValuesOf<float>(RunOperator(Lookup(rows, table, ElementType::kFloat32))),
      ElementsAre(-2, 1.5, 0, 0.5));
}

TEST(EmbeddingLookup, RowsMayHaveScalesOfTheirOwn) {
  const auto rows = Values<int32_t>({2}, {1, 0});
  auto table = Values<int8_t>({2, 2}, {1, 2, -3, 4}, {{0.5F, 2}, {0, 0}, 0});
  EXPECT_THAT(
      ValuesOf<float>(RunOperator(Lookup(rows, table, ElementType::kFloat32))),
      ElementsAre(-6, 8, 0.5, 1));
  table.quantization.dimension = 1;
  EXPECT_THAT(ErrorOf(Lookup(rows, table, ElementType::kFloat32)),
              HasSubstr("it has 2 scales along dimension 1 and the shape [2, "
                        "2]; expected one for each row"));
  table.quantization = {{1, 2, 3}, {0, 0, 0}, 0};
  EXPECT_THAT(ErrorOf(Lookup(rows, table, ElementType::kFloat32)),
              HasSubstr("it has 3 scales"));
}

TEST(EmbeddingLookup, RefusesRowsBeyond) {
  const auto table = Numbered<float>({2, 2});
  const auto error = [&](const TensorValue& rows) {
    return ErrorOf(Lookup(rows, table, ElementType::kFloat32));
  };
  EXPECT_THAT(error(Values<int32_t>({1}, {2})),
              HasSubstr("index 2 is out of range; expected 0 to 1"));
  EXPECT_THAT(error(Values<int32_t>({1}, {-1})),
              HasSubstr("index -1 is out of range"));
  EXPECT_THAT(error(Values<int32_t>({}, {0})), HasSubstr("1 dimensions"));
  EXPECT_THAT(error(Values<int64_t>({1}, {0})),
              HasSubstr("its type is INT64; expected INT32"));
  EXPECT_THAT(ErrorOf(Lookup(Values<int32_t>({1}, {0}),
                             Values<float>({0, 2}, {}), ElementType::kFloat32)),
              HasSubstr("expected none, since the dimension is 0"));
}

}  // namespace
}  // namespace stowage::harness
