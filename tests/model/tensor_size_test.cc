// SPDX-License-Identifier: Apache-2.0
// Tests sizes and their arithmetic: which results are exact, and which are
// refused because they would overflow.
#include "stowage/tensor_size.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "tests/model/extreme_sizes.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;

constexpr uint32_t kMax32 = std::numeric_limits<uint32_t>::max();
constexpr int32_t kMaxInt32 = std::numeric_limits<int32_t>::max();

TEST(CheckedArithmeticTest, IsExactUpToTheLastNumberAndNothingBeyond) {
  struct Case {
    absl::optional<size_t> got;
    absl::optional<size_t> want;
  };
  const Case cases[] = {
      {CheckedAdd(0, 0), 0},
      {CheckedAdd(kMax, 0), kMax},
      {CheckedAdd(kHalf, kHalf - 1), kMax},
      {CheckedAdd(kHalf, kHalf), absl::nullopt},
      {CheckedAdd(kMax, 1), absl::nullopt},
      {CheckedAdd(kMax, kMax), absl::nullopt},
      {CheckedMultiply(0, kMax), 0},
      {CheckedMultiply(1, kMax), kMax},
      {CheckedMultiply(kMax32, kMax32), 18446744065119617025u},
      {CheckedMultiply(kHalf, 2), absl::nullopt},
      {CheckedMultiply(size_t{1} << 32, size_t{1} << 32), absl::nullopt},
      {CheckedMultiply(kMax, kMax), absl::nullopt},
  };
  for (size_t i = 0; i < std::size(cases); ++i) {
    EXPECT_EQ(cases[i].got, cases[i].want) << "case " << i;
  }
}

TEST(AlignmentTest, IsAPowerOfTwo) {
  for (int exponent = 0; exponent < 64; ++exponent) {
    EXPECT_TRUE(IsValidAlignment(size_t{1} << exponent)) << exponent;
  }
  for (const size_t no :
       {size_t{0}, size_t{3}, size_t{6}, size_t{96}, kHalf + 1, kMax}) {
    EXPECT_FALSE(IsValidAlignment(no)) << no;
  }
}

TEST(CheckedAlignUpTest, IsTheNextMultipleOrNothing) {
  struct Case {
    size_t value;
    size_t alignment;
    absl::optional<size_t> want;
  };
  const Case cases[] = {
      {0, 1, 0},
      {0, 64, 0},
      {1, 64, 64},
      {64, 64, 64},
      {65, 64, 128},
      {0, kHalf, 0},
      {1, kHalf, kHalf},
      {kHalf, kHalf, kHalf},
      {kHalf + 1, kHalf, absl::nullopt},  // the product is 2^64
      {kMax, 1, kMax},
      {kMax - 1, 2, kMax - 1},
      {kMax, 2, absl::nullopt},
      {kMax - 63, 64, kMax - 63},
      {kMax - 62, 64, absl::nullopt},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(CheckedAlignUp(c.value, c.alignment), c.want)
        << c.value << " to a multiple of " << c.alignment;
    if (c.want) {
      EXPECT_EQ(AlignUp(c.value, c.alignment), *c.want);
    }
  }
}

RC_GTEST_PROP(CheckedAlignUpTest, IsTheSmallestMultipleThatIsAtLeastTheValue,
              (size_t value)) {
  const size_t alignment = size_t{1} << *rc::gen::inRange(0, 64);
  const absl::optional<size_t> up = CheckedAlignUp(value, alignment);
  if (up) {
    RC_ASSERT(*up >= value);
    RC_ASSERT(*up % alignment == 0);
    RC_ASSERT(*up - value < alignment);
  } else {
    RC_ASSERT(kMax - value < alignment - value % alignment);
  }
}

