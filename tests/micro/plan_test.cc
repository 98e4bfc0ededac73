// SPDX-License-Identifier: Apache-2.0
// The planner in C: the plans of its original, and what it refuses.
#include "stowage/micro/plan.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/vectors.h"

namespace stowage {
namespace {

using support::LoadJsonLines;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

std::vector<stowage_micro_buffer> BuffersIn(const nlohmann::json& vector) {
  std::vector<stowage_micro_buffer> buffers;
  const auto& offsets = vector.at("offline_offsets");
  for (const auto& record : vector.at("records")) {
    buffers.push_back(
        {record.at(0).get<uint32_t>(), record.at(1).get<uint32_t>(),
         record.at(2).get<uint32_t>(),
         static_cast<uint32_t>(offsets.at(buffers.size()).get<int64_t>())});
  }
  return buffers;
}

stowage_micro_status Plan(std::vector<stowage_micro_buffer>* buffers,
                          uint32_t alignment, uint32_t* total) {
  std::vector<uint32_t> workspace(buffers->size());
  return stowage_micro_plan(
      buffers->data(), static_cast<uint32_t>(buffers->size()), alignment,
      workspace.data(),
      static_cast<uint32_t>(workspace.size() * sizeof(uint32_t)), total);
}

TEST(MicroPlan, IsThatOfTheOriginal) {
  int planned = 0;
  int refused = 0;
  for (const auto& vector : LoadJsonLines("vectors_tflm_public.jsonl")) {
    SCOPED_TRACE(vector.at("name").get<std::string>());
    const auto& expected = vector.at("expected");
    const auto alignment = vector.at("alignment").get<uint32_t>();
    auto buffers = BuffersIn(vector);
    uint32_t total = 0;
    const stowage_micro_status status = Plan(&buffers, alignment, &total);
    if (expected.at("overlap").get<bool>()) {
      ++refused;
      EXPECT_EQ(status, STOWAGE_MICRO_OVERLAP);
      continue;
    }
    ++planned;
    ASSERT_EQ(status, STOWAGE_MICRO_OK);
    std::vector<uint32_t> offsets;
    for (const auto& buffer : buffers) offsets.push_back(buffer.offset);
    EXPECT_THAT(
        offsets,
        ElementsAreArray(expected.at("offsets").get<std::vector<uint32_t>>()));
    EXPECT_EQ(total, expected.at("max_size").get<uint32_t>());
  }
  EXPECT_EQ(planned, 91);
  EXPECT_EQ(refused, 9);
}

// What is refused stays as it was, and the checker names the buffers.
TEST(MicroPlan, RefusesFixedOffsetsThatOverlap) {
  std::vector<stowage_micro_buffer> buffers = {
      {32, 0, 3, STOWAGE_MICRO_UNPLACED}, {32, 0, 1, 0}, {32, 1, 2, 16}};
  uint32_t total = 7;
  EXPECT_EQ(Plan(&buffers, 16, &total), STOWAGE_MICRO_OVERLAP);
  EXPECT_EQ(total, 7u);
  EXPECT_EQ(buffers[0].offset, STOWAGE_MICRO_UNPLACED);
  uint32_t witness[2] = {};
  EXPECT_EQ(stowage_micro_check(buffers.data(), 3, 16, UINT32_MAX, witness),
            STOWAGE_MICRO_OVERLAP);
  EXPECT_THAT(witness, ElementsAre(1, 2));
}

}  // namespace
}  // namespace stowage
