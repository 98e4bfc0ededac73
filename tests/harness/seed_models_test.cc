// The models that fuzzing begins with: they run, every operator is in one of
// them, and the files are what their source says.
#include "tests/support/seed_models.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/tflite/model.h"
#include "tests/support/model_spec.h"

namespace stowage::harness {
namespace {

constexpr char kSeeds[] = STOWAGE_SOURCE_DIR "/fuzz/seeds/";

// What is there instead is left for the next commit: copy it over the seed.
void ExpectFile(const std::string& name, const std::string& expected) {
  std::stringstream content;
  content << std::ifstream(kSeeds + name, std::ios::binary).rdbuf();
  if (content.str() == expected) return;
  std::string copy = name;
  for (char& c : copy) c = c == '/' ? '-' : c;
  copy = ::testing::TempDir() + copy;
  std::ofstream(copy, std::ios::binary) << expected;
  ADD_FAILURE() << kSeeds << name << ": differs from " << copy;
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

// The bytes of the first output, for inputs of ones.
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

TEST(SeedModels, HaveEveryOperator) {
  std::set<std::string> names;
  for (const SeedModel& seed : SeedModels()) {
    const std::string bytes = Build(seed.spec);
    const auto model = Model::Parse(bytes, seed.name);
    ASSERT_TRUE(model.ok()) << model.status();
    for (const SubgraphSpec& graph : (*model)->subgraphs()) {
      for (const auto& op : graph.operators) names.insert(op.name);
    }
  }
  const OperatorResolver resolver = BuiltinOperators();
  for (const auto& [key, registration] : resolver.all()) {
    EXPECT_EQ(names.count(registration.name), 1) << registration.name;
  }
}

}  // namespace
}  // namespace stowage::harness
