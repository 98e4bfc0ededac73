// SPDX-License-Identifier: Apache-2.0
#include "src/construct/waiting_heap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace stowage {
namespace {

using ::testing::ElementsAre;

TEST(WaitingHeap, BreaksTiesByRank) {
  WaitingHeap<size_t> heap(std::vector<uint32_t>{7, 9, 8});
  std::vector<uint32_t> items;
  while (!heap.empty()) {
    items.push_back(heap.least().item);
    heap.RemoveLeast();
  }
  EXPECT_THAT(items, ElementsAre(7, 9, 8));
}

// Compares the heap with a sorted set while starts rise and items are removed.
RC_GTEST_PROP(WaitingHeap, KnowsTheLeastEntryAndThoseThatMayFollow, ()) {
  const auto items = *rc::gen::container<std::vector<uint32_t>>(
      rc::gen::arbitrary<uint32_t>());
  WaitingHeap<size_t> heap(items);
  std::set<std::pair<size_t, uint32_t>> expected;  // start and rank
  for (uint32_t rank = 0; rank < items.size(); ++rank) {
    expected.emplace(0, rank);
  }
  while (!expected.empty()) {
    RC_ASSERT(!heap.empty());
    const auto [start, rank] = *expected.begin();
    RC_ASSERT(heap.least().start == start);
    RC_ASSERT(heap.least().rank == rank);
    RC_ASSERT(heap.least().item == items[rank]);
    expected.erase(expected.begin());
    if (!expected.empty()) {
      std::set<uint32_t> next;
      heap.VisitNext([&](uint32_t item) { next.insert(item); });
      RC_ASSERT(next.count(items[expected.begin()->second]) == 1);
    }
    if (*rc::gen::inRange(0, 4) == 0) {
      heap.RemoveLeast();
    } else {
      const size_t raised = start + *rc::gen::inRange<size_t>(1, 20);
      heap.RaiseLeast(raised);
      expected.emplace(raised, rank);
    }
  }
  RC_ASSERT(heap.empty());
}

}  // namespace
}  // namespace stowage
