// SPDX-License-Identifier: Apache-2.0
// Tests which constraints are refused when a problem is created, and which
// message and records the error contains.
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/constraints.h"
#include "stowage/error_payload.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"
#include "tests/model/extreme_sizes.h"
#include "tests/model/record_places.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::HasSubstr;
using Records = std::vector<size_t>;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kOutOfRange = absl::StatusCode::kOutOfRange;

// Returns three records of 8 bytes, the first two of which conflict.
ProblemSpec ThreeRecords() {
  ProblemSpec spec;
  spec.records = {{8, 0, 1}, {8, 1, 2}, {8, 3, 4}};
  return spec;
}

struct ConstraintCase {
  const char* name;
  std::function<void(ProblemSpec*)> change;
  absl::StatusCode code;
  const char* message;
  Records records;  // indices of records that the error has to carry
};

void CheckCases(const std::vector<ConstraintCase>& cases) {
  for (const ConstraintCase& c : cases) {
    SCOPED_TRACE(c.name);
    ProblemSpec spec = ThreeRecords();
    c.change(&spec);
    const auto problem = Problem::Create(spec);
    EXPECT_THAT(problem, FailsWith(c.code, c.message));
    EXPECT_EQ(RecordsOf(problem.status()), c.records);
  }
}

TEST(CheckConstraintsTest, ListsHaveAnEntryForEveryRecord) {
  CheckCases(
      {{"places", [](auto* s) { s->constraints.places.resize(2); }, kInvalid,
        "places: 2 given; expected 3, one for each record", Records{}},
       {"choices", [](auto* s) { s->constraints.choices.resize(4); }, kInvalid,
        "choices of pools: 4 given; expected 3, one for each record",
        Records{}}});
}

TEST(CheckConstraintsTest, RangesHaveRoom) {
  CheckCases(
      {{"too small",
        [](auto* s) {
          s->constraints.places = {{}, InRange(4, 11), {}};
        },
        kInvalid,
        "record 1: bytes [4, 11) have no room for its size 8; expected its "
        "range to end at 12 or above",
        {1}},
       {"fixed below",
        [](auto* s) {
          s->fixed_offsets = {absl::nullopt, absl::nullopt, 3};
          s->constraints.places = {{}, {}, InRange(4, 20)};
        },
        kInvalid,
        "record 2: fixed offset 3 is outside its range; expected an offset "
        "from 4 to 12",
        {2}},
       {"fixed above",
        [](auto* s) {
          s->fixed_offsets = {13, absl::nullopt, absl::nullopt};
          s->constraints.places = {InRange(0, 20), {}, {}};
        },
        kInvalid,
        "record 0: fixed offset 13 is outside its range; expected an offset "
        "from 0 to 12",
        {0}},
       {"fixed below without an end",
        [](auto* s) {
          s->fixed_offsets = {3, absl::nullopt, absl::nullopt};
          s->constraints.places = {InRange(4, absl::nullopt), {}, {}};
        },
        kInvalid,
        "record 0: fixed offset 3 is outside its range; expected 4 or above",
        {0}}});
  ProblemSpec spec = ThreeRecords();
  spec.fixed_offsets = {4, 12, absl::nullopt};
  spec.constraints.places = {InRange(4, 12), InRange(4, 20), InRange(5, 13)};
  EXPECT_THAT(Problem::Create(spec), IsOk());
}

