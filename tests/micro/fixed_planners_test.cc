// SPDX-License-Identifier: Apache-2.0
// Tests the planners for TensorFlow Lite Micro that do not choose offsets
// themselves: the table planner, whose table comes from the host, and the
// linear planner. device/fixed_planner_calls.cc compares their answers to
// recorded calls.
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <random>

#include "gtest/gtest.h"
#include "stowage/micro/linear_planner.h"
#include "stowage/micro/plan.h"
#include "stowage/micro/status.h"
#include "stowage/micro/table_planner.h"
#include "tests/micro/declared_planner.h"

namespace stowage::micro {
namespace {

using TablePlanner = TablePlannerFor<tflite::MicroMemoryPlanner, TfLiteStatus,
                                     kTfLiteOk, kTfLiteError>;
template <int kMaxBuffers>
using LinearPlanner = LinearPlannerFor<tflite::MicroMemoryPlanner, TfLiteStatus,
                                       kTfLiteOk, kTfLiteError, kMaxBuffers>;

// Rows of {size, first task, last task, offset}. The first and the last row
// share bytes but are live one after the other.
constexpr uint32_t kRows[][4] = {
    {64, 0, 1, 0}, {32, 1, 2, 64}, {0, 1, 1, 32}, {48, 2, 3, 0}};
static_assert(IsSafe(kRows, 4, 16));
static_assert(IsSafe(kRows, 4, 32));
static_assert(IsSafe(kRows, 0, 16));

constexpr bool IsSafePair(uint32_t first, uint32_t last, uint32_t offset,
                          uint32_t size = 16) {
  const uint32_t rows[2][4] = {{32, 1, 2, 32}, {size, first, last, offset}};
  return IsSafe(rows, 2, 16);
}

// Each pair consists of the given row and a row that occupies bytes [32, 64) at
// tasks 1 and 2.
static_assert(IsSafePair(2, 3, 16) && !IsSafePair(2, 3, 32));
static_assert(!IsSafePair(0, 1, 48) && IsSafePair(0, 1, 64));
static_assert(!IsSafePair(1, 1, 16, 17) && !IsSafePair(0, 3, 0, 4096));
static_assert(IsSafePair(0, 0, 32) && IsSafePair(3, 3, 32));
static_assert(IsSafePair(1, 2, 32, 0) && IsSafePair(1, 2, 48, 0));
// A row with an invalid lifetime or an invalid offset is not safe either.
static_assert(!IsSafePair(4, 3, 0) && !IsSafePair(3, 3, 8));
static_assert(IsSafePair(0, UINT32_MAX, 64));
static_assert(!IsSafePair(3, 3, UINT32_MAX) &&
              !IsSafePair(3, 3, UINT32_MAX, 0));
static_assert(IsSafePair(3, 3, 0, INT_MAX) && !IsSafePair(3, 3, 16, INT_MAX));
static_assert(IsSafePair(3, 3, 0x7FFFFFF0, 15));
static_assert(!IsSafePair(3, 3, 0x7FFFFFF0, 16));
static_assert(!IsSafePair(3, 3, 0x80000000, 0));
static_assert(!IsSafePair(3, 3, 16, UINT32_MAX));

TEST(IsSafe, TakesPowersOfTwoForAlignments) {
  for (const uint32_t alignment : {1u, 2u, 16u, 32u}) {
    EXPECT_TRUE(IsSafe(kRows, 4, alignment)) << alignment;
  }
  for (const uint32_t alignment : {0u, 3u, 24u, 64u, 0x80000000u, UINT32_MAX}) {
    EXPECT_FALSE(IsSafe(kRows, 4, alignment)) << alignment;
  }
}

TEST(IsSafe, CountsTheOverlapsThatAreAllowed) {
  constexpr uint32_t kOverlapping[][4] = {
      {64, 0, 1, 0}, {64, 1, 2, 0}, {16, 1, 1, 48}};
  EXPECT_FALSE(IsSafe(kOverlapping, 3, 16));
  EXPECT_FALSE(IsSafe(kOverlapping, 3, 16, 2));
  EXPECT_TRUE(IsSafe(kOverlapping, 3, 16, 3));
  EXPECT_TRUE(IsSafe(kOverlapping, 2, 16, 1));
}

// For random tables, IsSafe and the check in C return the same result. Many of
// the tables are safe, and many are unsafe.
TEST(IsSafe, AgreesWithTheCheckInC) {
  std::mt19937 random(1);
  int safe = 0;
  for (int i = 0; i < 2000; ++i) {
    std::array<uint32_t[4], 3> rows = {};
    std::array<stowage_micro_buffer, 3> buffers = {};
    for (size_t k = 0; k < rows.size(); ++k) {
      auto& row = rows[k];
      row[kTableSize] = static_cast<uint32_t>(random() % 5);
      row[kTableFirst] = static_cast<uint32_t>(random() % 4);
      row[kTableLast] = row[kTableFirst] + static_cast<uint32_t>(random() % 2);
      row[kTableOffset] = static_cast<uint32_t>(random() % 8);
      buffers[k] = {row[0], row[1], row[2], row[3]};
    }
    uint32_t witness[2] = {};
    const bool is_safe = IsSafe(rows.data(), 3, 1);
    EXPECT_EQ(is_safe, stowage_micro_check(buffers.data(), 3, 1, INT_MAX,
                                           witness) == STOWAGE_MICRO_OK);
    safe += is_safe ? 1 : 0;
  }
  EXPECT_GT(safe, 500);
  EXPECT_LT(safe, 1500);
}

// A table of this size can be checked within the default limits of compilers
// for constant expressions.
struct ManyRows {
  uint32_t rows[500][4] = {};
};
constexpr ManyRows RowsInTurn() {
  ManyRows many;
  for (uint32_t i = 0; i < 500; ++i) {
    many.rows[i][kTableSize] = 16;
    many.rows[i][kTableLast] = i;
    many.rows[i][kTableOffset] = 16 * i;
  }
  return many;
}
constexpr ManyRows kMany = RowsInTurn();
static_assert(IsSafe(kMany.rows, 500, 16));

// Provides a planner to which the first buffer of its table has already been
// added.
class TablePlannerTest : public testing::Test {
 protected:
  void SetUp() override {
    EXPECT_EQ(planner_.Init(nullptr, -1), kTfLiteOk);
    EXPECT_EQ(planner_.AddBuffer(64, 0, 1), kTfLiteOk);
  }

