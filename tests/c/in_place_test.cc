// SPDX-License-Identifier: Apache-2.0
// Tests planning in place, which requires neither handles nor allocations.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/assignment.h"
#include "stowage/c/stowage.h"
#include "stowage/micro/plan.h"
#include "stowage/testing/generators.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"
#include "tests/c/c_handles.h"

namespace {

std::atomic<size_t> allocations{0};

}  // namespace

// These functions replace those of the standard library in this test program.
void* operator new(size_t size) {
  ++allocations;
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// std::stable_sort allocates memory with this function and frees it with the
// next one. Both must be replaced, because std::free cannot free memory that
// was allocated by a sanitizer's function.
void* operator new(size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t /*size*/) noexcept {
  std::free(memory);
}

namespace stowage::c_test {
namespace {

using PlacedRecords = std::vector<stowage_placed_record>;

// A workspace of exactly the size that `count` records need.
class Workspace {
 public:
  explicit Workspace(size_t count) : words_(2 * count) {}
  void* data() { return words_.data(); }
  size_t bytes() const { return words_.size() * sizeof(uint32_t); }

 private:
  std::vector<uint32_t> words_;
};

stowage_code Place(PlacedRecords* records, uint64_t alignment, uint64_t* total,
                   stowage_error* error = nullptr) {
  Workspace workspace(records->size());
  return stowage_plan_in_place(records->data(), records->size(), alignment,
                               workspace.data(), workspace.bytes(), total,
                               error);
}

PlacedRecords Unplaced(const std::vector<ByteRecord>& records) {
  PlacedRecords placed;
  for (const ByteRecord& record : records) {
    placed.push_back({record.tensor_size, record.first_task, record.last_task,
                      STOWAGE_NONE});
  }
  return placed;
}

TEST(PlanInPlace, PlacesTheExample) {
  PlacedRecords records = Unplaced({{4096, 0, 2}, {1024, 2, 4}, {4096, 3, 4}});
  uint64_t total = 0;
  ASSERT_EQ(Place(&records, 64, &total), STOWAGE_OK);
  EXPECT_EQ(total, 5120);
  EXPECT_EQ(records[0].offset, 0);
  EXPECT_EQ(records[1].offset, 4096);
  EXPECT_EQ(records[2].offset, 0);
}

TEST(PlanInPlace, PlacesAroundFixedRecords) {
  PlacedRecords records = Unplaced({{64, 0, 2}, {64, 1, 3}});
  records[1].offset = 32;
  uint64_t total = 0;
  ASSERT_EQ(Place(&records, 16, &total), STOWAGE_OK);
  EXPECT_EQ(records[0].offset, 96);
  EXPECT_EQ(records[1].offset, 32);
  EXPECT_EQ(total, 160);
}

TEST(PlanInPlace, TakesSizesAndTasksOf64Bits) {
  const uint64_t big = uint64_t{1} << 62;
  PlacedRecords records = Unplaced(
      {{big, big, big + 2}, {1, big + 2, big + 3}, {big, big + 3, ~0u}});
  records[2].last_task = UINT64_MAX;
  uint64_t total = 0;
  ASSERT_EQ(Place(&records, 1, &total), STOWAGE_OK);
  EXPECT_EQ(total, big + 1);
  EXPECT_EQ(records[1].offset, big);
}

TEST(PlanInPlace, AllocatesNothing) {
  PlacedRecords records = Unplaced({{64, 0, 2}, {64, 1, 3}, {32, 2, 1}});
  Workspace workspace(records.size());
  auto error = Sized<stowage_error>();
  uint64_t total = 0;
  const size_t before = allocations;
  const stowage_code refused =
      stowage_plan_in_place(records.data(), 3, 16, workspace.data(),
                            workspace.bytes(), &total, &error);
  const stowage_code planned =
      stowage_plan_in_place(records.data(), 2, 16, workspace.data(),
                            workspace.bytes(), &total, &error);
  const size_t after = allocations;
  EXPECT_EQ(refused, STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(planned, STOWAGE_OK);
  EXPECT_EQ(after, before);
  uint64_t offsets[2];
  const stowage_record record = {8, 0, 1};
  ASSERT_EQ(
      stowage_assign_offsets(&record, 1, 1, nullptr, offsets, &total, nullptr),
      STOWAGE_OK);
  EXPECT_GT(allocations, after) << "the test does not see allocations";
}

TEST(PlanInPlace, AcceptsNothing) {
  uint64_t total = 7;
  EXPECT_EQ(stowage_plan_in_place(nullptr, 0, 1, nullptr, 0, &total, nullptr),
            STOWAGE_OK);
  EXPECT_EQ(total, 0);
}

struct BadPlacing {
  std::string name;
  PlacedRecords records;
  uint64_t alignment;
  stowage_code code;
  uint64_t record = STOWAGE_NONE;
  uint64_t other_record = STOWAGE_NONE;
};

class BadPlacings : public ::testing::TestWithParam<BadPlacing> {};

TEST_P(BadPlacings, AreNamedAndChangeNothing) {
  PlacedRecords records = GetParam().records;
  auto error = Sized<stowage_error>();
  uint64_t total = 77;
  EXPECT_EQ(Place(&records, GetParam().alignment, &total, &error),
            GetParam().code);
  EXPECT_EQ(error.code, GetParam().code);
  EXPECT_EQ(error.record, GetParam().record) << error.message;
  EXPECT_EQ(error.other_record, GetParam().other_record) << error.message;
  EXPECT_STRNE(error.message, "");
  EXPECT_EQ(total, 77);
  for (size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].offset, GetParam().records[i].offset);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , BadPlacings,
    ::testing::Values(
        BadPlacing{"Alignment0",
                   {{1, 0, 0, STOWAGE_NONE}},
                   0,
                   STOWAGE_INVALID_ARGUMENT},
        BadPlacing{"Alignment3",
                   {{1, 0, 0, STOWAGE_NONE}},
                   3,
                   STOWAGE_INVALID_ARGUMENT},
        BadPlacing{"Reversed",
                   {{1, 0, 0, STOWAGE_NONE}, {1, 2, 1, STOWAGE_NONE}},
                   1,
                   STOWAGE_INVALID_ARGUMENT,
                   1},
        BadPlacing{
            "Misaligned", {{1, 0, 0, 8}}, 16, STOWAGE_INVALID_ARGUMENT, 0},
        BadPlacing{"FixedOverlap",
                   {{9, 0, 3, 0}, {1, 3, 4, 8}},
                   8,
                   STOWAGE_INVALID_ARGUMENT,
                   0,
                   1},
        BadPlacing{"SizeOverflows",
                   {{UINT64_MAX, 0, 0, STOWAGE_NONE}},
                   64,
                   STOWAGE_OUT_OF_RANGE,
                   0},
        BadPlacing{"ArenaOverflows",
                   {{UINT64_MAX / 2 + 1, 0, 0, STOWAGE_NONE},
                    {UINT64_MAX / 2 + 1, 0, 0, STOWAGE_NONE}},
                   1,
                   STOWAGE_OUT_OF_RANGE}),
    [](const auto& bad) { return bad.param.name; });

TEST(PlanInPlace, RefusesArguments) {
  PlacedRecords records = Unplaced({{1, 0, 0}, {1, 0, 0}});
  Workspace workspace(2);
  uint64_t total = 0;
  auto* const space = static_cast<char*>(workspace.data());
  const size_t bytes = workspace.bytes();
  EXPECT_EQ(stowage_plan_in_place(records.data(), 2, 1, space, bytes, nullptr,
                                  nullptr),
            STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(stowage_plan_in_place(nullptr, 2, 1, space, bytes, &total, nullptr),
            STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(stowage_plan_in_place(records.data(), 2, 1, nullptr, bytes, &total,
                                  nullptr),
            STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(stowage_plan_in_place(records.data(), 2, 1, space, bytes - 1,
                                  &total, nullptr),
            STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(stowage_plan_in_place(records.data(), 1, 1, space + 1, bytes - 1,
                                  &total, nullptr),
            STOWAGE_INVALID_ARGUMENT);
  for (const size_t count : {STOWAGE_MAX_IN_PLACE + 1, size_t{1} << 32,
                             (size_t{1} << 32) + 1, SIZE_MAX}) {
    EXPECT_EQ(stowage_plan_in_place(records.data(), count, 1, space, SIZE_MAX,
                                    &total, nullptr),
              STOWAGE_OUT_OF_RANGE);
  }
  auto error = Sized<stowage_error>();
  error.struct_size = 1;
  EXPECT_EQ(
      stowage_plan_in_place(records.data(), 2, 1, space, bytes, &total, &error),
      STOWAGE_INVALID_ARGUMENT);
}

RC_GTEST_PROP(PlanInPlace, IsSafe, ()) {
  const std::vector<ByteRecord> records = *testing::AnyRecords();
  const auto alignment = *rc::gen::element<size_t>(1, 8, 64, 4096);
  PlacedRecords placed = Unplaced(records);
  uint64_t total = 0;
  const stowage_code code = Place(&placed, alignment, &total);
  RC_PRE(code != STOWAGE_OUT_OF_RANGE);
  RC_ASSERT(code == STOWAGE_OK);
  OffsetsAssignment plan;
  for (const stowage_placed_record& record : placed) {
    plan.offsets.push_back(record.offset);
  }
  plan.total_size = total;
  RC_ASSERT(!FindViolation(records, plan, alignment));
}

RC_GTEST_PROP(PlanInPlace, EqualsThePlannerForDevices, ()) {
  const std::vector<ByteRecord> records = *testing::AnyRecords();
  PlacedRecords placed = Unplaced(records);
  std::vector<stowage_micro_buffer> buffers;
  for (const ByteRecord& record : records) {
    RC_PRE(record.tensor_size < UINT32_MAX && record.last_task < UINT32_MAX);
    buffers.push_back({static_cast<uint32_t>(record.tensor_size),
                       static_cast<uint32_t>(record.first_task),
                       static_cast<uint32_t>(record.last_task),
                       STOWAGE_MICRO_UNPLACED});
  }
  std::vector<uint32_t> workspace(records.size());
  uint32_t total = 0;
  const auto count = static_cast<uint32_t>(buffers.size());
  RC_PRE(stowage_micro_plan(buffers.data(), count, 16, workspace.data(),
                            4 * count, &total) == STOWAGE_MICRO_OK);
  uint64_t placed_total = 0;
  RC_ASSERT(Place(&placed, 16, &placed_total) == STOWAGE_OK);
  RC_ASSERT(placed_total == total);
  for (size_t i = 0; i < buffers.size(); ++i) {
    RC_ASSERT(placed[i].offset == buffers[i].offset);
  }
}

TEST(PlanInPlace, PlacesMoreRecordsThanADevice) {
  PlacedRecords records;
  for (uint64_t i = 0; i < 70'000; ++i) {
    records.push_back({1 + i % 7, i, i + 1, STOWAGE_NONE});
  }
  uint64_t total = 0;
  ASSERT_EQ(Place(&records, 1, &total), STOWAGE_OK);
  EXPECT_LT(total, 30);
}

}  // namespace
}  // namespace stowage::c_test
