// SPDX-License-Identifier: Apache-2.0
// Tests a bound on the cost of moving records out of a pool until the remaining
// records fit its capacity. The bound never exceeds the lowest cost of moving
// whole records. It equals this cost if moving parts of records does not help.
#include "src/bounds/spill_bound.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "src/base/work_limit.h"

namespace stowage::rigid {
namespace {

uint64_t Bound(const std::vector<SpillCandidate>& candidates, uint64_t capacity,
               uint64_t checks = WorkLimit::kUnlimited) {
  WorkLimit work(checks);
  return BoundSpill(candidates, capacity, &work);
}

bool Fit(const std::vector<SpillCandidate>& candidates, uint32_t leaving,
         uint64_t capacity) {
  for (uint32_t step = 0; step < 16; ++step) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < candidates.size(); ++i) {
      const bool is_there = (leaving >> i & 1U) == 0 &&
                            candidates[i].begin <= step &&
                            step < candidates[i].end;
      if (is_there) bytes += candidates[i].bytes;
    }
    if (bytes > capacity) return false;
  }
  return true;
}

// Returns the lowest cost of moving candidates out of the pool so that the
// remaining ones fit the capacity, or nothing if this is impossible. Tries all
// sets of candidates.
absl::optional<uint64_t> LeastCost(
    const std::vector<SpillCandidate>& candidates, uint64_t capacity) {
  absl::optional<uint64_t> least;
  for (uint32_t leaving = 0; leaving < 1U << candidates.size(); ++leaving) {
    uint64_t cost = 0;
    bool may_leave = true;
    for (size_t i = 0; i < candidates.size(); ++i) {
      if ((leaving >> i & 1U) == 0) continue;
      may_leave = may_leave && candidates[i].cost;
      cost += candidates[i].cost.value_or(0);
    }
    if (!may_leave || (least && cost >= *least)) continue;
    if (Fit(candidates, leaving, capacity)) least = cost;
  }
  return least;
}

// Returns random candidates, some of which must stay in the pool.
std::vector<SpillCandidate> Sample(uint32_t seed, uint64_t max_bytes) {
  std::mt19937 random(seed);
  std::vector<SpillCandidate> candidates(1 + random() % 9);
  for (SpillCandidate& candidate : candidates) {
    candidate.begin = static_cast<uint32_t>(random() % 12);
    candidate.end = candidate.begin + 1 + static_cast<uint32_t>(random() % 4);
    candidate.bytes = 1 + random() % max_bytes;
    if (random() % 8 > 0) candidate.cost = random() % 100;
  }
  return candidates;
}

// If every record has one byte, the bound equals the lowest cost of moving
// whole records, because the matrix of records and steps is totally unimodular.
TEST(BoundSpill, IsWhatItCostsToMoveSingleBytes) {
  size_t spilled = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    const std::vector<SpillCandidate> candidates = Sample(seed, 1);
    const uint64_t capacity = seed % 4;
    const auto least = LeastCost(candidates, capacity);
    if (!least) continue;
    ASSERT_EQ(Bound(candidates, capacity), *least) << "seed " << seed;
    if (*least > 0) ++spilled;
  }
  EXPECT_GT(spilled, 1000U);
}

TEST(BoundSpill, IsNeverAboveWhatWholeRecordsCost) {
  size_t close = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    const std::vector<SpillCandidate> candidates = Sample(seed, 20);
    const uint64_t capacity = seed % 40;
    const auto least = LeastCost(candidates, capacity);
    if (!least) continue;
    const uint64_t bound = Bound(candidates, capacity);
    ASSERT_LE(bound, *least) << "seed " << seed;
    if (2 * bound >= *least) ++close;
    // If the computation is stopped early, its bound must not be larger.
    for (const uint64_t checks : {1U, 20U, 60U, 200U}) {
      ASSERT_LE(Bound(candidates, capacity, checks), bound) << "seed " << seed;
    }
  }
  EXPECT_GT(close, 1500U);
}

TEST(BoundSpill, CountsAllSteps) {
  constexpr uint64_t kFar = uint64_t{1} << 58;
  constexpr uint64_t kDear = std::numeric_limits<uint64_t>::max();
  const struct {
    std::string name;
    std::vector<SpillCandidate> candidates;
    uint64_t capacity;
    uint64_t bound;
  } cases[] = {
      {"none", {}, 0, 0},
      {"all fit", {{0, 2, 8, 5}, {1, 3, 8, 7}}, 16, 0},
      {"one of two", {{0, 2, 8, 5}, {1, 3, 8, 7}}, 8, 5},
      {"a half, rounded up", {{0, 2, 8, 5}, {1, 3, 8, 7}}, 12, 3},
      {"at two steps apart",
       {{0, 1, 8, 5}, {0, 1, 8, 7}, {4, 5, 8, 3}, {4, 5, 8, 9}},
       8,
       8},
      {"no room at all", {{0, 2, 8, 5}, {1, 3, 8, 7}}, 0, 12},
      {"the dear one has to stay",
       {{0, 2, 8, absl::nullopt}, {1, 3, 8, 700}},
       8,
       700},
      {"too much has to stay",
       {{0, 2, 8, absl::nullopt}, {1, 3, 8, absl::nullopt}},
       8,
       0},
      {"never live", {{2, 2, 8, 5}, {1, 3, 8, 7}}, 8, 0},
      {"no bytes", {{0, 2, 0, 5}, {1, 3, 8, 7}}, 8, 0},
      {"costs near the end of 64 bits",
       {{0, 2, 1, kDear}, {1, 3, 1, kDear}},
       1,
       kDear - 1},
      {"many bytes", {{0, 2, kFar, 5}, {1, 3, kFar, 7}}, kFar, 5},
      {"more bytes than it counts",
       {{0, 2, 4 * kFar, 5}, {1, 3, kFar, 7}},
       kFar,
       0},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Bound(c.candidates, c.capacity), c.bound) << c.name;
  }
}

}  // namespace
}  // namespace stowage::rigid
