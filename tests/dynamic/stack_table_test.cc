// SPDX-License-Identifier: Apache-2.0
// Compares tables, evaluated as on a device, with the plans that they were made
// from. Also damages tables.
#include "stowage/dynamic/stack_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/base/random.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/dynamic/stack_plan.h"
#include "stowage/micro/stack.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"
#include "tests/dynamic/random_order.h"
#include "tests/support/sanitized.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr size_t kHeader = 12;

struct RandomStack {
  std::vector<ByteRecord> records;
  size_t alignment = 1;
  StackPlan plan;
};

// Returns records with short and long lifetimes, stacked in a random order.
RandomStack MakeStack(size_t records, uint64_t seed) {
  Random random(seed);
  std::vector<ByteRecord> made;
  for (size_t i = 0; i < records; ++i) {
    const size_t first = random.Below(records);
    const size_t length = random.Below(random.Below(6) == 0 ? records : 4);
    made.emplace_back(0, first, first + length);
  }
  std::vector<size_t> order = RandomOrder(&random, records);
  const size_t alignment = size_t{1} << random.Below(8);
  StatusOr<StackPlan> plan =
      StackPlan::Create(MakeConstSpan(made), alignment, std::move(order));
  return {std::move(made), alignment, *std::move(plan)};
}

stowage_micro_status Check(const std::vector<uint8_t>& table,
                           stowage_micro_stack* stack) {
  return stowage_micro_stack_check(table.data(), table.size(), stack);
}

// Returns a random size for each record. About every tenth size is 0. All
// others are below a random power of two, which is at most 2^39.
std::vector<size_t> RandomSizes(size_t records, Random* random) {
  std::vector<size_t> sizes(records);
  const size_t shift = random->Below(40);
  for (size_t& size : sizes) {
    size = random->Below(10) == 0 ? 0 : random->Below(size_t{1} << shift);
  }
  return sizes;
}

// Evaluates the table and returns the offset of each record. Sets `total` to
// the total size, or to nullopt if a sum overflows.
std::vector<size_t> Place(const StackPlan& plan,
                          const stowage_micro_stack& stack,
                          const std::vector<size_t>& sizes,
                          optional<size_t>* total) {
  std::vector<size_t> by_position;
  for (const size_t record : plan.order()) by_position.push_back(sizes[record]);
  std::vector<size_t> placed(sizes.size());
  size_t height = 0;
  const stowage_micro_status status = stowage_micro_stack_place(
      &stack, by_position.data(), placed.data(), &height);
  *total = status == STOWAGE_MICRO_OK ? optional<size_t>(height) : nullopt;
  std::vector<size_t> offsets(sizes.size());
  for (size_t i = 0; i < placed.size(); ++i) {
    offsets[plan.order()[i]] = placed[i];
  }
  return offsets;
}

TEST(StackTable, EqualsThePlanForManySizes) {
  constexpr size_t kPlans = 500;
  Random random(38);
  for (size_t seed = 0; seed < support::Sampled(kPlans); ++seed) {
    const RandomStack made = MakeStack(random.Below(40), seed);
    const StatusOr<std::vector<uint8_t>> table = EncodeStack(made.plan);
    ASSERT_TRUE(table.ok()) << table.status();
    stowage_micro_stack stack = {};
    ASSERT_EQ(Check(*table, &stack), STOWAGE_MICRO_OK);
    EXPECT_EQ(stack.records, made.records.size());
    EXPECT_EQ(stack.alignment, made.records.empty() ? 1 : made.alignment);
    // In total, the test compares 100,000 vectors of sizes.
    for (size_t i = 0; i < 200; ++i) {
      const std::vector<size_t> sizes =
          RandomSizes(made.records.size(), &random);
      std::vector<size_t> expected(sizes.size());
      const StatusOr<size_t> height =
          made.plan.Offsets(MakeConstSpan(sizes), MakeSpan(expected));
      optional<size_t> total;
      ASSERT_EQ(Place(made.plan, stack, sizes, &total), expected);
      ASSERT_TRUE(height.ok());
      ASSERT_EQ(total, *height);
    }
  }
}

