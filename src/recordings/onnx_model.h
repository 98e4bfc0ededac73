// SPDX-License-Identifier: Apache-2.0
// Parses the graph of an ONNX model. Names, attributes and weights are views of
// the bytes of the model and are never copied. Shapes are inferred in
// onnx_infer.h, and records are created in onnx.cc. The field numbers are those
// of onnx/onnx.proto of github.com/onnx/onnx.
#ifndef STOWAGE_SRC_RECORDINGS_ONNX_MODEL_H_
#define STOWAGE_SRC_RECORDINGS_ONNX_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "src/recordings/onnx_type.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {

struct OnnxGraph;

// Represents an omitted operand, which has an empty name in the model.
constexpr uint32_t kOnnxAbsent = 0xFFFFFFFF;

// Limits on models; larger models are rejected. The largest published models
// have about ten thousand nodes and three levels of graphs.
constexpr size_t kMaxOnnxNodes = size_t{1} << 18;
constexpr size_t kMaxOnnxValues = size_t{1} << 19;
constexpr size_t kMaxOnnxDepth = 8;

// A tensor with its content (TensorProto).
struct OnnxTensor {
  string_view name;
  int32_t element = kOnnxUnknown;
  OnnxDims dims;
  bool is_external = false;  // its content is in another file
  string_view bytes;         // the message
};

// Parses a tensor. Returns nothing if the bytes are not a tensor, or if an
// extent is negative.
optional<OnnxTensor> ParseOnnxTensor(string_view bytes);

// A value: the output of a node, an input or a weight.
struct OnnxValue {
  string_view name;
  // The declared type (TypeProto), or the contents of an initializer
  // (TensorProto); empty if the model has neither.
  string_view proto;
  OnnxType type;                    // as far as it has been found
  uint32_t producer = kOnnxAbsent;  // the node that writes the value
  bool is_initializer = false;
  bool is_input = false;   // a graph input that is not an initializer
  bool is_output = false;  // a graph output
  bool is_outer = false;   // in a subgraph: a value of an outer graph
};

struct OnnxNode {
  string_view bytes;  // the message (NodeProto)
  string_view op;
  string_view domain;  // empty for the standard operators
  // The operands are a range of OnnxGraph::operands: inputs, values that only
  // the subgraphs of the node read, and outputs.
  uint32_t first_operand = 0;
  uint32_t input_count = 0;
  uint32_t implicit_count = 0;
  uint32_t output_count = 0;
  // The subgraphs are a range of OnnxGraph::subgraphs.
  uint32_t first_graph = 0;
  uint32_t graph_count = 0;
};

struct OnnxSubgraph {
  string_view attribute;  // the name, such as "then_branch"
  std::unique_ptr<OnnxGraph> graph;
};

struct OnnxGraph {
  string_view name;
  std::vector<OnnxNode> nodes;  // in the order of the file
  std::vector<OnnxValue> values;
  std::vector<uint32_t> operands;
  // The inputs and the outputs. In the main graph, initializers are not inputs.
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> outputs;
  std::vector<OnnxSubgraph> subgraphs;
  absl::flat_hash_map<string_view, uint32_t> ids;  // values by name

  Span<const uint32_t> Inputs(const OnnxNode& node) const {
    return Range(node.first_operand, node.input_count);
  }
  Span<const uint32_t> Implicit(const OnnxNode& node) const {
    return Range(node.first_operand + node.input_count, node.implicit_count);
  }
  Span<const uint32_t> Outputs(const OnnxNode& node) const {
    return Range(node.first_operand + node.input_count + node.implicit_count,
                 node.output_count);
  }

 private:
  Span<const uint32_t> Range(size_t first, size_t count) const {
    return Span<const uint32_t>(operands.data() + first, count);
  }
};

struct OnnxModel {
  OnnxGraph graph;
  // The version of the operators in each domain.
  absl::flat_hash_map<string_view, int64_t> opsets;
  // The functions that the model defines, as "domain:name".
  std::vector<std::string> functions;
};

// Parses a model. `name` is the name of the file in messages. Errors:
// InvalidArgument if the bytes are not a model, if a value is written twice, or
// if a value is read before a node writes it (the message names the node that
// writes the value); ResourceExhausted if the model exceeds the limits.
// O(bytes).
StatusOr<OnnxModel> ParseOnnxModel(string_view bytes, const std::string& name);

// Describes a node for messages: "node 3 (Conv 'conv1')".
std::string OnnxNodeText(const OnnxGraph& graph, size_t node);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_ONNX_MODEL_H_
