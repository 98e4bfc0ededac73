// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/memory_budget.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"

namespace stowage::harness {
namespace {

TEST(MemoryBlock, IsAlignedZeroedAndGivenBack) {
  MemoryBudget budget(1000);
  {
    auto block = MemoryBlock::Allocate(100, kBlockAlignment, &budget);
    ASSERT_TRUE(block.ok());
    EXPECT_EQ(block->size(), 100U);
    EXPECT_EQ(budget.used(), 128U) << "a multiple of the alignment";
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block->data()) % kBlockAlignment, 0U);
    for (size_t i = 0; i < block->size(); ++i) EXPECT_EQ(block->data()[i], 0);
    const MemoryBlock moved = *std::move(block);
    EXPECT_EQ(moved.size(), 100U);
    EXPECT_EQ(budget.used(), 128U);
  }
  EXPECT_EQ(budget.used(), 0U);
}

TEST(MemoryBlock, IsRefusedAboveTheLimit) {
  MemoryBudget budget(1000);
  EXPECT_EQ(
      MemoryBlock::Allocate(1001, kBlockAlignment, &budget).status().code(),
      absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(budget.used(), 0U);
}

}  // namespace
}  // namespace stowage::harness
