// SPDX-License-Identifier: Apache-2.0
// Tests that models with functions, state and signatures compute the outputs
// that another runtime has recorded. STOWAGE_DYNAMIC names the folder with
// these models and with `golden.jsonl`, which contains the first elements of
// each output.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"
#include "tests/support/real_data.h"

namespace stowage::harness {
namespace {

// Fills a tensor with the same inputs as in the recording. Elements that are
// not floating-point numbers are indices from 0 to 6.
void FillAsRecorded(Tensor* tensor) {
  const int64_t count = tensor->elements();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t step = (i * 37 + 11) % 101;
    if (tensor->type == ElementType::kFloat32) {
      tensor->as<float>()[i] =
          static_cast<float>(static_cast<double>(step) / 101 - 0.5);
    } else {
      ASSERT_EQ(tensor->type, ElementType::kInt32) << tensor->name;
      tensor->as<int32_t>()[i] = static_cast<int32_t>(step % 7);
    }
  }
}

// Returns the largest difference between the first elements of an output and
// the recorded elements, divided by the larger of 1 and the largest recorded
// magnitude. Returns infinity if the output has a different shape or is not
// FLOAT32.
double DifferenceOf(const Tensor& output, const nlohmann::json& recorded) {
  if (output.type != ElementType::kFloat32 ||
      output.shape != recorded.at("shape").get<Shape>()) {
    return HUGE_VAL;
  }
  const auto first = recorded.at("first").get<std::vector<double>>();
  double largest = 1;
  double difference = 0;
  for (size_t i = 0; i < first.size(); ++i) {
    largest = std::max(largest, std::abs(first[i]));
    difference =
        std::max(difference, std::abs(output.as<float>()[i] - first[i]));
  }
  return difference / largest;
}

void ExpectOutputsAsRecorded(const Model& model,
                             const nlohmann::json& recorded) {
  const auto interpreter = Interpreter::Create(model);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  Subgraph& graph = (*interpreter)->primary();
  ASSERT_TRUE(graph.Allocate().ok()) << graph.Allocate();
  for (const auto& invocation : recorded.at("invocations")) {
    for (size_t i = 0; i < graph.input_count(); ++i) {
      FillAsRecorded(&graph.input(i));
    }
    ASSERT_TRUE(graph.Invoke().ok());
    // The recording lists the outputs in the order of the signature.
    for (const auto& output : invocation) {
      double difference = HUGE_VAL;
      for (size_t i = 0; i < graph.output_count(); ++i) {
        difference =
            std::min(difference, DifferenceOf(graph.output(i), output));
      }
      EXPECT_LE(difference, 1e-5) << output.at("shape");
    }
  }
}

TEST(RecordedFunctions, OutputsAgree) {
  const auto folder = support::RealDataFolder("STOWAGE_DYNAMIC");
  if (!folder) GTEST_SKIP() << "STOWAGE_DYNAMIC is not set";
  std::ifstream file(*folder + "/golden.jsonl");
  ASSERT_TRUE(file) << *folder;
  size_t compared = 0;
  std::string not_run;
  for (std::string line; std::getline(file, line);) {
    const auto recorded = nlohmann::json::parse(line);
    const auto name = recorded.at("name").get<std::string>();
    SCOPED_TRACE(name);
    if (recorded.contains("error")) continue;
    const auto model =
        Model::Read(absl::StrCat(*folder, "/models/", name, ".tflite"));
    ASSERT_TRUE(model.ok()) << model.status();
    std::string unsupported;
    const OperatorResolver resolver = BuiltinOperators();
    for (const SubgraphSpec& graph : (*model)->subgraphs()) {
      for (const auto& op : graph.operators) {
        if (unsupported.empty()) unsupported = resolver.WhyUnsupported(op);
      }
    }
    if (!unsupported.empty()) {
      absl::StrAppend(&not_run, name, ": ", unsupported, "\n");
      continue;
    }
    ExpectOutputsAsRecorded(**model, recorded);
    ++compared;
  }
  EXPECT_GT(compared, 0U);
  if (!not_run.empty()) GTEST_SKIP() << not_run;
}

}  // namespace
}  // namespace stowage::harness
