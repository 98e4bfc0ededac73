// SPDX-License-Identifier: Apache-2.0
// Tests that stacks with groups and fixed offsets are safe for all sizes, and
// as low as their order allows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/random.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/certificate.h"
#include "stowage/constraints.h"
#include "stowage/dynamic/dynamic_certificate.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/dynamic/stack_plan.h"
#include "stowage/dynamic/stack_table.h"
#include "stowage/dynamic/verify_dynamic.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"
#include "tests/dynamic/random_order.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RecordPlace InGroup(uint32_t group, size_t at) {
  RecordPlace place;
  place.group = group;
  place.at = at;
  return place;
}

struct GroupCase {
  const char* name;
  std::vector<ByteRecord> records;
  std::vector<RecordPlace> places;
  std::vector<optional<size_t>> fixed;
  std::vector<size_t> order;
  std::vector<size_t> offsets;
  size_t height;
};

TEST(StackGroups, AreStackedAsAWhole) {
  const RecordPlace alone;
  const GroupCase cases[] = {
      {"a group above a record that one of its records meets",
       {{40, 0, 1}, {8, 2, 3}, {8, 1, 3}},
       {alone, InGroup(0, 0), InGroup(0, 16)},
       {},
       {0, 1, 2},
       {0, 24, 40},
       48},
      {"the distance already leads above",
       {{16, 0, 1}, {8, 2, 3}, {8, 1, 3}},
       {alone, InGroup(0, 0), InGroup(0, 16)},
       {},
       {0, 1, 2},
       {0, 0, 16},
       24},
      {"a record above the highest record of a group that it meets",
       {{8, 0, 1}, {32, 0, 4}, {8, 1, 5}, {8, 3, 4}},
       {InGroup(7, 0), InGroup(7, 8), alone, alone},
       {},
       {0, 1, 2, 3},
       {0, 8, 40, 48},
       56},
      {"the first of a group decides where it is in the order",
       {{8, 0, 4}, {8, 0, 1}, {8, 2, 4}},
       {alone, InGroup(0, 0), InGroup(0, 0)},
       {},
       {2, 0, 1},
       {8, 0, 0},
       16},
      {"fixed records come first",
       {{8, 0, 4}, {8, 0, 1}, {8, 2, 4}},
       {},
       {nullopt, size_t{16}, size_t{0}},
       {0, 1, 2},
       {24, 16, 0},
       32},
      {"a fixed record fixes its group",
       {{8, 0, 4}, {8, 0, 1}, {8, 2, 4}},
       {alone, InGroup(0, 0), InGroup(0, 8)},
       {nullopt, nullopt, size_t{16}},
       {0, 1, 2},
       {24, 8, 16},
       32},
  };
  for (const GroupCase& test : cases) {
    SCOPED_TRACE(test.name);
    ProblemSpec spec;
    spec.records = test.records;
    spec.alignment = 8;
    spec.constraints.places = test.places;
    spec.fixed_offsets = test.fixed;
    const StatusOr<StackPlan> plan = StackPlan::Create(spec, test.order);
    ASSERT_THAT(plan, support::IsOk());
    EXPECT_TRUE(plan->has_groups());
    std::vector<size_t> sizes;
    for (const ByteRecord& record : test.records) {
      sizes.push_back(record.tensor_size);
    }
    std::vector<size_t> offsets(sizes.size());
    const StatusOr<size_t> height = plan->Offsets(sizes, MakeSpan(offsets));
    ASSERT_THAT(height, support::IsOk());
    EXPECT_EQ(*height, test.height);
    EXPECT_EQ(offsets, test.offsets);
    EXPECT_EQ(EncodeStack(*plan).status().code(), StatusCode::kUnimplemented);
  }
}

TEST(StackGroups, KeepAlignmentsAtTheirDistances) {
  ProblemSpec spec;
  spec.records = {{10, 0, 9}, {4, 0, 1}, {4, 2, 3}};
  spec.alignments = {1, 4, 16};
  spec.constraints.places = {RecordPlace(), InGroup(0, 0), InGroup(0, 12)};
  const StatusOr<StackPlan> plan = StackPlan::Create(spec, {0, 1, 2});
  ASSERT_THAT(plan, support::IsOk());
  std::vector<size_t> offsets(3);
  ASSERT_THAT(plan->Offsets({10, 4, 4}, MakeSpan(offsets)), support::IsOk());
  EXPECT_THAT(offsets, ElementsAre(0, 20, 32));
  spec.constraints.places[2].at = 14;
  EXPECT_THAT(
      std::string(StackPlan::Create(spec, {0, 1, 2}).status().message()),
      HasSubstr("record 1: no start of its group is aligned for all"));
}

