// SPDX-License-Identifier: Apache-2.0
// Tests each property separately: which bugs it catches, what it reports, and
// which bugs only other properties catch.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/planner.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"
#include "tests/support/plan_request.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wrapped_planner.h"

namespace stowage::testing {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::HasSubstr;

constexpr size_t kMax = std::numeric_limits<size_t>::max();

using Records = absl::Span<const ByteRecord>;
using Offsets = absl::StatusOr<OffsetsAssignment>;

PlanFn GoodOffsets() { return StrategyPlanFn("greedy_best"); }

ObjectsPlanFn GoodObjects() { return StrategyObjectsPlanFn("greedy_best"); }

// Returns a planner that makes correct plans and then changes them with
// `spoil`.
template <typename SpoilFn>
PlanFn Spoilt(SpoilFn spoil) {
  return support::Spoilt(GoodOffsets(), spoil);
}

template <typename SpoilFn>
ObjectsPlanFn SpoiltObjects(SpoilFn spoil) {
  return support::Spoilt(GoodObjects(), spoil);
}

// Returns a correct planner that refuses records for which `refuses` returns
// true.
template <typename Refuses>
PlanFn Refusing(Refuses refuses) {
  return [refuses](Records records, const Alignments& alignments) -> Offsets {
    if (refuses(records)) return absl::OutOfRangeError("too much for me");
    return GoodOffsets()(records, alignments);
  };
}

const ByteRecords& SomeRecords() {
  static const auto* const records =
      new ByteRecords{{16, 0, 1}, {8, 1, 2}, {16, 2, 3}};
  return *records;
}

// Returns the names of the properties that the planner violates.
template <typename Plan>
std::set<std::string> Violated(const PlannerFn<Plan>& planner,
                               absl::Span<const PropertyOf<Plan>> properties) {
  std::set<std::string> names;
  for (const PropertyOf<Plan>& property : properties) {
    if (!property.check(planner, SpecOf(SomeRecords(), 8)).ok()) {
      names.emplace(property.name);
    }
  }
  return names;
}

std::set<std::string> Violated(const PlanFn& planner) {
  return Violated(planner, AllProperties());
}

std::set<std::string> Violated(const ObjectsPlanFn& planner) {
  return Violated(planner, AllObjectsProperties());
}

absl::Status Check(const char* name, const PlanFn& planner) {
  return FindProperty(name)->check(planner, SpecOf(SomeRecords(), 8));
}

absl::Status CheckObjects(const char* name, const ObjectsPlanFn& planner) {
  return FindObjectsProperty(name)->check(planner, SpecOf(SomeRecords()));
}

struct OffsetsCase {
  const char* property;
  PlanFn planner;
  const char* message;
};

// In each case, the planner makes a mistake for all records.
TEST(PropertyTest, EachReportsAnInvalidPlan) {
  size_t calls = 0;
  const OffsetsCase cases[] = {
      {"completeness", Spoilt([](Records, OffsetsAssignment* plan) {
         plan->offsets.pop_back();
       }),
       "there are 2 places for 3 records"},
      {"completeness", Refusing([](Records) { return true; }),
       "the planner refused records that have a plan: too much "
       "for me"},
      {"bounds",
       Spoilt([](Records, OffsetsAssignment* plan) { --plan->total_size; }),
       "tensor 1 with 8 bytes at offset 16 ends beyond the arena of 23"},
      {"bounds", Spoilt([](Records, OffsetsAssignment* plan) {
         plan->offsets[0] = kMax - 15;
         plan->total_size = kMax;
       }),
       "tensor 0 with 16 bytes at offset 18446744073709551600 ends beyond the "
       "arena of 18446744073709551615"},
      {"alignment", Spoilt([](Records, OffsetsAssignment* plan) {
         plan->offsets[1] = 17;
         plan->total_size = 25;
       }),
       "tensor 1 starts at byte 17, which is not a multiple of 8"},
      {"safety",
       Spoilt([](Records, OffsetsAssignment* plan) { plan->offsets[1] = 8; }),
       "tensor 0 and tensor 1 both hold bytes [8, 16) at task 1"},
      {"round_trip",
       Spoilt([](Records, OffsetsAssignment* plan) { plan->offsets[1] = 8; }),
       "in a file: tensor 0 and tensor 1 both hold bytes [8, 16) at task 1"},
      {"determinism", Spoilt([&calls](Records, OffsetsAssignment* plan) {
         plan->total_size += calls++;
       }),
       "the planner returned a different plan for the same records"},
      {"determinism", Refusing([&calls](Records) { return calls++ == 0; }),
       "the planner refused the same records once: too much for "
       "me"},
  };
  for (const auto& c : cases) {
    calls = 0;
    EXPECT_THAT(Check(c.property, c.planner),
                FailsWith(absl::StatusCode::kInternal, c.message));
  }
}

// The planner is correct for the given records but wrong for records that the
// property derives from them.
TEST(PropertyTest, EachReportsAnInvalidPlanOfChangedRecords) {
  const auto is_sorted = [](Records records) {
    return std::is_sorted(records.begin(), records.end(), BeginsBefore());
  };
  const auto overlap = [](OffsetsAssignment* plan) {
    std::fill(plan->offsets.begin(), plan->offsets.end(), 0);
  };
  const OffsetsCase cases[] = {
      {"order_independence", Spoilt([&](Records records, auto* plan) {
         if (!is_sorted(records)) overlap(plan);
       }),
       "with the records in another order: tensor 1 and tensor 2 both hold "
       "bytes [0, 8) at task 1"},
      {"order_independence",
       Refusing([&](Records records) { return !is_sorted(records); }),
       "with the records in another order: the planner refused records that "
       "have a plan: too much for me"},
      {"scaling", Spoilt([&](Records records, auto* plan) {
         if (records[0].tensor_size > 40) overlap(plan);
       }),
       "with sizes three times as large: tensor 0 and tensor 1 both hold bytes "
       "[0, 24) at task 1"},
      {"adding_a_record", Spoilt([&](Records records, auto* plan) {
         if (records.size() > 3) overlap(plan);
       }),
       "with a record before them that is live throughout: tensor 0 and tensor "
       "1 "
       "both hold bytes [0, 16) at task 0"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(Check(c.property, c.planner),
                FailsWith(absl::StatusCode::kInternal, c.message));
    EXPECT_EQ(Violated(c.planner), std::set<std::string>{c.property});
  }
}

TEST(PropertyTest, TimeReversalMirrorsTheIntervals) {
  // The planner is wrong if the largest tensor comes last.
  const PlanFn planner = Spoilt([](Records records, OffsetsAssignment* plan) {
    const auto* const largest = std::max_element(
        records.begin(), records.end(), [](const auto& a, const auto& b) {
          return a.tensor_size < b.tensor_size;
        });
    if (largest + 1 == records.end() && records.size() > 1) {
      std::fill(plan->offsets.begin(), plan->offsets.end(), 0);
    }
  });
  const ByteRecords records = {{16, 0, 1}, {8, 1, 5}};
  EXPECT_THAT(FindProperty("safety")->check(planner, SpecOf(records)), IsOk());
  EXPECT_THAT(FindProperty("time_reversal")->check(planner, SpecOf(records)),
              FailsWith(absl::StatusCode::kInternal,
                        "with execution reversed: tensor 0 and tensor 1 both "
                        "hold bytes [0, 8) at task 4"));
}

TEST(PropertyTest, HoldsOfAPlannerThatIsRight) {
  EXPECT_EQ(Violated(GoodOffsets()), std::set<std::string>());
  EXPECT_EQ(Violated(GoodObjects()), std::set<std::string>());
}

TEST(PropertyTest, DoesNotDependOnOthers) {
  const struct {
    const char* property;
    PlanFn planner;
  } cases[] = {
      {"alignment", Spoilt([](Records, OffsetsAssignment* plan) {
         plan->offsets[1] += 1;
         plan->total_size += 1;
       })},
      {"bounds",
       Spoilt([](Records, OffsetsAssignment* plan) { plan->total_size = 0; })},
      {"safety", Spoilt([](Records, OffsetsAssignment* plan) {
         std::fill(plan->offsets.begin(), plan->offsets.end(), 0);
       })},
  };
  for (const auto& c : cases) {
    for (const char* property : {"alignment", "bounds", "safety"}) {
      EXPECT_EQ(Check(property, c.planner).ok(),
                std::string(property) != c.property)
          << property << " of the planner without " << c.property;
    }
  }
}

// Planners get copies of the records. A plan is checked against the original
// records even if the planner changes its copy.
TEST(PropertyTest, LendsCopiesOfTheRecords) {
  const PlanFn careless = [](Records records, const Alignments&) -> Offsets {
    for (const ByteRecord& record : records) {
      const_cast<ByteRecord&>(record).tensor_size = 0;
    }
    return GoodOffsets()(records);
  };
  EXPECT_EQ(Check("safety", careless).code(), absl::StatusCode::kInternal);
  const auto sort = [](const ByteRecords& records) {
    auto& mine = const_cast<ByteRecords&>(records);
    std::reverse(mine.begin(), mine.end());
    return *GoodObjects()(mine);
  };
  const ByteRecords records = {{8, 0, 0}, {16, 0, 0}};
  EXPECT_THAT(CheckPlanner(records, sort),
              FailsWith(absl::StatusCode::kInternal, ::testing::_));
  EXPECT_EQ(records[0].tensor_size, 8);
}

// An exception thrown by a planner counts as a returned error: it is a failure
// only if the records have a plan.
TEST(PropertyTest, CountExceptionsAsAnswersThatAreNoPlan) {
  const struct {
    const char* property;
    PlanFn planner;
    const char* message;
  } cases[] = {
      {"completeness",
       [](Records, const Alignments&) -> Offsets {
         throw std::out_of_range("index 3 of 3");
       },
       "the planner threw: index 3 of 3"},
      {"completeness", [](Records, const Alignments&) -> Offsets { throw 3; },
       "the planner threw something that is not a std::exception"},
      {"completeness", nullptr, "there is no planner: the function is empty"},
      {"adding_a_record",
       [](Records records, const Alignments& alignments) -> Offsets {
         if (records.size() > 3) throw std::length_error("too long");
         return GoodOffsets()(records, alignments);
       },
       "with a record before them that is live throughout: the planner threw: "
       "too long"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(Check(c.property, c.planner),
                FailsWith(absl::StatusCode::kInternal, c.message));
    const ByteRecords endless = {{kMax, 0, 0}, {kMax, 0, 0}};
    EXPECT_THAT(FindProperty(c.property)->check(c.planner, SpecOf(endless)),
                IsOk());
  }
}

TEST(PropertyTest, UnimplementedIsNotAFailure) {
  const PlanFn planner = [](Records, const Alignments&) -> Offsets {
    return absl::UnimplementedError("no alignments");
  };
  EXPECT_EQ(Violated(planner), std::set<std::string>());
}

TEST(PropertyTest, RecordsThatNoPlanHoldsMayBeRefusedAndNotWrapped) {
  const ByteRecords records = {{kMax, 0, 0}, {kMax, 0, 0}};
  for (const Property& property : AllProperties()) {
    EXPECT_THAT(property.check(GoodOffsets(), SpecOf(records)), IsOk())
        << property.name;
  }
  const PlanFn wraps = [](Records in, const Alignments&) -> Offsets {
    OffsetsAssignment plan;
    for (const ByteRecord& record : in) {
      plan.offsets.push_back(plan.total_size);
      plan.total_size += record.tensor_size;
    }
    return plan;
  };
  EXPECT_THAT(FindProperty("bounds")->check(wraps, SpecOf(records)),
              FailsWith(absl::StatusCode::kInternal,
                        HasSubstr("ends beyond the arena")));
}

TEST(PropertyTest, InvalidRecordsAreTheCallersError) {
  const ByteRecords backward = {{1, 2, 1}};
  for (const Property& property : AllProperties()) {
    EXPECT_EQ(property.check(GoodOffsets(), SpecOf(backward)).code(),
              absl::StatusCode::kInvalidArgument)
        << property.name;
    EXPECT_EQ(property.check(GoodOffsets(), SpecOf(SomeRecords(), 3)).code(),
              absl::StatusCode::kInvalidArgument)
        << property.name;
  }
  for (const ObjectsProperty& property : AllObjectsProperties()) {
    EXPECT_EQ(property.check(GoodObjects(), SpecOf(backward)).code(),
              absl::StatusCode::kInvalidArgument)
        << property.name;
  }
}

TEST(PropertyTest, HoldsOfNoRecords) {
  for (const Property& property : AllProperties()) {
    EXPECT_THAT(property.check(GoodOffsets(), ProblemSpec()), IsOk())
        << property.name;
  }
  for (const ObjectsProperty& property : AllObjectsProperties()) {
    EXPECT_THAT(property.check(GoodObjects(), ProblemSpec()), IsOk())
        << property.name;
  }
}

// A tensor whose last task is 2^64 - 1 cannot be written to a file.
TEST(PropertyTest, RoundTripsSkipTracesThatNoFileHolds) {
  const ByteRecords records = {{1, 0, kMax}};
  EXPECT_THAT(FindProperty("round_trip")->check(GoodOffsets(), SpecOf(records)),
              IsOk());
}

TEST(ObjectsPropertyTest, EachReportsAnInvalidPlan) {
  size_t calls = 0;
  const struct {
    const char* property;
    ObjectsPlanFn planner;
    const char* message;
  } cases[] = {
      {"completeness", SpoiltObjects([](Records, auto* plan) {
         plan->object_ids.push_back(0);
       }),
       "there are 4 places for 3 records"},
      {"bounds",
       SpoiltObjects([](Records, auto* plan) { plan->object_sizes[0] = 15; }),
       "tensor 0 with 16 bytes is larger than its object 0 of 15"},
      {"bounds",
       SpoiltObjects([](Records, auto* plan) { plan->object_ids[2] = 2; }),
       "tensor 2 is in object 2 of 2"},
      {"safety",
       SpoiltObjects([](Records, auto* plan) { plan->object_ids[1] = 0; }),
       "tensor 0 and tensor 1 both hold object 0 at task 1"},
      {"round_trip",
       SpoiltObjects([](Records, auto* plan) { plan->object_ids[1] = 0; }),
       "in a file: tensor 0 and tensor 1 both hold object 0 at task 1"},
      {"determinism", SpoiltObjects([&calls](Records, auto* plan) {
         plan->object_sizes[0] += calls++;
       }),
       "the planner returned a different plan for the same records"},
      {"order_independence", SpoiltObjects([](Records records, auto* plan) {
         if (records[0].first_task == 2) plan->object_ids[1] = 0;
       }),
       "with the records in another order: tensor 1 and tensor 2 both hold "
       "object 0 at task 1"},
      {"conversion", SpoiltObjects([](Records, auto* plan) {
         plan->object_ids[2] = 1;
         plan->object_sizes[1] = 16;
       }),
       "as offsets: tensor 1 and tensor 2 both hold bytes [16, 24) at task 2"},
  };
  for (const auto& c : cases) {
    calls = 0;
    EXPECT_THAT(CheckObjects(c.property, c.planner),
                FailsWith(absl::StatusCode::kInternal, c.message));
  }
}

// The planner is correct for the given records but wrong for records that the
// property derives from them.
TEST(ObjectsPropertyTest, EachReportsAnInvalidPlanOfChangedRecords) {
  const struct {
    const char* property;
    ObjectsPlanFn planner;
    const char* message;
  } cases[] = {
      {"scaling", SpoiltObjects([](Records records, auto* plan) {
         if (records[0].tensor_size > 40) plan->object_ids[1] = 0;
       }),
       "with sizes three times as large: tensor 0 and tensor 1 both hold "
       "object "
       "0 at task 1"},
      {"adding_a_record", SpoiltObjects([](Records records, auto* plan) {
         if (records.size() > 3) plan->object_ids[1] = plan->object_ids[0];
       }),
       "with a record before them that is live throughout: tensor 0 and tensor "
       "1 "
       "both hold object 0 at task 0"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(CheckObjects(c.property, c.planner),
                FailsWith(absl::StatusCode::kInternal, c.message));
    EXPECT_EQ(Violated(c.planner), std::set<std::string>{c.property});
  }
}

TEST(FindPropertyTest, FindsAllByName) {
  for (const auto& list : {AllProperties(), Claims()}) {
    for (const Property& property : list) {
      const auto found = FindProperty(property.name);
      ASSERT_THAT(found, IsOk());
      EXPECT_EQ(found->check, property.check);
      EXPECT_FALSE(found->sentence.empty());
    }
  }
  for (const auto& list : {AllObjectsProperties(), ObjectsClaims()}) {
    for (const ObjectsProperty& property : list) {
      const auto found = FindObjectsProperty(property.name);
      ASSERT_THAT(found, IsOk());
      EXPECT_EQ(found->check, property.check);
    }
  }
  EXPECT_THAT(
      FindProperty("safe"),
      FailsWith(absl::StatusCode::kNotFound,
                HasSubstr("no property is called \"safe\"; expected one of "
                          "completeness, bounds, ")));
  EXPECT_FALSE(FindObjectsProperty("alignment").ok());
}

}  // namespace
}  // namespace stowage::testing
