// SPDX-License-Identifier: Apache-2.0
// Tests plans in models for accelerators, in which tensors of accelerators
// overlap intentionally: the verdicts on such plans, and which tensors keep
// their offsets.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/tflite/model_draft.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/tflm/micro_arena.h"
#include "stowage/tflm/micro_trace.h"
#include "stowage/tflm/offline_check.h"
#include "stowage/tflm/offline_plan.h"
#include "stowage/usage_record.h"
#include "tests/support/accelerator_models.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::AcceleratorModel;
using support::AcceleratorModels;
using support::FailsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::unique_ptr<const Model> ParseOrDie(const std::string& bytes) {
  auto model = Model::Parse(bytes, "npu.tflite");
  EXPECT_TRUE(model.ok()) << model.status();
  return *std::move(model);
}

OfflineVerdict Check(const Model& model, const std::vector<int32_t>& offsets,
                     bool allow_custom_overlap) {
  OfflineCheckOptions options;
  options.allow_custom_overlap = allow_custom_overlap;
  const auto verdict =
      CheckOfflinePlan(model, OfflinePlan{1, offsets}, options);
  EXPECT_TRUE(verdict.ok()) << verdict.status();
  return verdict.value_or(OfflineVerdict());
}

TEST(Accelerator, OverlapsThatItAloneKnowsAreUndecided) {
  for (const AcceleratorModel& c : AcceleratorModels()) {
    SCOPED_TRACE(c.name);
    const std::string bytes = Build(c.spec);
    const auto model = ParseOrDie(bytes);
    const OfflineVerdict verdict = Check(*model, c.offsets, false);
    EXPECT_EQ(OfflineVerdictName(verdict), "undecided");
    EXPECT_FALSE(verdict.is_sound());
    EXPECT_THAT(verdict.violations, IsEmpty());
    EXPECT_TRUE(verdict.head_bytes.has_value());
    EXPECT_EQ(OfflineVerdictName(Check(*model, c.offsets, true)), c.verdict);
  }
}

TEST(Accelerator, EveryPlanKeepsWhatItAddresses) {
  for (const AcceleratorModel& c : AcceleratorModels()) {
    SCOPED_TRACE(c.name);
    const std::string bytes = Build(c.spec);
    const auto model = ParseOrDie(bytes);
    const auto head = Check(*model, c.offsets, false).head_bytes;
    for (const char* strategy : {"optimal", "micro_first_fit"}) {
      SCOPED_TRACE(strategy);
      const auto planning =
          PlanOffline(*model, strategy, {}, std::vector<size_t>());
      ASSERT_TRUE(planning.ok()) << planning.status();
      EXPECT_EQ(planning->kept_tensors, c.operands.size());
      for (const size_t t : c.operands) {
        EXPECT_EQ(planning->plan.offsets[t], c.offsets[t]) << t;
      }
    }
    const auto best = PlanOffline(*model, "optimal");
    ASSERT_TRUE(best.ok()) << best.status();
    EXPECT_LE(best->head_bytes, *head);
    EXPECT_EQ(OfflineVerdictName(Check(*model, best->plan.offsets, true)),
              c.verdict);
  }
}

TEST(Accelerator, ATraceOfItsModelHasOneGroupAtItsPlace) {
  for (const AcceleratorModel& c : AcceleratorModels()) {
    for (const bool honours : {false, true}) {
      SCOPED_TRACE(c.name);
      ModelTraceOptions options;
      options.honour_offline_plan = honours;
      const auto trace = ParseMicroTrace(Build(c.spec), "npu.tflite", options);
      ASSERT_TRUE(trace.ok()) << trace.status();
      const auto problem = Problem::Create(trace->problem);
      ASSERT_TRUE(problem.ok()) << problem.status();
      for (const char* strategy : {"micro_first_fit", "optimal", "skyline"}) {
        const auto solution = Solve(*problem, strategy);
        ASSERT_TRUE(solution.ok()) << solution.status();
        ASSERT_TRUE(solution->has_plan()) << solution->reason;
        for (size_t i = 0; i < trace->problem.names.size(); ++i) {
          for (const size_t t : c.operands) {
            if (trace->problem.names[i] != std::to_string(t)) continue;
            EXPECT_EQ(solution->offsets()->offsets[i],
                      static_cast<size_t>(c.offsets[t]));
          }
        }
      }
      EXPECT_EQ(trace->note.empty(), honours);
    }
  }
}