RC_GTEST_PROP(StackTableProperty, OverflowsWhereThePlanDoes, (uint64_t seed)) {
  const RandomStack made = MakeStack(2 + seed % 12, seed);
  const StatusOr<std::vector<uint8_t>> table = EncodeStack(made.plan);
  RC_ASSERT(table.ok());
  stowage_micro_stack stack = {};
  RC_ASSERT(Check(*table, &stack) == STOWAGE_MICRO_OK);
  Random random(seed);
  std::vector<size_t> sizes = RandomSizes(made.records.size(), &random);
  for (size_t& size : sizes) {
    if (random.Below(3) == 0) {
      size = std::numeric_limits<size_t>::max() / (1 + random.Below(3)) -
             random.Below(64);
    }
  }
  std::vector<size_t> expected(sizes.size());
  const StatusOr<size_t> height =
      made.plan.Offsets(MakeConstSpan(sizes), MakeSpan(expected));
  optional<size_t> total;
  const std::vector<size_t> offsets = Place(made.plan, stack, sizes, &total);
  RC_ASSERT(total.has_value() == height.ok());
  RC_CLASSIFY(!height.ok(), "overflow");
  if (!height.ok()) return;
  RC_ASSERT(*total == *height);
  RC_ASSERT(offsets == expected);
}

RC_GTEST_PROP(StackTableProperty, IsReadAsItWasWritten, (uint64_t seed)) {
  const RandomStack made = MakeStack(seed % 100, seed);
  const StatusOr<std::vector<uint8_t>> table = EncodeStack(made.plan);
  RC_ASSERT(table.ok());
  RC_ASSERT(table->size() ==
            kHeader + made.plan.size() + 2 * made.plan.edges());
  const StatusOr<StackTable> read = DecodeStack(MakeConstSpan(*table));
  RC_ASSERT(read.ok());
  RC_ASSERT(read->size() == made.plan.size());
  for (size_t i = 0; i < read->size(); ++i) {
    const Span<const uint32_t> edges = read->Below(i);
    const Span<const uint32_t> expected = made.plan.Below(i);
    RC_ASSERT(std::equal(edges.begin(), edges.end(), expected.begin(),
                         expected.end(), [&](uint32_t edge, uint32_t record) {
                           return made.plan.order()[edge] == record;
                         }));
  }
}

TEST(StackTable, HasTheDocumentedBytes) {
  // Records 0 and 1 are both live at task 1, and records 1 and 2 at task 2.
  const std::vector<ByteRecord> records = {{0, 0, 1}, {0, 1, 2}, {0, 2, 3}};
  const StatusOr<StackPlan> plan =
      StackPlan::Create(MakeConstSpan(records), 16, {2, 0, 1});
  ASSERT_TRUE(plan.ok());
  const StatusOr<std::vector<uint8_t>> table = EncodeStack(*plan);
  ASSERT_TRUE(table.ok());
  std::vector<uint8_t> without_hash = *table;
  without_hash.erase(without_hash.begin() + 8, without_hash.begin() + 12);
  EXPECT_THAT(without_hash, ElementsAre('S', 'T', 1, 4, 3, 0, 0, 0,  //
                                        0, 0, 2, 2, 0, 1, 0));
}

TEST(StackTable, HasLongFormsForManyEdgesAndRecords) {
  // The first 70,000 records follow each other in time, and the last record is
  // above all of them. Thousands of the edges need the longest encoding.
  constexpr size_t kRecords = 70'000;
  std::vector<ByteRecord> records;
  for (size_t i = 0; i < kRecords; ++i) records.emplace_back(0, i, i);
  records.emplace_back(0, 0, kRecords);
  std::vector<size_t> order(records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const StatusOr<StackPlan> plan =
      StackPlan::Create(MakeConstSpan(records), 64, order);
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->Below(kRecords).size(), kRecords);
  const StatusOr<std::vector<uint8_t>> table = EncodeStack(*plan);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->size(), kHeader + records.size() + 4 + 2 * kRecords +
                               4 * (kRecords - 0xFFFF));
  const StatusOr<StackTable> read = DecodeStack(MakeConstSpan(*table));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->Below(kRecords).size(), kRecords);
  EXPECT_EQ(read->Below(kRecords).front(), 0);
  stowage_micro_stack stack = {};
  ASSERT_EQ(Check(*table, &stack), STOWAGE_MICRO_OK);
  // The lowest record is the largest, so its edge determines the offset.
  std::vector<size_t> sizes(records.size(), 1);
  sizes[0] = 1000;
  optional<size_t> total;
  EXPECT_EQ(Place(*plan, stack, sizes, &total).back(), 1024);
  EXPECT_EQ(total, 1025);
}

