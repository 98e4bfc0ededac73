// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/memory_report.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/planner.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "stowage/tflite/model.h"
#include "tests/harness/byte_models.h"

namespace stowage::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::unique_ptr<Interpreter> Allocated(const LoadedModel& model,
                                       const InterpreterOptions& options,
                                       const OperatorResolver& resolver) {
  auto interpreter = Interpreter::Create(*model, resolver, options);
  EXPECT_TRUE(interpreter.ok()) << interpreter.status();
  EXPECT_TRUE((*interpreter)->primary().Allocate().ok());
  return *std::move(interpreter);
}

// Returns the model below. The numbers in parentheses are the sizes of the
// tensors in bytes. The operator Scratch uses a temporary of 103 bytes.
//
//   in (10) -> Mix -> a (100) -> Scratch -> b (100) -> Mix -> c (150)
//
//   tasks  0: in, a   1: a, b, temporary   2: b, c
ByteModel Row() {
  ByteModel model;
  const size_t in = model.AddInput(10);
  const size_t a = model.Add("Mix", {in}, 90);
  const size_t b = model.Add("Scratch", {a});
  model.AddConstant({1, 2, 3});
  model.MarkOutput(model.Add("Mix", {b}, 50));
  return model;
}

TEST(MemoryReport, NamesThePeak) {
  const LoadedModel model(Row().spec());
  InterpreterOptions options;
  options.io_lifetime = IoLifetime::kUse;
  options.strategy = "naive";
  const auto interpreter = Allocated(model, options, ByteOperators());
  const MemoryReport report = MemoryReportOf(interpreter->primary());
  EXPECT_EQ(report.strategy, "naive");
  EXPECT_EQ(report.alignment, 64);
  EXPECT_THAT(report.live_bytes, ElementsAre(110, 303, 250));
  EXPECT_EQ(report.peak_node, 1);
  EXPECT_EQ(report.peak_operator, "operator 1 (CUSTOM \"Scratch\")");
  EXPECT_EQ(report.arena.requested, 303);
  EXPECT_EQ(report.arena.aligned, 3 * 128 - 28);
  EXPECT_EQ(report.arena.used, interpreter->primary().plan().arena_bytes);
  EXPECT_EQ(report.arena.alignment_bytes(), 53);
  EXPECT_EQ(report.arena.fragmentation_bytes(), report.arena.used - 356);
  ASSERT_THAT(report.peak, SizeIs(3));
  EXPECT_TRUE(report.peak[0].is_temporary);
  EXPECT_EQ(report.peak[0].bytes, 103);
  EXPECT_EQ(report.peak[1].place, "tensor 1 \"t1\"");
  EXPECT_EQ(report.peak[1].first_task, 0);
  EXPECT_EQ(report.peak[1].last_task, 1);
  EXPECT_EQ(report.peak[2].offset,
            interpreter->primary().plan().offsets[report.peak[2].tensor]);
  EXPECT_EQ(report.constants, 3);
  EXPECT_THAT(report.Text(), HasSubstr("303 requested, 53 alignment, "));
  EXPECT_THAT(report.Text(),
              HasSubstr("peak: operator 1 (CUSTOM \"Scratch\")"));
}

TEST(MemoryReport, NoSafePlanTakesLessThanIsAligned) {
  const LoadedModel model(Row().spec());
  for (const Strategy* strategy : AllStrategies()) {
    for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
      const FeatureSet& features = strategy->info().features;
      if (kind == PlanKind::kOffsets ? !features.Has(Feature::kOffsets)
                                     : !features.Has(Feature::kObjects)) {
        continue;
      }
      InterpreterOptions options;
      options.strategy = strategy->info().name;
      options.kind = kind;
      const auto interpreter = Allocated(model, options, ByteOperators());
      const MemoryReport report = MemoryReportOf(interpreter->primary());
      EXPECT_LE(report.arena.requested, report.arena.aligned);
      EXPECT_LE(report.arena.aligned, report.arena.used) << options.strategy;
    }
  }
}

TEST(MemoryReport, CountsWhatIsNotInTheArena) {
  ByteModel spec;
  const size_t in = spec.AddInput(8);
  const size_t first = spec.AddVariable(70);
  const size_t second = spec.AddVariable(30);
  const size_t a = spec.Add("Accumulate", {in, first});
  const size_t b = spec.Add("Accumulate", {a, second});
  spec.MarkOutput(spec.Add("Expand", {spec.Add("Data", {b})}));
  const LoadedModel model(spec.spec());
  OperatorResolver resolver = ByteOperators();
  resolver.Add(CustomOperator(
      "Data",
      [](OperatorContext& context) {
        const auto data = context.NewPersistent<float>(25);
        if (!data.ok()) return data.status();
        return context.ResizeOutput(0, context.input(0).shape);
      },
      [](OperatorContext&) { return absl::OkStatus(); }));
  const auto interpreter = Allocated(model, {}, resolver);
  Subgraph& graph = interpreter->primary();
  ASSERT_TRUE(graph.Invoke().ok());
  const MemoryReport report = MemoryReportOf(graph);
  EXPECT_EQ(report.persistent.requested, 100);
  EXPECT_EQ(report.persistent.used, graph.plan().persistent_bytes);
  EXPECT_GE(report.persistent.used, report.persistent.aligned);
  EXPECT_EQ(report.operator_data, 100);
  EXPECT_EQ(report.dynamic, graph.output(0).bytes);
  size_t metadata = 0;  // none of them is quantized
  for (size_t t = 0; t < graph.plan().graph.tensors.size(); ++t) {
    const Tensor& tensor = graph.tensor(t);
    metadata += sizeof(Tensor) + tensor.name.size() + 4 * tensor.shape.size();
  }
  EXPECT_EQ(report.metadata, metadata);
  EXPECT_EQ(report.Total(), report.arena.used + report.persistent.used + 100 +
                                report.dynamic + report.metadata);
}

// A report is made even for an unsafe plan provided by the caller, and even for
// a model without bytes.
TEST(MemoryReport, IsThereForAnyPlan) {
  const LoadedModel model(Row().spec());
  InterpreterOptions options;
  options.planner = [](const ArenaRecords& records) {
    OffsetsAssignment plan;
    plan.offsets.resize(records.records.size());
    return plan;
  };
  const auto unsafe = Allocated(model, options, ByteOperators());
  EXPECT_EQ(MemoryReportOf(unsafe->primary()).arena.fragmentation_bytes(), 0);

  ByteModel spec;
  spec.MarkOutput(spec.AddInput(0));
  const LoadedModel nothing(spec.spec());
  const auto empty = Allocated(nothing, {}, ByteOperators());
  const MemoryReport report = MemoryReportOf(empty->primary());
  EXPECT_EQ(report.peak_node, absl::nullopt);
  EXPECT_THAT(report.peak, IsEmpty());
  EXPECT_THAT(report.Text(), HasSubstr("arena            0 bytes"));
}

}  // namespace
}  // namespace stowage::harness
