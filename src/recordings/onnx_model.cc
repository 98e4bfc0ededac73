// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/onnx_model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/recordings/onnx_type.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/io/wire_reader.h"

namespace stowage::recordings {
namespace {

// Returns the name of a domain. The default domain has two names, and is always
// represented by the empty name.
string_view OnnxDomain(string_view domain) {
  return domain == "ai.onnx" ? string_view() : domain;
}

// Returns the contents of a field of a message, or an empty string if the
// message does not have the field.
string_view OnnxField(string_view message, uint64_t field) {
  string_view found;
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() == field) found = fields.bytes();
  }
  return fields.ok() ? found : string_view();
}

// Builds the graph in a message, and its subgraphs.
class OnnxGraphReader {
 public:
  // `place` is the name of the graph in messages. `nodes` and `values` count
  // the nodes and values of all graphs of the model. The pointers must not be
  // null.
  OnnxGraphReader(std::string place, size_t depth, size_t* nodes,
                  size_t* values, OnnxGraph* graph)
      : place_(std::move(place)),
        depth_(depth),
        nodes_(nodes),
        values_(values),
        graph_(graph) {}

  absl::Status Read(string_view message);

 private:
  absl::Status Bad(string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(place_, ": ", what));
  }
  absl::Status BadNode(size_t node, string_view what) const {
    return Bad(absl::StrCat(OnnxNodeText(*graph_, node), ": ", what));
  }
  absl::Status TooMany(string_view what, size_t limit) const {
    return absl::ResourceExhaustedError(absl::StrCat(
        place_, ": has more than ", limit, " ", what, "; expected fewer"));
  }

  uint32_t ValueOf(string_view name);
  absl::Status AddInitializer(string_view message, bool is_sparse);
  absl::Status AddBorder(string_view message, bool is_input);
  void Declare(string_view message);
  absl::Status AddNode(string_view message);
  absl::Status AddOperands(Span<const string_view> inputs,
                           Span<const string_view> outputs);
  absl::Status AddGraphs(string_view attribute, OnnxNode* node,
                         std::vector<string_view>* reads);
  StatusOr<uint32_t> ReadValue(string_view name);
  std::string WhyMissing(string_view name) const;
  absl::Status CheckOutputs() const;

  std::string place_;
  size_t depth_;
  size_t* nodes_;
  size_t* values_;
  OnnxGraph* graph_;
  string_view message_;
};

// Returns the number of the value with this name. Adds a new value if there is
// no such value.
uint32_t OnnxGraphReader::ValueOf(string_view name) {
  const auto [entry, is_new] = graph_->ids.try_emplace(
      name, static_cast<uint32_t>(graph_->values.size()));
  if (is_new) {
    ++*values_;
    graph_->values.emplace_back();
    graph_->values.back().name = name;
  }
  return entry->second;
}

absl::Status OnnxGraphReader::AddInitializer(string_view message,
                                             bool is_sparse) {
  optional<OnnxTensor> tensor =
      ParseOnnxTensor(is_sparse ? OnnxField(message, 1) : message);
  if (!tensor) return Bad("an initializer is damaged; expected a tensor");
  if (tensor->name.empty()) return Bad("an initializer has no name");
  OnnxValue& value = graph_->values[ValueOf(tensor->name)];
  if (value.is_initializer) {
    return Bad(absl::StrCat("two initializers are called ",
                            Quoted(tensor->name), "; expected one"));
  }
  value.is_initializer = true;
  value.type.element = tensor->element;
  if (is_sparse) {
    // The tensor of a sparse initializer contains only the nonzero values. Its
    // extents and contents are not those of the initializer.
    value.type.dims = nullopt;
  } else {
    value.type.dims = std::move(tensor->dims);
    value.proto = tensor->bytes;
  }
  return absl::OkStatus();
}

// Adds a graph input or output (ValueInfoProto).
absl::Status OnnxGraphReader::AddBorder(string_view message, bool is_input) {
  const string_view name = OnnxField(message, 1);
  if (name.empty()) {
    if (!is_input) return Bad("an output of the graph has no name");
    return Bad("an input of the graph has no name");
  }
  if (!is_input && depth_ > 0) {
    // An output of a subgraph may be a value of an enclosing graph.
    const StatusOr<uint32_t> output = ReadValue(name);
    if (!output.ok()) return output.status();
    graph_->outputs.push_back(*output);
    return absl::OkStatus();
  }
  const uint32_t id = ValueOf(name);
  OnnxValue& value = graph_->values[id];
  if (!value.is_initializer) value.proto = OnnxField(message, 2);
  // Before version 4 of the format, initializers are also listed as inputs. In
  // the main graph, they do not count as inputs.
  if (is_input && value.is_initializer && depth_ == 0) {
    return absl::OkStatus();
  }
  (is_input ? value.is_input : value.is_output) = true;
  (is_input ? graph_->inputs : graph_->outputs).push_back(id);
  return absl::OkStatus();
}

