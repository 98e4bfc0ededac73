// SPDX-License-Identifier: Apache-2.0
// Tests whole models in every layout of the device memory, with and without
// buffer handles. The outputs must equal those of the interpreter, and the
// memory must not exceed the plan. If STOWAGE_MODELS is set, real models are
// used, and otherwise a small model of this project.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"
#include "tests/delegates/lone_node.h"
#include "tests/delegates/opencl/opencl_calls.h"
#include "tests/support/real_data.h"

namespace stowage::harness::opencl {
namespace {

using ::testing::Each;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::ResultOf;
using Bytes = std::vector<uint8_t>;

std::vector<std::string> ModelPaths() {
  std::vector<std::string> paths;
  if (const auto folder = support::RealDataFolder("STOWAGE_MODELS")) {
    for (const auto* name :
         {"mobilenet_v1_0.25_128_f32", "mobilenet_v1_0.25_128_u8",
          "person_detect_i8", "resnet8_f32", "resnet8_i8"}) {
      paths.push_back(absl::StrCat(*folder, "/", name, ".tflite"));
    }
    return paths;
  }
  paths.emplace_back(STOWAGE_SOURCE_DIR "/data/models/residual_int8.tflite");
  return paths;
}

constexpr const char* kLayouts[] = {"memory=smallest", "memory=offsets",
                                    "memory=objects", "memory=buffers"};

// Runs a model in an interpreter to which the delegate can be applied.
class ModelRun {
 public:
  explicit ModelRun(const std::string& path,
                    const InterpreterOptions& options = {}) {
    auto model = Model::Read(path);
    EXPECT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
    auto interpreter = Interpreter::Create(*model_, options);
    EXPECT_TRUE(interpreter.ok()) << interpreter.status();
    interpreter_ = *std::move(interpreter);
    EXPECT_TRUE(graph().Allocate().ok());
  }

  Subgraph& graph() { return interpreter_->primary(); }
  std::shared_ptr<Delegate> delegate() { return delegate_; }

  void Apply(const std::string& text, const ApplyOptions& options = {}) {
    auto delegate = CreateDelegate(absl::StrCat("opencl:", text));
    ASSERT_TRUE(delegate.ok()) << delegate.status();
    delegate_ = *std::move(delegate);
    const absl::Status status = graph().ApplyDelegate(delegate_, options);
    ASSERT_TRUE(status.ok()) << status;
  }

  // Invokes the model with random inputs from `seed`. Returns the bytes of all
  // outputs.
  Bytes Invoke(uint64_t seed) {
    InputSource inputs(seed);
    EXPECT_TRUE(inputs(graph(), 0).ok());
    const absl::Status status = graph().Invoke();
    EXPECT_TRUE(status.ok()) << status;
    Bytes result;
    for (size_t i = 0; i < graph().output_count(); ++i) {
      const auto bytes = graph().output(i).span<uint8_t>();
      result.insert(result.end(), bytes.begin(), bytes.end());
    }
    return result;
  }

