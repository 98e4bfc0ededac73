// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/shape_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/harness/given_shapes.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;

// Returns shapes of two inputs: a=?batch x ?seq, and b=?seq x 8.
ShapeParameters TwoInputs() {
  ShapeParameters open;
  open.shapes = {{"a", {{0, "batch"}, {0, "seq"}}}, {"b", {{0, "seq"}, {8}}}};
  open.parameters = {{"batch", 1, 4}, {"seq", 16, 64, 16}};
  return open;
}

TEST(ShapeParameters, AreShapesAtValues) {
  ShapeParameters open = TwoInputs();
  open.where = {"batch*seq <= 64"};
  const absl::StatusOr<DynamicProblem> values = ValuesOf(open);
  ASSERT_THAT(values, IsOk());
  const absl::StatusOr<ParameterValues> at =
      values->ParseValues("seq=32,batch=2");
  ASSERT_THAT(at, IsOk());
  const std::vector<GivenShape> shapes = ShapesAt(open, *at);
  ASSERT_EQ(shapes.size(), 2);
  EXPECT_EQ(shapes[0].tensor, "a");
  EXPECT_THAT(shapes[0].shape, ElementsAre(2, 32));
  EXPECT_EQ(shapes[1].tensor, "b");
  EXPECT_THAT(shapes[1].shape, ElementsAre(32, 8));
  EXPECT_FALSE(values->ParseValues("seq=64,batch=2").ok());
}

struct BadCase {
  const char* name;
  ShapeParameters open;
  absl::StatusCode code;
  const char* error;
};

TEST(ShapeParameters, SayWhatIsWrong) {
  ShapeParameters unbounded = TwoInputs();
  unbounded.parameters.pop_back();
  ShapeParameters unused = TwoInputs();
  unused.parameters.push_back({"width", 1, 2});
  ShapeParameters zero = TwoInputs();
  zero.parameters[0].min = 0;
  ShapeParameters large = TwoInputs();
  large.parameters[1].max = uint64_t{1} << 31;
  ShapeParameters empty = TwoInputs();
  empty.parameters[1].min = 65;
  ShapeParameters still = TwoInputs();
  still.parameters[1].step = 0;
  ShapeParameters many;
  many.shapes = {{"a", {}}};
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i"}) {
    many.shapes[0].extents.push_back({0, name});
    many.parameters.push_back({name, 1, 2});
  }
  ShapeParameters impossible = TwoInputs();
  impossible.where = {"batch > seq"};
  const BadCase cases[] = {
      {"no range", unbounded, absl::StatusCode::kInvalidArgument,
       "no upper bound: seq; expected --parameter seq=MIN..MAX"},
      {"not used", unused, absl::StatusCode::kInvalidArgument,
       "parameter width: no shape uses it; expected --shape INPUT=1x?width"},
      {"extent 0", zero, absl::StatusCode::kInvalidArgument,
       "parameter batch: 0..4; expected extents from 1 to 2^31 - 1"},
      {"a large extent", large, absl::StatusCode::kInvalidArgument,
       "parameter seq: 16..2147483648; expected extents from 1 to 2^31 - 1"},
      {"an empty range", empty, absl::StatusCode::kInvalidArgument,
       "empty range: seq has min 65 and max 64; expected min <= max"},
      {"step 0", still, absl::StatusCode::kInvalidArgument,
       "parameter seq: step 0; expected at least 1"},
      {"nine parameters", many, absl::StatusCode::kUnimplemented,
       "9 parameters; expected at most 8"},
      {"no value", impossible, absl::StatusCode::kInvalidArgument,
       "no value satisfies where; expected limits that some values keep"},
  };
  for (const BadCase& each : cases) {
    SCOPED_TRACE(each.name);
    EXPECT_THAT(ValuesOf(each.open), FailsWith(each.code, each.error));
  }
}

}  // namespace
}  // namespace stowage::harness