TEST(CheckConstraintsTest, GroupsAgreeOnTheirStart) {
  CheckCases(
      {{"residues",
        [](auto* s) {
          s->alignments = {1, 16, 8};
          s->constraints.places = {InGroup(0), InGroup(2), InGroup(8)};
        },
        kInvalid,
        "records 1 and 2: no start of their group aligns both; expected "
        "displacements 2 and 8 that differ by a multiple of 8",
        {1, 2}},
       {"fixed at two starts",
        [](auto* s) {
          s->fixed_offsets = {absl::nullopt, 10, 20};
          s->constraints.places = {InGroup(0), InGroup(2), InGroup(8)};
        },
        kInvalid,
        "records 1 and 2: fixed offsets 10 and 20 give their group two starts; "
        "expected 8 for both, as for the first, not 12",
        {1, 2}},
       {"fixed below byte 0",
        [](auto* s) {
          s->fixed_offsets = {absl::nullopt, 1, absl::nullopt};
          s->constraints.places = {InGroup(0), InGroup(2), InGroup(8)};
        },
        kInvalid,
        "record 1: fixed offset 1 is below its displacement 2 in its group; "
        "expected an offset from there on",
        {1}}});
  ProblemSpec spec = ThreeRecords();
  spec.alignments = {4, 16, 8};
  spec.fixed_offsets = {absl::nullopt, 16, 24};
  spec.constraints.places = {InGroup(4), InGroup(16), InGroup(24)};
  EXPECT_THAT(Problem::Create(spec), IsOk());
}

TEST(CheckConstraintsTest, SumsFit64Bits) {
  CheckCases(
      {{"displacement",
        [](auto* s) {
          s->constraints.places = {{}, InGroup(kMax - 7), {}};
        },
        kOutOfRange,
        "record 1: displacement 18446744073709551608 and its size 8 exceed "
        "2^64 - 1; expected an end below 2^64",
        {1}},
       {"two groups",
        [](auto* s) {
          s->constraints.places = {InGroup(kHalf), InGroup(0), InGroup(kHalf)};
          s->constraints.places[2].group = 0;
        },
        kOutOfRange,
        "record 0: displacement 9223372036854775808 makes the sum of sizes and "
        "groups overflow 64 bits; expected a sum below 2^64",
        {0}},
       {"least offset",
        [](auto* s) {
          s->constraints.places = {{}, {}, InRange(kMax - 20, {})};
        },
        kOutOfRange,
        "record 2: the least offset 18446744073709551595 and the sum of the "
        "sizes above it exceed 2^64 - 1; expected a sum below 2^64",
        {2}},
       {"fixed offset",
        [](auto* s) {
          s->constraints.places = {InGroup(kHalf), InGroup(0), {}};
          s->fixed_offsets = {{}, {}, kHalf};
        },
        kOutOfRange,
        "record 2: fixed offset 9223372036854775808 and the sum of the sizes "
        "above it exceed 2^64 - 1; expected a sum below 2^64",
        {2}},
       {"hole",
        [](auto* s) {
          s->constraints.holes = {{0, 8, 0, 0}, {0, kMax, 0, 0}};
        },
        kOutOfRange,
        "hole 1: its end 18446744073709551615 and the sum of the sizes above "
        "it exceed 2^64 - 1; expected a sum below 2^64",
        Records{}},
       {"costs of pools",
        [](auto* s) {
          s->constraints.pools = {{"a", {}}};
          s->constraints.choices = {{{0, kHalf}}, {}, {{0, kHalf}}};
        },
        kOutOfRange,
        "record 2: cost 9223372036854775808 makes the sum of costs overflow 64 "
        "bits; expected a sum below 2^64",
        {2}},
       {"costs of preferences",
        [](auto* s) {
          s->constraints.prefer_apart = {{0, 1, kHalf}, {0, 2, kHalf}};
        },
        kOutOfRange,
        "preference 1: cost 9223372036854775808 makes the sum of costs "
        "overflow 64 bits; expected a sum below 2^64",
        Records{0, 2}}});
  ProblemSpec spec = ThreeRecords();
  spec.constraints.holes = {{0, kMax - 24, 0, 0}};
  spec.constraints.places = {InRange(0, kMax), {}, {}};
  EXPECT_THAT(Problem::Create(spec), IsOk());
}

TEST(CheckConstraintsTest, HolesHaveBytesTasksAndAPool) {
  CheckCases(
      {{"empty",
        [](auto* s) {
          s->constraints.holes = {{0, 8, 0, 0}, {8, 8, 0, 0}};
        },
        kInvalid, "hole 1: bytes [8, 8) are empty; expected an end above 8",
        Records{}},
       {"reversed",
        [](auto* s) {
          s->constraints.holes = {{0, 8, 2, 1}};
        },
        kInvalid,
        "hole 0: its first task 2 is after its last task 1; expected the first "
        "not after the last",
        Records{}},
       {"pool",
        [](auto* s) {
          s->constraints.holes = {{0, 8, 0, 0, 1}};
        },
        kInvalid, "hole 0: it is in pool 1; expected an index below 1",
        Records{}},
       {"twice",
        [](auto* s) {
          s->constraints.holes = {{0, 8, 0, 0}, {0, 8, 0, 1}, {0, 8, 0, 0}};
        },
        kInvalid,
        "hole 2: it is the same as hole 0; expected each once at most",
        Records{}}});
}

