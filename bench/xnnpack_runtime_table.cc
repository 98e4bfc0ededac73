// SPDX-License-Identifier: Apache-2.0
// Prints, as a Markdown table, how long one invocation of a model takes on one
// thread with the delegate "xnnpack" and with XNNPACK's own runtime. Checks
// that both compute the same outputs, and then measures them alternately. To
// compare delegates with the kernels of the interpreter, see
// delegates_table.cc.
//
//   stowage_xnnpack_runtime MODEL.tflite...
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "bench/timed_graph.h"
#include "bench/xnnpack_runtime.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::bench {
namespace {

using harness::Tensor;

constexpr char kDelegate[] = "xnnpack";

// Holds the largest difference between corresponding elements, and the largest
// magnitude of an element.
struct Distance {
  double difference = 0;
  double largest = 0;
};
template <typename T>
Distance DistanceOf(absl::Span<const T> expected, const uint8_t* bytes) {
  Distance distance;
  for (const T x : expected) {
    T computed;
    std::memcpy(&computed, bytes, sizeof(T));
    bytes += sizeof(T);
    const auto value = static_cast<double>(x);
    const double difference = std::abs(value - static_cast<double>(computed));
    // The negated comparison also counts NaN as a difference.
    if (!(difference <= distance.difference)) distance.difference = difference;
    distance.largest = std::max(distance.largest, std::abs(value));
  }
  return distance;
}

// Checks an output of the runtime. Error: Internal if the difference of an
// element is too large. The largest permitted difference is one step for a
// quantized tensor; for FLOAT32 it is 1e-5 times the largest magnitude or 1e-5,
// whichever is larger.
absl::Status CheckOutput(const Tensor& expected,
                         const XnnpackRuntime::External& output) {
  Distance distance;
  double allowed = 1;
  switch (expected.type) {
    case ElementType::kInt8:
      distance = DistanceOf(expected.span<int8_t>(), output.bytes.data());
      break;
    case ElementType::kUint8:
      distance = DistanceOf(expected.span<uint8_t>(), output.bytes.data());
      break;
    default:
      distance = DistanceOf(expected.span<float>(), output.bytes.data());
      allowed = 1e-5 * std::max(1.0, distance.largest);
  }
  if (distance.difference <= allowed) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(
      "output \"", expected.name, "\" of the delegate differs by ",
      distance.difference, " from the runtime's; expected at most ", allowed));
}

// Checks that the delegate and the runtime compute the same outputs. Requires
// that `delegated` preserves all of its tensors.
absl::Status CheckSameOutputs(TimedGraph& delegated, XnnpackRuntime& runtime) {
  harness::Subgraph& graph = delegated.graph();
  absl::Status status = harness::InputSource(/*seed=*/1)(graph, 0);
  for (size_t i = 0; status.ok() && i < graph.input_count(); ++i) {
    const Tensor& input = graph.input(i);
    std::memcpy(runtime.inputs()[i].bytes.data(), input.data, input.bytes);
  }
  if (status.ok()) status = graph.Invoke();
  if (status.ok()) status = runtime.Invoke();
  for (const XnnpackRuntime::External& output : runtime.outputs()) {
    if (!status.ok()) return status;
    status = CheckOutput(graph.tensor(output.tensor), output);
  }
  return status;
}

// The shortest times of many invocations, in milliseconds.
struct Times {
  double delegate = std::numeric_limits<double>::infinity();
  double runtime = std::numeric_limits<double>::infinity();
};
absl::StatusOr<Times> MeasureInTurns(const Model& model,
                                     XnnpackRuntime& runtime) {
  constexpr int kRounds = 100;
  TimedGraph delegated;
  Times times;
  absl::Status status = delegated.Create(model, kDelegate);
  for (int round = 0; status.ok() && round < kRounds; ++round) {
    status = delegated.Measure();
    if (!status.ok()) break;
    const double ms = MillisecondsOf([&] { status = runtime.Invoke(); });
    times.runtime = std::min(times.runtime, ms);
  }
  if (!status.ok()) return status;
  times.delegate = delegated.best_ms();
  return times;
}

// Prints the row of a model. The row has no times if the runtime lacks an
// operator of the model.
absl::Status PrintRow(const std::string& path) {
  const auto model = Model::Read(path);
  if (!model.ok()) return model.status();
  harness::InterpreterOptions options;
  options.preserve_all_tensors = true;
  TimedGraph checked;
  absl::Status status = checked.Create(**model, kDelegate, options);
  if (!status.ok()) return status;
  const size_t operators = checked.graph().spec().operators.size();
  const std::string name = ModelName(path);
  auto runtime = XnnpackRuntime::Create(checked.graph());
  if (!runtime.ok()) {
    std::printf("| %s | none of %zu | | | %s |\n", name.c_str(), operators,
                std::string(runtime.status().message()).c_str());
    return absl::OkStatus();
  }
  status = CheckSameOutputs(checked, *runtime);
  if (!status.ok()) {
    return absl::Status(status.code(),
                        absl::StrCat(path, ": ", status.message()));
  }
  const auto times = MeasureInTurns(**model, *runtime);
  if (!times.ok()) return times.status();
  std::printf("| %s | %zu of %zu | %.4f | %.4f | %.3f |\n", name.c_str(),
              runtime->operators(), operators, times->delegate, times->runtime,
              times->delegate / times->runtime);
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: stowage_xnnpack_runtime MODEL.tflite...\n", stderr);
    return 2;
  }
  std::puts(
      "| model | operators of the runtime | delegate, ms | runtime, ms | "
      "ratio |");
  std::puts("|---|--:|--:|--:|--:|");
  return PrintRows(absl::MakeSpan(argv, static_cast<size_t>(argc)).subspan(1),
                   PrintRow);
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) { return stowage::bench::Main(argc, argv); }
