// SPDX-License-Identifier: Apache-2.0
// Tests which parts of a problem its fingerprint depends on.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"
#include "stowage/testing/generators.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::IsOk;
using Change = std::function<void(ProblemSpec*)>;

Fingerprint FingerprintOf(ProblemSpec spec) {
  const auto problem = Problem::Create(std::move(spec));
  EXPECT_THAT(problem, IsOk());
  return problem.ok() ? problem->fingerprint() : Fingerprint();
}

// Applies each change to its own copy of the spec. Expects that the
// fingerprints of the spec and of all changed copies are different.
void ExpectAllDiffer(const ProblemSpec& spec,
                     const std::vector<Change>& changes) {
  std::set<Fingerprint> seen = {FingerprintOf(spec)};
  for (size_t i = 0; i < changes.size(); ++i) {
    ProblemSpec changed = spec;
    changes[i](&changed);
    EXPECT_TRUE(seen.insert(FingerprintOf(changed)).second) << "change " << i;
  }
}

ProblemSpec ThreeWideRecords() {
  ProblemSpec spec;
  spec.records = {{4096, 0, 2}, {1024, 2, 4}, {4096, 3, 4}};
  spec.alignment = 64;
  return spec;
}

// The expected value was computed by another program from the description in
// the comments of src/model/fingerprint.cc.
TEST(FingerprintTest, IsTheSameInEveryBuild) {
  EXPECT_EQ(kFingerprintVersion, 1);
  const Fingerprint fingerprint = FingerprintOf(ThreeWideRecords());
  EXPECT_EQ(fingerprint.high, uint64_t{0x207857EDAFAAAE4E});
  EXPECT_EQ(fingerprint.low, uint64_t{0x5915F279184E1D21});
}

TEST(FingerprintTest, IsOverEveryFieldThatDecides) {
  ExpectAllDiffer(ThreeWideRecords(),
                  {[](auto* s) { s->kind = PlanKind::kObjects; },
                   [](auto* s) { s->records.pop_back(); },
                   [](auto* s) { s->records[0].tensor_size = 4097; },
                   [](auto* s) { s->records[1].first_task = 1; },
                   [](auto* s) { s->records[1].last_task = 3; },
                   [](auto* s) { std::swap(s->records[0], s->records[1]); },
                   [](auto* s) { s->alignment = 32; },
                   [](auto* s) {
                     s->alignments = {64, 32, 64};
                   },
                   [](auto* s) { s->capacity = 8192; },
                   [](auto* s) { s->capacity = 0; },
                   [](auto* s) {
                     s->fixed_offsets = {absl::nullopt, 0, absl::nullopt};
                   },
                   [](auto* s) {
                     s->fixed_offsets = {absl::nullopt, absl::nullopt, 0};
                   },
                   [](auto* s) { s->place_first = {1}; },
                   [](auto* s) {
                     s->place_first = {2, 1};
                   },
                   [](auto* s) {
                     s->reallocation_graph = UsageGraph{{}, {}, {}};
                   },
                   [](auto* s) {
                     s->reallocation_graph = UsageGraph{{1}, {}, {}};
                   },
                   [](auto* s) {
                     s->free_order = FreeOrder{2, {}, {{{0}, {0}, {1}}}};
                   },
                   [](auto* s) {
                     s->free_order = FreeOrder{3, {}, {{{0}, {0}, {1}}}};
                   },
                   [](auto* s) {
                     s->free_order = FreeOrder{2, {{0, 1}}, {{{0}, {0}, {1}}}};
                   },
                   [](auto* s) {
                     s->free_order = FreeOrder{2, {}, {{{0}, {1}, {1}}}};
                   }});
}