TEST(StackGroups, SayWhichFixedRecordsOverlap) {
  ProblemSpec spec;
  spec.records = {{0, 0, 1}, {0, 1, 2}};
  spec.fixed_offsets = {size_t{0}, size_t{16}};
  const StatusOr<StackPlan> plan = StackPlan::Create(spec, {1, 0});
  ASSERT_THAT(plan, support::IsOk());
  std::vector<size_t> offsets(2);
  EXPECT_THAT(plan->Offsets({16, 1}, MakeSpan(offsets)), support::IsOk());
  EXPECT_THAT(
      std::string(plan->Offsets({17, 1}, MakeSpan(offsets)).status().message()),
      HasSubstr("records 0 and 1: their fixed offsets are too close"));
}

// Returns a problem with groups of one to four records, and with fixed records
// at the bottom. The sizes are expressions of s, which is from 0 to 20.
DynamicSpec RandomGroups(Random* random) {
  DynamicSpec spec;
  spec.parameters = {{"s", 0, 20}};
  ProblemSpec& problem = spec.problem;
  problem.alignment = size_t{1} << random->Below(4);
  const auto count = 1 + static_cast<size_t>(random->Below(12));
  size_t fixed = 0;
  for (size_t i = 0; i < count; ++i) {
    const auto first = static_cast<TaskId>(random->Below(8));
    problem.records.emplace_back(0, first, first + random->Below(5));
    const uint64_t factor = random->Below(6);
    const uint64_t rest = random->Below(30);
    spec.sizes.push_back(random->Below(2) == 0
                             ? std::to_string(factor) + "*s+" +
                                   std::to_string(rest)
                             : std::to_string(factor) + "*(20-s)");
    RecordPlace place;
    problem.fixed_offsets.emplace_back();
    if (random->Below(2) == 0) {
      place = InGroup(static_cast<uint32_t>(random->Below(3)),
                      problem.alignment * random->Below(20));
    } else if (random->Below(5) == 0) {
      problem.fixed_offsets.back() = fixed;
      // No size is larger than 149.
      fixed += 160;
    }
    problem.constraints.places.push_back(place);
  }
  // With fixed offsets, records of the same group may overlap.
  const size_t first = static_cast<size_t>(random->Below(count));
  const RecordPlace& place = problem.constraints.places[first];
  if (place.group != kNoGroup && random->Below(3) == 0) {
    problem.fixed_offsets[first] = fixed + place.at;
  }
  return spec;
}

// Returns the records in the group of `record`, or only `record` if it is in no
// group.
std::vector<size_t> GroupOf(const ProblemSpec& problem, size_t record) {
  const std::vector<RecordPlace>& places = problem.constraints.places;
  std::vector<size_t> members = {record};
  for (size_t i = 0; i < places.size(); ++i) {
    if (i != record && places[record].group != kNoGroup &&
        places[i].group == places[record].group) {
      members.push_back(i);
    }
  }
  return members;
}

// Computes the offsets from their definition, by trying every start from 0 on.
std::vector<size_t> StackedByDefinition(const ProblemSpec& problem,
                                        const std::vector<size_t>& order) {
  const std::vector<ByteRecord>& records = problem.records;
  std::vector<size_t> offsets(records.size());
  std::vector<size_t> placed;
  std::set<size_t> done;
  const auto place_at = [&](size_t start, const std::vector<size_t>& members) {
    for (const size_t member : members) {
      offsets[member] = start + problem.constraints.places[member].at;
      if (done.insert(member).second) placed.push_back(member);
    }
  };
  for (size_t i = 0; i < records.size(); ++i) {
    if (!problem.fixed_offsets[i]) continue;
    place_at(*problem.fixed_offsets[i] - problem.constraints.places[i].at,
             GroupOf(problem, i));
  }
  for (const size_t record : order) {
    if (done.count(record) != 0) continue;
    const std::vector<size_t> members = GroupOf(problem, record);
    const auto is_free = [&](size_t start) {
      for (const size_t member : members) {
        const size_t offset = start + problem.constraints.places[member].at;
        if (offset % problem.alignment != 0) return false;
        for (const size_t other : placed) {
          if (Conflict(records[member], records[other]) &&
              offset < offsets[other] + records[other].tensor_size) {
            return false;
          }
        }
      }
      return true;
    };
    size_t start = 0;
    while (!is_free(start)) ++start;
    place_at(start, members);
  }
  return offsets;
}

