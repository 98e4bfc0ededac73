// SPDX-License-Identifier: Apache-2.0
// Prints, as a Markdown table, how long one invocation of a model takes on one
// thread with its smallest plan. Times are relative to the reference work
// (reference_work.h).
//
//   stowage_models_speed MODEL.tflite...
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "bench/reference_work.h"
#include "bench/timed_graph.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"

namespace stowage::bench {
namespace {

absl::Status PrintRow(const std::string& path) {
  constexpr int kRepetitions = 5;
  const auto model = Model::Read(path);
  if (!model.ok()) return model.status();
  const auto interpreter = harness::Interpreter::Create(**model);
  if (!interpreter.ok()) return interpreter.status();
  harness::Subgraph& graph = (*interpreter)->primary();
  absl::Status status = graph.Allocate();
  if (!status.ok()) return status;
  const RelativeTime time = MeasureRelative(kRepetitions, [&] {
    FillInputs(&graph);
    status = graph.Invoke();
  });
  if (!status.ok()) return status;
  std::printf("| %s | %zu | %zu | %.3g | %.1f | %.1f |\n",
              ModelName(path).c_str(), graph.spec().operators.size(),
              graph.plan().arena_bytes, time.relative(), time.work_ms,
              time.reference_ms);
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: stowage_models_speed MODEL.tflite...\n", stderr);
    return 2;
  }
  std::puts("| model | operators | arena | x reference | ms | reference ms |");
  std::puts("|---|--:|--:|--:|--:|--:|");
  return PrintRows(absl::MakeSpan(argv, static_cast<size_t>(argc)).subspan(1),
                   PrintRow);
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) { return stowage::bench::Main(argc, argv); }