TEST(StackTable, RefusesDifferentAlignments) {
  const std::vector<ByteRecord> records = {{0, 0, 1}, {0, 1, 2}};
  const std::vector<size_t> alignments = {16, 32};
  const StatusOr<StackPlan> plan = StackPlan::Create(
      MakeConstSpan(records), Alignments(MakeConstSpan(alignments)), {0, 1});
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(std::string(EncodeStack(*plan).status().message()),
              HasSubstr("record 1: its alignment is 32"));
}

// Updates the hash, so that a reader examines the rest of the table.
void Rehash(std::vector<uint8_t>* table) {
  uint32_t hash = 2166136261U;
  for (size_t i = 0; i < table->size(); ++i) {
    if (i < 8 || i >= kHeader) hash = (hash ^ (*table)[i]) * 16777619U;
  }
  for (size_t i = 0; i < 4; ++i) {
    (*table)[8 + i] = static_cast<uint8_t>(hash >> (8 * i));
  }
}

// Expects that either both readers accept the table, or both reject it.
void ExpectSameVerdict(const std::vector<uint8_t>& table) {
  stowage_micro_stack stack = {};
  const bool is_sound = Check(table, &stack) == STOWAGE_MICRO_OK;
  const StatusOr<StackTable> read = DecodeStack(MakeConstSpan(table));
  ASSERT_EQ(is_sound, read.ok()) << read.status();
  if (!is_sound) return;
  // Every position in the table is in range, but a huge alignment may cause an
  // overflow.
  const std::vector<size_t> sizes(stack.records, 3);
  std::vector<size_t> offsets(stack.records);
  size_t total = 0;
  const stowage_micro_status status =
      stowage_micro_stack_place(&stack, sizes.data(), offsets.data(), &total);
  EXPECT_TRUE(status == STOWAGE_MICRO_OK || status == STOWAGE_MICRO_OVERFLOW);
}

TEST(StackTable, IsRefusedAfterAnyChangeOfAByte) {
  const StatusOr<std::vector<uint8_t>> table =
      EncodeStack(MakeStack(30, 1).plan);
  ASSERT_TRUE(table.ok());
  stowage_micro_stack stack = {};
  for (size_t at = 0; at < table->size(); ++at) {
    for (unsigned other = 0; other < 256; ++other) {
      std::vector<uint8_t> damaged = *table;
      damaged[at] = static_cast<uint8_t>(other);
      const bool is_same = other == (*table)[at];
      ASSERT_EQ(Check(damaged, &stack) == STOWAGE_MICRO_OK, is_same) << at;
      ASSERT_EQ(DecodeStack(MakeConstSpan(damaged)).ok(), is_same) << at;
      Rehash(&damaged);
      ExpectSameVerdict(damaged);
    }
    ASSERT_EQ(stowage_micro_stack_check(table->data(), at, &stack),
              STOWAGE_MICRO_STACK_BAD_SIZE);
    ASSERT_FALSE(DecodeStack(MakeConstSpan(*table).subspan(0, at)).ok());
  }
}

TEST(StackTable, SaysWhatIsWrong) {
  const std::vector<uint8_t> table = *EncodeStack(MakeStack(4, 1).plan);
  const struct {
    std::string name;
    size_t at;
    uint8_t byte;
    std::string message;
  } cases[] = {
      {"start", 0, 'X', "byte 0: expected 'S', 'T' and the version, 1"},
      {"version", 2, 2, "byte 0: expected 'S', 'T' and the version, 1"},
      {"alignment", 3, 64, "byte 3: expected the log2 of an alignment"},
      {"fewer records", 4, 1, "byte 13: expected the end of the table"},
      {"more records", 4, 200, "the table ends; expected more bytes"},
      {"an edge of the first", 12, 1, "an edge of record 0 that leads"},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.name);
    std::vector<uint8_t> bad = table;
    bad[test.at] = test.byte;
    Rehash(&bad);
    EXPECT_THAT(std::string(DecodeStack(MakeConstSpan(bad)).status().message()),
                HasSubstr(test.message));
  }
  std::vector<uint8_t> bad = table;
  ++bad[8];
  EXPECT_THAT(std::string(DecodeStack(MakeConstSpan(bad)).status().message()),
              HasSubstr("byte 8: the hash differs"));
}

}  // namespace
}  // namespace stowage