TEST(ElementCountTest, IsTheProductOfTheComponents) {
  struct Case {
    absl::StatusOr<size_t> got;
    size_t want;
  };
  const Case cases[] = {
      {ElementCount(kMax), kMax},
      {ElementCount(uint2(8, 4)), 32},
      {ElementCount(uint2(0, kMax32)), 0},
      {ElementCount(uint2(kMax32, kMax32)), 18446744065119617025u},
      {ElementCount(uint3(8, 4, 2)), 64},
      {ElementCount(uint3(kMax32, kMax32, 1)), 18446744065119617025u},
      {ElementCount(BHWC(1, 8, 4, 2)), 64},
      {ElementCount(BHWC(kMaxInt32, kMaxInt32, 4, 1)), 18446744056529682436u},
      // If one component is 0, the count is 0, no matter how large the other
      // components are.
      {ElementCount(uint3(kMax32, kMax32, 0)), 0},
      {ElementCount(uint3(0, kMax32, kMax32)), 0},
      {ElementCount(BHWC(kMaxInt32, kMaxInt32, kMaxInt32, 0)), 0},
  };
  for (size_t i = 0; i < std::size(cases); ++i) {
    ASSERT_THAT(cases[i].got, IsOk()) << "case " << i;
    EXPECT_EQ(*cases[i].got, cases[i].want) << "case " << i;
  }
}

TEST(ElementCountTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT(ElementCount(uint3(kMax32, kMax32, 2)),
              FailsWith(absl::StatusCode::kOutOfRange,
                        "size 4294967295x4294967295x2 has too many elements; "
                        "expected at most 2^64 - 1"));
  EXPECT_THAT(ElementCount(BHWC(kMaxInt32, kMaxInt32, 4, 2)),
              FailsWith(absl::StatusCode::kOutOfRange,
                        "size 2147483647x2147483647x4x2 has too many elements; "
                        "expected at most 2^64 - 1"));
}

TEST(ElementCountTest, RefusesNegativeComponents) {
  const BHWC shapes[] = {{-1, 8, 4, 2},
                         {1, -8, 4, 2},
                         {1, 8, -4, 2},
                         {1, 8, 4, -2},
                         {0, 0, 0, -1}};
  for (const BHWC& shape : shapes) {
    EXPECT_THAT(ElementCount(shape),
                FailsWith(absl::StatusCode::kInvalidArgument,
                          "size " + SizeToString(shape) +
                              " has a component below 0; expected 0 or above"));
  }
}

TEST(CoversTest, HoldsIfNoComponentOfTheTensorIsLarger) {
  EXPECT_TRUE(Covers(size_t{8}, size_t{8}));
  EXPECT_FALSE(Covers(size_t{7}, size_t{8}));
  EXPECT_TRUE(Covers(kMax, kMax));

  EXPECT_TRUE(Covers(uint2(8, 4), uint2(8, 4)));
  EXPECT_TRUE(Covers(uint2(9, 5), uint2(8, 4)));
  EXPECT_FALSE(Covers(uint2(7, 400), uint2(8, 4)));
  EXPECT_FALSE(Covers(uint2(800, 3), uint2(8, 4)));

  EXPECT_TRUE(Covers(uint3(8, 4, 2), uint3(8, 4, 2)));
  EXPECT_FALSE(Covers(uint3(7, 4, 2), uint3(8, 4, 2)));
  EXPECT_FALSE(Covers(uint3(8, 3, 2), uint3(8, 4, 2)));
  EXPECT_FALSE(Covers(uint3(8, 4, 1), uint3(8, 4, 2)));

  EXPECT_TRUE(Covers(BHWC(1, 8, 4, 2), BHWC(1, 8, 4, 2)));
  EXPECT_FALSE(Covers(BHWC(0, 8, 4, 2), BHWC(1, 8, 4, 2)));
  EXPECT_FALSE(Covers(BHWC(1, 7, 4, 2), BHWC(1, 8, 4, 2)));
  EXPECT_FALSE(Covers(BHWC(1, 8, 3, 2), BHWC(1, 8, 4, 2)));
  EXPECT_FALSE(Covers(BHWC(1, 8, 4, 1), BHWC(1, 8, 4, 2)));
}

