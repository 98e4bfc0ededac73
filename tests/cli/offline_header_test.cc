// SPDX-License-Identifier: Apache-2.0
// A header that the command has written compiles, and says what the library
// says of the model.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "stowage/tflite/model.h"
#include "stowage/tflite/model_structure.h"
#include "stowage/tflite/offline_check.h"
#include "tests/cli/residual_plan.h"

[[maybe_unused]] static uint8_t arena[RESIDUAL_HEAD_BYTES];
RESIDUAL_REQUIRE_ARENA(arena);
RESIDUAL_REQUIRE_ARENA(arena);  // as often as wanted

namespace stowage::cli {
namespace {

TEST(OfflineHeader, HasThePlanOfItsModel) {
  const auto model = ReadModelStructure(STOWAGE_SOURCE_DIR
                                        "/data/models/residual_int8.tflite");
  ASSERT_TRUE(model.ok()) << model.status();
  const auto planning = PlanOffline(**model, "greedy_by_size");
  ASSERT_TRUE(planning.ok()) << planning.status();
  EXPECT_EQ(planning->head_bytes, RESIDUAL_HEAD_BYTES);
  EXPECT_EQ(sizeof(arena), RESIDUAL_HEAD_BYTES);
  ASSERT_EQ(planning->plan.offsets.size(), RESIDUAL_TENSORS);
  for (size_t t = 0; t < RESIDUAL_TENSORS; ++t) {
    // Both have all bits set where there is no offset.
    EXPECT_EQ(residual_tensor_offsets[t],
              static_cast<uint32_t>(planning->plan.offsets[t]));
  }
}

TEST(OfflineHeader, KnowsItsModel) {
  const auto model = ReadModelStructure(STOWAGE_SOURCE_DIR
                                        "/data/models/residual_int8.tflite");
  ASSERT_TRUE(model.ok()) << model.status();
  std::string bytes((*model)->bytes());
  const auto size = static_cast<uint32_t>(bytes.size());
  EXPECT_EQ(residual_is_model(bytes.data(), size), 1);
  EXPECT_EQ(residual_is_model(bytes.data(), size - 1), 0);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_EQ(residual_is_model(bytes.data(), size), 0);
}

}  // namespace
}  // namespace stowage::cli
