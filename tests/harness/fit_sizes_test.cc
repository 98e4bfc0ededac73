// SPDX-License-Identifier: Apache-2.0
#include "src/harness/fit_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/expression.h"

namespace stowage::harness {
namespace {

using SizeFunction = std::function<size_t(const ParameterValues&)>;

// Returns samples at all combinations of the first `count` values of each
// parameter.
std::vector<SizeSample> Sample(const std::vector<SizeParameter>& parameters,
                               size_t count, const SizeFunction& size) {
  std::vector<SizeSample> samples = {{{}, {}}};
  for (const SizeParameter& parameter : parameters) {
    std::vector<SizeSample> longer;
    for (const SizeSample& sample : samples) {
      for (size_t i = 0; i < count; ++i) {
        const uint64_t value = parameter.min + i * parameter.step;
        if (value > parameter.max) break;
        longer.push_back(sample);
        longer.back().values.push_back(value);
      }
    }
    samples = std::move(longer);
  }
  for (SizeSample& sample : samples) sample.sizes = {size(sample.values)};
  return samples;
}

struct FitCase {
  const char* name;
  std::vector<SizeParameter> parameters;
  SizeFunction size;
  std::vector<ScaledParameter> scales;
  absl::optional<std::string> text;
};

TEST(FitSizes, WritesPolynomials) {
  const SizeParameter seq = {"seq", 16, 512, 16};
  const SizeParameter s = {"s", 3, 300, 1};
  const SizeParameter b = {"b", 1, 32, 1};
  const SizeParameter c = {"c", 2, 90, 2};
  const FitCase cases[] = {
      {"a number", {seq}, [](auto&) { return 24; }, {{}}, "24"},
      {"nothing", {seq}, [](auto&) { return 0; }, {{}}, "0"},
      {"a multiple",
       {seq},
       [](auto& v) { return 3072 * v[0]; },
       {{}},
       "3072*seq"},
      {"a part, which steps make whole",
       {seq},
       [](auto& v) { return 3 * v[0] * v[0] / 256; },
       {{}},
       "(3*seq*seq)//256"},
      {"a fourth power",
       {s},
       [](auto& v) { return v[0] * v[0] * v[0] * v[0] + 7; },
       {{}},
       "s*s*s*s + 7"},
      {"a difference",
       {s},
       [](auto& v) { return v[0] * (v[0] - 3) / 2; },
       {{}},
       "(s*s - 3*s)//2"},
      {"what falls",
       {b},
       [](auto& v) { return 100 - 3 * v[0]; },
       {{}},
       "100 - 3*b"},
      {"two parameters",
       {b, s},
       [](auto& v) { return 4 * v[0] * v[1] * v[1] + 2 * v[1] + v[0]; },
       {{}, {}},
       "4*b*s*s + b + 2*s"},
      {"three parameters",
       {b, s, c},
       [](auto& v) { return 2 * v[0] * v[1] * v[2]; },
       {{}, {}, {}},
       "2*b*s*c"},
      {"one value",
       {{"k", 7, 7, 1}},
       [](auto& v) { return 5 * v[0]; },
       {{}},
       "35"},
      {"two values",
       {{"k", 7, 8, 1}},
       [](auto& v) { return 5 * v[0]; },
       {{}},
       "5*k"},
      {"a quotient",
       {s},
       [](auto& v) { return 16 * ((v[0] + 1) / 2) * ((v[0] + 1) / 2); },
       {{2, 1}},
       "16*((s + 1)//2)*((s + 1)//2)"},
      {"a quotient beside a parameter",
       {b, s},
       [](auto& v) { return v[0] * (v[1] / 4); },
       {{}, {4, 0}},
       "b*(s//4)"},
      {"the largest",
       {s},
       [](auto& v) { return v[0] < 9 ? 9 : v[0]; },
       {{}},
       absl::nullopt},
      {"a size that no expression has",
       {s},
       [](auto&) { return SIZE_MAX; },
       {{}},
       absl::nullopt},
  };
  for (const FitCase& each : cases) {
    SCOPED_TRACE(each.name);
    const std::vector<absl::optional<std::string>> texts =
        FitSizes(each.parameters, Sample(each.parameters, 9, each.size), {0},
                 each.scales);
    ASSERT_EQ(texts.size(), 1);
    EXPECT_EQ(texts[0], each.text);
  }
}

// The expression that FitSizes finds has the same values as the polynomial,
// also outside the range of the samples.
RC_GTEST_PROP(FitSizes, FindsRandomPolynomials, ()) {
  const auto factors = *rc::gen::container<std::vector<size_t>>(
      6, rc::gen::inRange<size_t>(0, 1000));
  const SizeParameter p = {"p", *rc::gen::inRange<uint64_t>(1, 99), 999,
                           *rc::gen::inRange<uint64_t>(1, 40)};
  const SizeParameter q = {"q", *rc::gen::inRange<uint64_t>(1, 99), 999,
                           *rc::gen::inRange<uint64_t>(1, 40)};
  const SizeFunction size = [&](const ParameterValues& v) {
    return factors[0] + factors[1] * v[0] + factors[2] * v[1] +
           factors[3] * v[0] * v[0] + factors[4] * v[0] * v[1] +
           factors[5] * v[1] * v[1];
  };
  const auto texts = FitSizes({p, q}, Sample({p, q}, 6, size), {0}, {{}, {}});
  RC_ASSERT(texts[0].has_value());
  const auto expression =
      Expression::Parse(*texts[0], std::vector<std::string>{"p", "q"});
  RC_ASSERT(expression.ok());
  for (const ParameterValues& values : {ParameterValues{1, 1}, {998, 997}}) {
    RC_ASSERT(static_cast<size_t>(expression->Evaluate(values).value) ==
              size(values));
  }
}

struct ScaleCase {
  const char* name;
  SizeParameter parameter;
  SizeFunction size;
  absl::optional<ScaledParameter> scale;
};

TEST(FindScale, FindsTheSmallestDivisor) {
  const SizeParameter s = {"s", 5, 500, 1};
  const ScaleCase cases[] = {
      {"no quotient", s, [](auto& v) { return 3 * v[0] * v[0]; },
       ScaledParameter{1, 0}},
      {"rounded down", s, [](auto& v) { return v[0] / 2; },
       ScaledParameter{2, 0}},
      {"rounded up three times", s,
       [](auto& v) { return 4 * ((v[0] + 7) / 8) * ((v[0] + 7) / 8); },
       ScaledParameter{8, 7}},
      {"the largest divisor", s, [](auto& v) { return (v[0] + 3) / 32; },
       ScaledParameter{32, 3}},
      {"two divisors", s, [](auto& v) { return v[0] / 2 + v[0] / 3; },
       absl::nullopt},
      {"steps above the divisor",
       {"s", 5, 500, 3},
       [](auto& v) { return v[0] / 2; },
       ScaledParameter{2, 0}},
      {"too few values to test it",
       {"s", 5, 8, 1},
       [](auto& v) { return v[0]; },
       absl::nullopt},
      {"no such function", s, [](auto& v) { return v[0] % 7; }, absl::nullopt},
  };
  for (const ScaleCase& each : cases) {
    SCOPED_TRACE(each.name);
    const auto scale =
        FindScale(Sample({each.parameter}, 160, each.size), 0, 0, 2);
    ASSERT_EQ(scale.has_value(), each.scale.has_value());
    if (!scale) continue;
    EXPECT_EQ(scale->divisor, each.scale->divisor);
    EXPECT_EQ(scale->shift, each.scale->shift);
  }
}

}  // namespace
}  // namespace stowage::harness
