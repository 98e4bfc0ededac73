// SPDX-License-Identifier: Apache-2.0
// try_delegate MODEL DELEGATE: runs the model by the interpreter's own kernels,
// then with the delegate, and says what it ran and whether all bytes are equal.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"

namespace {

using stowage::Model;
using stowage::harness::Delegate;
using stowage::harness::InputSource;
using stowage::harness::Subgraph;

using Bytes = std::vector<uint8_t>;

absl::StatusOr<Bytes> OutputsOf(Subgraph& net) {
  InputSource random_inputs(/*seed=*/1);
  absl::Status status = random_inputs(net, /*invocation=*/0);
  if (status.ok()) status = net.Invoke();
  if (!status.ok()) return status;
  Bytes outputs;
  for (size_t i = 0; i < net.output_count(); ++i) {
    const auto bytes = net.output(i).span<uint8_t>();
    outputs.insert(outputs.end(), bytes.begin(), bytes.end());
  }
  return outputs;
}

absl::Status Try(const char* model_path, const char* delegate_text) {
  const auto model = Model::Read(model_path);
  if (!model.ok()) return model.status();
  const auto interpreter = stowage::harness::Interpreter::Create(**model);
  if (!interpreter.ok()) return interpreter.status();
  Subgraph& net = (*interpreter)->primary();
  if (absl::Status status = net.Allocate(); !status.ok()) return status;
  const absl::StatusOr<Bytes> expected = OutputsOf(net);
  if (!expected.ok()) return expected.status();

  absl::StatusOr<std::unique_ptr<Delegate>> delegate =
      stowage::harness::CreateDelegate(delegate_text);
  if (!delegate.ok()) return delegate.status();
  absl::Status status =
      net.ApplyDelegate(std::shared_ptr<Delegate>(*std::move(delegate)));
  if (!status.ok()) return status;
  const auto applied = net.delegates();
  for (const auto& partition : applied[0].partitions) {
    std::cout << "node " << partition.node << " runs:";
    for (const int node : partition.nodes) std::cout << " " << node;
    std::cout << "\n";
  }
  const absl::StatusOr<Bytes> outputs = OutputsOf(net);
  if (!outputs.ok()) return outputs.status();
  std::cout << (*outputs == *expected ? "the same bytes\n" : "other bytes\n");
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: try_delegate MODEL DELEGATE\n";
    return 2;
  }
  const absl::Status status = Try(argv[1], argv[2]);
  if (status.ok()) return 0;
  std::cerr << status << "\n";
  return 1;
}
