// SPDX-License-Identifier: Apache-2.0
// Tests the registry with bad built-in strategies. The test is a separate
// program, because each program has only one registry.
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/plan/builtin_strategies.h"
#include "stowage/planner.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "stowage/verify.h"
#include "tests/plan/scripted_strategy.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

}  // namespace

// Returns "twin" twice, as if the library that contains it had been loaded
// twice.
std::vector<std::unique_ptr<const Strategy>> CreateBuiltinStrategies() {
  std::vector<std::unique_ptr<const Strategy>> strategies;
  for (const char* name : {"twin", "one", "twin", "two", "Not-Fine"}) {
    strategies.push_back(
        std::make_unique<ScriptedStrategy>(name, OffsetsOnly(), nullptr));
  }
  return strategies;
}

absl::Span<const absl::string_view> LibraryStrategies() { return {}; }

namespace {

TEST(BadBuiltinTest, IsAnErrorForThoseWhoAskForIt) {
  const auto problem = Problem::Create({});
  ASSERT_THAT(problem, IsOk());
  const auto twice =
      FailsWith(absl::StatusCode::kAlreadyExists,
                "strategies of this program: strategy 'twin' is registered "
                "already");
  EXPECT_THAT(FindStrategy("twin"), twice);
  EXPECT_THAT(Solve(*problem, "twin"), twice);
  EXPECT_THAT(FindStrategy("Not-Fine"),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        StartsWith("strategies of this program: strategy name "
                                   "'Not-Fine'; expected lower-case")));
}

TEST(BadBuiltinTest, KeepsItsNameFromOthers) {
  EXPECT_THAT(RegisterStrategy(std::make_unique<ScriptedStrategy>(
                  "twin", OffsetsOnly(), nullptr)),
              FailsWith(absl::StatusCode::kAlreadyExists,
                        "strategy 'twin' is registered already"));
}

// Puts all tensors into one object of extent 2 by 2, regardless of their type.
class CrampedEquality final : public Strategy {
 public:
  const StrategyInfo& info() const override { return info_; }
  absl::StatusOr<Solution> Solve(const Problem& /*problem*/,
                                 const SolveOptions&) const override {
    return Solution();
  }
  absl::StatusOr<ExtentObjects> AssignExtents(
      const ExtentRecords& /*records*/) const override {
    return ExtentObjects(ObjectsAssignment<uint2>{{0}, {uint2(2, 2)}});
  }

 private:
  const StrategyInfo info_ = [] {
    StrategyInfo info;
    info.name = "equality";
    info.features = ObjectsOnly();
    return info;
  }();
};

// In this program only, EQUALITY is the strategy CrampedEquality.
TEST(ExtentsTest, AreVerifiedLikeAllPlans) {
  ASSERT_THAT(RegisterStrategy(std::make_unique<CrampedEquality>()), IsOk());
  ObjectsAssignment<uint2> flat;
  EXPECT_THAT(AssignObjectsToTensors<uint2>({{uint2(2, 1), 0, 1}},
                                            MemoryStrategy::EQUALITY, &flat),
              IsOk());
  EXPECT_THAT(flat.object_ids, ElementsAre(0));
  const absl::Status unsafe = AssignObjectsToTensors<uint2>(
      {{uint2(2, 3), 0, 1}}, MemoryStrategy::EQUALITY, &flat);
  EXPECT_THAT(unsafe, FailsWith(absl::StatusCode::kFailedPrecondition,
                                "strategy 'equality' returned an unsafe plan: "
                                "tensor 0 is larger than its object 0"));
  ASSERT_TRUE(ViolationOf(unsafe));
  EXPECT_EQ(ViolationOf(unsafe)->kind, Violation::Kind::kObjectTooSmall);
  ObjectsAssignment<uint3> deep;
  EXPECT_THAT(AssignObjectsToTensors<uint3>({{uint3(2, 1, 1), 0, 1}},
                                            MemoryStrategy::EQUALITY, &deep),
              FailsWith(absl::StatusCode::kFailedPrecondition,
                        "strategy 'equality' returned an unsafe plan: its "
                        "objects are of another type of size"));
}

TEST(BadBuiltinTest, LeavesTheOthersAndThoseOfLinkedLibraries) {
  std::vector<std::string> names;
  for (const Strategy* strategy : AllStrategies()) {
    names.push_back(strategy->info().name);
    EXPECT_THAT(FindStrategy(names.back()), IsOk());
  }
  EXPECT_THAT(names, IsSupersetOf({"mincostflow", "one", "two"}));
  EXPECT_THAT(names, Not(Contains(AnyOf("twin", "Not-Fine"))));
}

}  // namespace
}  // namespace stowage
