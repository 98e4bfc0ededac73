// SPDX-License-Identifier: Apache-2.0
#include "tests/support/vectors.h"

#include <algorithm>
#include <cstddef>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::support {
namespace {

using ::testing::ElementsAre;

// Other tests loop over the vectors, so they would pass if no vectors were
// read. This test therefore checks the number of vectors in each file.
TEST(VectorsTest, EveryFileIsReadWhole) {
  EXPECT_EQ(LoadVectors().size(), 302);
  EXPECT_EQ(LoadReallocationVectors().size(), 80);
  EXPECT_EQ(LoadExtentVectors<uint2>().size() +
                LoadExtentVectors<uint3>().size() +
                LoadExtentVectors<BHWC>().size(),
            150);
  EXPECT_EQ(LoadJsonLines("vectors_arena_public.jsonl").size(), 230);
  EXPECT_EQ(LoadJsonLines("vectors_tflm_public.jsonl").size(), 100);
}

TEST(VectorsTest, WhatIsCalledSortedIsSorted) {
  size_t unsorted = 0;
  for (const Vector& vector : LoadVectors()) {
    if (!vector.sorted) ++unsorted;
    EXPECT_TRUE(!vector.sorted ||
                std::is_sorted(vector.records.begin(), vector.records.end(),
                               BeginsBefore()))
        << vector.name;
  }
  EXPECT_EQ(unsorted, 33);
}

TEST(VectorsTest, PlansAreReadInTheirOwnSizes) {
  const auto vectors = LoadExtentVectors<uint2>();
  ASSERT_FALSE(vectors.empty());
  const auto plan = ObjectsIn<uint2>(vectors[0].expected.at("NAIVE"));
  EXPECT_THAT(plan.object_ids, ElementsAre(0, 1));
  EXPECT_EQ(plan.object_sizes[0], (uint2{173, 8}));
}

}  // namespace
}  // namespace stowage::support
