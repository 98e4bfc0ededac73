// SPDX-License-Identifier: Apache-2.0
#include "stowage/bound_proof.h"

#include <string>

#include "absl/types/optional.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

using Kind = BoundProof::Kind;

TEST(BoundProof, HasANameAndAPhrase) {
  const struct {
    BoundProof proof;
    std::string name;
    std::string phrase;
  } kCases[] = {
      {{Kind::kNone}, "", ""},
      {{Kind::kNoBytes}, "no bytes", "no record needs any bytes"},
      {{Kind::kBytesLive, 5},
       "bytes live at task 5",
       "the bytes live at task 5"},
      {{Kind::kBytesHeldAroundHoles, 2},
       "bytes held around holes at task 2",
       "the bytes held around holes at task 2"},
      {{Kind::kPositionalMaximums},
       "positional maximums",
       "the sum of positional maximums"},
      {{Kind::kLargestRecord}, "largest record", "the largest record"},
      {{Kind::kFixedEnd, 3},
       "fixed records",
       "the end of record 3 at its fixed offset"},
      {{Kind::kFixedEnd, BoundProof::kNoRecord},
       "fixed records",
       "the end of a record at its fixed offset"},
      {{Kind::kOnlyPlace, 1},
       "fixed records",
       "the lowest end of record 1 in its place"},
      {{Kind::kLowestPlace, BoundProof::kNoRecord},
       "places",
       "the lowest end of a record without bytes in its place"},
      {{Kind::kApartSet, 0}, "apart set 0", "the bytes of apart set 0"},
      {{Kind::kAntichain, 4},
       "heaviest antichain",
       "the bytes of 4 unordered records"},
      {{Kind::kPools}, "pools", "the sum of what each pool has to hold"},
      {{Kind::kAnyOrder},
       "bytes live in any order",
       "the bytes live in any order"},
      {{Kind::kCostOfSmaller},
       "cost of smaller plans",
       "the cost of smaller plans"},
      {{Kind::kAllChoices}, "search over choices", "the search over choices"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(NameOf(c.proof), c.name);
    EXPECT_EQ(Describe(c.proof), c.phrase);
  }
}

TEST(BoundProof, HasATaskOnlyIfBytesAreLiveThere) {
  EXPECT_EQ(TaskOf({Kind::kBytesLiveAroundHoles, 7}), TaskId{7});
  EXPECT_EQ(TaskOf({Kind::kBytesHeld, 0}), TaskId{0});
  EXPECT_EQ(TaskOf({Kind::kApartSet, 7}), absl::nullopt);
}

TEST(BoundProof, IsTheReasonOfAnOptimum) {
  EXPECT_EQ(ReasonOfOptimum({Kind::kPositionalMaximums}),
            "the total equals the sum of positional maximums");
  EXPECT_EQ(ReasonOfOptimum({Kind::kNoBytes}), "no record needs any bytes");
}

}  // namespace
}  // namespace stowage
