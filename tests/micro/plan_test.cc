// SPDX-License-Identifier: Apache-2.0
// Compares the planner in C with the strategy of this library that makes the
// same plans, and with the plans of recorded models. Tests that need no host
// are in device/plan.c.
#include "stowage/micro/plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/verify.h"
#include "tests/support/plan_request.h"
#include "tests/support/real_data.h"

namespace stowage {
namespace {

using support::FilesIn;
using support::PlanRequest;
using support::RealDataFolder;
using ::testing::ElementsAre;

using Buffers = std::vector<stowage_micro_buffer>;

constexpr uint32_t kFree = STOWAGE_MICRO_UNPLACED;

stowage_micro_status Plan(decltype(stowage_micro_plan)* plan, Buffers* buffers,
                          uint32_t alignment, uint32_t* total) {
  std::vector<uint32_t> workspace(buffers->size());
  return plan(buffers->data(), static_cast<uint32_t>(buffers->size()),
              alignment, workspace.data(),
              static_cast<uint32_t>(workspace.size() * sizeof(uint32_t)),
              total);
}

stowage_micro_status Check(const Buffers& buffers, uint32_t alignment,
                           uint32_t capacity, uint32_t witness[2]) {
  return stowage_micro_check(buffers.data(),
                             static_cast<uint32_t>(buffers.size()), alignment,
                             capacity, witness);
}

std::vector<ByteRecord> RecordsOf(const Buffers& buffers) {
  std::vector<ByteRecord> records;
  records.reserve(buffers.size());
  for (const auto& buffer : buffers) {
    records.emplace_back(buffer.size, buffer.first_task, buffer.last_task);
  }
  return records;
}

std::vector<size_t> OffsetsOf(const Buffers& buffers) {
  std::vector<size_t> offsets;
  offsets.reserve(buffers.size());
  for (const auto& buffer : buffers) offsets.push_back(buffer.offset);
  return offsets;
}

// Returns random buffers. Some of them have fixed offsets, and a few of the
// fixed buffers overlap.
Buffers RandomBuffers(std::mt19937* random, uint32_t alignment) {
  const auto below = [&](uint32_t end) {
    return static_cast<uint32_t>((*random)() % end);
  };
  Buffers buffers(below(60));
  const uint32_t tasks = 1 + below(40);
  const uint32_t longest = 1 + below(30);
  const bool has_fixed = below(2) == 0;
  for (auto& buffer : buffers) {
    const uint32_t first = below(tasks);
    buffer = {below(10) == 0 ? 0 : below(300), first, first + below(longest),
              has_fixed && below(4) == 0 ? alignment * below(100) : kFree};
  }
  return buffers;
}

// Every plan equals the plan of micro_first_fit, even around fixed offsets. If
// micro_first_fit finds no plan, neither does this planner.
TEST(MicroPlan, IsThatOfMicroFirstFit) {
  std::mt19937 random(20);
  int planned = 0;
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    const uint32_t alignment = 1u << random() % 7;
    Buffers buffers = RandomBuffers(&random, alignment);
    std::vector<absl::optional<size_t>> fixed(buffers.size());
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i].offset != kFree) fixed[i] = buffers[i].offset;
    }
    PlanRequest request;
    request.strategy = "micro_first_fit";
    request.alignments = size_t{alignment};
    request.fixed_offsets = fixed;
    const auto expected = support::Plan(RecordsOf(buffers), request);
    uint32_t total = 0;
    const Buffers before = buffers;
    const auto status = Plan(stowage_micro_plan, &buffers, alignment, &total);
    ASSERT_TRUE(expected.ok()) << expected.status();
    if (!expected->has_plan()) {
      ++refused;
      EXPECT_EQ(status, STOWAGE_MICRO_OVERLAP) << expected->reason;
      EXPECT_EQ(OffsetsOf(buffers), OffsetsOf(before));
      continue;
    }
    ++planned;
    ASSERT_EQ(status, STOWAGE_MICRO_OK);
    EXPECT_EQ(OffsetsOf(buffers), expected->offsets()->offsets);
    EXPECT_EQ(total, expected->total_size);
    Buffers best = before;
    uint32_t best_total = 0;
    ASSERT_EQ(Plan(stowage_micro_plan_best, &best, alignment, &best_total),
              STOWAGE_MICRO_OK);
    EXPECT_LE(best_total, total);
    OffsetsAssignment assignment;
    assignment.offsets = OffsetsOf(best);
    assignment.total_size = best_total;
    EXPECT_FALSE(FindViolation(RecordsOf(best), assignment, size_t{alignment}));
  }
  EXPECT_GT(planned, 200);
  EXPECT_GT(refused, 20);
}