TEST(FingerprintTest, IsOverAllConstraints) {
  const auto group = [](ProblemSpec* s, size_t at) {
    s->constraints.places.resize(3);
    s->constraints.places[0].group = 0;
    s->constraints.places[2].group = 0;
    s->constraints.places[2].at = at;
  };
  const auto pools = [](ProblemSpec* s) {
    s->constraints.pools = {{"a", absl::nullopt}, {"b", 9000}};
  };
  const auto order = [](ProblemSpec* s, std::vector<TaskEdge> edges) {
    s->constraints.order = *TaskOrder::FromEdges(5, edges);
    s->constraints.users = UserLists({{0, 2}, {2, 4}, {3, 4}});
  };
  ExpectAllDiffer(
      ThreeWideRecords(),
      {[](auto* s) {
         s->constraints.holes = {{0, 64, 0, 1, 0}};
       },
       [](auto* s) {
         s->constraints.holes = {{64, 128, 0, 1, 0}};
       },
       [](auto* s) {
         s->constraints.holes = {{0, 64, 0, 2, 0}};
       },
       [](auto* s) {
         s->constraints.holes = {{0, 64, 1, 1, 0}};
       },
       [](auto* s) {
         s->constraints.apart = {{0, 2}};
       },
       [](auto* s) {
         s->constraints.apart = {{0, 1, 2}};
       },
       [](auto* s) {
         s->constraints.apart = {{0, 1}, {1, 2}};
       },
       [](auto* s) {
         s->constraints.never = {{0, 1}};
       },
       [](auto* s) {
         s->constraints.never = {{1, 2}};
       },
       [](auto* s) {
         s->constraints.prefer_apart = {{0, 2, 5}};
       },
       [](auto* s) {
         s->constraints.prefer_apart = {{0, 2, 6}};
       },
       [](auto* s) {
         s->constraints.same_or_apart = {{0, 2, 0}};
       },
       [](auto* s) {
         s->constraints.same_or_apart = {{0, 2, 6}};
       },
       [](auto* s) {
         s->constraints.places.resize(3);
         s->constraints.places[1].min = 64;
       },
       [](auto* s) {
         s->constraints.places.resize(3);
         s->constraints.places[1].max = 6400;
       },
       [&](auto* s) { group(s, 0); },
       [&](auto* s) { group(s, 64); },
       [&](auto* s) {
         group(s, 64);
         s->groups_are_optional = true;
       },
       pools,
       [&](auto* s) {
         pools(s);
         s->constraints.pools[0].capacity = 9000;
       },
       [&](auto* s) {
         pools(s);
         s->constraints.choices = {{}, {{1, 0}}, {}};
       },
       [&](auto* s) {
         pools(s);
         s->constraints.choices = {{}, {{1, 7}}, {}};
       },
       [&](auto* s) { order(s, {}); },
       [&](auto* s) {
         order(s, {{0, 1}});
       },
       [&](auto* s) {
         order(s, {});
         s->constraints.users = UserLists({{0, 1, 2}, {2, 4}, {3, 4}});
       },
       [&](auto* s) {
         order(s, {});
         s->constraints.order = *TaskOrder::FromStreams({{0, 1, 2, 3, 4}}, {});
       }});
}

TEST(FingerprintTest, IsNotOverNamesNorOverHowTheSameIsWritten) {
  ProblemSpec spec = ThreeWideRecords();
  spec.constraints.pools = {{"a", 9000}};
  const Fingerprint fingerprint = FingerprintOf(spec);
  spec.names = {"x", "y", "z"};
  spec.constraints.pools[0].name = "b";
  spec.constraints.group_word = "bodies";
  spec.alignments = {64, 64, 64};
  spec.alignment = 1;
  spec.fixed_offsets.resize(3);
  EXPECT_EQ(FingerprintOf(spec), fingerprint);
}

RC_GTEST_PROP(FingerprintPropertyTest, ChangesWithEveryNumberOfARecord, ()) {
  ProblemSpec spec;
  spec.records = *testing::AnyRecords();
  RC_PRE(!spec.records.empty());
  const Fingerprint before = Problem::Create(spec)->fingerprint();
  RC_ASSERT(Problem::Create(spec)->fingerprint() == before);
  ByteRecord& record =
      spec.records[*rc::gen::inRange<size_t>(0, spec.records.size())];
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      record.tensor_size /= 2;
      RC_PRE(record.tensor_size > 0);
      break;
    case 1:
      RC_PRE(record.first_task > 0);
      --record.first_task;
      break;
    default:
      RC_PRE(record.last_task < ~size_t{0});
      ++record.last_task;
  }
  RC_ASSERT(Problem::Create(spec)->fingerprint() != before);
}

}  // namespace
}  // namespace stowage