RC_GTEST_PROP(StackGroupsProperty, StackByTheDefinition, (uint64_t seed)) {
  Random random(seed);
  const DynamicSpec spec = RandomGroups(&random);
  const StatusOr<DynamicProblem> problem = DynamicProblem::Create(spec);
  RC_ASSERT(problem.ok());
  const std::vector<size_t> order = RandomOrder(&random, problem->size());
  const StatusOr<StackPlan> plan = StackPlan::Create(spec.problem, order);
  RC_ASSERT(plan.ok());
  for (uint64_t s = 0; s <= 20; s += 5) {
    const std::vector<size_t> sizes = *problem->SizesAt({s});
    std::vector<size_t> offsets(sizes.size());
    const StatusOr<size_t> height = plan->Offsets(sizes, MakeSpan(offsets));
    RC_ASSERT(height.ok());
    RC_ASSERT(offsets ==
              StackedByDefinition(problem->SpecWithSizes(sizes), order));
    RC_ASSERT(!FindViolation(*problem->ProblemAt({s}), {offsets, *height}));
  }
}

RC_GTEST_PROP(StackGroupsProperty, ArePlannedAndProvedForAllValues,
              (uint64_t seed)) {
  Random random(seed);
  const StatusOr<DynamicProblem> problem =
      DynamicProblem::Create(RandomGroups(&random));
  RC_ASSERT(problem.ok());
  DynamicOptions options;
  options.max_orders = 50;
  const StatusOr<DynamicPlan> plan = PlanForAllValues(*problem, options);
  RC_ASSERT(plan.ok());
  RC_ASSERT(plan->reserve >= plan->reserve_bound);
  const StatusOr<DynamicVerdict> verdict =
      VerifyOrder(*problem, plan->stack.order(), plan->reserve);
  RC_ASSERT(verdict.ok() && !verdict->fault);
  const StatusOr<std::string> text = FormatDynamicCertificate(*problem, *plan);
  RC_ASSERT(text.ok());
  const StatusOr<CertificateVerdict> checked =
      CheckDynamicCertificate(*problem, *text);
  RC_ASSERT(checked.ok() && checked->refuted.empty());
}

TEST(StackGroups, AreCheckedInFormulas) {
  DynamicSpec spec;
  spec.parameters = {{"s", 1, 4}};
  spec.problem.records = {{0, 0, 1}, {0, 0, 1}, {0, 1, 1}};
  spec.problem.constraints.places = {InGroup(0, 0), InGroup(0, 8),
                                     RecordPlace()};
  spec.sizes = {"16", "8", "s"};
  const StatusOr<DynamicProblem> problem = DynamicProblem::Create(spec);
  ASSERT_THAT(problem, support::IsOk());
  struct FormulaCase {
    std::vector<std::string> offsets;
    std::string fault;  // part of the fault; empty if there is none
  };
  const FormulaCase cases[] = {
      {{"0", "8", "16"}, ""},
      {{"s", "s+8", "0"}, ""},
      {{"0", "8", "14"}, "at s=4: tensor 0 and tensor 2 both hold"},
      {{"0", "8+s", "32"}, "at s=1: "},
  };
  for (const FormulaCase& test : cases) {
    const StatusOr<DynamicVerdict> verdict =
        VerifyFormulas(*problem, test.offsets, nullopt);
    ASSERT_THAT(verdict, support::IsOk());
    EXPECT_EQ(verdict->fault.has_value(), !test.fault.empty());
    if (!verdict->fault) continue;
    EXPECT_THAT(Describe(*problem, *verdict->fault), HasSubstr(test.fault));
  }
}

struct FixedCase {
  const char* name;
  std::vector<ByteRecord> records;
  std::vector<RecordPlace> places;
  std::vector<optional<size_t>> fixed;
  std::vector<std::string> sizes;
  std::vector<size_t> alignments;
  const char* message;  // part of the error, or null
};

