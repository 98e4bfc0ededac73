// SPDX-License-Identifier: Apache-2.0
// Tests the repacker for XLA together with a model of XLA's own repacker.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/adapters/xla/repacker.h"
#include "stowage/base/optional.h"
#include "stowage/verify.h"
#include "tests/adapters/xla_host.h"

namespace stowage::adapters::xla_test {
namespace {

using ::testing::ElementsAre;
using xla_host::AllocationBlock;
using xla_host::FirstFitRepacker;

using Repacker = XlaRepacker<xla_host::Repacker>;

struct BlockSpec {
  int64_t start = 0;
  int64_t end = 0;  // inclusive
  int64_t size = 0;
  size_t ring = 0;  // blocks of one number above 0 are one ring
};

// The blocks of a call, at addresses that do not change.
class Blocks {
 public:
  explicit Blocks(const std::vector<BlockSpec>& specs)
      : blocks_(specs.size()), pointers_(specs.size()) {
    for (size_t i = 0; i < specs.size(); ++i) {
      AllocationBlock& block = blocks_[i];
      block.inclusive_start_time = specs[i].start;
      block.end_time = specs[i].end;
      block.size = specs[i].size;
      block.offset = -1;
      block.id = static_cast<int64_t>(i);
      block.next_colocated = &block;
      for (size_t k = 0; k < i && specs[i].ring > 0; ++k) {
        if (specs[k].ring != specs[i].ring) continue;
        block.next_colocated = blocks_[k].next_colocated;
        blocks_[k].next_colocated = &block;
        break;
      }
      pointers_[i] = &block;
    }
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  AllocationBlock& operator[](size_t i) { return blocks_[i]; }
  absl::Span<AllocationBlock*> span() { return absl::MakeSpan(pointers_); }

  std::vector<int64_t> offsets() const {
    std::vector<int64_t> offsets;
    for (const auto& block : blocks_) offsets.push_back(block.offset);
    return offsets;
  }
  int64_t height() const {
    int64_t height = 0;
    for (const auto& block : blocks_) {
      height = std::max(height, block.offset + block.size);
    }
    return height;
  }
  // Returns whether the blocks are safely packed by the rule of XLA.
  bool IsSafe(int64_t alignment) const {
    for (const auto& a : blocks_) {
      if (a.offset < 0 || a.offset % alignment != 0) return false;
      if (a.next_colocated->offset != a.offset) return false;
      for (const auto& b : blocks_) {
        const bool share = xla_host::Meet(a, b) &&
                           a.offset < b.offset + b.size &&
                           b.offset < a.offset + a.size;
        if (share && a.size > 0 && b.size > 0 && !AreColocated(a, b)) {
          return false;
        }
      }
    }
    return true;
  }

 private:
  static bool AreColocated(const AllocationBlock& a, const AllocationBlock& b) {
    const AllocationBlock* block = &a;
    do {
      if (block == &b) return true;
      block = block->next_colocated;
    } while (block != &a);
    return false;
  }

  std::vector<AllocationBlock> blocks_;
  std::vector<AllocationBlock*> pointers_;
};

// A host that returns the offsets and the answer set by a test.
class ToldRepacker : public xla_host::Repacker {
 public:
  ToldRepacker(std::vector<int64_t> offsets, absl::StatusOr<bool> answer)
      : xla_host::Repacker(0, 1),
        offsets_(std::move(offsets)),
        answer_(std::move(answer)) {}
  absl::StatusOr<bool> Repack(absl::Span<AllocationBlock*> blocks) override {
    ++calls;
    for (size_t i = 0; i < offsets_.size(); ++i)
      blocks[i]->offset = offsets_[i];
    return answer_;
  }
  int calls = 0;