  // Expects that every call is refused until Init is called again.
  void ExpectRefused() {
    int offset = 7;
    EXPECT_EQ(planner_.AddBuffer(16, 1, 2), kTfLiteError);
    EXPECT_EQ(planner_.AddBuffer(16, 1, 2, 64), kTfLiteError);
    EXPECT_EQ(planner_.GetOffsetForBuffer(0, &offset), kTfLiteError);
    EXPECT_EQ(offset, 7);
    EXPECT_EQ(planner_.GetMaximumMemorySize(), 0u);
    EXPECT_EQ(planner_.added(), 1u);
    SetUp();
    EXPECT_EQ(planner_.GetOffsetForBuffer(1, &offset), kTfLiteOk);
    EXPECT_EQ(offset, 64);
    EXPECT_EQ(planner_.GetMaximumMemorySize(), 96u);
  }

  TablePlanner planner_{kRows, 4};
};

TEST_F(TablePlannerTest, HasTheTablesPlan) {
  EXPECT_EQ(planner_.AddBuffer(32, 1, 2), kTfLiteOk);
  EXPECT_EQ(planner_.AddBuffer(0, 1, 1), kTfLiteOk);
  EXPECT_EQ(planner_.AddBuffer(48, 2, 3), kTfLiteOk);
  for (int i = 0; i < 4; ++i) {
    int offset = 7;
    EXPECT_EQ(planner_.GetOffsetForBuffer(i, &offset), kTfLiteOk);
    EXPECT_EQ(offset, static_cast<int>(kRows[i][kTableOffset]));
  }
  EXPECT_EQ(planner_.GetBufferCount(), 4);
  EXPECT_EQ(planner_.GetMaximumMemorySize(), 96u);
  EXPECT_FALSE(planner_.preserves_all_tensors());
  planner_.PrintMemoryPlan();
}

TEST_F(TablePlannerTest, TakesBuffersThatNeedLess) {
  EXPECT_EQ(planner_.AddBuffer(16, 2, 2), kTfLiteOk);
  EXPECT_EQ(planner_.AddBuffer(0, 1, 1), kTfLiteOk);
  EXPECT_EQ(planner_.added(), 3u);
  EXPECT_EQ(planner_.GetMaximumMemorySize(), 96u);
}

TEST_F(TablePlannerTest, RefusesALargerBuffer) {
  EXPECT_EQ(planner_.AddBuffer(33, 1, 2), kTfLiteError);
  ExpectRefused();
  EXPECT_EQ(planner_.AddBuffer(INT_MAX, 1, 2), kTfLiteError);
  ExpectRefused();
  EXPECT_EQ(planner_.AddBuffer(-16, 1, 2), kTfLiteError);
  ExpectRefused();
  EXPECT_EQ(planner_.AddBuffer(INT_MIN, 1, 2), kTfLiteError);
  ExpectRefused();
}

TEST_F(TablePlannerTest, RefusesALongerLifetime) {
  EXPECT_EQ(planner_.AddBuffer(32, 0, 2), kTfLiteError);
  ExpectRefused();
  EXPECT_EQ(planner_.AddBuffer(32, 1, 3), kTfLiteError);
  ExpectRefused();
  EXPECT_EQ(planner_.AddBuffer(32, -1, 1), kTfLiteError);
  ExpectRefused();
  EXPECT_EQ(planner_.AddBuffer(32, INT_MIN, INT_MAX), kTfLiteError);
  ExpectRefused();
}

TEST_F(TablePlannerTest, RefusesAReversedLifetime) {
  EXPECT_EQ(planner_.AddBuffer(32, 2, 1), kTfLiteError);
  ExpectRefused();
  EXPECT_EQ(planner_.AddBuffer(32, 1, -1), kTfLiteError);
  ExpectRefused();
}

// TensorFlow Lite Micro assigns times below 0 to variables and to tensors that
// no operator reads or writes.
TEST_F(TablePlannerTest, TakesTimesBeforeTheFirstTask) {
  EXPECT_EQ(planner_.AddBuffer(32, -1, -1), kTfLiteOk);
  EXPECT_EQ(planner_.Init(nullptr, 0), kTfLiteOk);
  EXPECT_EQ(planner_.AddBuffer(64, -1, 1), kTfLiteOk);
}

TEST_F(TablePlannerTest, RefusesMoreBuffersThanRows) {
  EXPECT_EQ(planner_.AddBuffer(32, 1, 2), kTfLiteOk);
  EXPECT_EQ(planner_.AddBuffer(0, 1, 1), kTfLiteOk);
  EXPECT_EQ(planner_.AddBuffer(48, 2, 3), kTfLiteOk);
  EXPECT_EQ(planner_.AddBuffer(16, 3, 3), kTfLiteError);
  EXPECT_EQ(planner_.added(), 4u);
  int offset = 7;
  EXPECT_EQ(planner_.GetOffsetForBuffer(0, &offset), kTfLiteError);
  TablePlanner empty(kRows, 0);
  EXPECT_EQ(empty.GetMaximumMemorySize(), 0u);
  EXPECT_EQ(empty.GetOffsetForBuffer(0, &offset), kTfLiteError);
  EXPECT_EQ(empty.AddBuffer(0, 0, 0), kTfLiteError);
}

// If the model also contains the plan from which the table was made, the
// offsets in the model and in the table must be equal.
TEST_F(TablePlannerTest, TakesTheModelsOffsetsIfTheyAreTheTables) {
  EXPECT_EQ(planner_.AddBuffer(32, 1, 2, 64), kTfLiteOk);
  EXPECT_EQ(planner_.AddBuffer(0, 1, 1, 16), kTfLiteError);
  SetUp();
  EXPECT_EQ(planner_.AddBuffer(32, 1, 2, -1), kTfLiteOk) << "none";
  SetUp();
  EXPECT_EQ(planner_.AddBuffer(32, 1, 2, -2), kTfLiteError);
  ExpectRefused();
  EXPECT_EQ(planner_.AddBuffer(33, 1, 2, 64), kTfLiteError);
  ExpectRefused();
}

TEST_F(TablePlannerTest, RefusesWhatIsNotInTheTable) {
  int offset = 7;
  for (const int index : {-1, 4, INT_MIN, INT_MAX}) {
    EXPECT_EQ(planner_.GetOffsetForBuffer(index, &offset), kTfLiteError)
        << index;
  }
  EXPECT_EQ(planner_.GetOffsetForBuffer(0, nullptr), kTfLiteError);
  EXPECT_EQ(offset, 7);
  EXPECT_EQ(planner_.AddBuffer(32, 1, 2), kTfLiteOk) << "nothing was changed";
}

TEST(TablePlanner, RefusesRowsWithoutAPlace) {
  constexpr uint32_t kUnplaced[][4] = {{16, 0, 1, UINT32_MAX},
                                       {16, 0, 1, 16},
                                       {INT_MAX, 0, 1, 16},
                                       {UINT32_MAX, 0, 1, 0}};
  for (uint32_t i = 0; i < 4; ++i) {
    TablePlanner planner(kUnplaced + i, 1);
    int offset = 7;
    const bool is_placed = i == 1;
    const TfLiteStatus expected = is_placed ? kTfLiteOk : kTfLiteError;
    EXPECT_EQ(planner.GetOffsetForBuffer(0, &offset), expected) << i;
    EXPECT_EQ(planner.GetMaximumMemorySize(), is_placed ? 32u : 0u) << i;
    EXPECT_EQ(planner.AddBuffer(16, 0, 1), expected) << i;
  }
}

TEST(LinearPlanner, PlacesBuffersOneAfterTheOther) {
  LinearPlanner<3> planner;
  EXPECT_EQ(planner.GetMaximumMemorySize(), 0u);
  EXPECT_EQ(planner.AddBuffer(16, 0, 1), kTfLiteOk);
  EXPECT_EQ(planner.AddBuffer(0, 5, 2), kTfLiteOk);
  EXPECT_EQ(planner.AddBuffer(5, 0, 1), kTfLiteOk);
  EXPECT_EQ(planner.AddBuffer(16, 0, 1), kTfLiteError);
  for (const int index : {0, 1, 2}) {
    int offset = 7;
    EXPECT_EQ(planner.GetOffsetForBuffer(index, &offset), kTfLiteOk);
    EXPECT_EQ(offset, index == 0 ? 0 : 16);
  }
  EXPECT_EQ(planner.GetMaximumMemorySize(), 21u);
  EXPECT_EQ(planner.GetBufferCount(), 3);
  EXPECT_TRUE(planner.preserves_all_tensors());
  planner.PrintMemoryPlan();
  EXPECT_EQ(planner.Init(nullptr, -1), kTfLiteOk);
  EXPECT_EQ(planner.GetBufferCount(), 0);
  EXPECT_EQ(planner.GetMaximumMemorySize(), 0u);
}

TEST(LinearPlanner, ChangesNothingWhenItRefuses) {
  LinearPlanner<8> planner;
  EXPECT_EQ(planner.AddBuffer(INT_MAX - 15, 0, 1), kTfLiteOk);
  EXPECT_EQ(planner.AddBuffer(16, 0, 1), kTfLiteError) << "of 2 GiB";
  EXPECT_EQ(planner.AddBuffer(-1, 0, 1), kTfLiteError);
  EXPECT_EQ(planner.AddBuffer(INT_MIN, 0, 1), kTfLiteError);
  EXPECT_EQ(planner.AddBuffer(1, 0, 1, 0), kTfLiteError);
  EXPECT_EQ(planner.AddBuffer(1, 0, 1, -1), kTfLiteError);
  EXPECT_EQ(planner.GetBufferCount(), 1);
  EXPECT_EQ(planner.AddBuffer(15, 0, 1), kTfLiteOk);
  EXPECT_EQ(planner.GetMaximumMemorySize(), size_t{INT_MAX});
  EXPECT_EQ(planner.AddBuffer(0, 0, 1), kTfLiteOk);
  int offset = 7;
  for (const int index : {-1, 3, INT_MIN, INT_MAX}) {
    EXPECT_EQ(planner.GetOffsetForBuffer(index, &offset), kTfLiteError);
  }
  EXPECT_EQ(planner.GetOffsetForBuffer(0, nullptr), kTfLiteError);
  EXPECT_EQ(offset, 7);
}

TEST(LinearPlanner, HasFourBytesForEachBuffer) {
  EXPECT_LE(sizeof(LinearPlanner<1024>), size_t{4096} + 2 * sizeof(void*));
}

}  // namespace
}  // namespace stowage::micro