// Fixed offsets are accepted or rejected independently of the order and of
// groups.
TEST(StackGroups, TakeFixedOffsetsThatAreApart) {
  const RecordPlace alone;
  const FixedCase cases[] = {
      {"a group that begins below another record",
       {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}},
       {alone, InGroup(0, 40), alone},
       {size_t{0}, size_t{40}, nullopt},
       {"10*s", "10*s", "7*s"},
       {},
       nullptr},
      {"a record between those of a group",
       {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}},
       {InGroup(0, 0), InGroup(0, 64), alone},
       {size_t{0}, nullopt, size_t{32}},
       {"4*s", "4*s", "4*s"},
       {},
       nullptr},
      {"nothing at the offset of another record",
       {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}},
       {},
       {size_t{0}, size_t{0}, nullopt},
       {"0", "10*s", "s"},
       {},
       nullptr},
      {"a group in itself, under records above it",
       {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}},
       {InGroup(0, 0), InGroup(0, 8), alone},
       {size_t{0}, nullopt, nullopt},
       {"40", "s", "s"},
       {},
       nullptr},
      {"two at one offset",
       {{0, 0, 1}, {0, 1, 1}, {0, 0, 1}},
       {},
       {size_t{8}, size_t{8}, nullopt},
       {"s", "s", "s"},
       {},
       "fixed offsets of record 0 and record 1"},
      {"a start without the alignment",
       {{0, 0, 1}, {0, 1, 1}, {0, 0, 1}},
       {InGroup(0, 8), InGroup(0, 20), alone},
       {nullopt, size_t{64}, nullopt},
       {"16*s", "s", "s"},
       {16, 1, 1},
       "record 0: no start of its group is aligned"},
      {"two starts of a group",
       {{0, 0, 1}, {0, 1, 1}, {0, 0, 1}},
       {InGroup(0, 8), InGroup(0, 20), alone},
       {size_t{8}, size_t{64}, nullopt},
       {"s", "s", "s"},
       {},
       "record 1: its fixed offset, 64, contradicts its group"},
  };
  for (const FixedCase& test : cases) {
    SCOPED_TRACE(test.name);
    DynamicSpec spec;
    spec.parameters = {{"s", 1, 4}};
    spec.problem.records = test.records;
    spec.problem.constraints.places = test.places;
    spec.problem.fixed_offsets = test.fixed;
    spec.problem.alignments = test.alignments;
    spec.sizes = test.sizes;
    const StatusOr<DynamicProblem> problem = DynamicProblem::Create(spec);
    if (test.message != nullptr) {
      EXPECT_THAT(std::string(problem.status().message()),
                  HasSubstr(test.message));
      continue;
    }
    ASSERT_THAT(problem, support::IsOk());
    std::vector<size_t> order = {0, 1, 2};
    do {
      const StatusOr<StackPlan> plan = StackPlan::Create(spec.problem, order);
      ASSERT_THAT(plan, support::IsOk());
      for (uint64_t s = 1; s <= 4; ++s) {
        const std::vector<size_t> sizes = *problem->SizesAt({s});
        std::vector<size_t> offsets(3);
        const StatusOr<size_t> height = plan->Offsets(sizes, MakeSpan(offsets));
        ASSERT_THAT(height, support::IsOk());
        EXPECT_FALSE(
            FindViolation(*problem->ProblemAt({s}), {offsets, *height}));
      }
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_THAT(PlanForAllValues(*problem), support::IsOk());
  }
}

TEST(StackGroups, RefuseFixedRecordsThatOverlapAtSomeValue) {
  DynamicSpec spec;
  spec.parameters = {{"s", 1, 4}};
  spec.problem.records = {{0, 0, 1}, {0, 0, 1}};
  spec.problem.fixed_offsets = {size_t{0}, size_t{12}};
  spec.sizes = {"3*s", "1"};
  EXPECT_THAT(DynamicProblem::Create(spec), support::IsOk());
  spec.sizes = {"3*s+1", "1"};
  EXPECT_THAT(std::string(DynamicProblem::Create(spec).status().message()),
              HasSubstr("fixed offsets of record 0 and record 1 overlap: the "
                        "first has 13 bytes at most"));
}

TEST(StackGroups, TakeTheCornersOnlyIfTheyAreAligned) {
  DynamicSpec spec;
  spec.parameters = {{"s", 0, 4}};
  spec.problem.alignment = 8;
  spec.problem.records = {{0, 0, 1}, {0, 1, 1}};
  spec.sizes = {"8*s", "8*(4-s)"};
  spec.problem.constraints.places = {InGroup(0, 16), RecordPlace()};
  EXPECT_EQ(DynamicProblem::Create(spec)->Corners().size(), 2u);
  spec.problem.constraints.places[0].at = 4;
  EXPECT_EQ(DynamicProblem::Create(spec)->Corners().size(), 0u);
}

}  // namespace
}  // namespace stowage
