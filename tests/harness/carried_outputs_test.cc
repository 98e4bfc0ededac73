// SPDX-License-Identifier: Apache-2.0
// Tests outputs that an interpreter carries over to inputs of the next
// invocation. A carried output is either placed in the memory of the input or
// copied there.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/run_model.h"
#include "stowage/harness/shared_arena.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "tests/harness/byte_models.h"
#include "tests/support/real_data.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::HasSubstr;

constexpr size_t kCacheBytes = 64;

using OutputBytes = std::vector<std::vector<uint8_t>>;

OutputBytes OutputsOf(const Subgraph& graph) {
  OutputBytes all;
  for (size_t i = 0; i < graph.output_count(); ++i) {
    const auto* const data = graph.output(i).as<uint8_t>();
    all.emplace_back(data, data + graph.output(i).bytes);
  }
  return all;
}

void FillTensor(const std::vector<uint8_t>& bytes, Tensor* tensor) {
  std::copy(bytes.begin(), bytes.end(), tensor->as<uint8_t>());
}

// Fills all inputs before the first invocation. Before each later invocation,
// fills only the inputs that are not carried.
absl::Status FeedUncarried(const std::vector<CarriedTensor>& carried,
                           Subgraph* graph, size_t invocation) {
  OutputBytes held;
  for (const CarriedTensor& each : carried) {
    const Tensor& input = graph->input(each.input);
    held.emplace_back(input.as<uint8_t>(), input.as<uint8_t>() + input.bytes);
  }
  absl::Status status = FeedBytes(*graph, invocation);
  for (size_t i = 0; invocation > 0 && i < carried.size(); ++i) {
    FillTensor(held[i], &graph->input(carried[i].input));
  }
  return status;
}

// Runs a model whose outputs are carried by the interpreter, and runs the same
// model with a caller that copies the outputs back to the inputs. Returns a
// description of the first difference or the message of an error, and an empty
// string if there is neither.
std::string CompareWithHandedBack(const ModelSpec& spec,
                                  InterpreterOptions options) {
  const LoadedModel model(spec);
  const std::vector<CarriedTensor> carried = options.carried;
  const auto run = *Interpreter::Create(*model, ByteOperators(), options);
  options.carried.clear();
  options.preserve_all_tensors = true;
  const auto apart = *Interpreter::Create(*model, ByteOperators(), options);
  absl::Status status = run->primary().Allocate();
  if (status.ok()) status = apart->primary().Allocate();
  OutputBytes before;
  for (size_t k = 0; k < 4 && status.ok(); ++k) {
    status = FeedUncarried(carried, &run->primary(), k);
    if (status.ok()) status = FeedBytes(apart->primary(), k);
    for (const CarriedTensor& each : carried) {
      if (k > 0) {
        FillTensor(before[each.output], &apart->primary().input(each.input));
      }
    }
    if (status.ok()) status = run->primary().Invoke();
    if (status.ok()) status = apart->primary().Invoke();
    before = OutputsOf(apart->primary());
    const OutputBytes found = OutputsOf(run->primary());
    for (size_t i = 0; i < before.size(); ++i) {
      if (found[i] == before[i]) continue;
      return absl::StrCat("invocation ", k, ", output ", i);
    }
  }
  return std::string(status.message());
}

void ExpectAsHandedBack(const ModelSpec& spec,
                        const InterpreterOptions& options) {
  EXPECT_EQ(CompareWithHandedBack(spec, options), "");
}

// Returns a model that mixes a cache with an input. The result is computed in
// the memory of the cache.
ModelSpec CacheModel() {
  ByteModel model;
  const size_t cache = model.AddInput(kCacheBytes);
  const size_t token = model.AddInput(kCacheBytes);
  const size_t next = model.Add("MixInPlace", {cache, token});
  model.MarkOutput(next);
  model.MarkOutput(model.Add("Mix", {next, token}));
  return model.spec();
}

InterpreterOptions Carrying(std::vector<CarriedTensor> carried) {
  InterpreterOptions options;
  options.carried = std::move(carried);
  return options;
}