// Returns the size of the arena if first fit places the buffers in `order`. The
// code follows the definition of first fit literally.
uint32_t FirstFitTotal(Buffers buffers, const std::vector<size_t>& order) {
  uint32_t total = 0;
  for (const size_t i : order) {
    stowage_micro_buffer& buffer = buffers[i];
    std::vector<uint32_t> candidates = {0};
    for (const auto& placed : buffers) {
      if (placed.offset != kFree) {
        candidates.push_back(placed.offset + placed.size);
      }
    }
    std::sort(candidates.begin(), candidates.end());
    const auto fits = [&](uint32_t offset) {
      return std::all_of(buffers.begin(), buffers.end(), [&](const auto& b) {
        return b.offset == kFree || b.first_task > buffer.last_task ||
               b.last_task < buffer.first_task ||
               b.offset >= offset + buffer.size || b.offset + b.size <= offset;
      });
    };
    buffer.offset = *std::find_if(candidates.begin(), candidates.end(), fits);
    total = std::max(total, buffer.offset + buffer.size);
  }
  return total;
}

// For each of the five orders, some of the random records have their smallest
// plan under this order only.
TEST(MicroPlanBest, IsTheSmallestOfFiveOrders) {
  using Key = std::pair<uint32_t, size_t>;
  using KeyFunction = Key (*)(const stowage_micro_buffer&, size_t);
  const KeyFunction keys[] = {
      [](const auto& b, size_t i) { return Key(~b.size, ~i); },
      [](const auto& b, size_t i) { return Key(~b.size, i); },
      [](const auto& b, size_t i) { return Key(b.first_task, i); },
      [](const auto& b, size_t i) { return Key(~b.last_task, i); },
      [](const auto& b, size_t i) {
        return Key(~(b.last_task - b.first_task), i);
      }};
  std::mt19937 random(11);
  std::map<size_t, int> only_best;
  for (int round = 0; round < 500; ++round) {
    Buffers buffers(1 + random() % 20);
    for (auto& buffer : buffers) {
      const auto first = static_cast<uint32_t>(random() % 12);
      const auto life = static_cast<uint32_t>(random() % 6);
      buffer = {16 + 16 * static_cast<uint32_t>(random() % 8), first,
                first + life, kFree};
    }
    std::vector<uint32_t> totals;
    for (const KeyFunction key_of : keys) {
      std::vector<size_t> order(buffers.size());
      std::iota(order.begin(), order.end(), size_t{0});
      std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return key_of(buffers[a], a) < key_of(buffers[b], b);
      });
      totals.push_back(FirstFitTotal(buffers, order));
    }
    const auto least = std::min_element(totals.begin(), totals.end());
    if (std::count(totals.begin(), totals.end(), *least) == 1) {
      ++only_best[static_cast<size_t>(least - totals.begin())];
    }
    uint32_t total = 0;
    ASSERT_EQ(Plan(stowage_micro_plan_best, &buffers, 16, &total),
              STOWAGE_MICRO_OK);
    ASSERT_EQ(total, *least) << round;
  }
  EXPECT_EQ(only_best.size(), std::size(keys));
}

TEST(MicroPlan, PlansManyBuffersWithLongLifetimes) {
  std::mt19937 random(7);
  Buffers buffers(STOWAGE_MICRO_MAX_BUFFERS);
  for (auto& buffer : buffers) {
    const auto first = static_cast<uint32_t>(random() % 65535);
    const auto life = static_cast<uint32_t>(random() % 100 == 0 ? 300 : 3);
    buffer = {16 + static_cast<uint32_t>(random() % 8177), first, first + life,
              kFree};
  }
  uint32_t total = 0;
  ASSERT_EQ(Plan(stowage_micro_plan, &buffers, 16, &total), STOWAGE_MICRO_OK);
  OffsetsAssignment assignment;
  assignment.offsets = OffsetsOf(buffers);
  assignment.total_size = total;
  EXPECT_FALSE(FindViolation(RecordsOf(buffers), assignment, size_t{16}));
}