TEST(SizeTest, ComparesEveryComponent) {
  EXPECT_EQ(uint2(8, 4), uint2(8, 4));
  EXPECT_NE(uint2(8, 4), uint2(4, 8));
  EXPECT_NE(uint3(8, 4, 2), uint3(8, 4, 3));
  EXPECT_NE(uint3(8, 4, 2), uint3(8, 5, 2));
  EXPECT_EQ(BHWC(1, 8, 4, 2), BHWC(1, 8, 4, 2));
  for (const BHWC& other : {BHWC(2, 8, 4, 2), BHWC(1, 7, 4, 2),
                            BHWC(1, 8, 5, 2), BHWC(1, 8, 4, 1)}) {
    EXPECT_NE(BHWC(1, 8, 4, 2), other);
  }
}

TEST(SizeTest, IsNothingByDefault) {
  EXPECT_EQ(uint2(), uint2(0, 0));
  EXPECT_EQ(uint3(), uint3(0, 0, 0));
  EXPECT_EQ(BHWC(), BHWC(0, 0, 0, 0));
}

TEST(SizeTest, IsAKeyOfHashTables) {
  EXPECT_EQ((absl::flat_hash_set<uint2>{{1, 2}, {2, 1}, {1, 2}}).size(), 2);
  EXPECT_EQ((absl::flat_hash_set<uint3>{{1, 2, 3}, {1, 2, 3}}).size(), 1);
  EXPECT_EQ((absl::flat_hash_set<BHWC>{{1, 2, 3, 4}, {4, 3, 2, 1}}).size(), 2);
}

TEST(SizeToStringTest, JoinsComponents) {
  EXPECT_EQ(SizeToString(kMax), "18446744073709551615");
  EXPECT_EQ(SizeToString(uint2(8, 4)), "8x4");
  EXPECT_EQ(SizeToString(uint3(8, 4, 2)), "8x4x2");
  EXPECT_EQ(SizeToString(BHWC(1, 8, 4, -2)), "1x8x4x-2");
}

TEST(AlignmentsTest, AreOneByDefault) {
  const Alignments none;
  EXPECT_THAT(none.Check(3), IsOk());
  EXPECT_EQ(none.Of(2), 1);
}

TEST(AlignmentsTest, AreOneForAllOrOneEach) {
  const Alignments all = 64;
  EXPECT_EQ(all.Of(0), 64);
  EXPECT_EQ(all.Of(1000), 64);
  EXPECT_THAT(all.Check(0), IsOk());

  const std::vector<size_t> list = {1, 4096, kHalf};
  const Alignments each(list);
  EXPECT_EQ(each.Of(0), 1);
  EXPECT_EQ(each.Of(1), 4096);
  EXPECT_EQ(each.Of(2), kHalf);
  EXPECT_THAT(each.Check(3), IsOk());
}

TEST(AlignmentsTest, AnEmptyListIsAListAndNotTheDefault) {
  const Alignments each{absl::Span<const size_t>()};
  EXPECT_THAT(each.Check(0), IsOk());
  EXPECT_THAT(
      each.Check(1),
      FailsWith(absl::StatusCode::kInvalidArgument,
                "alignments: 0 given; expected 1, one for each record"));
}

TEST(AlignmentsTest, CheckNamesWhatIsWrong) {
  const std::vector<size_t> list = {1, 3};
  struct Case {
    Alignments alignments;
    size_t tensors;
    std::string message;
  };
  const Case cases[] = {
      {0, 2, "alignment: it is 0; expected a power of two"},
      {3, 2, "alignment: it is 3; expected a power of two"},
      {kMax, 0,
       "alignment: it is 18446744073709551615; expected a power of two"},
      {Alignments(list), 2,
       "record 1: its alignment is 3; expected a power of two"},
      {Alignments(list), 1,
       "alignments: 2 given; expected 1, one for each record"},
      {Alignments(list), 3,
       "alignments: 2 given; expected 3, one for each record"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(c.alignments.Check(c.tensors),
                FailsWith(absl::StatusCode::kInvalidArgument, c.message));
  }
}

}  // namespace
}  // namespace stowage