// Records the declared type of a value, if the graph has that value.
void OnnxGraphReader::Declare(string_view message) {
  const auto found = graph_->ids.find(OnnxField(message, 1));
  if (found == graph_->ids.end()) return;
  OnnxValue& value = graph_->values[found->second];
  if (!value.is_initializer && value.proto.empty()) {
    value.proto = OnnxField(message, 2);
  }
}

// Returns the reason that a value that a node reads does not exist.
std::string OnnxGraphReader::WhyMissing(string_view name) const {
  WireReader fields(message_);
  for (size_t node = 0; fields.Next();) {
    if (fields.field() != 1) continue;
    WireReader parts(fields.bytes());
    while (parts.Next()) {
      if (parts.field() != 2 || parts.bytes() != name) continue;
      return absl::StrCat("reads ", Quoted(name), ", which node ", node,
                          " writes; expected nodes after those whose outputs "
                          "they read");
    }
    ++node;
  }
  return absl::StrCat("reads ", Quoted(name),
                      ", which nothing writes; expected an input, an "
                      "initializer or the output of an earlier node");
}

StatusOr<uint32_t> OnnxGraphReader::ReadValue(string_view name) {
  const bool is_new = !graph_->ids.contains(name);
  if (is_new && depth_ == 0) return absl::InvalidArgumentError("");
  const uint32_t id = ValueOf(name);
  OnnxValue& value = graph_->values[id];
  if (is_new) value.is_outer = true;
  // An output of the graph is listed before a node writes it. No node may read
  // it before it is written.
  if (value.is_output && !value.is_input && !value.is_initializer &&
      value.producer == kOnnxAbsent) {
    return absl::InvalidArgumentError("");
  }
  return id;
}

absl::Status OnnxGraphReader::AddOperands(Span<const string_view> inputs,
                                          Span<const string_view> outputs) {
  const size_t node = graph_->nodes.size() - 1;
  for (const string_view name : inputs) {
    if (name.empty()) {
      graph_->operands.push_back(kOnnxAbsent);
      continue;
    }
    const StatusOr<uint32_t> value = ReadValue(name);
    if (!value.ok()) return BadNode(node, WhyMissing(name));
    graph_->operands.push_back(*value);
  }
  for (const string_view name : outputs) {
    if (name.empty()) {
      graph_->operands.push_back(kOnnxAbsent);
      continue;
    }
    const uint32_t id = ValueOf(name);
    OnnxValue& value = graph_->values[id];
    if (value.producer != kOnnxAbsent || value.is_input ||
        value.is_initializer || value.is_outer) {
      return BadNode(node, absl::StrCat("writes ", Quoted(name),
                                        " again; expected each value once"));
    }
    value.producer = static_cast<uint32_t>(node);
    graph_->operands.push_back(id);
  }
  return absl::OkStatus();
}

// Reads the subgraphs of an attribute (AttributeProto). Appends the names of
// the values of this graph that the subgraphs read.
absl::Status OnnxGraphReader::AddGraphs(string_view attribute, OnnxNode* node,
                                        std::vector<string_view>* reads) {
  string_view name;
  std::vector<string_view> messages;
  WireReader fields(attribute);
  while (fields.Next()) {
    if (fields.field() == 1) name = fields.bytes();
    if (fields.field() == 6 || fields.field() == 11) {
      messages.push_back(fields.bytes());
    }
  }
  if (!fields.ok()) return Bad("an attribute of a node is damaged");
  for (const string_view message : messages) {
    if (depth_ + 1 >= kMaxOnnxDepth) {
      return TooMany("levels of subgraphs", kMaxOnnxDepth - 1);
    }
    auto graph = std::make_unique<OnnxGraph>();
    OnnxGraphReader reader(
        absl::StrCat(place_, ": ",
                     OnnxNodeText(*graph_, graph_->nodes.size() - 1), ": ",
                     OneLine(name.substr(0, 32))),
        depth_ + 1, nodes_, values_, graph.get());
    absl::Status status = reader.Read(message);
    if (!status.ok()) return status;
    for (const OnnxValue& value : graph->values) {
      if (value.is_outer) reads->push_back(value.name);
    }
    graph_->subgraphs.push_back({name, std::move(graph)});
    ++node->graph_count;
  }
  return absl::OkStatus();
}

