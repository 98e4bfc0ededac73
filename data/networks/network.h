// SPDX-License-Identifier: Apache-2.0
// A neural network as a list of operators, written as a TensorFlow Lite model.
//
// It holds what a memory planner looks at: tensors with a shape and an element
// type, and operators in execution order. Weights share one byte of content and
// operators have no parameters, so the file is small and structurally valid,
// but nothing that computes. The layers that append operators and know about
// shapes are in layers.h:
//
//   Network network("tiny");
//   Tensor x = network.Input({1, 28, 28, 1});
//   x = Conv(x, 8, Window(3));
//   network.Output(FullyConnected(Flatten(x), 10));
//   absl::StatusOr<std::string> model = network.Serialize();
//
// A wrong description is no reason to stop: the first mistake is remembered,
// what follows it means nothing, and Serialize returns the mistake.
#ifndef STOWAGE_DATA_NETWORKS_NETWORK_H_
#define STOWAGE_DATA_NETWORKS_NETWORK_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "src/tflite/model_generated.h"

namespace stowage::networks {

using ElementType = tflite::TensorType;
using Op = tflite::BuiltinOperator;

// What an operator computes: one of the format's own operators, or another,
// which the format calls custom and knows by its name.
struct OperatorKind {
  OperatorKind(Op op_) : op(op_) {}  // NOLINT: an Op is a kind
  static OperatorKind Custom(absl::string_view name);

  absl::string_view name() const;

  Op op;
  absl::string_view custom_name;  // of static duration
};

// Extents, the batch first and the channels last: {1, 224, 224, 3}.
using Shape = std::vector<int>;

// "1x224x224x3", for messages.
std::string ToString(absl::Span<const int> shape);

class Network;

// A tensor of a network; valid as long as the network is.
class Tensor {
 public:
  Network& network() const { return *network_; }
  int index() const { return index_; }
  ElementType type() const;
  Shape shape() const;
  int rank() const { return static_cast<int>(shape().size()); }

  // The extent along an axis; a negative one counts from the last. 0 if the
  // tensor has no such axis.
  int dim(int axis) const;

 private:
  friend class Network;
  Tensor(Network* network, int index) : network_(network), index_(index) {}

  Network* network_;
  int index_;
};

class Network {
 public:
  // Requires: `name` is of static duration.
  explicit Network(absl::string_view name) : name_(name) {}
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // What the graph is given, and what it gives.
  Tensor Input(Shape shape, ElementType type = ElementType::FLOAT32);
  void Output(Tensor tensor);

  // What is known before the graph runs.
  Tensor Constant(Shape shape, ElementType type);

  // Constants that are trained. Those used as float32 are stored as
  // `stored_weights_type` and dequantized before use.
  Tensor Weights(Shape shape, ElementType type);
  void set_stored_weights_type(ElementType type) { stored_weights_ = type; }

  // Appends an operator with one output.
  Tensor Append(OperatorKind kind, absl::Span<const Tensor> inputs, Shape shape,
                ElementType type);

  // Appends an operator with `shapes.size()` outputs.
  std::vector<Tensor> AppendMany(OperatorKind kind,
                                 absl::Span<const Tensor> inputs,
                                 absl::Span<const Shape> shapes,
                                 ElementType type);

  // Remembers a mistake in the description, made with the next operator.
  void Fail(OperatorKind kind, absl::string_view mistake);

  // The model as a flatbuffer. Error: InvalidArgument naming the network and
  // its first mistake: one that Fail was told, an extent below one, an operand
  // of another network, no output.
  absl::StatusOr<std::string> Serialize() const;

 private:
  friend class Tensor;

  struct TensorInfo {
    std::string name;
    Shape shape;
    ElementType type;
    bool is_constant;
  };
  struct OperatorInfo {
    OperatorKind kind;
    std::vector<int> inputs;
    std::vector<int> outputs;
  };

  void Fail(absl::string_view mistake);
  Tensor AddTensor(std::string name, Shape shape, ElementType type);

  absl::string_view name_;
  ElementType stored_weights_ = ElementType::FLOAT32;
  std::vector<TensorInfo> tensors_;
  std::vector<OperatorInfo> operators_;
  std::vector<int> inputs_;
  std::vector<int> outputs_;
  absl::Status status_;
};

}  // namespace stowage::networks

#endif  // STOWAGE_DATA_NETWORKS_NETWORK_H_
