// SPDX-License-Identifier: Apache-2.0
// Tests the plans of records in the chunks of ggml's allocator, and compares
// them with a model of that allocator on recorded lifetimes.
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/adapters/ggml/chunk_planner.h"
#include "stowage/io/problem_file.h"
#include "stowage/verify.h"
#include "tests/adapters/ggml_host.h"
#include "tests/support/status_matchers.h"

namespace stowage::adapters {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Le;

std::vector<GgmlRecord> RecordsOf(const std::vector<ByteRecord>& usages) {
  std::vector<GgmlRecord> records;
  for (const ByteRecord& usage : usages) {
    records.push_back({usage, 0, records.size()});
  }
  return records;
}

// Checks that records that are live at the same time never share a byte of a
// chunk.
void ExpectSafe(const std::vector<GgmlRecord>& records,
                const GgmlAllocatorPlan& plan) {
  size_t total = 0;
  for (const size_t size : plan.chunk_sizes) total += size;
  EXPECT_EQ(total, plan.total);
  for (size_t chunk = 0; chunk < plan.chunk_sizes.size(); ++chunk) {
    std::vector<ByteRecord> usages;
    OffsetsAssignment offsets;
    offsets.total_size = plan.chunk_sizes[chunk];
    for (size_t i = 0; i < records.size(); ++i) {
      if (plan.addresses[i].chunk != static_cast<int>(chunk)) continue;
      usages.push_back(records[i].usage);
      offsets.offsets.push_back(plan.addresses[i].offset);
    }
    EXPECT_EQ(FindViolation(usages, offsets, 32), absl::nullopt);
  }
}

// Returns five records for which the plan of the host has holes that no tensor
// can use.
std::vector<GgmlRecord> Holes() {
  return RecordsOf(
      {{64, 0, 1}, {96, 0, 2}, {64, 1, 5}, {128, 3, 5}, {96, 4, 5}});
}

TEST(PlanGgmlAllocator, UsesOneChunkIfEverythingFits) {
  const GgmlAllocator allocator = {32, 512};
  const std::vector<GgmlRecord> records = Holes();
  HostMemory memory(allocator);
  const auto plan =
      PlanGgmlAllocator(allocator, records, HostAddressesOf(records, &memory));
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->total, 288u);
  EXPECT_EQ(plan->lower_bound, 288u);
  EXPECT_THAT(plan->chunk_sizes, ElementsAre(288));
  ExpectSafe(records, *plan);
}

TEST(PlanGgmlAllocator, SplitsIntoChunks) {
  const GgmlAllocator allocator = {32, 160};
  const std::vector<GgmlRecord> records = Holes();
  HostMemory memory(allocator);
  const auto plan =
      PlanGgmlAllocator(allocator, records, HostAddressesOf(records, &memory));
  ASSERT_THAT(plan, IsOk());
  EXPECT_GT(plan->chunk_sizes.size(), 1u);
  EXPECT_THAT(plan->chunk_sizes, Each(Le(160u)));
  EXPECT_LE(plan->total, memory.total());
  ExpectSafe(records, *plan);
}

// A tensor that is larger than max_chunk_size gets a larger chunk. Other
// tensors may use the bytes of this chunk while the large tensor is not live.
TEST(PlanGgmlAllocator, MakesALargerChunkForALargeTensor) {
  const GgmlAllocator allocator = {32, 128};
  const std::vector<GgmlRecord> records =
      RecordsOf({{96, 0, 1}, {96, 0, 2}, {320, 3, 4}, {64, 4, 5}});
  HostMemory memory(allocator);
  const auto plan =
      PlanGgmlAllocator(allocator, records, HostAddressesOf(records, &memory));
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->total, 384u);
  EXPECT_EQ(plan->lower_bound, 384u);
  EXPECT_GT(memory.total(), 384u);
  EXPECT_THAT(plan->chunk_sizes, ElementsAre(320, 64));
  ExpectSafe(records, *plan);
}

class Stopped final : public Observer {
 public:
  bool KeepGoing() override { return false; }
};

TEST(GgmlDeadline, EndsWithTheTimeLimitOrWithTheObserver) {
  Stopped stopped;
  struct Case {
    const char* name;
    int64_t time_limit_ns;
    absl::optional<uint64_t> node_budget;
    Observer* observer;
    bool keeps_going;
  };
  const Case cases[] = {
      {"no limit", kNoTimeLimit, absl::nullopt, nullptr, true},
      {"no time", 0, absl::nullopt, nullptr, false},
      {"a node budget replaces the time limit", 0, 10, nullptr, true},
      {"observer", kNoTimeLimit, absl::nullopt, &stopped, false},
  };
  for (const Case& c : cases) {
    SolveOptions options;
    options.time_limit_ns = c.time_limit_ns;
    options.node_budget = c.node_budget;
    options.observer = c.observer;
    internal::GgmlDeadline deadline(options);
    EXPECT_EQ(deadline.KeepGoing(), c.keeps_going) << c.name;
  }
}

// Each of the seventeen tensors fills a chunk, but the host has only sixteen
// chunks, so its last chunk grows.
TEST(PlanGgmlAllocator, LeavesMoreThanSixteenChunksToTheHost) {
  const GgmlAllocator allocator = {32, 64};
  const std::vector<GgmlRecord> records =
      RecordsOf(std::vector<ByteRecord>(17, {64, 0, 1}));
  HostMemory memory(allocator);
  const std::vector<GgmlAddress> host = HostAddressesOf(records, &memory);
  const auto plan = PlanGgmlAllocator(allocator, records, host);
  ASSERT_THAT(plan, IsOk());
  EXPECT_TRUE(plan->is_hosts_plan);
  EXPECT_EQ(plan->addresses, host);
  EXPECT_EQ(plan->chunk_sizes, memory.chunk_sizes());
  EXPECT_EQ(plan->chunk_sizes.size(), 16u);
  EXPECT_EQ(plan->chunk_sizes.back(), 128u);
}

