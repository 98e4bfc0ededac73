// SPDX-License-Identifier: Apache-2.0
#include "src/testing/plan_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"
#include "tests/support/status_matchers.h"

namespace stowage::program {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(ParsePlanColumn, ReadsTwoColumns) {
  const auto plan =
      ParsePlanColumn("id,offset\nt1,0\nt0,64\n", "plan", "offset");
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(*plan, UnorderedElementsAre(Pair("t0", 64), Pair("t1", 0)));
}

TEST(ParsePlanColumn, IgnoresOtherColumns) {
  const auto plan = ParsePlanColumn(
      "# by hand\nobject,who,id,lower\n7,\"a, b\",t0,not a number\n", "plan",
      "object");
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(*plan, UnorderedElementsAre(Pair("t0", 7)));
}

TEST(ParsePlanColumn, ReadsAFileWithoutRows) {
  for (const char* csv : {"", "# nothing\n", "id,offset\n", "id,lower\n"}) {
    const auto plan = ParsePlanColumn(csv, "plan", "offset");
    ASSERT_THAT(plan, IsOk()) << csv;
    EXPECT_THAT(*plan, IsEmpty());
  }
}

TEST(ParsePlanColumn, NamesWhatIsWrong) {
  const struct {
    const char* csv;
    const char* message;
  } cases[] = {
      {"t0,0\n",
       "plan:1: no header: the first row starts with \"t0\"; expected the "
       "columns id and offset"},
      {"id,object\nt0,1\n", "plan:1: no column \"offset\""},
      {"offset\n", "plan:1: no column \"id\""},
      {"id,offset,id\nt0,1,t0\n",
       "plan:1: column \"id\" appears twice; expected it once"},
      {"id,offset\nt0\n", "plan:2: 1 fields; expected 2 as in the header"},
      {"id,offset\nt0,0\nt0,1\n",
       "plan:3: id \"t0\" appears twice; expected one row for each id"},
      {"id,offset\nt0,-1\n",
       "plan:2: offset is \"-1\"; expected a whole number from 0 to "
       "18446744073709551615 in digits"},
      {"id,offset\nt0,18446744073709551616\n",
       "plan:2: offset is \"18446744073709551616\"; expected a whole number "
       "from 0 to 18446744073709551615 in digits"},
      {"id,offset\nt0,\n",
       "plan:2: offset is \"\"; expected a whole number from 0 to "
       "18446744073709551615 in digits"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(ParsePlanColumn(c.csv, "plan", "offset"),
                FailsWith(absl::StatusCode::kInvalidArgument, c.message));
  }
}

TEST(InOrderOfIds, MatchesRows) {
  const PlanColumn plan = {{"a", 1}, {"b", 2}, {"c", 3}};
  const auto ordered = InOrderOfIds(plan, "plan", {"c", "a", "b"});
  ASSERT_THAT(ordered, IsOk());
  EXPECT_THAT(*ordered, ElementsAre(3, 1, 2));
}

TEST(InOrderOfIds, NamesARowTooFewOrTooMany) {
  const PlanColumn plan = {{"a", 1}, {"y", 2}, {"x", 3}};
  EXPECT_THAT(
      InOrderOfIds(plan, "plan", {"a", "b"}),
      FailsWith(absl::StatusCode::kInvalidArgument,
                "plan: no row for id \"b\"; expected one for each of the "
                "trace"));
  EXPECT_THAT(InOrderOfIds(plan, "plan", {"a"}),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "plan: id \"x\" is not in the trace; expected its ids "
                        "alone"));
}

TEST(ParseNamesColumn, ReadsNamesByTheirIndex) {
  const auto pools =
      ParseNamesColumn("id,chosen_pool,offset\nb,slow,8\na,fast,0\n", "plan",
                       "chosen_pool", {"fast", "slow"});
  ASSERT_THAT(pools, IsOk());
  EXPECT_THAT(*pools, UnorderedElementsAre(Pair("a", 0), Pair("b", 1)));
  EXPECT_THAT(
      ParseNamesColumn("id,chosen_pool\na,sram\n", "plan", "chosen_pool",
                       {"fast", "slow"}),
      FailsWith(absl::StatusCode::kInvalidArgument,
                "plan:2: chosen_pool is \"sram\"; expected one of fast, slow"));
}

}  // namespace
}  // namespace stowage::program