TEST(CheckConstraintsTest, PoolsHaveNamesAndCapacitiesOfTheirOwn) {
  CheckCases(
      {{"one name",
        [](auto* s) {
          s->constraints.pools = {{"a", {}}, {"b", {}}, {"a", 4}};
        },
        kInvalid,
        "pool 2: its name 'a' is that of pool 0; expected a name of its own",
        Records{}},
       {"capacity of all",
        [](auto* s) {
          s->constraints.pools = {{"a", {}}};
          s->capacity = 64;
        },
        kInvalid,
        "capacity: 64 is given for all pools together; expected a capacity of "
        "each pool",
        Records{}},
       {"no such pool",
        [](auto* s) {
          s->constraints.pools = {{"a", {}}};
          s->constraints.choices = {{}, {{1, 0}}, {}};
        },
        kInvalid,
        "record 1: it may use pool 1; expected an index below 1",
        {1}},
       {"a choice without pools",
        [](auto* s) {
          s->constraints.choices = {{}, {{0, 0}}, {}};
        },
        kInvalid,
        "record 1: it may use pool 0; expected an index below 0",
        {1}},
       {"a pool twice",
        [](auto* s) {
          s->constraints.pools = {{"a", {}}, {"b", {}}};
          s->constraints.choices = {{{0, 1}}, {{0, 1}, {1, 1}, {0, 2}}, {}};
        },
        kInvalid,
        "record 1: it lists pool 0 twice; expected each once at most",
        {1}}});
  // A pool without bytes and a record that fits in no pool are accepted here.
  // The planner reports that there is no plan.
  ProblemSpec spec = ThreeRecords();
  spec.constraints.pools = {{"a", 0}, {"b", 7}};
  EXPECT_THAT(Problem::Create(spec), IsOk());
}

TEST(CheckConstraintsTest, PairsAndSetsAreOfRecordsOnce) {
  CheckCases(
      {{"apart of what is not there",
        [](auto* s) {
          s->constraints.apart = {{0, 1}, {1, 3}};
        },
        kInvalid, "apart set 1: it names record 3; expected an index below 3",
        Records{}},
       {"twice in one set",
        [](auto* s) {
          s->constraints.apart = {{0, 1}, {1, 2, 1}};
        },
        kInvalid,
        "record 1: apart set 1 lists it twice; expected each once at most",
        {1}},
       {"apart twice, in another order",
        [](auto* s) {
          s->constraints.apart = {{0, 1, 2}, {0, 1}, {2, 0, 1}};
        },
        kInvalid,
        "apart set 2: it is the same as set 0; expected each once at most",
        {0, 1, 2}},
       {"apart within a group",
        [](auto* s) {
          s->constraints.places = {InGroup(0), {}, InGroup(7)};
          s->constraints.apart = {{2, 1, 0}};
        },
        kInvalid,
        "records 0 and 2: they are apart, but overlap in their group; expected "
        "displacements that keep them apart",
        {0, 2}},
       {"never of what is not there",
        [](auto* s) {
          s->constraints.never = {{0, 3}};
        },
        kInvalid,
        "pair of never 0: it names record 3; expected an index below 3",
        Records{}},
       {"never with itself",
        [](auto* s) {
          s->constraints.never = {{0, 1}, {1, 1}};
        },
        kInvalid,
        "record 1: pair of never 1 names it twice; expected two records",
        {1}},
       {"never twice",
        [](auto* s) {
          s->constraints.never = {{0, 1}, {0, 2}, {1, 0}};
        },
        kInvalid,
        "records 0 and 1: pair of never 2 is the same as 0; expected each once "
        "at most",
        {0, 1}},
       {"preference of what is not there",
        [](auto* s) {
          s->constraints.prefer_apart = {{3, 0, 1}};
        },
        kInvalid, "preference 0: it names record 3; expected an index below 3",
        Records{}},
       {"preference with itself",
        [](auto* s) {
          s->constraints.prefer_apart = {{2, 2, 1}};
        },
        kInvalid,
        "record 2: preference 0 names it twice; expected two records",
        {2}}});
  // Records of one group may be required to be apart if they are adjacent or
  // have no bytes. One pair may be both in `never` and in `apart`.
  ProblemSpec spec = ThreeRecords();
  spec.records.emplace_back(0, 0, 0);
  spec.constraints.places = {InGroup(0), InGroup(8), {}, InGroup(4)};
  spec.constraints.apart = {{0, 1}, {0, 3}, {0, 3, 1}};
  spec.constraints.never = {{0, 1}};
  EXPECT_THAT(Problem::Create(spec), IsOk());
}

