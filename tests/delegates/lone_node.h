// SPDX-License-Identifier: Apache-2.0
// Runs single nodes with a delegate. The inputs of each node are tensors
// computed by the interpreter's own kernels, so that errors do not accumulate.
// To run a delegate in a whole model, use Subgraph::ApplyDelegate.
//
//   auto interpreter = RecordRun(model, /*seed=*/1);
//   RecordedGraph graph((*interpreter)->primary(), BuiltinOperators());
//   auto output = RunLoneNode(delegate, graph, node);
//   double distance = DistanceOf(graph.tensor(spec.outputs[0]), *output);
#ifndef STOWAGE_TESTS_DELEGATES_LONE_NODE_H_
#define STOWAGE_TESTS_DELEGATES_LONE_NODE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"

namespace stowage::support {

// Presents a graph to a delegate. The tensors of the graph have the contents
// that they had at the end of a run.
class RecordedGraph : public harness::DelegateGraph {
 public:
  // Both arguments must outlive the object.
  RecordedGraph(const harness::Subgraph& graph,
                const harness::OperatorResolver& resolver);

  const SubgraphSpec& spec() const override { return graph_.spec(); }
  size_t subgraph() const override { return 0; }
  absl::Span<const int> execution_plan() const override { return plan_; }
  const OperatorSpec& node(int id) const override {
    return spec().operators[static_cast<size_t>(id)];
  }
  const harness::Tensor& tensor(size_t index) const override {
    return graph_.tensor(index);
  }
  size_t Float16Source(size_t tensor) const override;
  const harness::OperatorResolver& resolver() const override {
    return resolver_;
  }

 private:
  const harness::Subgraph& graph_;
  const harness::OperatorResolver& resolver_;
  std::vector<int> plan_;
};

// Returns an interpreter that has run its primary graph once, with random
// inputs from `seed`, and has preserved all tensors. The model must outlive the
// interpreter. Errors: those of creating and running the interpreter.
absl::StatusOr<std::unique_ptr<harness::Interpreter>> RecordRun(
    const Model& model, uint64_t seed);

// Returns the bytes of the output of the node, computed by a kernel of the
// delegate. Every operand has separate memory, which cannot be read beyond the
// spare bytes that the delegate requests. Only the output can be written. Runs
// the node `times` times, each time with different memory for its operands.
// Error: Internal if the results of the runs differ.
absl::StatusOr<std::vector<uint8_t>> RunLoneNode(harness::Delegate& delegate,
                                                 const RecordedGraph& graph,
                                                 int node, int times = 1);

// Returns the largest difference between an element of `output` and the
// recorded element, in quantization steps if the tensor is quantized. Two NaNs
// are equal.
double DistanceOf(const harness::Tensor& recorded,
                  absl::Span<const uint8_t> output);

// Returns the largest finite magnitude of a FLOAT32 tensor.
double LargestOf(const harness::Tensor& recorded);

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_DELEGATES_LONE_NODE_H_
