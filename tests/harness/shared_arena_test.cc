// SPDX-License-Identifier: Apache-2.0
// Tests models that share an arena. The arena is laid out call by call, as in
// firmware, and its head holds the planned tensors. In some tests the head is
// too small for the largest plan, so a tensor overlaps the memory after the
// head.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/interpreter.h"
#include "stowage/micro/arena.h"
#include "stowage/micro/plan.h"
#include "stowage/micro/status.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_trace.h"
#include "tests/harness/byte_models.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::AllOf;
using ::testing::HasSubstr;

// The size in bytes of the largest tensors in the arenas below.
constexpr size_t kBytes = 64;
constexpr uint32_t kHead = 3 * kBytes;

// Returns a model with four tensors and the variable t1. The planner of the
// device places t2, which operator 0 writes, above the other tensors.
//
//   node     0 Mix  1 Accumulate  2 Mix
//   reads    t0     t2, t1        t3, t2
//   writes   t2     t3            t4
ModelSpec StatefulModel(size_t bytes) {
  ByteModel model;
  const size_t in = model.AddInput(bytes);
  const size_t state = model.AddVariable(bytes);
  const size_t mixed = model.Add("Mix", {in});
  const size_t sum = model.Add("Accumulate", {mixed, state});
  model.MarkOutput(model.Add("Mix", {sum, mixed}));
  ModelSpec spec = model.spec();
  // The device reads the shapes from the model, so the model must declare them.
  for (auto& tensor : spec.graphs[0].tensors) {
    tensor.shape = {static_cast<int32_t>(bytes)};
  }
  return spec;
}

// Holds an arena like that of firmware, of exactly the required size.
class Firmware {
 public:
  explicit Firmware(uint32_t bytes) : memory_(bytes / kMicroAlignment) {
    EXPECT_EQ(stowage_micro_arena_init(&arena_, memory_.data(), bytes,
                                       STOWAGE_MICRO_ARENA_SINGLE),
              STOWAGE_MICRO_OK);
  }

  // Places a model after the models that were placed before. The head reserved
  // for the model is `missing` bytes too small.
  void Place(Interpreter* interpreter, uint32_t missing) {
    Subgraph& graph = interpreter->primary();
    for (size_t t = 0; t < graph.spec().tensors.size(); ++t) {
      const TensorSpec& tensor = graph.spec().tensors[t];
      if (!tensor.is_variable) continue;
      auto* const data = static_cast<uint8_t*>(stowage_micro_arena_persistent(
          &arena_, static_cast<uint32_t>(tensor.bytes), kMicroAlignment));
      ASSERT_NE(data, nullptr);
      std::fill_n(data, tensor.bytes, uint8_t{0});
      Bind(&graph, t, data, tensor.bytes);
    }
    const auto micro = MicroBuffersOf(interpreter->model());
    ASSERT_THAT(micro, IsOk());
    const std::vector<stowage_micro_buffer> buffers = Plan(*micro, missing);
    ASSERT_EQ(
        stowage_micro_arena_reserve_overlay(&arena_, head_, kMicroAlignment),
        STOWAGE_MICRO_OK);
    auto* const head =
        static_cast<uint8_t*>(stowage_micro_arena_overlay_address(&arena_));
    for (size_t i = 0; i < buffers.size(); ++i) {
      Bind(&graph, (*micro)[i].tensor, head + buffers[i].offset,
           buffers[i].size);
    }
  }

 private:
  struct alignas(kMicroAlignment) Unit {
    uint8_t bytes[kMicroAlignment];
  };

  static void Bind(Subgraph* graph, size_t tensor, uint8_t* data,
                   size_t bytes) {
    EXPECT_THAT(graph->SetCustomAllocation(tensor, {data, bytes}, false),
                IsOk());
  }

  std::vector<stowage_micro_buffer> Plan(const std::vector<MicroBuffer>& micro,
                                         uint32_t missing) {
    std::vector<stowage_micro_buffer> buffers;
    buffers.reserve(micro.size());
    for (const MicroBuffer& buffer : micro) {
      buffers.push_back({static_cast<uint32_t>(buffer.record.tensor_size),
                         static_cast<uint32_t>(buffer.record.first_task),
                         static_cast<uint32_t>(buffer.record.last_task),
                         STOWAGE_MICRO_UNPLACED});
    }
    const auto count = static_cast<uint32_t>(buffers.size());
    std::vector<uint32_t> workspace(count);
    uint32_t total = 0;
    EXPECT_EQ(stowage_micro_plan(buffers.data(), count, kMicroAlignment,
                                 workspace.data(),
                                 STOWAGE_MICRO_WORKSPACE_BYTES(count), &total),
              STOWAGE_MICRO_OK);
    head_ = std::max(head_, total - missing);
    return buffers;
  }