absl::Status OnnxGraphReader::AddNode(string_view message) {
  if (++*nodes_ > kMaxOnnxNodes) return TooMany("nodes", kMaxOnnxNodes);
  std::vector<string_view> inputs;
  std::vector<string_view> outputs;
  std::vector<string_view> attributes;
  OnnxNode node;
  node.bytes = message;
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() == 1) inputs.push_back(fields.bytes());
    if (fields.field() == 2) outputs.push_back(fields.bytes());
    if (fields.field() == 4) node.op = fields.bytes();
    if (fields.field() == 5) attributes.push_back(fields.bytes());
    if (fields.field() == 7) node.domain = OnnxDomain(fields.bytes());
  }
  const size_t number = graph_->nodes.size();
  node.first_operand = static_cast<uint32_t>(graph_->operands.size());
  node.first_graph = static_cast<uint32_t>(graph_->subgraphs.size());
  node.input_count = static_cast<uint32_t>(inputs.size());
  node.output_count = static_cast<uint32_t>(outputs.size());
  graph_->nodes.push_back(node);
  if (!fields.ok()) return BadNode(number, "is damaged; expected a node");
  if (node.op.empty()) return BadNode(number, "has no operator");
  std::vector<string_view> reads;
  for (const string_view attribute : attributes) {
    absl::Status status = AddGraphs(attribute, &node, &reads);
    if (!status.ok()) return status;
  }
  node.implicit_count = static_cast<uint32_t>(reads.size());
  graph_->nodes.back() = node;
  inputs.insert(inputs.end(), reads.begin(), reads.end());
  absl::Status status = AddOperands(inputs, outputs);
  if (!status.ok()) return status;
  if (*values_ > kMaxOnnxValues) return TooMany("values", kMaxOnnxValues);
  return absl::OkStatus();
}

absl::Status OnnxGraphReader::CheckOutputs() const {
  for (const uint32_t output : graph_->outputs) {
    const OnnxValue& value = graph_->values[output];
    if (value.producer == kOnnxAbsent && !value.is_input &&
        !value.is_initializer && !value.is_outer) {
      return Bad(absl::StrCat("nothing writes the output ", Quoted(value.name),
                              " of the graph; expected a node that does"));
    }
  }
  return absl::OkStatus();
}

absl::Status OnnxGraphReader::Read(string_view message) {
  message_ = message;
  // The fields may be in any order, so they are read in several passes:
  // weights, inputs and outputs, nodes, types. Each pass needs the results of
  // the earlier passes. The outputs of a subgraph are read last, because they
  // may be values of an outer graph.
  constexpr size_t kPasses = 5;
  const auto pass_of = [this](uint64_t field) -> size_t {
    switch (field) {
      case 5:
      case 15:
        return 0;
      case 11:
        return 1;
      case 12:
        return depth_ == 0 ? 1 : 4;
      case 1:
        return 2;
      case 13:
        return 3;
      default:
        return kPasses;
    }
  };
  for (size_t pass = 0; pass < kPasses; ++pass) {
    WireReader fields(message);
    while (fields.Next()) {
      if (pass == 0 && fields.field() == 2) graph_->name = fields.bytes();
      if (pass_of(fields.field()) != pass) continue;
      if (fields.type() != WireReader::Type::kBytes) {
        return Bad("is not a graph of ONNX; expected messages");
      }
      absl::Status status;
      switch (fields.field()) {
        case 1:
          status = AddNode(fields.bytes());
          break;
        case 13:
          Declare(fields.bytes());
          break;
        case 11:
        case 12:
          status = AddBorder(fields.bytes(), fields.field() == 11);
          break;
        default:
          status = AddInitializer(fields.bytes(), fields.field() == 15);
      }
      if (!status.ok()) return status;
      if (*values_ > kMaxOnnxValues) return TooMany("values", kMaxOnnxValues);
    }
    if (!fields.ok()) {
      return Bad("is damaged; expected the whole of a graph of ONNX");
    }
  }
  return CheckOutputs();
}

