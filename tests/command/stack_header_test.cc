// SPDX-License-Identifier: Apache-2.0
// Tests that headers with orders compile in C and in C++, and that their
// numbers equal those of the library for all values.
#include "src/command/stack_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/dynamic/dynamic_file.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/io/read_file.h"
#include "tests/command/dynamic_stack.h"
#include "tests/command/scenarios_stack.h"
#include "tests/command/stack_in_c.h"

namespace stowage::cli {
namespace {

using testing::HasSubstr;

// All enumerators are different, although the names of two records differ only
// in a character that is not allowed in C names, and although one record is
// named "end", like the enumerator for the number of records.
static_assert(DYNAMIC_STACK_AT_IN == 0 && DYNAMIC_STACK_AT_IN_ == 2);
static_assert(DYNAMIC_STACK_AT_END == 4 && DYNAMIC_STACK_AT_END_2 == 1);
static_assert(DYNAMIC_STACK_RECORDS == 4 && DYNAMIC_STACK_ALIGNMENT == 16);
static_assert(SCENARIOS_STACK_SCENARIO_S64 == 1);

struct ReadStack {
  DynamicProblem problem;
  DynamicFile file;
  DynamicPlan plan;
};

ReadStack ReadData(const std::string& name) {
  const std::string path =
      STOWAGE_SOURCE_DIR "/tests/command/data/" + name + ".json";
  DynamicFile file;
  auto problem = ReadDynamicProblem(*ReadFile(path), path, &file);
  EXPECT_TRUE(problem.ok()) << problem.status();
  auto plan = EvaluateOrder(*problem, file.order);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return {*problem, file, *plan};
}

// Expects that the sizes and offsets equal those of the library. The arguments
// are ordered from the bottom to the top.
void ExpectAt(const ReadStack& read, const ParameterValues& values,
              const std::vector<size_t>& sizes,
              const std::vector<size_t>& offsets, size_t total) {
  const auto expected = read.problem.SizesAt(values);
  ASSERT_TRUE(expected.ok()) << expected.status();
  std::vector<size_t> placed(expected->size());
  const auto height =
      read.plan.stack.Offsets(MakeConstSpan(*expected), MakeSpan(placed));
  ASSERT_TRUE(height.ok());
  EXPECT_EQ(total, *height);
  EXPECT_LE(total, read.plan.reserve);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const size_t record = read.plan.stack.order()[i];
    EXPECT_EQ(sizes[i], (*expected)[record]) << i;
    EXPECT_EQ(offsets[i], placed[record]) << i;
  }
}

TEST(StackHeader, ComputesEveryValueAndRefusesAllOthers) {
  const ReadStack read = ReadData("dynamic_stack");
  EXPECT_EQ(read.plan.reserve, DYNAMIC_STACK_RESERVE_BYTES);
  size_t accepted = 0;
  for (int64_t batch = 0; batch <= 5; ++batch) {
    for (int64_t extent = 0; extent <= 112; extent += 8) {
      for (int64_t row = 2; row <= 13; ++row) {
        std::vector<size_t> sizes(4);
        std::vector<size_t> offsets(4);
        size_t total = 0;
        const bool is_value = batch >= 1 && batch <= 4 && extent >= 16 &&
                              extent <= 96 && extent % 16 == 0 && row >= 3 &&
                              row <= 12 && row % 3 == 0 &&
                              batch * extent <= 256;
        ASSERT_EQ(stowage_stack_dynamic(batch, extent, row, sizes.data(),
                                        offsets.data(), &total),
                  is_value ? 1 : 0)
            << batch << " " << extent << " " << row;
        if (!is_value) continue;
        ++accepted;
        ExpectAt(read,
                 {static_cast<uint64_t>(batch), static_cast<uint64_t>(extent),
                  static_cast<uint64_t>(row)},
                 sizes, offsets, total);
      }
    }
  }
  EXPECT_EQ(accepted, 4 * (6 + 6 + 5 + 4));
}

TEST(StackHeader, HasTheSizesOfScenarios) {
  const ReadStack read = ReadData("scenarios_stack");
  std::vector<size_t> sizes(2);
  std::vector<size_t> offsets(2);
  size_t total = 0;
  for (uint32_t scenario = 0; scenario < 2; ++scenario) {
    ASSERT_EQ(
        stowage_stack_scenario(scenario, sizes.data(), offsets.data(), &total),
        1);
    ExpectAt(read, {scenario}, sizes, offsets, total);
  }
  EXPECT_EQ(stowage_stack_scenario(2, sizes.data(), offsets.data(), &total), 0);
}

// Headers with different orders have different tables, so a compiler detects
// two headers with the same name.
TEST(StackHeader, DiffersWithTheOrder) {
  const ReadStack read = ReadData("scenarios_stack");
  const auto other = EvaluateOrder(read.problem, {0, 1});
  ASSERT_TRUE(other.ok());
  const auto first = StackHeader("x", "a/x.json", read.problem, read.plan);
  const auto second = StackHeader("x", "b/x.json", read.problem, *other);
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(second.ok());
  EXPECT_NE(*first, *second);
  // Ids that give the same name keep their names in every order.
  DynamicSpec spec = read.problem.spec();
  spec.problem.names = {"a b", "a-b"};
  const auto problem = DynamicProblem::Create(spec);
  ASSERT_TRUE(problem.ok()) << problem.status();
  const auto up = EvaluateOrder(*problem, {0, 1});
  const auto down = EvaluateOrder(*problem, {1, 0});
  ASSERT_TRUE(up.ok() && down.ok());
  EXPECT_THAT(*StackHeader("x", "x.json", *problem, *up),
              HasSubstr("X_AT_A_B = 0,\n  X_AT_A_B_1 = 1"));
  EXPECT_THAT(*StackHeader("x", "x.json", *problem, *down),
              HasSubstr("X_AT_A_B_1 = 0,\n  X_AT_A_B = 1"));
  EXPECT_EQ(*first, *StackHeader("x", "b/x.json", read.problem, read.plan));
}

}  // namespace
}  // namespace stowage::cli
