// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "stowage/base/optional.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program_problem.h"

namespace stowage {
namespace {

struct Assignment {
  ProgramPoints points;  // only its slot sizes are set
  std::vector<SlotCopy> copies;
  std::vector<optional<size_t>> offsets;
  size_t memory = 0;
};

// Returns random copies. No two destinations overlap, but sources may overlap
// destinations and each other.
Assignment RandomAssignment(uint64_t seed) {
  std::mt19937_64 random(seed);
  Assignment result;
  const size_t count = 1 + random() % 6;
  const size_t unit = 1 + random() % 4;
  result.memory = count * unit * 2 + 8;
  size_t end = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t size = random() % 2 == 0 ? unit : 1 + random() % 4;
    end += random() % 3;
    result.points.slot_sizes.push_back(size);
    result.offsets.emplace_back(end);
    end += size;
  }
  result.memory = std::max(result.memory, end + 8);
  for (size_t i = 0; i < count; ++i) {
    const size_t size = result.points.slot_sizes[i];
    const auto to = static_cast<SlotId>(i);
    const SlotId other = static_cast<SlotId>(random() % count);
    // A source is either another destination or a new slot at a random offset.
    if (random() % 2 == 0 && result.points.slot_sizes[other] == size) {
      if (other != to) result.copies.push_back({to, other});
      continue;
    }
    const auto from = static_cast<SlotId>(result.points.slot_sizes.size());
    result.points.slot_sizes.push_back(size);
    result.offsets.emplace_back(random() % (result.memory - size));
    result.copies.push_back({to, from});
  }
  std::shuffle(result.copies.begin(), result.copies.end(), random);
  return result;
}

TEST(SequenceCopies, AssignsAtOnceWhateverOverlaps) {
  size_t with_scratch = 0;
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    const Assignment given = RandomAssignment(seed);
    std::vector<size_t> before(given.memory);
    for (size_t i = 0; i < before.size(); ++i) before[i] = i;
    std::vector<size_t> memory = before;
    const CopySequence sequence =
        SequenceCopies(given.points, given.copies, given.offsets);
    std::vector<size_t> scratch(sequence.scratch_bytes);
    for (const CopyStep& step : sequence.steps) {
      const size_t size =
          given.points
              .slot_sizes[step.source ? *step.source : *step.destination];
      std::vector<size_t> moved(size);
      for (size_t i = 0; i < size; ++i) {
        moved[i] = step.source ? memory[*given.offsets[*step.source] + i]
                               : scratch[step.scratch + i];
      }
      for (size_t i = 0; i < size; ++i) {
        (step.destination ? memory[*given.offsets[*step.destination] + i]
                          : scratch[step.scratch + i]) = moved[i];
      }
    }
    for (const SlotCopy& copy : given.copies) {
      for (size_t i = 0; i < given.points.slot_sizes[copy.source]; ++i) {
        ASSERT_EQ(memory[*given.offsets[copy.destination] + i],
                  before[*given.offsets[copy.source] + i])
            << "seed " << seed;
      }
    }
    with_scratch += sequence.scratch_bytes > 0 ? 1 : 0;
  }
  EXPECT_GT(with_scratch, 100U);
}

TEST(SequenceCopies, NeedsScratchMemoryOnlyForCycles) {
  ProgramPoints points;
  points.slot_sizes = {4, 4, 4};
  const std::vector<optional<size_t>> offsets = {0, 4, 8};
  const std::vector<SlotCopy> chain = {{0, 1}, {1, 2}};
  EXPECT_EQ(SequenceCopies(points, chain, offsets).scratch_bytes, 0U);
  const std::vector<SlotCopy> swap = {{0, 1}, {1, 0}};
  EXPECT_EQ(SequenceCopies(points, swap, offsets).scratch_bytes, 4U);
}

TEST(SequenceCopies, LeavesOutCopiesWithinOnePlace) {
  ProgramPoints points;
  points.slot_sizes = {4, 4};
  const std::vector<SlotCopy> copies = {{0, 1}};
  EXPECT_TRUE(
      SequenceCopies(points, copies, std::vector<optional<size_t>>{8, 8})
          .steps.empty());
}

}  // namespace
}  // namespace stowage