 private:
  const std::vector<int64_t> offsets_;
  const absl::StatusOr<bool> answer_;
};

struct RepackCase {
  const char* name;
  std::vector<BlockSpec> blocks;
  int64_t max_size = 0;
  bool fits = false;
};

class XlaRepackTest : public ::testing::TestWithParam<RepackCase> {};

TEST_P(XlaRepackTest, PacksOrChangesNothing) {
  Blocks blocks(GetParam().blocks);
  Repacker repacker(GetParam().max_size, 1, nullptr);
  const absl::StatusOr<bool> fits = repacker.Repack(blocks.span());
  ASSERT_TRUE(fits.ok());
  EXPECT_EQ(*fits, GetParam().fits);
  if (*fits) {
    EXPECT_TRUE(blocks.IsSafe(1));
    EXPECT_LE(blocks.height(), GetParam().max_size);
  } else {
    EXPECT_THAT(blocks.offsets(), ::testing::Each(-1));
  }
}

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

INSTANTIATE_TEST_SUITE_P(
    All, XlaRepackTest,
    ::testing::Values(
        RepackCase{"Nothing", {}, 0, true},
        RepackCase{"Apart", {{0, 4, 8}, {5, 9, 8}}, 8, true},
        // Both ends of a lifetime are inclusive.
        RepackCase{"Touching", {{0, 5, 8}, {5, 9, 8}}, 8, false},
        RepackCase{"TouchingAtTheStart", {{5, 9, 8}, {0, 5, 8}}, 8, false},
        RepackCase{"TouchingFits", {{0, 5, 8}, {5, 9, 8}}, 16, true},
        RepackCase{"AtOneTime", {{3, 3, 8}, {3, 3, 8}}, 15, false},
        RepackCase{"NegativeTimes", {{-9, -5, 8}, {-4, 0, 8}}, 8, true},
        RepackCase{"AllTimes", {{kMin, kMax - 1, 8}, {kMax, kMax, 8}}, 8, true},
        RepackCase{"ZeroSizes", {{0, 5, 0}, {0, 5, 8}, {0, 5, 0}}, 8, true},
        RepackCase{"OneByteTooLarge", {{0, 5, 9}}, 8, false},
        // Blocks of a ring share bytes even while they are live together.
        RepackCase{"Ring", {{0, 5, 8, 1}, {3, 9, 4, 1}}, 8, true},
        RepackCase{"RingBetween",
                   {{0, 2, 8, 1}, {6, 9, 4, 1}, {3, 5, 8}, {0, 9, 2}},
                   10,
                   true},
        RepackCase{
            "RingTooLarge", {{0, 2, 8, 1}, {6, 9, 4, 1}, {0, 9, 3}}, 10, false},
        RepackCase{"EndBeforeStart", {{5, 4, 8}}, 8, false},
        RepackCase{"NegativeSize", {{4, 5, -8}}, 8, false},
        RepackCase{"NegativeMaximum", {{4, 5, 8}}, -8, false},
        RepackCase{"SumBeyond64Bits",
                   {{0, 1, kMax}, {2, 3, kMax}, {4, 5, kMax}},
                   kMax,
                   false}),
    [](const auto& test) { return test.param.name; });

TEST(XlaRepacker, LeavesToTheHostWhatItCannotExpress) {
  Blocks sliced({{0, 4, 8}, {2, 9, 8}});
  sliced[0].original_slice_data.emplace();
  Blocks plain({{0, 4, 8}, {2, 9, 8}});
  Blocks outside({{0, 4, 8}, {2, 9, 8}});
  AllocationBlock other;
  other.next_colocated = &outside[0];
  outside[0].next_colocated = &other;
  Blocks null({{0, 4, 8}, {2, 9, 8}});
  null[0].next_colocated = nullptr;
  Blocks rho({{0, 4, 8}, {2, 9, 8}});
  rho[0].next_colocated = &rho[1];
  struct {
    const char* name;
    Blocks& blocks;
    int64_t alignment;
  } cases[] = {
      {"sliced", sliced, 1},     {"alignment 3", plain, 3},
      {"alignment 0", plain, 0}, {"a ring that is not listed", outside, 1},
      {"no ring", null, 1},      {"a ring that does not close", rho, 1}};
  for (const auto& test : cases) {
    SCOPED_TRACE(test.name);
    ToldRepacker host({3, 5}, true);
    Repacker repacker(100, test.alignment, &host);
    EXPECT_TRUE(repacker.Repack(test.blocks.span()).value());
    EXPECT_THAT(test.blocks.offsets(), ElementsAre(3, 5));
    EXPECT_EQ(host.calls, 1);
  }
}

TEST(XlaRepacker, KeepsThePackingOfTheHostThatIsAsSmall) {
  Blocks blocks({{0, 4, 8}, {4, 9, 4}});
  ToldRepacker host({4, 0}, true);
  Repacker repacker(100, 4, &host);
  EXPECT_TRUE(repacker.Repack(blocks.span()).value());
  EXPECT_THAT(blocks.offsets(), ElementsAre(4, 0));
}

TEST(XlaRepacker, ReplacesALargerPacking) {
  Blocks blocks({{0, 4, 8}, {4, 9, 4}});
  ToldRepacker host({8, 0}, true);
  Repacker repacker(100, 4, &host);
  EXPECT_TRUE(repacker.Repack(blocks.span()).value());
  EXPECT_EQ(blocks.height(), 12);
}

TEST(XlaRepacker, ReportsAnUnsafePackingAndReplacesIt) {
  Blocks blocks({{0, 4, 8}, {4, 9, 4}});
  ToldRepacker host({0, 4}, true);
  Repacker repacker(100, 4, &host);
  std::vector<Violation> reported;
  repacker.OnUnsafeHost([&](const Violation& v) { reported.push_back(v); });
  EXPECT_TRUE(repacker.Repack(blocks.span()).value());
  EXPECT_TRUE(blocks.IsSafe(4));
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].kind, Violation::Kind::kOverlappingBytes);
  EXPECT_EQ(reported[0].task, 4u);
}

TEST(XlaRepacker, UndoesAPackingThatIsUnsafeOrTooLarge) {
  const std::vector<std::vector<int64_t>> hosts = {
      {0, 4}, {0, 8}, {-8, 0}, {kMax, 0}};
  for (const std::vector<int64_t>& offsets : hosts) {
    Blocks blocks({{0, 4, 8}, {4, 9, 4}});
    blocks[0].offset = 64;
    blocks[1].offset = 32;
    ToldRepacker host(offsets, true);
    Repacker repacker(11, 4, &host);
    EXPECT_FALSE(repacker.Repack(blocks.span()).value());
    EXPECT_THAT(blocks.offsets(), ElementsAre(64, 32));
  }
}

TEST(XlaRepacker, PacksWhatTheHostDoesNot) {
  Blocks blocks({{0, 4, 8}, {4, 9, 4}});
  ToldRepacker host({}, false);
  Repacker repacker(12, 4, &host);
  EXPECT_TRUE(repacker.Repack(blocks.span()).value());
  EXPECT_TRUE(blocks.IsSafe(4));
}

TEST(XlaRepacker, ReturnsTheErrorOfTheHost) {
  Blocks blocks({{0, 4, 8}});
  ToldRepacker host({}, absl::InternalError("no"));
  Repacker repacker(12, 4, &host);
  EXPECT_EQ(repacker.Repack(blocks.span()).status().code(),
            absl::StatusCode::kInternal);
}

TEST(XlaRepacker, LeavesSumsBeyond64BitsToTheHost) {
  for (const size_t ring : {size_t{0}, size_t{1}}) {
    Blocks blocks({{0, 1, kMax, ring}, {2, 3, kMax}, {4, 5, kMax, ring}});
    ToldRepacker host({0, 0, 0}, true);
    Repacker repacker(kMax, 1, &host);
    EXPECT_TRUE(repacker.Repack(blocks.span()).value());
    EXPECT_THAT(blocks.offsets(), ElementsAre(0, 0, 0));
  }
}

TEST(XlaRepacker, VerifiesThePackingOfTheHostIfTheSumExceeds64Bits) {
  Blocks blocks({{0, 2, kMax}, {2, 3, kMax}, {4, 5, kMax}});
  ToldRepacker host({0, 0, 0}, true);
  Repacker repacker(kMax, 1, &host);
  std::vector<Violation> reported;
  repacker.OnUnsafeHost([&](const Violation& v) { reported.push_back(v); });
  EXPECT_FALSE(repacker.Repack(blocks.span()).value());
  EXPECT_THAT(blocks.offsets(), ::testing::Each(-1));
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].task, 2u);
}

