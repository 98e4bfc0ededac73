// SPDX-License-Identifier: Apache-2.0
// Runs models made for accelerators, on the host and in the arena of a device.
// Shadows replace the operators of the accelerators, which have tensors that
// overlap on purpose.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/micro_memory.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/run_model.h"
#include "stowage/harness/shadow.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/offline_check.h"
#include "tests/harness/output_hashes.h"
#include "tests/support/accelerator_models.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::AcceleratorModel;
using support::AcceleratorModels;
using support::IsOk;

std::unique_ptr<const Model> ParseOrDie(const std::string& bytes) {
  auto model = Model::Parse(bytes, "npu.tflite");
  EXPECT_TRUE(model.ok()) << model.status();
  return *std::move(model);
}

RunOptions UnderShadows() {
  RunOptions options;
  options.plan.shadow = ShadowMode::kMissing;
  options.invocations = 2;
  return options;
}

TEST(AcceleratorRun, ItsScratchHasMemoryOfItsOwnWhileItRuns) {
  for (const LifetimeRules rules :
       {LifetimeRules::kCpu, LifetimeRules::kPlain}) {
    for (const AcceleratorModel& c : AcceleratorModels()) {
      SCOPED_TRACE(c.name);
      const std::string bytes = Build(c.spec);
      const auto model = ParseOrDie(bytes);
      InterpreterOptions options;
      options.shadow = ShadowMode::kMissing;
      options.lifetimes = rules;
      const auto interpreter = Interpreter::Create(*model, options);
      ASSERT_THAT(interpreter.status(), IsOk());
      Subgraph& graph = (*interpreter)->primary();
      ASSERT_THAT(graph.Allocate(), IsOk());
      EXPECT_NE(graph.tensor(1).data, nullptr);
      ASSERT_THAT(graph.Invoke(), IsOk());
      RunOptions kept = UnderShadows();
      kept.plan.preserve_all_tensors = true;
      RunOptions shared = UnderShadows();
      shared.plan.lifetimes = rules;
      EXPECT_EQ(HashesOf(RunModel(*model, shared)),
                HashesOf(RunModel(*model, kept)));
    }
  }
}

TEST(AcceleratorRun, InTheArenaOfADeviceItComputesTheSame) {
  for (const AcceleratorModel& c : AcceleratorModels()) {
    for (const std::string& strategy :
         {std::string(), std::string("optimal")}) {
      for (const bool honours : {false, true}) {
        SCOPED_TRACE(c.name);
        const std::string bytes = Build(c.spec);
        const auto model = ParseOrDie(bytes);
        const MicroPlacing placing = {strategy, honours};
        const auto required = PredictMicroMemory(*model, placing);
        ASSERT_THAT(required.status(), IsOk());
        const auto memory = MicroMemory::Create(*required);
        ASSERT_THAT(memory.status(), IsOk());
        RunOptions options = UnderShadows();
        options.plan.observers = {memory->get()};
        options.place_tensors = [&](Interpreter& interpreter) {
          return (*memory)->Place(interpreter, placing);
        };
        EXPECT_EQ(HashesOf(RunModel(*model, options)),
                  HashesOf(RunModel(*model, UnderShadows())));
        EXPECT_EQ((*memory)->required_bytes(), *required);
      }
    }
  }
}

}  // namespace
}  // namespace stowage::harness
