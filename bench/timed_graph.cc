// SPDX-License-Identifier: Apache-2.0
#include "bench/timed_graph.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
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
  // Zeros are as good as an image: no kernel looks at what it multiplies.
  for (size_t i = 0; i < graph().input_count(); ++i) {
    const harness::Tensor& input = graph().input(i);
    if (input.bytes > 0) std::memset(input.data, 0, input.bytes);
  }
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

std::string ModelName(const std::string& path) {
  const absl::string_view file =
      absl::string_view(path).substr(path.rfind('/') + 1);
  return std::string(absl::StripSuffix(file, ".tflite"));
}

}  // namespace stowage::bench
