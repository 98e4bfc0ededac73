// SPDX-License-Identifier: Apache-2.0
// A neural network as a list of operators, which is written as a TensorFlow
// Lite model.
//
// It contains what a memory planner needs: tensors with a shape and an element
// type, and operators in execution order. All weights share one byte of content
// and operators have no parameters. The file is therefore small and
// structurally valid, but does not compute anything. layers.h has the layers,
// which append operators and compute shapes:
//
//   Network network("tiny");
//   Tensor x = network.Input({1, 28, 28, 1});
//   x = Conv(x, 8, Window(3));
//   network.Output(FullyConnected(Flatten(x), 10));
//   absl::StatusOr<std::string> model = network.Serialize();
//
// A wrong description does not stop the program. The network stores the first
// mistake, everything after it is meaningless, and Serialize returns the
// mistake.
//
// Extents may follow from parameters (extent.h). The model then has the values
// of these extents, and SizeOf returns the expressions; see dynamic.h.
#ifndef STOWAGE_DATA_NETWORKS_NETWORK_H_
#define STOWAGE_DATA_NETWORKS_NETWORK_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "data/networks/extent.h"
#include "model_schema/model_generated.h"

namespace stowage::networks {

using ElementType = tflite::TensorType;
using Op = tflite::BuiltinOperator;

// The kind of an operator: one of the format's own operators, or a custom one,
// which has a name.
struct OperatorKind {
  OperatorKind(Op op_) : op(op_) {}  // NOLINT: an Op is a kind
  static OperatorKind Custom(absl::string_view name);

  absl::string_view name() const;

  Op op;
  absl::string_view custom_name;  // must have static storage duration
};

// The extents of a tensor. The batch is first and the channels last: {1, 224,
// 224, 3}.
using Shape = std::vector<Extent>;

// Formats a shape for messages: "1x224x224x3".
std::string ToString(absl::Span<const Extent> shape);

// A parameter from which extents follow. It has the values min, min + step...
// up to max.
struct NetworkParameter {
  std::string name;
  int64_t min = 1;
  int64_t max = 1;
  int64_t step = 1;
};

class Network;

// A tensor of a network. It is valid as long as the network exists.
class Tensor {
 public:
  Network& network() const { return *network_; }
  int index() const { return index_; }
  ElementType type() const;
  Shape shape() const;
  int rank() const { return static_cast<int>(shape().size()); }

  // Returns the extent along an axis, or 0 if the tensor has no such axis. A
  // negative axis counts from the last.
  Extent dim(int axis) const;

 private:
  friend class Network;
  Tensor(Network* network, int index) : network_(network), index_(index) {}

  Network* network_;
  int index_;
};

class Network {
 public:
  // Requires that `name` has static storage duration.
  explicit Network(absl::string_view name) : name_(name) {}
  // Sets the values that parameters have in the model. They have their largest
  // values otherwise.
  Network(absl::string_view name, std::map<std::string, int64_t> values)
      : name_(name), values_(std::move(values)) {}
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // Adds a parameter, and a limit of all parameters (dynamic_problem.h).
  Extent Parameter(NetworkParameter parameter);
  void Where(std::string limit) { limits_.push_back(std::move(limit)); }
  absl::Span<const NetworkParameter> parameters() const { return parameters_; }
  absl::Span<const std::string> limits() const { return limits_; }

  // Returns the bytes of a tensor, which may be an expression, and its name.
  Extent SizeOf(int tensor) const;
  const std::string& NameOf(int tensor) const;
  int tensor_count() const { return static_cast<int>(tensors_.size()); }

  // Adds an input of the graph, or declares an output.
  Tensor Input(Shape shape, ElementType type = ElementType::FLOAT32);
  void Output(Tensor tensor);

  // Adds a constant: its content is known before the graph runs.
  Tensor Constant(Shape shape, ElementType type);

  // Adds trained constants. If they are used as float32, they are stored as
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

  // Stores a mistake in the description, which was made with the operator
  // `kind`.
  void Fail(OperatorKind kind, absl::string_view mistake);

  // Returns the model as a flatbuffer. Error: InvalidArgument, naming the
  // network and its first mistake: one that was passed to Fail, an extent below
  // one, an operand of another network, or a missing output.
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
  std::map<std::string, int64_t> values_;
  std::vector<NetworkParameter> parameters_;
  std::vector<std::string> limits_;
  ElementType stored_weights_ = ElementType::FLOAT32;
  std::vector<TensorInfo> tensors_;
  std::vector<OperatorInfo> operators_;
  std::vector<int> inputs_;
  std::vector<int> outputs_;
  absl::Status status_;
};

}  // namespace stowage::networks

#endif  // STOWAGE_DATA_NETWORKS_NETWORK_H_
