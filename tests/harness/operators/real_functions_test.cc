// SPDX-License-Identifier: Apache-2.0
// Tests ELU and GELU, and compares the quantized results of these and other
// functions with results computed in double precision.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/harness/tensor.h"
#include "tests/harness/run_operator.h"

namespace stowage::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using tflite::BuiltinOperator;

OperatorCase RealCase(BuiltinOperator code, TensorValue x,
                      Quantization to = {}) {
  OperatorCase result{code};
  result.outputs = {Output(x.type, {}, std::move(to))};
  result.inputs = {std::move(x)};
  return result;
}

OperatorCase GeluCase(TensorValue x, bool is_approximate) {
  OperatorCase result = RealCase(BuiltinOperator::GELU, std::move(x));
  tflite::GeluOptionsT options;
  options.approximate = is_approximate;
  result.options.Set(options);
  return result;
}

TEST(Elu, IsAnExponentialBelowZero) {
  const auto outputs = RunOperator(RealCase(
      BuiltinOperator::ELU, Values<float>({2, 2}, {0, 2.5F, -1, -1e-6F})));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 2));
  EXPECT_THAT(ValuesOf<float>(outputs),
              ElementsAre(0, 2.5F, FloatNear(-0.63212056F, 1e-6F),
                          FloatNear(-1e-6F, 1e-11F)));
}

TEST(Gelu, IsExactOrAnApproximation) {
  const auto x = Values<float>({4}, {0, 1, -1, 3});
  EXPECT_THAT(
      ValuesOf<float>(RunOperator(GeluCase(x, false))),
      ElementsAre(0, FloatNear(0.84134475F, 1e-6F),
                  FloatNear(-0.15865525F, 1e-6F), FloatNear(2.99595F, 1e-5F)));
  EXPECT_THAT(
      ValuesOf<float>(RunOperator(GeluCase(x, true))),
      ElementsAre(0, FloatNear(0.84119199F, 1e-6F),
                  FloatNear(-0.15880801F, 1e-6F), FloatNear(2.99636F, 1e-5F)));
}

struct QuantizedFunction {
  BuiltinOperator code;
  double (*of)(double x);
};

const QuantizedFunction kQuantizedFunctions[] = {
    {BuiltinOperator::ELU, [](double x) { return x < 0 ? std::expm1(x) : x; }},
    {BuiltinOperator::EXP, [](double x) { return std::exp(x); }},
    {BuiltinOperator::GELU,
     [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }},
    {BuiltinOperator::LOG, [](double x) { return std::log(x); }},
    {BuiltinOperator::RSQRT, [](double x) { return 1 / std::sqrt(x); }},
};

// Compares all functions with results computed in double precision. Where a
// function is undefined, its result is the lowest number.
template <typename T>
void AreWithinAStep() {
  using Limits = std::numeric_limits<T>;
  const float from = *rc::gen::element(0.0003F, 0.01F, 0.1F, 1.0F);
  const float to = *rc::gen::element(0.0003F, 0.01F, 0.1F, 1.0F);
  const int32_t zero = sizeof(T) == 1 ? 3 : 0;
  const auto x = *rc::gen::arbitrary<std::vector<T>>();
  for (const QuantizedFunction& f : kQuantizedFunctions) {
    const auto outputs = ValuesOf<T>(RunOperator(RealCase(
        f.code,
        Values<T>({static_cast<int32_t>(x.size())}, x, Scaled(from, zero)),
        Scaled(to, zero))));
    RC_ASSERT(outputs.size() == x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const double real = f.of(double{from} * (x[i] - zero));
      const double steps =
          std::isnan(real) ? Limits::min()
                           : std::clamp<double>(real / double{to} + zero,
                                                Limits::min(), Limits::max());
      RC_ASSERT(std::abs(outputs[i] - steps) <= 0.51);
    }
  }
}

RC_GTEST_PROP(RealFunctions, OfQuantizedNumbersAreWithinAStep, ()) {
  AreWithinAStep<int8_t>();
  AreWithinAStep<uint8_t>();
  AreWithinAStep<int16_t>();
}

TEST(RealFunctions, WithTheSmallestScales) {
  const float least = std::numeric_limits<float>::denorm_min();
  EXPECT_THAT(
      ValuesOf<int8_t>(RunOperator(RealCase(
          BuiltinOperator::ELU, Values<int8_t>({3}, {0, 1, -1}, Scaled(1, 0)),
          Scaled(least, 5)))),
      ElementsAre(5, 127, -128));
}

TEST(RealFunctions, Refuse) {
  EXPECT_THAT(ErrorOf(RealCase(BuiltinOperator::ELU, Values<int8_t>({1}, {1}),
                               Scaled(1, 0))),
              HasSubstr("it has 0 scales; expected 1"));
  EXPECT_THAT(
      ErrorOf(RealCase(BuiltinOperator::GELU, Values<int32_t>({1}, {1}))),
      HasSubstr("its type is INT32; expected FLOAT32"));
  OperatorCase other = RealCase(BuiltinOperator::GELU, Values<float>({1}, {1}));
  other.options.Set(tflite::LeakyReluOptionsT());
  EXPECT_THAT(ErrorOf(other), HasSubstr("expected 116 (GeluOptions)"));
}

}  // namespace
}  // namespace stowage::harness
