// SPDX-License-Identifier: Apache-2.0
// Tests a header that the command has written: the header must compile, and its
// numbers must equal those that the library computes for the model.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "src/command/plan_header.h"
#include "stowage/micro/status.h"
#include "stowage/micro/table_planner.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_structure.h"
#include "stowage/tflm/micro_arena.h"
#include "stowage/tflm/micro_trace.h"
#include "stowage/tflm/offline_check.h"
#include "stowage/usage_record.h"
#include "tests/command/keyword_int8_plan.h"
#include "tests/command/plan_in_c.h"
#include "tests/command/residual_int8_plan.h"
#include "tests/command/residual_plan.h"
#include "tests/micro/declared_planner.h"

[[maybe_unused]] static uint8_t arena[RESIDUAL_ARENA_BYTES];
RESIDUAL_REQUIRE_ARENA(arena);
RESIDUAL_REQUIRE_ARENA(arena);  // may be repeated
RESIDUAL_REQUIRE_HEAD(arena);

namespace stowage::cli {
namespace {

static_assert(micro::IsSafe(residual_buffers, RESIDUAL_BUFFERS,
                            RESIDUAL_ALIGNMENT));

// Reads the residual model and makes the plan that its header contains.
class OfflineHeaderTest : public testing::Test {
 protected:
  void SetUp() override {
    auto model = ReadModelStructure(STOWAGE_SOURCE_DIR
                                    "/data/models/residual_int8.tflite");
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
    auto planning = PlanOffline(*model_, "greedy_by_size");
    ASSERT_TRUE(planning.ok()) << planning.status();
    planning_ = *std::move(planning);
  }