 private:
  std::unique_ptr<const Model> model_;
  std::shared_ptr<Delegate> delegate_;
  std::unique_ptr<Interpreter> interpreter_;
};

size_t MemoryNamed(const std::vector<DelegateMemory>& memory,
                   const std::string& what) {
  size_t bytes = 0;
  for (const DelegateMemory& line : memory) {
    if (line.what == what) bytes += line.bytes;
  }
  return bytes;
}

size_t TotalOf(const std::vector<DelegateMemory>& memory) {
  size_t bytes = 0;
  for (const DelegateMemory& line : memory) bytes += line.bytes;
  return bytes;
}

class OpenclModels : public testing::Test {
 protected:
  void SetUp() override {
    const auto delegate = CreateDelegate("opencl");
    if (!delegate.ok()) GTEST_SKIP() << delegate.status();
    Calls() = {};
  }
};

// Expects that the outputs are equal. FLOAT32 outputs may differ slightly.
void ExpectClose(ModelRun& reference, const Bytes& expected,
                 const Bytes& actual, const std::string& place) {
  const Tensor& output = reference.graph().output(0);
  if (output.type == ElementType::kFloat32) {
    EXPECT_LE(support::DistanceOf(output, actual),
              1e-5 * support::LargestOf(output))
        << place;
  } else {
    EXPECT_EQ(actual, expected) << place;
  }
}

TEST_F(OpenclModels, HaveTheSameOutputsInEveryLayout) {
  for (const std::string& path : ModelPaths()) {
    ModelRun reference(path);
    const Bytes expected = reference.Invoke(1);
    Bytes first;
    for (const auto* layout : kLayouts) {
      for (const auto* handles : {"", ",handles=true"}) {
        const std::string text = absl::StrCat(layout, handles);
        ModelRun run(path);
        run.Apply(text);
        ASSERT_EQ(run.graph().delegates()[0].partitions.size(), 1) << path;
        EXPECT_EQ(run.graph().execution_plan().size(), 1) << path;
        run.Invoke(2);
        const Bytes outputs = run.Invoke(1);
        ExpectClose(reference, expected, outputs,
                    absl::StrCat(path, " ", text));
        if (first.empty()) first = outputs;
        EXPECT_EQ(outputs, first) << path << " " << text;
      }
    }
  }
}

TEST_F(OpenclModels, HaveTheSameOutputsUnderEveryPlan) {
  for (const std::string& path : ModelPaths()) {
    // Lets the delegate claim all nodes except every third one.
    ApplyOptions claims;
    claims.claim.emplace();
    ModelRun reference(path);
    const Bytes expected = reference.Invoke(1);
    for (const int node : reference.graph().execution_plan()) {
      if (node % 3 != 1) claims.claim->push_back(node);
    }
    for (const auto* strategy : {"naive", "skyline"}) {
      for (const auto* text : {"", "handles=true"}) {
        InterpreterOptions options;
        options.strategy = strategy;
        options.lifetimes = LifetimeRules::kCpu;
        ModelRun run(path, options);
        run.Apply(text, claims);
        EXPECT_GT(run.graph().delegates()[0].partitions.size(), 1) << path;
        ExpectClose(reference, expected, run.Invoke(1), path);
        ASSERT_TRUE(run.graph().RemoveDelegates().ok());
        EXPECT_EQ(run.Invoke(1), expected) << path;
      }
    }
  }
}

TEST_F(OpenclModels, CreateTheBuffersThatArePlanned) {
  for (const std::string& path : ModelPaths()) {
    for (const auto* layout : kLayouts) {
      Calls() = {};
      {
        ModelRun run(path);
        run.Apply(layout);
        const AppliedDelegate applied = run.graph().delegates()[0];
        EXPECT_GT(MemoryNamed(applied.memory, "device buffers"), 0);
        EXPECT_EQ(Calls().created_bytes, TotalOf(applied.memory))
            << path << " " << layout;
        EXPECT_THAT(Calls().sub_buffer_offsets,
                    Each(ResultOf([](size_t at) { return at % 128; }, Eq(0))));
        EXPECT_EQ(Calls().sub_buffer_offsets.empty(),
                  absl::string_view(layout) == "memory=buffers");
        EXPECT_EQ(Calls().compiled, 1);
        // A run creates no buffers with their own memory, only views of the
        // host's memory.
        const size_t created = Calls().created_buffers;
        run.Invoke(1);
        run.Invoke(2);
        EXPECT_EQ(Calls().created_buffers, created);
        EXPECT_GT(Calls().host_buffers, 0);
        EXPECT_EQ(Calls().reads + Calls().writes, 0);
      }
      EXPECT_EQ(Calls().released, Calls().created());
    }
  }
}

// All nodes except the middle one are claimed, which makes two partitions. They
// run one after the other, so they can share memory.
TEST_F(OpenclModels, ShareTheMemoryInsideOfPartitions) {
  const std::string path = ModelPaths().back();
  std::vector<int> parts[2];
  ApplyOptions both;
  both.claim.emplace();
  ModelRun reference(path);
  const Bytes expected = reference.Invoke(1);
  const size_t middle = reference.graph().execution_plan().size() / 2;
  for (const int node : reference.graph().execution_plan()) {
    const auto at = static_cast<size_t>(node);
    if (at == middle) continue;
    parts[at < middle ? 0 : 1].push_back(node);
    both.claim->push_back(node);
  }
  for (const auto* layout : kLayouts) {
    size_t largest = 0;
    size_t sum = 0;
    for (const std::vector<int>& part : parts) {
      ModelRun run(path);
      ApplyOptions one;
      one.claim = part;
      run.Apply(layout, one);
      const size_t bytes =
          MemoryNamed(run.graph().delegates()[0].memory, "device buffers");
      largest = std::max(largest, bytes);
      sum += bytes;
    }
    Calls() = {};
    ModelRun run(path);
    run.Apply(layout, both);
    const AppliedDelegate applied = run.graph().delegates()[0];
    EXPECT_GE(applied.partitions.size(), 2);
    const size_t bytes = MemoryNamed(applied.memory, "device buffers");
    EXPECT_GE(bytes, largest) << layout;
    EXPECT_LT(bytes, sum) << layout;
    if (absl::string_view(layout) != "memory=buffers") {
      EXPECT_EQ(bytes, largest) << layout;
    }
    EXPECT_EQ(Calls().created_bytes, TotalOf(applied.memory)) << layout;
    ExpectClose(reference, expected, run.Invoke(1), layout);
  }
}

TEST_F(OpenclModels, CopyWhatOthersReadAndNothingElse) {
  for (const std::string& path : ModelPaths()) {
    Calls() = {};
    {
      ModelRun run(path);
      const int middle =
          static_cast<int>(run.graph().spec().operators.size()) / 2;
      ApplyOptions claims;
      claims.claim.emplace();
      for (const int node : run.graph().execution_plan()) {
        if (node != middle) claims.claim->push_back(node);
      }
      run.Apply("handles=true", claims);
      const AppliedDelegate applied = run.graph().delegates()[0];
      // Copies from buffers are made for the outputs of the graph and for the
      // inputs of the middle node. Copies to buffers are made for the tensors
      // that the middle node writes and a partition reads.
      size_t from = run.graph().output_count();
      for (const size_t tensor :
           run.graph().spec().operators[static_cast<size_t>(middle)].inputs) {
        if (tensor == kAbsent) continue;
        if (!run.graph().tensor(tensor).is_constant()) ++from;
      }
      run.Invoke(1);
      const AppliedDelegate once = run.graph().delegates()[0];
      EXPECT_EQ(once.copies.from_buffers, from) << path;
      EXPECT_EQ(once.copies.from_buffers, Calls().reads) << path;
      EXPECT_EQ(once.copies.to_buffers, Calls().writes) << path;
      EXPECT_GT(once.copies.to_buffers, 0) << path;
      run.Invoke(2);
      EXPECT_EQ(Calls().reads, 2 * from);
      EXPECT_EQ(Calls().created_bytes, TotalOf(applied.memory)) << path;
      EXPECT_GT(TotalOf(run.delegate()->Memory()), 0);
      ASSERT_TRUE(run.graph().RemoveDelegates().ok());
      EXPECT_EQ(TotalOf(run.delegate()->Memory()), 0);
    }
    EXPECT_EQ(Calls().released, Calls().created()) << path;
  }
}

TEST_F(OpenclModels, LeaveOutputsInBuffersWhereThatIsAllowed) {
  const std::string path = ModelPaths().back();
  ModelRun reference(path);
  const Bytes expected = reference.Invoke(1);
  ModelRun run(path);
  run.Apply("handles=true");
  run.graph().AllowBufferHandleOutput(true);
  run.Invoke(1);
  EXPECT_EQ(Calls().reads, 0);
  const size_t output = run.graph().spec().outputs[0];
  ASSERT_TRUE(run.graph().EnsureReadable(output).ok());
  EXPECT_EQ(Calls().reads, 1);
  const auto bytes = run.graph().output(0).span<uint8_t>();
  ExpectClose(reference, expected, Bytes(bytes.begin(), bytes.end()), path);
}

// The interpreter runs every third node, so there are several partitions. In
// each round, the creation of a different buffer fails.
TEST_F(OpenclModels, RunWithoutADeviceThatIsOutOfMemory) {
  const std::string path = ModelPaths().back();
  ModelRun run(path);
  const Bytes expected = run.Invoke(1);
  ApplyOptions claims;
  claims.claim.emplace();
  for (const int node : run.graph().execution_plan()) {
    if (node % 3 != 1) claims.claim->push_back(node);
  }
  size_t refusals = 0;
  for (size_t failing = 1; failing < 20; failing += 3) {
    auto delegate = CreateDelegate("opencl:memory=buffers,handles=true");
    ASSERT_TRUE(delegate.ok()) << delegate.status();
    Calls() = {};
    Calls().failing_buffer = failing;
    const absl::Status status =
        run.graph().ApplyDelegate(*std::move(delegate), claims);
    if (Calls().failing_buffer != 0) break;  // there are fewer buffers
    ++refusals;
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    EXPECT_THAT(status.message(), HasSubstr("opencl"));
    EXPECT_THAT(status.message(),
                HasSubstr("CL_MEM_OBJECT_ALLOCATION_FAILURE"));
    EXPECT_EQ(Calls().released, Calls().created());
    EXPECT_EQ(run.Invoke(1), expected);
  }
  EXPECT_GE(refusals, 2);
}

TEST_F(OpenclModels, RunAgainAfterARunThatFailed) {
  ModelRun run(ModelPaths().back());
  run.Apply("");
  const Bytes expected = run.Invoke(1);
  for (const size_t failing : {1U, 2U, 7U}) {
    Calls() = {};
    Calls().failing_launch = failing;
    const absl::Status status = run.graph().Invoke();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(status.message(), HasSubstr("clEnqueueNDRangeKernel of "));
    EXPECT_THAT(status.message(), HasSubstr("opencl"));
    EXPECT_EQ(Calls().released, Calls().created());
    EXPECT_EQ(run.Invoke(1), expected);
  }
}

}  // namespace
}  // namespace stowage::harness::opencl
