// SPDX-License-Identifier: Apache-2.0
// Prints, as a Markdown table, how long one invocation of a model takes with
// and without a delegate. Invocations with and without the delegate alternate.
//
//   stowage_delegates_speed xnnpack MODEL.tflite...
#include <cstddef>
#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "bench/timed_graph.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"

namespace stowage::bench {
namespace {

absl::Status PrintRow(const std::string& delegate, const std::string& path) {
  // Invocations of the kernels alone take longest and vary least, so there are
  // fewer of them.
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
  std::printf("| %s | %zu | %zu | %.3f | %.3f | %.1f |\n",
              ModelName(path).c_str(), nodes, partitions, kernels.best_ms(),
              delegated.best_ms(), kernels.best_ms() / delegated.best_ms());
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
  return PrintRows(
      absl::MakeSpan(argv, static_cast<size_t>(argc)).subspan(2),
      [&](const std::string& path) { return PrintRow(argv[1], path); });
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) { return stowage::bench::Main(argc, argv); }