TEST(CheckConstraintsTest, OrdersHaveUsersOfEveryRecord) {
  const TaskOrder order = *TaskOrder::FromEdges(5, std::vector<TaskEdge>{});
  const UserLists users = {{{0, 1}, {2, 1}, {3, 4}}};
  CheckCases(
      {{"users without an order",
        [&](auto* s) { s->constraints.users = users; }, kInvalid,
        "users: given without an order of tasks; expected both or neither",
        Records{}},
       {"an order without users",
        [&](auto* s) { s->constraints.order = order; }, kInvalid,
        "users: 0 lists given; expected 3, one for each record", Records{}},
       {"no users",
        [&](auto* s) {
          s->constraints.order = order;
          s->constraints.users = {{{0, 1}, {}, {3, 4}}};
        },
        kInvalid,
        "record 1: no task uses it; expected at least one",
        {1}},
       {"no such task",
        [&](auto* s) {
          s->constraints.order = order;
          s->constraints.users = {{{0, 1}, {1, 2}, {3, 5, 4}}};
        },
        kInvalid,
        "record 2: user 5 is not in the order; expected a task below 5",
        {2}},
       {"another interval",
        [&](auto* s) {
          s->constraints.order = order;
          s->constraints.users = {{{0, 1}, {2}, {3, 4}}};
        },
        kInvalid,
        "record 1: tasks 1 to 2 are not those from the first user to the last; "
        "expected 2 to 2",
        {1}}});
  ProblemSpec spec = ThreeRecords();
  spec.constraints.order = order;
  spec.constraints.users = users;
  EXPECT_THAT(Problem::Create(spec), IsOk());
}

TEST(CheckConstraintsTest, SharedObjectsHaveNone) {
  ProblemSpec spec = ThreeRecords();
  spec.kind = PlanKind::kObjects;
  spec.constraints.never = {{0, 1}};
  EXPECT_THAT(Problem::Create(spec),
              FailsWith(absl::StatusCode::kUnimplemented,
                        "constraints: shared objects have none; expected kind "
                        "offsets"));
}

// The checks take O(n log n). If any of them took quadratic time, the test
// would exceed its time limit.
TEST(CheckConstraintsTest, LargeConstraintsAreCheckedInTime) {
  constexpr size_t kRecords = 100000;
  ProblemSpec spec;
  std::vector<size_t> all;
  for (size_t i = 0; i < kRecords; ++i) {
    spec.records.emplace_back(8, i, i + 5);
    spec.constraints.places.push_back(InGroup(8 * i));
    all.push_back(i);
    if (i == 0) continue;
    spec.constraints.never.emplace_back(i - 1, i);
    spec.constraints.prefer_apart.push_back({i, 0, i});
    for (size_t k = 1; k <= std::min<size_t>(i, 10); ++k) {
      spec.constraints.apart.push_back({i - k, i});
    }
    spec.constraints.holes.push_back({i, i + 1, i, i});
  }
  spec.constraints.apart.push_back(std::move(all));
  EXPECT_THAT(Problem::Create(std::move(spec)), IsOk());
}

}  // namespace
}  // namespace stowage
