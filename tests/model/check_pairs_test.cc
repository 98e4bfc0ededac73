// SPDX-License-Identifier: Apache-2.0
// Tests which pairs of records are refused when a problem is created, and which
// pairs are merged.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/constraints.h"
#include "stowage/error_payload.h"
#include "stowage/problem.h"
#include "tests/model/extreme_sizes.h"
#include "tests/model/record_places.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;

constexpr auto kRefused = absl::StatusCode::kInvalidArgument;

// Returns three records of 8 bytes, the first two of which conflict.
ProblemSpec ThreeInRow() {
  ProblemSpec spec;
  spec.records = {{8, 0, 1}, {8, 1, 2}, {8, 3, 4}};
  return spec;
}

struct PairCase {
  const char* name;
  std::function<void(ProblemSpec*)> change;
  absl::StatusCode code;
  const char* message;
  std::vector<size_t>
      records;  // indices of records that the error has to carry
};

void CheckPairCases(const std::vector<PairCase>& cases) {
  for (const PairCase& c : cases) {
    SCOPED_TRACE(c.name);
    ProblemSpec spec = ThreeInRow();
    c.change(&spec);
    const auto problem = Problem::Create(spec);
    EXPECT_THAT(problem, FailsWith(c.code, c.message));
    EXPECT_EQ(RecordsOf(problem.status()), c.records);
  }
}

TEST(CheckPairsTest, PairsMayLieInOnePlace) {
  CheckPairCases(
      {{"what is not there",
        [](auto* s) {
          s->constraints.same_or_apart = {{0, 1}, {0, 3}};
        },
        kRefused,
        "pair of same_or_apart 1: it names record 3; expected an index below 3",
        std::vector<size_t>{}},
       {"itself",
        [](auto* s) {
          s->constraints.same_or_apart = {{2, 2}};
        },
        kRefused,
        "record 2: pair of same_or_apart 0 names it twice; expected two "
        "records",
        {2}},
       {"twice",
        [](auto* s) {
          s->constraints.same_or_apart = {{0, 1}, {0, 2}, {1, 0, 8}};
        },
        kRefused,
        "records 0 and 1: pair of same_or_apart 2 is the same as 0; expected "
        "each once at most",
        {0, 1}},
       {"unequal sizes",
        [](auto* s) {
          s->records[1].tensor_size = 16;
          s->constraints.same_or_apart = {{1, 0}};
        },
        kRefused,
        "records 0 and 1: they may lie in one place, but have 8 and 16 bytes; "
        "expected equal sizes",
        {0, 1}},
       {"apart",
        [](auto* s) {
          s->constraints.apart = {{0, 2}, {1, 0}};
          s->constraints.same_or_apart = {{1, 2}, {0, 1}};
        },
        kRefused,
        "records 0 and 1: they may lie in one place, but are apart; expected "
        "one of the two",
        {0, 1}},
       {"elsewhere in a group",
        [](auto* s) {
          s->constraints.places = {InGroup(0), InGroup(8), {}};
          s->constraints.same_or_apart = {{0, 1}};
        },
        kRefused,
        "records 0 and 1: they may lie in one place, but their group keeps "
        "them in different places; expected equal displacements",
        {0, 1}},
       {"too many bytes",
        [](auto* s) {
          s->constraints.same_or_apart = {{0, 1, kHalf}, {0, 2, kHalf}};
        },
        absl::StatusCode::kOutOfRange,
        "pair of same_or_apart 1: 9223372036854775808 bytes make the sum of "
        "the bytes that need not be copied overflow 64 bits; expected a sum "
        "below 2^64",
        {0, 2}}});
  // Accepts pairs that do not conflict, pairs at one offset of a group, and
  // pairs that are also in `never`.
  ProblemSpec spec = ThreeInRow();
  spec.constraints.places = {InGroup(8), InGroup(8), {}};
  spec.constraints.never = {{1, 2}};
  spec.constraints.same_or_apart = {{0, 1, kHalf}, {0, 2}, {2, 1, kHalf - 1}};
  EXPECT_THAT(Problem::Create(spec), IsOk());
}

// Preferences for the same two records, in either order, are merged into one.
// The merged preference has the sum of their costs and the position of the
// first of them.
TEST(CheckPairsTest, PreferencesOfAPairAddUp) {
  ProblemSpec spec = ThreeInRow();
  spec.constraints.prefer_apart = {{2, 1, 1}, {0, 1, 3}, {1, 2, 5},
                                   {1, 0, 0}, {0, 2, 0}, {2, 1, 7}};
  const std::vector<ApartPreference> added =
      Problem::Create(spec).value().constraints()->prefer_apart;
  ASSERT_EQ(added.size(), 3u);
  const std::array<size_t, 3> expected[] = {{2, 1, 13}, {0, 1, 3}, {0, 2, 0}};
  for (size_t p = 0; p < added.size(); ++p) {
    EXPECT_EQ(
        (std::array<size_t, 3>{added[p].first, added[p].second, added[p].cost}),
        expected[p]);
  }
}

// The sum of the costs of one pair must not overflow either.
TEST(CheckPairsTest, PreferencesOfAPairDoNotOverflow) {
  ProblemSpec spec = ThreeInRow();
  spec.constraints.prefer_apart = {{0, 1, kHalf}, {1, 0, kHalf}};
  EXPECT_THAT(Problem::Create(spec),
              FailsWith(absl::StatusCode::kOutOfRange,
                        "preference 1: cost 9223372036854775808 makes the sum "
                        "of costs overflow 64 bits; expected a sum below "
                        "2^64"));
  spec.constraints.prefer_apart[1].cost -= 1;
  const Problem problem = Problem::Create(spec).value();
  ASSERT_EQ(problem.constraints()->prefer_apart.size(), 1u);
  EXPECT_EQ(problem.constraints()->prefer_apart[0].cost,
            std::numeric_limits<uint64_t>::max());
}

}  // namespace
}  // namespace stowage