struct HostCase {
  const char* name;
  std::vector<BlockSpec> blocks;
  std::vector<int64_t> host;  // the offsets that the host gives the blocks
  int64_t max_size = 0;
  optional<Violation::Kind> reported;
  bool fits = false;
  size_t first = 0;  // the blocks that the violation names
  size_t second = 0;
};

class XlaHostTest : public ::testing::TestWithParam<HostCase> {};

TEST_P(XlaHostTest, IsKeptOrReported) {
  const HostCase& test = GetParam();
  Blocks blocks(test.blocks);
  ToldRepacker host(test.host, true);
  Repacker repacker(test.max_size, 4, &host);
  std::vector<Violation> reported;
  repacker.OnUnsafeHost([&](const Violation& v) { reported.push_back(v); });
  EXPECT_EQ(repacker.Repack(blocks.span()).value(), test.fits);
  ASSERT_EQ(reported.size(), test.reported ? 1u : 0u);
  if (test.reported) {
    EXPECT_EQ(reported[0].kind, *test.reported) << Describe(reported[0]);
    EXPECT_EQ(reported[0].first_tensor, test.first);
    EXPECT_EQ(reported[0].second_tensor, test.second);
  }
  if (!test.fits) {
    EXPECT_THAT(blocks.offsets(), ::testing::Each(-1));
  } else if (test.reported) {
    EXPECT_TRUE(blocks.IsSafe(4));
    EXPECT_LE(blocks.height(), test.max_size);
  } else {
    EXPECT_EQ(blocks.offsets(), test.host);
  }
}

constexpr int64_t kHalf = int64_t{1} << 62;
using Kind = Violation::Kind;