  std::vector<Unit> memory_;
  stowage_micro_arena arena_ = {};
  uint32_t head_ = 0;
};

// Runs a model in the arena, and checks that no operator writes to memory that
// it does not own.
class Tenant {
 public:
  explicit Tenant(size_t bytes) : model_(StatefulModel(bytes)) {
    InterpreterOptions options;
    options.observers = {&touch_};
    options.io_lifetime = IoLifetime::kUse;
    auto interpreter = Interpreter::Create(*model_, ByteOperators(), options);
    EXPECT_THAT(interpreter.status(), IsOk());
    interpreter_ = *std::move(interpreter);
  }

  // Places the model in the arena of `firmware`, or in its own memory if
  // `firmware` is null.
  void Place(Firmware* firmware, uint32_t missing) {
    if (firmware != nullptr) firmware->Place(interpreter_.get(), missing);
    EXPECT_THAT(interpreter_->primary().Allocate(), IsOk());
  }
  absl::Status Invoke() {
    absl::Status status = FeedBytes(interpreter_->primary(), invocation_++);
    return status.ok() ? interpreter_->primary().Invoke() : status;
  }
  std::string Output() {
    const Tensor& output = interpreter_->primary().output(0);
    return {static_cast<const char*>(output.data), output.bytes};
  }

 private:
  LoadedModel model_;
  TouchChecker touch_;
  std::unique_ptr<Interpreter> interpreter_;
  size_t invocation_ = 0;
};

TEST(SharedArena, OfTheRightSizeGivesWhatModelsGiveAlone) {
  Tenant large(kBytes);
  Tenant small(kBytes / 2);
  Tenant large_alone(kBytes);
  Tenant small_alone(kBytes / 2);
  Firmware firmware(kHead + kBytes + kBytes / 2);
  large.Place(&firmware, 0);
  small.Place(&firmware, 0);
  large_alone.Place(nullptr, 0);
  small_alone.Place(nullptr, 0);
  for (int i = 0; i < 3; ++i) {
    ASSERT_THAT(large.Invoke(), IsOk());
    ASSERT_THAT(large_alone.Invoke(), IsOk());
    EXPECT_EQ(large.Output(), large_alone.Output());
    ASSERT_THAT(small.Invoke(), IsOk());
    ASSERT_THAT(small_alone.Invoke(), IsOk());
    EXPECT_EQ(small.Output(), small_alone.Output());
  }
}

// The variable of the model that was placed last is directly after the head.
TEST(SharedArena, CheckNamesTheStateUnderAHeadThatIsTooSmall) {
  Tenant large(kBytes);
  Tenant small(kBytes / 2);
  Firmware firmware(kHead - kMicroAlignment + kBytes + kBytes / 2);
  small.Place(&firmware, 0);
  large.Place(&firmware, kMicroAlignment);
  EXPECT_THAT(small.Invoke(), IsOk());
  EXPECT_THAT(
      large.Invoke(),
      FailsWith(absl::StatusCode::kDataLoss,
                AllOf(HasSubstr("operator 0 (CUSTOM \"Mix\"): touch check: "
                                "changes byte 0 of tensor 1 \"t1\""),
                      HasSubstr("which it does not write"))));
}

// The check of a model sees only the memory of that model. If one model
// overwrites the state of another, only the outputs of the other model reveal
// the fault.
TEST(SharedArena, StateOfAnotherUnderAHeadThatIsTooSmallIsLost) {
  Tenant large(kBytes);
  Tenant small(kBytes / 2);
  Tenant small_alone(kBytes / 2);
  Firmware firmware(kHead - kMicroAlignment + kBytes + kBytes / 2);
  large.Place(&firmware, kMicroAlignment);
  small.Place(&firmware, 0);
  small_alone.Place(nullptr, 0);
  ASSERT_THAT(large.Invoke(), IsOk());
  ASSERT_THAT(small.Invoke(), IsOk());
  ASSERT_THAT(small_alone.Invoke(), IsOk());
  EXPECT_NE(small.Output(), small_alone.Output());
}

}  // namespace
}  // namespace stowage::harness
