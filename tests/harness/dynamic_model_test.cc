// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/dynamic_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "src/tflite/model_draft.h"
#include "stowage/base/random.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/harness/given_shapes.h"
#include "stowage/harness/shape_parameters.h"
#include "stowage/problem.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model_trace.h"
#include "tests/harness/open_models.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Returns one shape, x=1x?s.
ShapeParameters OneExtent(SizeParameter s) {
  ShapeParameters open;
  open.shapes = {{"x", {{1}, {0, s.name}}}};
  open.parameters = {std::move(s)};
  return open;
}

// Returns a function that returns two records. `size` computes the size of the
// second record.
RecordsAtShapes TwoRecords(std::function<size_t(size_t)> size) {
  return [size](absl::Span<const GivenShape> shapes) {
    ProblemSpec spec;
    const auto s = static_cast<size_t>(shapes[0].shape[1]);
    spec.records = {{4 * s, 0, 2}, {size(s), 1, 3}};
    spec.names = {"3", "5"};
    spec.labels.tensors.resize(2);
    spec.labels.tensors[0].shape = "1x8";
    spec.labels.tensors[1].name = "y";
    spec.labels.tensors[1].shape = absl::StrCat("1x", s, "x2");
    return spec;
  };
}

TEST(DynamicProblemOfModel, HasExpressions) {
  const absl::StatusOr<DynamicModel> model = DynamicProblemOfModel(
      OneExtent({"s", 1, 600}), TwoRecords([](size_t s) { return 2 * s * s; }));
  ASSERT_THAT(model, IsOk());
  EXPECT_THAT(model->spec.sizes, ElementsAre("4*s", "2*s*s"));
  EXPECT_THAT(model->spec.scenarios, IsEmpty());
  ASSERT_THAT(model->spec.problem.records, SizeIs(2));
  EXPECT_EQ(model->spec.problem.records[1].last_task, 3);
  EXPECT_EQ(model->spec.problem.labels.tensors[0].shape, "1x8");
  EXPECT_EQ(model->spec.problem.labels.tensors[1].shape, "1x?x2");
  EXPECT_THAT(model->note, HasSubstr("of 600 in the ranges"));
}

TEST(DynamicProblemOfModel, HasQuotientsWherePolynomialsDoNotFit) {
  const absl::StatusOr<DynamicModel> model = DynamicProblemOfModel(
      OneExtent({"s", 1, 600}),
      TwoRecords([](size_t s) { return 8 * ((s + 15) / 16); }));
  ASSERT_THAT(model, IsOk());
  EXPECT_THAT(model->spec.sizes, ElementsAre("4*s", "8*((s + 15)//16)"));
}

TEST(DynamicProblemOfModel, HasScenariosWhereNothingFits) {
  const absl::StatusOr<DynamicModel> model = DynamicProblemOfModel(
      OneExtent({"s", 16, 64, 16}), TwoRecords([](size_t s) {
        return s == 48 ? 7 : s == 32 ? 90 : s % 31;
      }));
  ASSERT_THAT(model, IsOk());
  // A polynomial fits any four values.
  EXPECT_THAT(model->spec.scenarios, IsEmpty());
  const absl::StatusOr<DynamicModel> many = DynamicProblemOfModel(
      OneExtent({"s", 1, 40}),
      TwoRecords([](size_t s) { return std::max<size_t>(s * s, 100); }));
  ASSERT_THAT(many, IsOk());
  EXPECT_THAT(many->spec.sizes, IsEmpty());
  EXPECT_THAT(many->spec.parameters, IsEmpty());
  EXPECT_THAT(many->spec.scenarios, ::testing::Contains("s=40"));
  ASSERT_THAT(many->spec.tables, SizeIs(2));
  EXPECT_EQ(many->spec.tables[1].front(), 100);
  EXPECT_EQ(many->spec.tables[1].back(), 1600);
  EXPECT_THAT(many->note,
              HasSubstr("tensor 5 \"y\": no expression fits its size"));
  EXPECT_THAT(DynamicProblem::Create(many->spec), IsOk());
}

