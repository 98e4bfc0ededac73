// SPDX-License-Identifier: Apache-2.0
#include "bench/timed_graph.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/tensor.h"

namespace stowage::bench {

absl::Status TimedGraph::Create(const Model& model, const std::string& delegate,
                                const harness::InterpreterOptions& options) {
  auto interpreter = harness::Interpreter::Create(model, options);
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

absl::Status TimedGraph::Measure() {
  FillInputs(&graph());
  absl::Status status;
  const double ms = MillisecondsOf([&] { status = graph().Invoke(); });
  best_ms_ = std::min(best_ms_, ms);
  return status;
}

double MillisecondsOf(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - start;
  return time.count();
}

void FillInputs(harness::Subgraph* graph) {
  for (size_t i = 0; i < graph->input_count(); ++i) {
    const harness::Tensor& input = graph->input(i);
    if (input.bytes > 0) std::memset(input.data, 0, input.bytes);
  }
}

std::string ModelName(const std::string& path) {
  const absl::string_view file =
      absl::string_view(path).substr(path.rfind('/') + 1);
  return std::string(absl::StripSuffix(file, ".tflite"));
}

int PrintRows(
    absl::Span<char* const> paths,
    const std::function<absl::Status(const std::string&)>& print_row) {
  for (const char* const path : paths) {
    const absl::Status status = print_row(path);
    if (status.ok()) continue;
    std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
    return 1;
  }
  return 0;
}

}  // namespace stowage::bench
