// SPDX-License-Identifier: Apache-2.0
// Tests the seed models for fuzzing: they run, together they have every
// operator, and their files equal what the sources make. ./dev generate writes
// the files. A file that is not written yet, or that ./dev generate cannot
// write, is reported but does not fail the test.
#include "tests/support/seed_models.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/tflite/model.h"
#include "tests/harness/operator_seeds.h"
#include "tests/support/generated_file.h"

namespace stowage::harness {
namespace {

constexpr char kSeeds[] = STOWAGE_SOURCE_DIR "/fuzz/seeds/";

void ExpectFile(const std::string& name, const std::string& expected) {
  ExpectGeneratedFile(kSeeds + name, expected);
}

TEST(SeedModels, AreTheFilesThatFuzzingBeginsWith) {
  for (const SeedModel& seed : SeedModels()) {
    ExpectFile(absl::StrCat("interpreter/", seed.name, ".tflite"),
               Build(seed.spec));
  }
  for (const SeedModel& seed : SeedRunCalls()) {
    ExpectFile(absl::StrCat("run_calls/", seed.name, ".tflite"),
               Build(seed.spec));
  }
  const std::vector<uint8_t> options = SeedDetectionOptions();
  ExpectFile("detection_options/plain",
             std::string(options.begin(), options.end()));
}

TEST(SeedModels, Run) {
  for (const SeedModel& seed : SeedModels()) {
    const std::string bytes = Build(seed.spec);
    const auto model = Model::Parse(bytes, seed.name);
    ASSERT_TRUE(model.ok()) << model.status();
    const auto interpreter = Interpreter::Create(**model);
    ASSERT_TRUE(interpreter.ok()) << interpreter.status();
    Subgraph& graph = (*interpreter)->primary();
    ASSERT_TRUE(graph.Allocate().ok()) << graph.Allocate();
    EXPECT_TRUE(graph.Invoke().ok()) << graph.Invoke();
  }
}

// Runs the graph with inputs of ones, and returns the bytes of the first
// output.
std::vector<uint8_t> OutputOf(Subgraph* graph) {
  for (size_t i = 0; i < graph->input_count(); ++i) {
    std::fill_n(graph->input(i).as<float>(),
                graph->input(i).bytes / sizeof(float), 1.0F);
  }
  EXPECT_TRUE(graph->Invoke().ok());
  const auto bytes = graph->output(0).span<uint8_t>();
  return {bytes.begin(), bytes.end()};
}

TEST(SeedModels, RunAfterAResetAsTheFirstTime) {
  std::vector<std::string> with_state;
  for (const SeedModel& seed : SeedModels()) {
    if (seed.name != "recurrent" && seed.name != "resources") continue;
    with_state.push_back(seed.name);
    const std::string bytes = Build(seed.spec);
    const auto model = Model::Parse(bytes, seed.name);
    ASSERT_TRUE(model.ok()) << model.status();
    const auto interpreter = Interpreter::Create(**model);
    ASSERT_TRUE(interpreter.ok()) << interpreter.status();
    Subgraph* const graph = &(*interpreter)->primary();
    ASSERT_TRUE(graph->Allocate().ok());
    const std::vector<uint8_t> first = OutputOf(graph);
    EXPECT_NE(OutputOf(graph), first) << seed.name;
    (*interpreter)->Reset();
    EXPECT_EQ(OutputOf(graph), first) << seed.name;
  }
  EXPECT_EQ(with_state.size(), 2u);
}

// Returns the operators of the handwritten models.
std::set<std::string> OperatorsOfSeedModels() {
  std::set<std::string> names;
  for (const SeedModel& seed : SeedModels()) {
    const std::string bytes = Build(seed.spec);
    const auto model = Model::Parse(bytes, seed.name);
    EXPECT_TRUE(model.ok()) << model.status();
    if (!model.ok()) continue;
    for (const SubgraphSpec& graph : (*model)->subgraphs()) {
      for (const auto& op : graph.operators) names.insert(op.name);
    }
  }
  return names;
}

TEST(SeedModels, HaveEveryOperator) {
  const std::set<std::string> names = OperatorsOfSeedModels();
  std::vector<std::string> missing;
  const OperatorResolver resolver = BuiltinOperators();
  for (const auto& [key, op] : resolver.all()) {
    if (names.count(op.name) > 0) continue;
    const absl::optional<std::string> seed = FindSeed(op);
    const std::string file = absl::StrCat(
        "interpreter/only_", absl::AsciiStrToLower(op.name), ".tflite");
    const bool is_there = !ReadGeneratedFile(kSeeds + file).empty();
    if (seed && (is_there || IsGenerating())) {
      ExpectFile(file, *seed);
    } else {
      missing.push_back(absl::StrCat(
          op.name, seed ? ": run ./dev generate"
                        : ": none found; add one to seed_models.cc"));
    }
  }
  if (!missing.empty()) GTEST_SKIP() << absl::StrJoin(missing, "\n");
}

}  // namespace
}  // namespace stowage::harness