TEST(DynamicProblemOfModel, NamesTheFirstTensorThatDiffers) {
  const auto longer = [](absl::Span<const GivenShape> shapes) {
    ProblemSpec spec = *TwoRecords([](size_t s) { return s; })(shapes);
    if (shapes[0].shape[1] > 20) spec.records[1].last_task = 4;
    return spec;
  };
  EXPECT_THAT(
      DynamicProblemOfModel(OneExtent({"s", 16, 64, 16}), longer),
      FailsWith(absl::StatusCode::kInvalidArgument,
                "at s=32: tensor 5 \"y\" is live at tasks 1 to 4; expected "
                "tasks 1 to 3 as at s=16, since lifetimes must not depend on "
                "parameters"));
  const auto fewer = [](absl::Span<const GivenShape> shapes) {
    ProblemSpec spec = *TwoRecords([](size_t s) { return s; })(shapes);
    if (shapes[0].shape[1] > 20) {
      spec.records.pop_back();
      spec.names.pop_back();
    }
    return spec;
  };
  EXPECT_THAT(
      DynamicProblemOfModel(OneExtent({"s", 16, 64, 16}), fewer),
      FailsWith(
          absl::StatusCode::kInvalidArgument,
          "at s=32: tensor 5 \"y\" has no record; expected the records at "
          "s=16, since the set of records must not depend on parameters"));
  const auto fails =
      [](absl::Span<const GivenShape> shapes) -> absl::StatusOr<ProblemSpec> {
    if (shapes[0].shape[1] > 20) return absl::NotFoundError("no such kernel");
    return TwoRecords([](size_t s) { return s; })(shapes);
  };
  EXPECT_THAT(
      DynamicProblemOfModel(OneExtent({"s", 16, 64, 16}), fails),
      FailsWith(absl::StatusCode::kNotFound, "at s=32: no such kernel"));
}

// Returns a function that returns the records of the model under the given
// rules.
RecordsAtShapes RecordsOfModel(const std::string& bytes, LifetimeRules rules) {
  return [&bytes, rules](absl::Span<const GivenShape> shapes)
             -> absl::StatusOr<ProblemSpec> {
    TraceShadows given;
    given.shapes.assign(shapes.begin(), shapes.end());
    absl::StatusOr<ModelTrace> trace = ParseTrace(bytes, "m", rules, {}, given);
    if (!trace.ok()) return trace.status();
    return std::move(trace->problem);
  };
}

// Compares the sizes of the problem with the sizes of the model at random
// parameter values.
void CompareAtRandom(const ShapeParameters& open,
                     const RecordsAtShapes& records_at) {
  const absl::StatusOr<DynamicModel> model =
      DynamicProblemOfModel(open, records_at);
  ASSERT_THAT(model, IsOk());
  ASSERT_THAT(model->spec.scenarios, IsEmpty()) << model->note;
  const absl::StatusOr<DynamicProblem> problem =
      DynamicProblem::Create(model->spec);
  ASSERT_THAT(problem, IsOk());
  Random random(7);
  for (int i = 0; i < 30; ++i) {
    ParameterValues values;
    for (const SizeParameter& p : open.parameters) {
      values.push_back(p.min +
                       p.step * random.Below((p.max - p.min) / p.step + 1));
    }
    const absl::StatusOr<std::vector<size_t>> sizes = problem->SizesAt(values);
    if (!sizes.ok()) continue;  // a limit does not hold
    const absl::StatusOr<ProblemSpec> expected =
        records_at(ShapesAt(open, values));
    ASSERT_THAT(expected, IsOk());
    for (size_t r = 0; r < sizes->size(); ++r) {
      EXPECT_EQ((*sizes)[r], expected->records[r].tensor_size)
          << problem->Describe(values) << ", record " << r << ": "
          << model->spec.sizes[r];
    }
  }
}

TEST(DynamicProblemOfModel, HasTheSizesOfModels) {
  ShapeParameters attention;
  attention.shapes = {{"x", {{0, "n"}, {0, "s"}, {8}}}};
  attention.parameters = {{"n", 1, 32}, {"s", 16, 512, 16}};
  attention.where = {"n*s <= 4096"};
  ShapeParameters image;
  image.shapes = {{"image", {{1}, {0, "h"}, {0, "w"}, {2}}}};
  image.parameters = {{"h", 5, 400}, {"w", 5, 400}};
  const std::string attention_bytes = Build(AttentionModel());
  const std::string pooling_bytes = Build(PoolingModel());
  for (const LifetimeRules rules :
       {LifetimeRules::kPlain, LifetimeRules::kCpu}) {
    SCOPED_TRACE(LifetimeRulesName(rules));
    CompareAtRandom(attention, RecordsOfModel(attention_bytes, rules));
    CompareAtRandom(image, RecordsOfModel(pooling_bytes, rules));
  }
}

}  // namespace
}  // namespace stowage::harness
