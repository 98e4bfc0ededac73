// SPDX-License-Identifier: Apache-2.0
#include "bench/reference_work.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "stowage/base/random.h"

namespace stowage::bench {
namespace {

using Clock = std::chrono::steady_clock;

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

struct Block {
  int64_t size;
  int64_t first;
  int64_t last;
  int64_t offset;
};

int64_t FirstFitBySize(std::vector<Block>* blocks) {
  std::stable_sort(
      blocks->begin(), blocks->end(),
      [](const Block& a, const Block& b) { return a.size > b.size; });
  std::vector<const Block*> placed;  // by offset
  int64_t total = 0;
  for (Block& block : *blocks) {
    int64_t lowest_level = 0;
    for (const Block* other : placed) {
      if (other->last < block.first || block.last < other->first) continue;
      if (lowest_level + block.size <= other->offset) break;
      lowest_level = std::max(lowest_level, other->offset + other->size);
    }
    block.offset = lowest_level;
    total = std::max(total, lowest_level + block.size);
    const auto above = std::upper_bound(
        placed.begin(), placed.end(), &block,
        [](const Block* a, const Block* b) { return a->offset < b->offset; });
    placed.insert(above, &block);
  }
  return total;
}

}  // namespace

double MeasureReference() {
  Random random(42);
  std::vector<Block> blocks;
  for (int64_t task = 0; task < 4000; ++task) {
    const auto size = static_cast<int64_t>(random.Below(1000000));
    const auto length = static_cast<int64_t>(random.Below(40));
    blocks.push_back({size, task, task + length, 0});
  }
  const Clock::time_point start = Clock::now();
  // Storing the result prevents the compiler from removing the work.
  volatile int64_t total = FirstFitBySize(&blocks);
  (void)total;
  return MillisecondsSince(start);
}

RelativeTime MeasureRelative(int repetitions,
                             const std::function<void()>& work) {
  RelativeTime least = {std::numeric_limits<double>::max(),
                        std::numeric_limits<double>::max()};
  for (int k = 0; k < repetitions; ++k) {
    least.reference_ms = std::min(least.reference_ms, MeasureReference());
    const Clock::time_point start = Clock::now();
    work();
    least.work_ms = std::min(least.work_ms, MillisecondsSince(start));
    least.reference_ms = std::min(least.reference_ms, MeasureReference());
  }
  return least;
}

}  // namespace stowage::bench