  std::shared_ptr<const Model> model_;
  OfflinePlanning planning_;
};

TEST_F(OfflineHeaderTest, HasThePlanOfItsModel) {
  EXPECT_EQ(planning_.head_bytes, RESIDUAL_HEAD_BYTES);
  EXPECT_EQ(sizeof(arena), RESIDUAL_ARENA_BYTES);
  ASSERT_EQ(planning_.plan.offsets.size(), RESIDUAL_TENSORS);
  for (size_t t = 0; t < RESIDUAL_TENSORS; ++t) {
    // In both the header and the plan, an entry with all bits set means that
    // the tensor has no offset.
    EXPECT_EQ(residual_tensor_offsets[t],
              static_cast<uint32_t>(planning_.plan.offsets[t]));
  }
}

TEST_F(OfflineHeaderTest, HasTheArenaOfADeviceThatIsGivenThePlan) {
  MicroArenaOptions options;
  options.word = MicroWord::k32;  // the default of the header
  options.head_bytes = planning_.head_bytes;
  options.workspace_per_buffer = 0;
  options.makes_planner = false;
  const auto predicted = PredictMicroArena(*model_, options);
  ASSERT_TRUE(predicted.ok()) << predicted.status();
  EXPECT_EQ(predicted->peak_bytes, RESIDUAL_ARENA_BYTES);
  EXPECT_EQ(predicted->buffers, RESIDUAL_BUFFERS);
}

using TablePlanner =
    micro::TablePlannerFor<tflite::MicroMemoryPlanner, TfLiteStatus, kTfLiteOk,
                           kTfLiteError>;

void ExpectOffsets(const OfflineVerdict& verdict, TablePlanner* planner) {
  EXPECT_EQ(planner->GetMaximumMemorySize(), verdict.head_bytes);
  for (size_t i = 0; i < verdict.buffers.size(); ++i) {
    int offset = -1;
    EXPECT_EQ(planner->GetOffsetForBuffer(static_cast<int>(i), &offset),
              kTfLiteOk);
    EXPECT_EQ(static_cast<size_t>(offset), verdict.buffers[i].offset);
  }
}

// Adds the buffers to the planner as TensorFlow Lite Micro does: first with
// their sizes on 32-bit devices, then with their sizes on 64-bit devices, and
// finally with the offsets in the plan.
TEST_F(OfflineHeaderTest, HasATableThatItsModelFits) {
  const auto verdict = CheckOfflinePlan(*model_, planning_.plan);
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  ASSERT_EQ(verdict->buffers.size(), RESIDUAL_BUFFERS);
  TablePlanner planner(residual_buffers, RESIDUAL_BUFFERS);
  for (const MicroWord word : {MicroWord::k32, MicroWord::k64}) {
    ASSERT_EQ(planner.Init(nullptr, 0), kTfLiteOk);
    const auto buffers = MicroBuffersOf(*model_, word);
    ASSERT_TRUE(buffers.ok()) << buffers.status();
    for (const MicroBuffer& buffer : *buffers) {
      EXPECT_EQ(planner.AddBuffer(static_cast<int>(buffer.record.tensor_size),
                                  static_cast<int>(buffer.record.first_task),
                                  static_cast<int>(buffer.record.last_task)),
                kTfLiteOk);
    }
    ExpectOffsets(*verdict, &planner);
  }
  ASSERT_EQ(planner.Init(nullptr, 0), kTfLiteOk);
  for (const OfflineBuffer& buffer : verdict->buffers) {
    const TensorUsageRecord<size_t>& record = buffer.buffer.record;
    EXPECT_EQ(planner.AddBuffer(static_cast<int>(record.tensor_size),
                                static_cast<int>(record.first_task),
                                static_cast<int>(record.last_task),
                                static_cast<int>(buffer.given.value_or(-1))),
              kTfLiteOk);
  }
  ExpectOffsets(*verdict, &planner);
}

TEST_F(OfflineHeaderTest, KnowsItsModel) {
  std::string bytes(model_->bytes());
  const auto size = static_cast<uint32_t>(bytes.size());
  EXPECT_EQ(residual_is_model(bytes.data(), size), 1);
  EXPECT_EQ(residual_is_model(bytes.data(), size - 1), 0);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_EQ(residual_is_model(bytes.data(), size), 0);
}

// The guards and names in a header contain the name of its file, so the headers
// of two models do not hide each other.
TEST(OfflineHeaders, OfTwoModelsGoIntoOneProgram) {
  EXPECT_NE(RESIDUAL_INT8_MODEL_HASH, KEYWORD_INT8_MODEL_HASH);
  EXPECT_EQ(RESIDUAL_INT8_MODEL_HASH, RESIDUAL_MODEL_HASH);
  EXPECT_NE(residual_int8_buffers[0][0], keyword_int8_buffers[0][0]);
}

// The name of each header is derived from the name of its model file. Only
// model files with the same name, in different folders, lead to headers with
// the same name. A program that includes two such headers does not compile.
TEST(OfflineHeaders, HaveNamesOfTheirOwn) {
  EXPECT_EQ(HeaderName("-"), "model");
  EXPECT_EQ(HeaderName("a_b.tflite"), "a_b");
  EXPECT_EQ(HeaderName("models/a_b.tflite"), "a_b");
  std::set<std::string> names;
  const std::vector<std::string> files = {
      "a_b",  "a-b",      "a b",     "a.b",  "A_b",  "a__b",
      "_a_b", "a_b_",     "2",       "-2",   "+",    "\xc3\xa9",
      "c3a9", "\xc3\xa8", "model_2", "a*/b", "model"};
  for (const std::string& file : files) {
    const std::string name = HeaderName(file + ".tflite");
    EXPECT_TRUE(names.insert(name).second) << file << " " << name;
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"),
              std::string::npos)
        << name;
    EXPECT_FALSE(name[0] >= '0' && name[0] <= '9') << name;
  }
}

TEST(OfflineHeaderInC, HasASafePlan) {
  EXPECT_EQ(stowage_check_keyword_plan(), STOWAGE_MICRO_OK);
}

}  // namespace
}  // namespace stowage::cli