// Reads an OperatorSetIdProto.
void AddOnnxOpset(string_view message, OnnxModel* model) {
  string_view domain;
  int64_t version = 0;
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() == 1) domain = fields.bytes();
    if (fields.field() == 2) version = static_cast<int64_t>(fields.value());
  }
  model->opsets[OnnxDomain(domain)] = version;
}

// Returns whether the graph or one of its subgraphs has a node with a standard
// operator.
bool HasStandardOperator(const OnnxGraph& graph) {
  return std::any_of(
             graph.nodes.begin(), graph.nodes.end(),
             [](const OnnxNode& node) { return node.domain.empty(); }) ||
         std::any_of(graph.subgraphs.begin(), graph.subgraphs.end(),
                     [](const OnnxSubgraph& subgraph) {
                       return HasStandardOperator(*subgraph.graph);
                     });
}

// Checks that the model states the version of the standard operators that it
// uses. Only models of the first two formats (IR versions) need not state the
// version; they use version 1.
Status CheckOnnxOpsets(const OnnxModel& model, uint64_t ir_version,
                       const std::string& name) {
  constexpr uint64_t kFirstWithOpsets = 3;
  if (ir_version < kFirstWithOpsets || model.opsets.contains(string_view()) ||
      !HasStandardOperator(model.graph)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      name,
      ": does not say which version of the standard operators it uses "
      "(opset_import); expected the whole of an ONNX model"));
}

}  // namespace

optional<OnnxTensor> ParseOnnxTensor(string_view bytes) {
  OnnxTensor tensor;
  tensor.bytes = bytes;
  std::vector<uint64_t> dims;
  WireReader fields(bytes);
  while (fields.Next()) {
    switch (fields.field()) {
      case 1:
        if (!AppendVarints(fields, &dims)) return nullopt;
        break;
      case 2:
        tensor.element = static_cast<int32_t>(fields.value());
        break;
      case 8:
        tensor.name = fields.bytes();
        break;
      case 14:
        tensor.is_external = fields.value() == 1;
        break;
      default:
        break;
    }
  }
  for (const uint64_t extent : dims) {
    tensor.dims.push_back(static_cast<int64_t>(extent));
    if (tensor.dims.back() < 0) return nullopt;
  }
  if (!fields.ok() || dims.size() > kMaxOnnxRank) return nullopt;
  return tensor;
}

StatusOr<OnnxModel> ParseOnnxModel(string_view bytes, const std::string& name) {
  OnnxModel model;
  optional<string_view> graph;
  uint64_t ir_version = 0;
  WireReader fields(bytes);
  while (fields.Next()) {
    if (fields.field() == 1) ir_version = fields.value();
    if (fields.field() == 7) {
      if (graph) {
        return absl::InvalidArgumentError(absl::StrCat(
            name,
            ": has a second graph, as joined files have; expected one "
            "ONNX model"));
      }
      graph = fields.bytes();
    }
    if (fields.field() == 8) AddOnnxOpset(fields.bytes(), &model);
    if (fields.field() == 25) {
      const string_view function = fields.bytes();
      model.functions.push_back(absl::StrCat(
          OnnxDomain(OnnxField(function, 10)), ":", OnnxField(function, 1)));
    }
  }
  if (!fields.ok() || !graph) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": is damaged or cut",
        fields.ok() ? ""
                    : absl::StrCat(" from byte ", fields.position(), " on"),
        "; expected the whole of an ONNX model"));
  }
  size_t nodes = 0;
  size_t values = 0;
  OnnxGraphReader reader(name, 0, &nodes, &values, &model.graph);
  absl::Status status = reader.Read(*graph);
  if (status.ok()) status = CheckOnnxOpsets(model, ir_version, name);
  if (!status.ok()) return status;
  return model;
}

std::string OnnxNodeText(const OnnxGraph& graph, size_t node) {
  const OnnxNode& facts = graph.nodes[node];
  const string_view name = OnnxField(facts.bytes, 3);
  std::string text = absl::StrCat("node ", node, " (");
  if (!facts.domain.empty()) {
    absl::StrAppend(&text, OneLine(facts.domain.substr(0, 64)), ":");
  }
  absl::StrAppend(&text, OneLine(facts.op.substr(0, 64)));
  if (!name.empty()) absl::StrAppend(&text, " ", Quoted(name));
  return absl::StrCat(text, ")");
}

}  // namespace stowage::recordings