INSTANTIATE_TEST_SUITE_P(
    All, XlaHostTest,
    ::testing::Values(
        HostCase{"BeyondTheMaximum",
                 {{0, 5, 60}, {0, 5, 60}},
                 {0, 60},
                 100,
                 Kind::kBeyondCapacity,
                 false,
                 1},
        HostCase{"BeyondTheMaximumReplaced",
                 {{0, 4, 8}, {5, 9, 8}},
                 {8, 0},
                 12,
                 Kind::kBeyondCapacity,
                 true},
        HostCase{"BelowByte0",
                 {{0, 4, 8}, {5, 9, 0}},
                 {0, -8},
                 12,
                 Kind::kBeyondCapacity,
                 true,
                 1},
        // Stowage refuses the rings of these blocks, since the sum of the sizes
        // exceeds 64 bits.
        HostCase{"Ring",
                 {{0, 5, kHalf, 1}, {0, 5, 8, 1}, {6, 6, kMax}, {7, 7, kMax}},
                 {0, 0, 0, 0},
                 kMax,
                 {},
                 true},
        HostCase{"RingBesideBlocks",
                 {{0, 5, 8, 1},
                  {0, 5, 4, 1},
                  {5, 6, kHalf},
                  {7, 7, kMax},
                  {8, 8, kMax},
                  {0, 9, 0}},
                 {0, 0, 8, 0, 0, 4},
                 kMax,
                 {},
                 true},
        HostCase{"RingMeetsABlock",
                 {{0, 5, kHalf, 1}, {0, 5, kHalf, 1}, {5, 9, kHalf}},
                 {0, 0, 0},
                 kMax,
                 Kind::kOverlappingBytes,
                 false,
                 0,
                 2},
        HostCase{"TwoRingsMeet",
                 {{0, 5, kHalf, 1},
                  {0, 5, kHalf, 2},
                  {6, 7, kHalf, 1},
                  {8, 9, kHalf, 2}},
                 {0, 0, 0, 0},
                 kMax,
                 Kind::kOverlappingBytes,
                 false,
                 0,
                 1},
        HostCase{"BlocksBesideARingMeet",
                 {{0, 1, kHalf, 1}, {0, 1, 4, 1}, {2, 3, kMax}, {3, 4, kMax}},
                 {0, 0, 0, 0},
                 kMax,
                 Kind::kOverlappingBytes,
                 false,
                 2,
                 3},
        HostCase{"BrokenRing",
                 {{8, 8, kMax},
                  {0, 1, 4, 1},
                  {2, 3, 4, 1},
                  {6, 6, kMax},
                  {7, 7, kMax}},
                 {0, 0, 4, 0, 0},
                 kMax,
                 Kind::kGroupBroken,
                 false,
                 2,
                 1},
        HostCase{"MisalignedRing",
                 {{0, 1, 4, 1},
                  {2, 3, 4, 1},
                  {6, 6, kMax},
                  {7, 7, kMax},
                  {8, 8, kMax}},
                 {2, 2, 0, 0, 0},
                 kMax,
                 Kind::kMisaligned,
                 false},
        HostCase{"RingBeyondTheMaximum",
                 {{0, 1, 4, 1}, {2, 3, kMax, 1}, {6, 6, kMax}},
                 {4, 4, 0},
                 kMax,
                 Kind::kBeyondCapacity,
                 false,
                 1}),
    [](const auto& test) { return test.param.name; });

RC_GTEST_PROP(XlaRepackerProperty, IsSafeAndNeverLargerThanTheHost, ()) {
  const auto specs =
      *rc::gen::container<std::vector<BlockSpec>>(rc::gen::exec([] {
        BlockSpec spec;
        spec.start = *rc::gen::inRange<int64_t>(-5, 20);
        spec.end = spec.start + *rc::gen::inRange<int64_t>(0, 8);
        spec.size = *rc::gen::inRange<int64_t>(0, 100);
        spec.ring = *rc::gen::inRange<size_t>(0, 8);
        if (spec.ring > 3) spec.ring = 0;
        return spec;
      }));
  const int64_t alignment = int64_t{1} << *rc::gen::inRange(0, 4);
  const auto max_size = *rc::gen::inRange<int64_t>(0, 1500);
  Blocks alone(specs);
  FirstFitRepacker host(max_size, alignment);
  const bool host_fits = host.Repack(alone.span()).value();
  RC_ASSERT(!host_fits || alone.IsSafe(alignment));
  Blocks blocks(specs);
  Repacker repacker(max_size, alignment, &host);
  bool reported = false;
  repacker.OnUnsafeHost([&](const Violation&) { reported = true; });
  const bool fits = repacker.Repack(blocks.span()).value();
  RC_ASSERT(!reported);
  RC_ASSERT(fits || !host_fits);
  if (fits) {
    RC_ASSERT(blocks.IsSafe(alignment));
    RC_ASSERT(blocks.height() <= max_size);
    if (host_fits) RC_ASSERT(blocks.height() <= alone.height());
  } else {
    for (const int64_t offset : blocks.offsets()) RC_ASSERT(offset == -1);
  }
}

}  // namespace
}  // namespace stowage::adapters::xla_test