TEST(PlanGgmlAllocator, NeverReturnsAnUnsafePlanInChunks) {
  const GgmlAllocator allocator = {32, 64};
  const std::vector<GgmlRecord> records =
      RecordsOf({{64, 0, 1}, {64, 1, 2}, {64, 1, 2}});
  const auto plan =
      PlanGgmlAllocator(allocator, records, {{0, 0}, {1, 0}, {1, 32}});
  ASSERT_THAT(plan, IsOk());
  ASSERT_TRUE(plan->host_violation);
  EXPECT_EQ(plan->host_violation->kind, Violation::Kind::kOverlappingBytes);
  EXPECT_EQ(plan->host_violation->pool, 1u);
  EXPECT_THAT(plan->chunk_sizes, ElementsAre(64, 64, 64));
  ExpectSafe(records, *plan);

  const std::vector<GgmlRecord> too_many =
      RecordsOf(std::vector<ByteRecord>(17, {64, 0, 1}));
  std::vector<GgmlAddress> shared(17, {1, 0});
  shared[0] = {0, 0};
  const auto none = PlanGgmlAllocator(allocator, too_many, shared);
  EXPECT_THAT(none, FailsWith(absl::StatusCode::kFailedPrecondition,
                              HasSubstr("the host's plan is unsafe")));
  EXPECT_TRUE(ViolationOf(none.status()));
}

TEST(PlanGgmlAllocator, RefusesAddressesOutsideOfChunks) {
  const std::vector<GgmlRecord> records = RecordsOf({{64, 0, 1}});
  for (const GgmlAddress& address :
       {GgmlAddress{-1, 0}, GgmlAddress{16, 0},
        GgmlAddress{0, std::numeric_limits<size_t>::max()}}) {
    EXPECT_EQ(PlanGgmlAllocator({32, 64}, records, {address}).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(PlanGgmlAllocator, RefusesSizesThatOverflowInSum) {
  constexpr size_t kHuge = size_t{1} << 63;
  const std::vector<GgmlRecord> records =
      RecordsOf({{kHuge, 0, 1}, {kHuge, 2, 3}});
  const auto plan = PlanGgmlAllocator({32, kHuge}, records, {{0, 0}, {0, 0}});
  ASSERT_THAT(plan, IsOk());
  EXPECT_TRUE(plan->is_hosts_plan);
  EXPECT_EQ(plan->refusal.code(), absl::StatusCode::kOutOfRange);
}

// Two totals, in bytes, for a recorded trace: the total of the model of the
// host, and the total of the adapter. Every total of the adapter equals the
// lower bound.
struct TotalsCase {
  const char* trace;
  size_t max_chunk_size;
  size_t host_total;
  size_t total;
};

class Totals : public ::testing::TestWithParam<TotalsCase> {};

TEST_P(Totals, AreNeverLargerThanThoseOfTheHost) {
  const TotalsCase& c = GetParam();
  const auto file = ReadProblemFile(absl::StrCat(
      STOWAGE_SOURCE_DIR, "/tests/adapters/data/", c.trace, ".csv"));
  ASSERT_THAT(file, IsOk());
  const std::vector<GgmlRecord> records = RecordsOf(file->problem.records);
  const GgmlAllocator allocator = {32, c.max_chunk_size};
  HostMemory memory(allocator);
  BesideHostOptions options;
  options.solve.time_limit_ns = kNoTimeLimit;
  const auto plan = PlanGgmlAllocator(
      allocator, records, HostAddressesOf(records, &memory), options);
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->host_violation, absl::nullopt);
  EXPECT_EQ(plan->host_total, memory.total());
  EXPECT_LE(plan->total, plan->host_total);
  EXPECT_EQ(plan->host_total, c.host_total);
  EXPECT_EQ(plan->total, c.total);
  EXPECT_EQ(plan->lower_bound, c.total);
  EXPECT_THAT(plan->chunk_sizes, Each(Le(c.max_chunk_size)));
  ExpectSafe(records, *plan);
}

constexpr size_t kOneChunk = size_t{1} << 40;
constexpr size_t kVulkan = size_t{256} << 20;

INSTANTIATE_TEST_SUITE_P(
    , Totals,
    ::testing::Values(
        TotalsCase{"llama_7b_decode", kOneChunk, 34128384, 34128256},
        TotalsCase{"llama_7b_prefill", kOneChunk, 327164032, 327161984},
        TotalsCase{"llama_7b_prefill", kVulkan, 603988096, 327161984},
        TotalsCase{"llama_8b_decode", kOneChunk, 545792, 529408},
        TotalsCase{"mixtral_prefill", kOneChunk, 197173376, 188782720},
        TotalsCase{"tiny_llama_prefill", kOneChunk, 3215488, 2919552},
        TotalsCase{"training", kOneChunk, 34762496, 33902720},
        TotalsCase{"unet_64x64", kOneChunk, 128811008, 112721920}),
    [](const auto& c) {
      return absl::StrCat(c.param.trace,
                          c.param.max_chunk_size == kOneChunk ? "" : "_split");
    });

}  // namespace
}  // namespace stowage::adapters