// The device's kernel for the accelerator requests two buffers: one for the
// addresses of its tensors and one for their sizes.
TEST(Accelerator, ItsKernelIsCounted) {
  const AcceleratorModel alone = AcceleratorModels().front();
  const std::string bytes = Build(alone.spec);
  const auto model = ParseOrDie(bytes);
  struct Case {
    MicroWord word;
    std::vector<size_t> scratch;
  };
  for (const Case& c :
       {Case{MicroWord::k64, {32, 32}}, Case{MicroWord::k32, {32, 16}}}) {
    const auto buffers = MicroBuffersOf(*model, c.word);
    ASSERT_TRUE(buffers.ok()) << buffers.status();
    std::vector<size_t> scratch;
    for (const MicroBuffer& buffer : *buffers) {
      if (buffer.tensor != kAbsent) continue;
      scratch.push_back(buffer.record.tensor_size);
    }
    EXPECT_EQ(scratch, c.scratch);
    MicroArenaOptions options;
    options.word = c.word;
    const auto arena = PredictMicroArena(*model, options);
    ASSERT_TRUE(arena.ok()) << arena.status();
    EXPECT_THAT(arena->unknown_operators, IsEmpty());
  }
}

// The models above are changed so that operators other than those of the
// accelerator could notice the overlaps.
TEST(Accelerator, WhatOthersCouldNoticeIsNotSound) {
  struct Case {
    const char* name;
    std::string model;
    std::vector<int32_t> offsets;
    const char* message;
  };
  const Case cases[] = {
      {"another operator writes on what it reads",
       "before another",
       {-1, 0, 0, 256, 256},
       "tensor 3 \"b\" and tensor 4 \"c\": share bytes [256, 512)"},
      {"its output lies on what another still reads",
       "two, with another between",
       {-1, 0, 0, 256, 256, 768},
       "share bytes [256, 512)"},
      {"before the arena", "alone", {-1, 0, -16, 256}, "before the arena"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    for (const AcceleratorModel& other : AcceleratorModels()) {
      if (other.name != c.model) continue;
      const std::string bytes = Build(other.spec);
      const auto model = ParseOrDie(bytes);
      const OfflineVerdict verdict = Check(*model, c.offsets, true);
      EXPECT_EQ(OfflineVerdictName(verdict), "unsound");
      ASSERT_FALSE(verdict.violations.empty());
      EXPECT_THAT(Describe(*model, verdict, verdict.violations[0]),
                  HasSubstr(c.message));
    }
  }
}

TEST(Accelerator, WithoutOverlapsAllTensorsAreFree) {
  AcceleratorModel model = AcceleratorModels().front();
  model.spec.metadata.clear();
  const std::string bytes = Build(model.spec);
  const auto kept = KeptOffsets(*ParseOrDie(bytes));
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_THAT(*kept, IsEmpty());
  const auto file =
      AddOfflinePlan(bytes, "npu.tflite", {1, {-1, 0, 1024, 1280}});
  ASSERT_TRUE(file.ok()) << file.status();
  const auto apart = KeptOffsets(*ParseOrDie(*file));
  ASSERT_TRUE(apart.ok()) << apart.status();
  EXPECT_THAT(*apart, IsEmpty());
}

// Tensors that the compiler of the accelerator has placed on other tensors must
// keep their offsets. No sound plan keeps these offsets, so the plan is
// refused.
TEST(Accelerator, APlanThatCannotBeMendedIsRefused) {
  const AcceleratorModel before = AcceleratorModels()[2];
  ModelSpec spec = before.spec;
  // Two graph inputs of the accelerator have the same offset.
  spec.graphs[0].tensors.push_back({{1, 64}});
  spec.graphs[0].inputs.push_back(5);
  spec.graphs[0].operators[0].inputs.push_back(5);
  spec.metadata.clear();
  const auto file =
      AddOfflinePlan(Build(spec), "npu.tflite", {1, {-1, 0, 0, 256, 512, 0}});
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(PlanOffline(*ParseOrDie(*file), "optimal").status(),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("its plan is not sound")));
}

TEST(Accelerator, ItsScratchIsInTracesOfTheRulesPlain) {
  const AcceleratorModel two = AcceleratorModels()[5];
  const auto trace = ParseModelTrace(Build(two.spec), "npu.tflite");
  ASSERT_TRUE(trace.ok()) << trace.status();
  ASSERT_EQ(trace->problem.names.front(), "1");
  const TensorUsageRecord<size_t>& scratch = trace->problem.records.front();
  EXPECT_EQ(scratch.tensor_size, 1024u);
  EXPECT_EQ(scratch.first_task, 0u);
  EXPECT_EQ(scratch.last_task, 2u);
}

}  // namespace
}  // namespace stowage
