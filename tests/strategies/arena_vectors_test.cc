// SPDX-License-Identifier: Apache-2.0
// Compares the plans of the CPU arena and of microcontrollers with those of the
// original planners. They must be equal bit for bit.
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "tests/support/plan_request.h"
#include "tests/support/vectors.h"

namespace stowage {
namespace {

using support::LoadJsonLines;
using support::Plan;
using support::PlanRequest;
using support::RecordsIn;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

using FixedOffsets = std::vector<absl::optional<size_t>>;

PlanRequest OptionsOf(const char* strategy, const nlohmann::json& vector,
                      const FixedOffsets& fixed) {
  PlanRequest options;
  options.strategy = strategy;
  options.alignments = vector.at("alignment").get<size_t>();
  options.fixed_offsets = fixed;
  return options;
}

// Uses only the vectors of kind "records". Vectors of other kinds specify an
// order and lifetimes that can be computed only from a graph.
TEST(ArenaVectors, RecordsGoWhereTheCpuArenaPutsThem) {
  size_t count = 0;
  for (const auto& vector : LoadJsonLines("vectors_arena_public.jsonl")) {
    if (vector.at("kind") != "records") continue;
    ++count;
    SCOPED_TRACE(vector.at("name").get<std::string>());
    const auto records = RecordsIn<size_t>(vector.at("records"));
    const auto plan = Plan(records, OptionsOf("arena_best_fit", vector, {}));
    ASSERT_TRUE(plan.ok()) << plan.status();
    const auto& expected = vector.at("expected");
    EXPECT_THAT(
        plan->offsets()->offsets,
        ElementsAreArray(expected.at("offsets").get<std::vector<size_t>>()));
    EXPECT_EQ(plan->total_size, expected.at("arena_size").get<size_t>());
  }
  EXPECT_EQ(count, 100u);
}

FixedOffsets FixedOffsetsIn(const nlohmann::json& vector) {
  FixedOffsets fixed;
  for (const auto& offset : vector.at("offline_offsets")) {
    const auto value = offset.get<int64_t>();
    if (value < 0) {
      fixed.emplace_back(absl::nullopt);
    } else {
      fixed.emplace_back(static_cast<size_t>(value));
    }
  }
  return fixed;
}

// If fixed offsets overlap, the original planner nevertheless plans the
// records, whereas this library reports that there is no plan.
TEST(MicroVectors, RecordsGoWhereTheMicroPlannerPutsThem) {
  for (const auto& vector : LoadJsonLines("vectors_tflm_public.jsonl")) {
    SCOPED_TRACE(vector.at("name").get<std::string>());
    const auto records = RecordsIn<size_t>(vector.at("records"));
    const FixedOffsets fixed = FixedOffsetsIn(vector);
    const auto plan =
        Plan(records, OptionsOf("micro_first_fit", vector, fixed));
    ASSERT_TRUE(plan.ok()) << plan.status();
    const auto& expected = vector.at("expected");
    if (expected.at("overlap").get<bool>()) {
      EXPECT_EQ(plan->status, SolutionStatus::kInfeasible);
      EXPECT_THAT(plan->reason, HasSubstr(" both hold bytes ["));
      continue;
    }
    EXPECT_THAT(
        plan->offsets()->offsets,
        ElementsAreArray(expected.at("offsets").get<std::vector<size_t>>()));
    EXPECT_EQ(plan->total_size, expected.at("max_size").get<size_t>());
  }
}

struct RefusedCase {
  const char* name;
  const char* strategy;
  PlanKind kind;
  FixedOffsets fixed;
  absl::StatusCode code;
  const char* message;
};

TEST(FixedOffsets, AreRefusedWhereTheyCannotBeHonoured) {
  const std::vector<TensorUsageRecord<size_t>> records = {
      {32, 0, 1}, {32, 1, 2}, {32, 2, 3}};
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;
  const RefusedCase cases[] = {
      {"misaligned",
       "micro_first_fit",
       PlanKind::kOffsets,
       {{}, 8, {}},
       kInvalid,
       "record 1: fixed offset 8 is not aligned; expected a multiple of its "
       "alignment 16"},
      {"too few",
       "micro_first_fit",
       PlanKind::kOffsets,
       {0, 32},
       kInvalid,
       "fixed offsets: 2 given; expected 3, one for each record"},
      {"too high",
       "micro_first_fit",
       PlanKind::kOffsets,
       {{}, {}, ~size_t{0} - 63},
       absl::StatusCode::kOutOfRange,
       "record 2: fixed offset 18446744073709551552 and the sum of the sizes "
       "above it exceed 2^64 - 1; expected a sum below 2^64"},
      {"no such feature",
       "naive",
       PlanKind::kOffsets,
       {0, {}, {}},
       kUnimplemented,
       "strategy 'naive' does not support fixed_offsets; expected one of "
       "greedy_best, greedy_by_breadth, greedy_by_size, micro_first_fit, "
       "optimal, skyline"},
      {"objects",
       "greedy_by_size",
       PlanKind::kObjects,
       {0, {}, {}},
       kUnimplemented,
       "fixed offsets: shared objects have none; expected kind offsets"},
  };
  for (const RefusedCase& c : cases) {
    SCOPED_TRACE(c.name);
    PlanRequest options;
    options.strategy = c.strategy;
    options.kind = c.kind;
    options.alignments = 16;
    options.fixed_offsets = c.fixed;
    const auto plan = Plan(records, options);
    EXPECT_EQ(plan.status().code(), c.code);
    EXPECT_EQ(plan.status().message(), c.message);
  }
}

// The fixed records do not conflict, so they may have the same offset.
TEST(FixedOffsets, AreKept) {
  const std::vector<TensorUsageRecord<size_t>> records = {
      {32, 0, 1}, {32, 1, 2}, {32, 2, 3}};
  const FixedOffsets fixed = {64, {}, 64};
  PlanRequest options;
  options.strategy = "micro_first_fit";
  options.fixed_offsets = fixed;
  const auto plan = Plan(records, options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->offsets()->offsets, ElementsAreArray({64, 0, 64}));
  EXPECT_EQ(plan->total_size, 96u);
}

// If each size were rounded up to its alignment, the sum would exceed 64 bits.
// The records nevertheless have a plan, in which no record is padded.
TEST(MicroFirstFit, PlansSizesThatFitOnlyWithoutTheirPadding) {
  constexpr size_t kMax = std::numeric_limits<size_t>::max();
  const std::vector<ByteRecord> records = {{1, 0, 0}, {kMax - 2, 0, 0}};
  const std::vector<size_t> alignments = {2, 1};
  PlanRequest options;
  options.strategy = "micro_first_fit";
  options.alignments = Alignments(alignments);
  const auto plan = Plan(records, options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->offsets()->offsets,
              ElementsAreArray({kMax - 1, size_t{0}}));
  EXPECT_EQ(plan->total_size, kMax);
}

}  // namespace
}  // namespace stowage