TEST(CarriedOutputs, LieInThePlaceOfTheInput) {
  ExpectAsHandedBack(CacheModel(), Carrying({{0, 0, 0}}));
  const LoadedModel model(CacheModel());
  const auto run =
      *Interpreter::Create(*model, ByteOperators(), Carrying({{0, 0, 0}}));
  Subgraph& graph = run->primary();
  ASSERT_THAT(graph.Allocate(), IsOk());
  EXPECT_EQ(graph.input(0).data, graph.output(0).data);
  const auto apart = *Interpreter::Create(*model, ByteOperators(), {});
  ASSERT_THAT(apart->primary().Allocate(), IsOk());
  EXPECT_LT(graph.plan().arena_bytes, apart->primary().plan().arena_bytes);
}

TEST(CarriedOutputs, AreCopiedWhereTheyMustBe) {
  // The model swaps its two caches.
  ByteModel model;
  const size_t a = model.AddInput(kCacheBytes);
  const size_t b = model.AddInput(kCacheBytes);
  const size_t mixed = model.Add("Mix", {a, b});
  model.MarkOutput(model.Add("Mix", {mixed, a}));
  model.MarkOutput(model.Add("Mix", {mixed, b}));
  ExpectAsHandedBack(model.spec(), Carrying({{0, 0, 1}, {0, 1, 0}}));
  InterpreterOptions copied = Carrying({{0, 0, 0}, {0, 1, 1}});
  copied.state_in_place = false;
  ExpectAsHandedBack(model.spec(), copied);
  // One output may be carried to more than one input.
  ExpectAsHandedBack(model.spec(), Carrying({{0, 0, 0}, {0, 0, 1}}));
}

TEST(CarriedOutputs, AreCopiedUnderEveryKindOfPlan) {
  for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
    for (const LifetimeRules rules :
         {LifetimeRules::kCpu, LifetimeRules::kPlain}) {
      InterpreterOptions options = Carrying({{0, 0, 0}});
      options.kind = kind;
      options.lifetimes = rules;
      options.io_lifetime = IoLifetime::kKeep;
      ExpectAsHandedBack(CacheModel(), options);
    }
  }
  InterpreterOptions options = Carrying({{0, 0, 0}});
  options.strategy = "greedy_by_size";
  ExpectAsHandedBack(CacheModel(), options);
  options.strategy = "arena_best_fit";
  options.moves_arena = true;
  ExpectAsHandedBack(CacheModel(), options);
}

TEST(CarriedOutputs, WhatCannotBeCarriedIsRefused) {
  struct Case {
    const char* name;
    InterpreterOptions options;
    const char* message;
  };
  InterpreterOptions used = Carrying({{0, 0, 0}});
  used.io_lifetime = IoLifetime::kUse;
  InterpreterOptions shared = Carrying({{0, 0, 0}});
  shared.shared_arena = std::make_shared<SharedArena>();
  const LoadedModel model(CacheModel());
  for (const Case& c :
       {Case{"no subgraph", Carrying({{1, 0, 0}}), "no subgraph 1"},
        Case{"no output", Carrying({{0, 2, 0}}), "expected an output below 2"},
        Case{"no input", Carrying({{0, 0, 2}}), "and an input below 2"},
        Case{"two outputs", Carrying({{0, 0, 0}, {0, 1, 0}}),
             "gets two outputs"},
        Case{"inputs that are not kept", used, "expected inputs that are kept"},
        Case{"an arena of others", shared, "with a shared arena"}}) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(
        Interpreter::Create(*model, ByteOperators(), c.options).status(),
        FailsWith(absl::StatusCode::kInvalidArgument, HasSubstr(c.message)));
  }
  // The sizes of an output and its input are compared in Invoke.
  ByteModel growing;
  growing.MarkOutput(growing.Add("Mix", {growing.AddInput(8)}, 1));
  const LoadedModel larger(growing.spec());
  const auto run =
      *Interpreter::Create(*larger, ByteOperators(), Carrying({{0, 0, 0}}));
  ASSERT_THAT(run->primary().Allocate(), IsOk());
  EXPECT_THAT(run->primary().Invoke(),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("gets output 0 of 9 bytes; expected 8")));
}