// For two buffers of 32 bytes, the check of a plan reports what is wrong with
// the plan and which buffers are at fault.
TEST(MicroCheck, NamesWhatIsWrong) {
  const Buffers sound = {{32, 0, 1, 0}, {32, 1, 2, 32}};
  uint32_t witness[2] = {7, 7};
  EXPECT_EQ(Check(sound, 16, 64, witness), STOWAGE_MICRO_OK);
  EXPECT_THAT(witness, ElementsAre(7, 7));
  const auto check = [&](size_t i, const stowage_micro_buffer& buffer) {
    Buffers buffers = sound;
    buffers[i] = buffer;
    return Check(buffers, 16, 64, witness);
  };
  EXPECT_EQ(check(1, {32, 1, 2, 16}), STOWAGE_MICRO_OVERLAP);
  EXPECT_THAT(witness, ElementsAre(0, 1));
  EXPECT_EQ(check(1, {32, 1, 2, 48}), STOWAGE_MICRO_CAPACITY_EXCEEDED);
  EXPECT_THAT(witness, ElementsAre(1, 1));
  EXPECT_EQ(check(0, {33, 0, 0, 32}), STOWAGE_MICRO_CAPACITY_EXCEEDED);
  EXPECT_THAT(witness, ElementsAre(0, 0));
  EXPECT_EQ(check(1, {32, 1, 2, 40}), STOWAGE_MICRO_MISALIGNED_OFFSET);
  EXPECT_EQ(check(1, {32, 2, 1, 32}), STOWAGE_MICRO_REVERSED_LIFETIME);
  EXPECT_EQ(check(1, {32, 1, 2, 0xFFFFFFE0}), STOWAGE_MICRO_OVERFLOW);
  EXPECT_EQ(check(1, {0xFFFFFFF1, 1, 2, kFree}), STOWAGE_MICRO_OVERFLOW);
  EXPECT_EQ(check(1, {32, 1, 2, kFree}), STOWAGE_MICRO_UNPLACED_BUFFER);
  EXPECT_THAT(witness, ElementsAre(1, 1));
  EXPECT_EQ(check(0, {32, 0, 1, kFree}), STOWAGE_MICRO_UNPLACED_BUFFER);
  EXPECT_THAT(witness, ElementsAre(0, 0));
  const Buffers free = {sound[0], {32, 1, 2, kFree}, {32, 1, 2, kFree}};
  EXPECT_EQ(Check(free, 16, 64, witness), STOWAGE_MICRO_UNPLACED_BUFFER);
  EXPECT_THAT(witness, ElementsAre(1, 1)) << "the first";
  EXPECT_EQ(check(0, {32, 2, 3, 32}), STOWAGE_MICRO_OVERLAP);
  EXPECT_EQ(check(1, {1, 1, 2, 16}), STOWAGE_MICRO_OVERLAP);
  EXPECT_EQ(check(0, {1, 0, 1, 48}), STOWAGE_MICRO_OVERLAP);
  EXPECT_EQ(check(1, {32, 2, 2, 0}), STOWAGE_MICRO_OK);
  EXPECT_EQ(check(0, {0, 0, 1, 48}), STOWAGE_MICRO_OK) << "shares no byte";
  EXPECT_EQ(check(1, {0, 1, 2, 16}), STOWAGE_MICRO_OK) << "shares no byte";
}

// Returns the buffers that TensorFlow Lite Micro planned for a model.
Buffers RecordedBuffers(const nlohmann::json& manifest) {
  Buffers buffers;
  for (const auto& buffer : manifest.at("plan")) {
    buffers.push_back({buffer.at("size").get<uint32_t>(),
                       buffer.at("first").get<uint32_t>(),
                       buffer.at("last").get<uint32_t>(), kFree});
  }
  return buffers;
}

TEST(MicroPlan, IsTheRecordedOneAndTheBestIsOptimal) {
  const auto golden = RealDataFolder("STOWAGE_GOLDEN");
  if (!golden) GTEST_SKIP() << "STOWAGE_GOLDEN is not set";
  std::map<std::string, uint32_t> best_totals;
  int better = 0;
  for (const std::string& path : FilesIn(*golden, "manifest.json")) {
    SCOPED_TRACE(path);
    const auto manifest = nlohmann::json::parse(std::ifstream(path));
    if (!manifest.contains("plan")) continue;
    Buffers buffers = RecordedBuffers(manifest);
    Buffers best = buffers;
    uint32_t total = 0;
    uint32_t best_total = 0;
    ASSERT_EQ(Plan(stowage_micro_plan, &buffers, 16, &total), STOWAGE_MICRO_OK);
    ASSERT_EQ(Plan(stowage_micro_plan_best, &best, 16, &best_total),
              STOWAGE_MICRO_OK);
    EXPECT_EQ(total, manifest.at("arena").at("plan_max").get<uint32_t>());
    const size_t bound = OffsetsLowerBound(RecordsOf(best));
    EXPECT_EQ(best_total, bound);
    best_totals[path.substr(golden->size() + 1)] = best_total;
    if (best_total < total) ++better;
  }
  EXPECT_EQ(best_totals["mww_okay_nabu_v1_inception/seed1/manifest.json"],
            14864u);
  EXPECT_EQ(best_totals["vww_96_i8/seed1/manifest.json"], 55296u);
  EXPECT_GE(better, 7);
}

}  // namespace
}  // namespace stowage
