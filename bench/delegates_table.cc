// SPDX-License-Identifier: Apache-2.0
// Prints how long models take by a delegate and without it, as a Markdown
// table: one invocation, both measured in turns.
//
//   stowage_delegates_speed xnnpack MODEL.tflite...
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::bench {
namespace {

// A graph that is invoked again and again, and its best time.
class TimedGraph {
 public:
  // `delegate`: its name and options; empty for none.
  absl::Status Create(const Model& model, const std::string& delegate) {
    auto interpreter = harness::Interpreter::Create(model);
    if (!interpreter.ok()) return interpreter.status();
    interpreter_ = *std::move(interpreter);
    if (!delegate.empty()) {
      auto made = harness::CreateDelegate(delegate);
      if (!made.ok()) return made.status();
      absl::Status status = graph().ApplyDelegate(*std::move(made));
      if (!status.ok()) return status;
    }
    return graph().Allocate();
  }

  absl::Status Measure() {
    // Zeros are as good as an image: no kernel looks at what it multiplies.
    for (size_t i = 0; i < graph().input_count(); ++i) {
      const harness::Tensor& input = graph().input(i);
      if (input.bytes > 0) std::memset(input.data, 0, input.bytes);
    }
    const auto start = std::chrono::steady_clock::now();
    absl::Status status = graph().Invoke();
    const std::chrono::duration<double, std::milli> time =
        std::chrono::steady_clock::now() - start;
    best_ms_ = std::min(best_ms_, time.count());
    return status;
  }

  harness::Subgraph& graph() { return interpreter_->primary(); }
  double best_ms() const { return best_ms_; }

 private:
  std::unique_ptr<harness::Interpreter> interpreter_;
  double best_ms_ = std::numeric_limits<double>::infinity();
};

absl::Status PrintRow(const std::string& delegate, const std::string& path) {
  // The kernels take longest, and vary least.
  constexpr int kRounds = 8;
  constexpr int kDelegatedPerRound = 5;
  const auto model = Model::Read(path);
  if (!model.ok()) return model.status();
  TimedGraph kernels;
  TimedGraph delegated;
  absl::Status status = kernels.Create(**model, "");
  if (status.ok()) status = delegated.Create(**model, delegate);
  for (int round = 0; status.ok() && round < kRounds; ++round) {
    status = kernels.Measure();
    for (int i = 0; status.ok() && i < kDelegatedPerRound; ++i) {
      status = delegated.Measure();
    }
  }
  if (!status.ok()) return status;
  size_t nodes = 0;
  size_t partitions = 0;
  for (const harness::AppliedDelegate& applied :
       delegated.graph().delegates()) {
    partitions += applied.partitions.size();
    for (const auto& partition : applied.partitions) {
      nodes += partition.nodes.size();
    }
  }
  const absl::string_view name =
      absl::string_view(path).substr(path.rfind('/') + 1);
  std::printf("| %s | %zu | %zu | %.3f | %.3f | %.1f |\n",
              std::string(absl::StripSuffix(name, ".tflite")).c_str(), nodes,
              partitions, kernels.best_ms(), delegated.best_ms(),
              kernels.best_ms() / delegated.best_ms());
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: stowage_delegates_speed DELEGATE MODEL.tflite...\n",
               stderr);
    return 2;
  }
  std::printf("| model | nodes | partitions | kernels, ms | %s, ms | times |\n",
              argv[1]);
  std::puts("|---|--:|--:|--:|--:|--:|");
  for (int i = 2; i < argc; ++i) {
    const absl::Status status = PrintRow(argv[1], argv[i]);
    if (status.ok()) continue;
    std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) { return stowage::bench::Main(argc, argv); }
