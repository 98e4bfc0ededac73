// SPDX-License-Identifier: Apache-2.0
// Tests DYNAMIC_UPDATE_SLICE, both by itself and when it runs in the memory of
// its input.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"
#include "tests/harness/run_operator.h"
#include "tests/support/net_builder.h"

namespace stowage::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tflite::BuiltinOperator;

OperatorCase UpdateSlice(TensorValue whole, TensorValue update,
                         TensorValue corner) {
  OperatorCase result{BuiltinOperator::DYNAMIC_UPDATE_SLICE};
  result.outputs = {Output(whole.type, {})};
  result.inputs = {std::move(whole), std::move(update), std::move(corner)};
  return result;
}

TEST(DynamicUpdateSlice, ReplacesABox) {
  const auto outputs = RunOperator(UpdateSlice(
      Numbered<float>({3, 4}), Values<float>({2, 2}, {-1, -2, -3, -4}),
      Values<int32_t>({2}, {1, 1})));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(3, 4));
  EXPECT_THAT(ValuesOf<float>(outputs),
              ElementsAre(0, 1, 2, 3, 4, -1, -2, 7, 8, -3, -4, 11));
}

TEST(DynamicUpdateSlice, MovesABoxInto) {
  const auto whole = Values<int8_t>({4}, {1, 2, 3, 4});
  const auto update = Values<int8_t>({2}, {8, 9});
  const auto at = [&](int64_t corner) {
    return ValuesOf<int8_t>(RunOperator(
        UpdateSlice(whole, update, Values<int64_t>({1}, {corner}))));
  };
  EXPECT_THAT(at(-5), ElementsAre(8, 9, 3, 4));
  EXPECT_THAT(at(1), ElementsAre(1, 8, 9, 4));
  EXPECT_THAT(at(3), ElementsAre(1, 2, 8, 9));
  EXPECT_THAT(at(INT64_MAX), ElementsAre(1, 2, 8, 9));
  EXPECT_THAT(at(INT64_MIN), ElementsAre(8, 9, 3, 4));
}

TEST(DynamicUpdateSlice, OfScalarsAndOfNothing) {
  EXPECT_THAT(ValuesOf<int64_t>(RunOperator(UpdateSlice(
                  Values<int64_t>({}, {1}), Values<int64_t>({}, {2}),
                  Values<int32_t>({0}, {})))),
              ElementsAre(2));
  EXPECT_THAT(ValuesOf<bool>(RunOperator(UpdateSlice(
                  Values<bool>({2}, {true, false}), Values<bool>({0}, {}),
                  Values<int32_t>({1}, {7})))),
              ElementsAre(true, false));
}

TEST(DynamicUpdateSlice, RefusesWhatDoesNotFit) {
  const auto whole = Numbered<float>({2, 3});
  const auto corner = Values<int32_t>({2}, {0, 0});
  const auto error = [&](const TensorValue& update, const TensorValue& at) {
    return ErrorOf(UpdateSlice(whole, update, at));
  };
  EXPECT_THAT(error(Numbered<float>({3, 1}), corner),
              HasSubstr("its shape is [3, 1]; expected one that fits into [2, "
                        "3]"));
  EXPECT_THAT(error(Numbered<float>({2}), corner),
              HasSubstr("its shape is [2]; expected one that fits into"));
  EXPECT_THAT(error(Numbered<int32_t>({1, 1}), corner),
              HasSubstr("its type is INT32; expected FLOAT32"));
  EXPECT_THAT(error(Numbered<float>({1, 1}), Values<int32_t>({1}, {0})),
              HasSubstr("its shape is [1]; expected [2]"));
  EXPECT_THAT(error(Numbered<float>({1, 1}), Values<float>({2}, {0, 0})),
              HasSubstr("its type is FLOAT32; expected INT32 or INT64"));
}

RC_GTEST_PROP(DynamicUpdateSlice, EqualsTheDefinition, ()) {
  const Shape shape = {*rc::gen::inRange(1, 6), *rc::gen::inRange(1, 6)};
  const Shape box = {*rc::gen::inRange(0, shape[0] + 1),
                     *rc::gen::inRange(0, shape[1] + 1)};
  const std::vector<int32_t> corner = {*rc::gen::inRange(-3, 8),
                                       *rc::gen::inRange(-3, 8)};
  const auto outputs = ValuesOf<int32_t>(
      RunOperator(UpdateSlice(Numbered<int32_t>(shape), Numbered<int32_t>(box),
                              Values<int32_t>({2}, corner))));
  const int32_t top = std::clamp(corner[0], 0, shape[0] - box[0]);
  const int32_t left = std::clamp(corner[1], 0, shape[1] - box[1]);
  for (int32_t y = 0; y < shape[0]; ++y) {
    for (int32_t x = 0; x < shape[1]; ++x) {
      const bool is_inside =
          y >= top && y < top + box[0] && x >= left && x < left + box[1];
      RC_ASSERT(outputs[static_cast<size_t>(y * shape[1] + x)] ==
                (is_inside ? (y - top) * box[1] + x - left : y * shape[1] + x));
    }
  }
}

// Builds a model that computes `whole`, replaces a box in it, and negates the
// result. If `is_read_later` is true, a further operator adds the original
// `whole` to the negated result.
struct UpdateModel {
  explicit UpdateModel(bool is_read_later) {
    const int32_t x = net.Input({4, 4});
    whole = net.Add(BuiltinOperator::NEG, {x}, {4, 4});
    const int32_t update = net.Constant<float>({1, 2}, {70, 80});
    updated = net.Add(BuiltinOperator::DYNAMIC_UPDATE_SLICE,
                      {whole, update, net.List({3, 1})}, {4, 4});
    int32_t last = net.Add(BuiltinOperator::NEG, {updated}, {4, 4});
    if (is_read_later) {
      last = net.Add(BuiltinOperator::ADD, {last, whole}, {4, 4});
    }
    net.MarkOutput(last);
  }

  NetBuilder net;
  int32_t whole = 0;
  int32_t updated = 0;
};

TEST(DynamicUpdateSlice, LiesInTheMemoryOfItsInput) {
  for (const bool is_read_later : {false, true}) {
    SCOPED_TRACE(is_read_later);
    const UpdateModel update(is_read_later);
    const std::string bytes = Build(update.net.spec());
    const auto model = Model::Parse(bytes, "update");
    ASSERT_TRUE(model.ok()) << model.status();
    const auto interpreter = Interpreter::Create(**model);
    ASSERT_TRUE(interpreter.ok()) << interpreter.status();
    Subgraph& graph = (*interpreter)->primary();
    ASSERT_TRUE(graph.Allocate().ok());
    const auto address = [&](int32_t t) {
      return graph.tensor(static_cast<size_t>(t)).data;
    };
    EXPECT_EQ(address(update.whole) == address(update.updated), !is_read_later);
    for (int i = 0; i < 16; ++i) {
      graph.input(0).as<float>()[i] = static_cast<float>(i);
    }
    ASSERT_TRUE(graph.Invoke().ok());
    for (int i = 0; i < 16; ++i) {
      const auto x = static_cast<float>(i);
      const float last = i == 13 ? -70 : i == 14 ? -80 : x;
      EXPECT_EQ(graph.output(0).as<float>()[i], is_read_later ? last - x : last)
          << i;
    }
  }
}

}  // namespace
}  // namespace stowage::harness