// The number of an operator and the numbers of the tensors that the operator
// reads.
using CarryStep = std::tuple<uint8_t, uint8_t, uint8_t>;

RC_GTEST_PROP(CarriedOutputs, AreThoseThatACallerWouldHandBack,
              (const std::vector<CarryStep>& steps,
               const std::vector<std::pair<uint8_t, uint8_t>>& pairs,
               const std::vector<uint8_t>& marks)) {
  ByteModel model;
  std::vector<size_t> tensors;
  for (size_t i = 0; i < 3; ++i) tensors.push_back(model.AddInput(kCacheBytes));
  const char* const names[] = {"Mix", "MixInPlace", "Copy", "Mix"};
  for (const auto& [name, a, b] : steps) {
    const size_t first = tensors[a % tensors.size()];
    const size_t second = tensors[b % tensors.size()];
    tensors.push_back(names[name % 4] == std::string("Copy")
                          ? model.Add("Copy", {first})
                          : model.Add(names[name % 4], {first, second}));
  }
  if (tensors.size() == 3) tensors.push_back(model.Add("Mix", {0, 1}));
  std::set<size_t> outputs = {tensors.back()};
  for (const uint8_t mark : marks) {
    outputs.insert(tensors[3 + mark % (tensors.size() - 3)]);
  }
  for (const size_t output : outputs) model.MarkOutput(output);
  InterpreterOptions options;
  std::set<size_t> inputs;
  for (const auto& [output, input] : pairs) {
    if (!inputs.insert(input % 3).second) continue;
    options.carried.push_back({0, output % outputs.size(), input % 3u});
  }
  const std::string difference = CompareWithHandedBack(model.spec(), options);
  if (!difference.empty()) RC_FAIL(difference);
  CheckOptions check;
  check.plan = options;
  check.invocations = 3;
  check.compares_all = true;
  check.feed = [carried = options.carried](Subgraph& graph, size_t k) {
    return FeedUncarried(carried, &graph, k);
  };
  const LoadedModel loaded(model.spec());
  const absl::StatusOr<CheckReport> report =
      CheckPlan(*loaded, ByteOperators(), check);
  RC_ASSERT(report.ok());
  if (!report->is_safe()) RC_FAIL(report->Text());
}

// Each cache of this model is both an output and an input.
TEST(CarriedOutputs, OfARealModel) {
  const absl::optional<std::string> folder =
      support::RealDataFolder("STOWAGE_DYNAMIC");
  if (!folder) GTEST_SKIP() << "STOWAGE_DYNAMIC is not set";
  const absl::StatusOr<std::unique_ptr<const Model>> model =
      Model::Read(*folder + "/models/quantizer_toy_kv_cache_2sig.tflite");
  ASSERT_THAT(model.status(), IsOk());
  const SubgraphSpec& graph = (*model)->subgraphs()[0];
  RunOptions run;
  run.invocations = 3;
  run.poison = run.touch = true;
  std::set<size_t> taken;
  for (size_t o = 0; o < graph.outputs.size(); ++o) {
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const TensorSpec& output = graph.tensors[graph.outputs[o]];
      const TensorSpec& input = graph.tensors[graph.inputs[i]];
      if (output.type != input.type || output.shape != input.shape ||
          !taken.insert(i).second) {
        continue;
      }
      run.plan.carried.push_back({0, o, i});
      break;
    }
  }
  ASSERT_FALSE(run.plan.carried.empty());
  const absl::StatusOr<CheckReport> report =
      CheckPlan(**model, BuiltinOperators(), CheckOptionsOf(run));
  ASSERT_THAT(report.status(), IsOk());
  EXPECT_TRUE(report->is_safe()) << report->Text();
  const absl::StatusOr<RunResult> result = RunModel(**model, run);
  ASSERT_THAT(result.status(), IsOk());
  RunOptions alone;
  const absl::StatusOr<RunResult> apart = RunModel(**model, alone);
  ASSERT_THAT(apart.status(), IsOk());
  EXPECT_LE(result->arena_bytes, apart->arena_bytes);
}

}  // namespace
}  // namespace stowage::harness
