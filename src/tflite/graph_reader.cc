// SPDX-License-Identifier: Apache-2.0
#include "src/tflite/graph_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "flatbuffers/flatbuffers.h"
#include "model_schema/model_generated.h"
#include "src/tflite/check_graph.h"
#include "stowage/base/text.h"
#include "stowage/error_payload.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_file.h"

namespace stowage {
namespace {

// The maximum number of tables of a file that may share one list or one name,
// on average. In the files of real writers, hardly any list or name is shared.
constexpr size_t kMaxSharing = 16;

}  // namespace

GraphReader::GraphReader(const ModelFile& file, absl::string_view name)
    : model_(file.model()),
      file_size_(file.size()),
      name_(name),
      budget_(file.size() * kMaxSharing) {}

absl::Status NoSubgraphError(absl::string_view model, size_t index,
                             size_t count) {
  return absl::InvalidArgumentError(absl::StrCat(
      model, ": no subgraph ", index, "; expected an index below ", count));
}

std::string GraphReader::Place(size_t subgraph) const {
  return absl::StrCat(name_, ": subgraph ", subgraph);
}

absl::StatusOr<SubgraphSpec> GraphReader::Read(size_t subgraph) {
  const size_t count = SizeOf(model_.subgraphs());
  if (subgraph >= count) {
    return NoSubgraphError(name_, subgraph, count);
  }
  const tflite::SubGraph& source =
      *model_.subgraphs()->Get(static_cast<flatbuffers::uoffset_t>(subgraph));
  const std::string place = Place(subgraph);
  SubgraphSpec graph;
  absl::StatusOr<std::string> name = ReadText(source.name());
  if (!name.ok()) return AtPlace(place, name.status());
  graph.name = *std::move(name);
  absl::Status status = ReadTensors(source, &graph);
  if (status.ok()) status = ReadEnds(source, &graph);
  for (size_t i = 0; status.ok() && i < SizeOf(source.operators()); ++i) {
    status = ReadOperator(
        *source.operators()->Get(static_cast<flatbuffers::uoffset_t>(i)),
        &graph);
    if (!status.ok()) status = WithOperator(status, i);
  }
  if (status.ok()) status = CheckGraph(&graph);
  // The messages of all calls above begin with the operator or the tensor to
  // which the error refers.
  if (!status.ok()) {
    return WithMessage(status, absl::StrCat(place, ", ", status.message()));
  }
  return graph;
}

absl::Status GraphReader::ReadTensors(const tflite::SubGraph& source,
                                      SubgraphSpec* graph) {
  for (size_t i = 0; i < SizeOf(source.tensors()); ++i) {
    TensorSpec& tensor = graph->tensors.emplace_back();
    const absl::Status status = ReadTensor(
        *source.tensors()->Get(static_cast<flatbuffers::uoffset_t>(i)),
        &tensor);
    if (!status.ok()) {
      return WithTensor(AtPlace(graph->TensorPlace(i), status), i);
    }
  }
  return absl::OkStatus();
}

absl::Status GraphReader::ReadTensor(const tflite::Tensor& source,
                                     TensorSpec* tensor) {
  absl::StatusOr<std::string> name = ReadText(source.name());
  if (!name.ok()) return name.status();
  tensor->name = *std::move(name);
  tensor->type = static_cast<ElementType>(source.type());
  tensor->is_variable = source.is_variable();
  absl::Status status =
      Spend((SizeOf(source.shape()) + SizeOf(source.shape_signature())) *
            sizeof(int32_t));
  if (!status.ok()) return status;
  if (source.shape() != nullptr) {
    tensor->shape.assign(source.shape()->begin(), source.shape()->end());
  }
  if (source.shape_signature() != nullptr) {
    tensor->signature.assign(source.shape_signature()->begin(),
                             source.shape_signature()->end());
  }
  if (!IsElementType(tensor->type)) {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown type ", static_cast<int>(tensor->type)));
  }
  for (size_t i = 0; i < tensor->shape.size(); ++i) {
    if (tensor->shape[i] >= 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "dimension ", i, " is ", tensor->shape[i], "; expected 0 or more"));
  }
  // A tensor with a dimension of 0 has no bytes, no matter how large its other
  // dimensions are. TensorBytes is not called for such a tensor, because it
  // would reject dimensions that are too large.
  if (!absl::c_linear_search(tensor->shape, 0)) {
    const absl::StatusOr<size_t> bytes =
        TensorBytes(tensor->type, tensor->shape);
    if (!bytes.ok()) return bytes.status();
    tensor->bytes = *bytes;
  }
  const absl::StatusOr<bool> has_data = HasData(source);
  if (!has_data.ok()) return has_data.status();
  tensor->is_constant = *has_data && !tensor->is_variable;
  return absl::OkStatus();
}

absl::StatusOr<bool> GraphReader::HasData(const tflite::Tensor& source) const {
  const size_t count = SizeOf(model_.buffers());
  if (source.buffer() >= count) {
    return absl::InvalidArgumentError(
        absl::StrCat("its buffer is ", source.buffer(), ": there are ", count));
  }
  const tflite::Buffer& buffer = *model_.buffers()->Get(source.buffer());
  // An offset of 0 or 1 means that the data of the buffer, if it has any, is
  // inside the flatbuffer.
  if (buffer.offset() > 1 && (buffer.offset() > file_size_ ||
                              buffer.size() > file_size_ - buffer.offset())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its buffer ", source.buffer(), " is ", buffer.size(), " bytes at ",
        buffer.offset(), ", beyond the file's ", file_size_));
  }
  return SizeOf(buffer.data()) > 0 || buffer.offset() > 1 ||
         source.external_buffer() != 0;
}

absl::Status GraphReader::ReadEnds(const tflite::SubGraph& source,
                                   SubgraphSpec* graph) {
  absl::StatusOr<std::vector<size_t>> inputs =
      ReadTensorIndices(source.inputs(), false, *graph, "input");
  if (!inputs.ok()) return AtPlace("graph", inputs.status());
  absl::StatusOr<std::vector<size_t>> outputs =
      ReadTensorIndices(source.outputs(), false, *graph, "output");
  if (!outputs.ok()) return AtPlace("graph", outputs.status());
  graph->inputs = *std::move(inputs);
  graph->outputs = *std::move(outputs);
  // The caller sets the inputs, so the contents that the file has for them are
  // not used.
  for (const size_t tensor : graph->inputs) {
    graph->tensors[tensor].is_constant = false;
  }
  return absl::OkStatus();
}

absl::Status GraphReader::ReadOperator(const tflite::Operator& source,
                                       SubgraphSpec* graph) {
  const size_t index = graph->operators.size();
  OperatorSpec& op = graph->operators.emplace_back();
  if (absl::Status status = ReadCode(source, &op); !status.ok()) {
    return AtPlace(absl::StrCat("operator ", index), status);
  }
  const std::string place = graph->OperatorPlace(index);
  absl::StatusOr<std::vector<size_t>> inputs =
      ReadTensorIndices(source.inputs(), true, *graph, "input");
  if (!inputs.ok()) return AtPlace(place, inputs.status());
  absl::StatusOr<std::vector<size_t>> outputs =
      ReadTensorIndices(source.outputs(), true, *graph, "output");
  if (!outputs.ok()) return AtPlace(place, outputs.status());
  absl::StatusOr<std::vector<size_t>> intermediates =
      ReadTensorIndices(source.intermediates(), true, *graph, "intermediate");
  if (!intermediates.ok()) return AtPlace(place, intermediates.status());
  op.inputs = *std::move(inputs);
  op.outputs = *std::move(outputs);
  op.intermediates = *std::move(intermediates);
  return absl::OkStatus();
}

absl::Status GraphReader::ReadCode(const tflite::Operator& source,
                                   OperatorSpec* op) {
  const size_t count = SizeOf(model_.operator_codes());
  if (source.opcode_index() >= count) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its operator code is ", source.opcode_index(), ": there are ", count));
  }
  const tflite::OperatorCode& code =
      *model_.operator_codes()->Get(source.opcode_index());
  const tflite::BuiltinOperator builtin = std::max(
      code.builtin_code(),
      static_cast<tflite::BuiltinOperator>(code.deprecated_builtin_code()));
  op->builtin_code = static_cast<int32_t>(builtin);
  op->version = code.version();
  op->is_custom = builtin == tflite::BuiltinOperator::CUSTOM;
  if (op->is_custom) {
    absl::StatusOr<std::string> name = ReadText(code.custom_code());
    if (!name.ok()) return name.status();
    op->name = *std::move(name);
    return absl::OkStatus();
  }
  op->name = tflite::EnumNameBuiltinOperator(builtin);
  if (op->name.empty()) {
    op->name = absl::StrCat("builtin operator ", op->builtin_code);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<size_t>> GraphReader::ReadTensorIndices(
    const flatbuffers::Vector<int32_t>* indices, bool may_be_absent,
    const SubgraphSpec& graph, absl::string_view what) {
  const size_t count = SizeOf(indices);
  if (absl::Status status = Spend(count * sizeof(int32_t)); !status.ok()) {
    return status;
  }
  std::vector<size_t> result;
  result.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const int32_t index = indices->Get(static_cast<flatbuffers::uoffset_t>(i));
    const bool is_absent = index == -1 && may_be_absent;
    if (!is_absent &&
        (index < 0 || static_cast<size_t>(index) >= graph.tensors.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat(what, " ", i, " is tensor ", index, ": there are ",
                       graph.tensors.size()));
    }
    result.push_back(is_absent ? kAbsent : static_cast<size_t>(index));
  }
  return result;
}

absl::StatusOr<std::string> GraphReader::ReadText(
    const flatbuffers::String* text) {
  if (text == nullptr) return "";
  if (absl::Status status = Spend(text->size()); !status.ok()) return status;
  return text->str();
}

absl::Status GraphReader::Spend(size_t bytes) {
  if (bytes > budget_) {
    return absl::InvalidArgumentError(
        "its lists and names are longer than the file could hold");
  }
  budget_ -= bytes;
  return absl::OkStatus();
}

std::string SubgraphSpec::TensorPlace(size_t tensor) const {
  const std::string& text = tensors[tensor].name;
  return text.empty() ? absl::StrCat("tensor ", tensor)
                      : absl::StrCat("tensor ", tensor, " ", Quoted(text));
}

std::string SubgraphSpec::OperatorPlace(size_t op) const {
  return absl::StrCat("operator ", op, " (",
                      operators[op].is_custom
                          ? absl::StrCat("CUSTOM ", Quoted(operators[op].name))
                          : operators[op].name,
                      ")");
}

absl::optional<size_t> SubgraphSpec::ProducerOf(size_t tensor) const {
  for (size_t i = 0; i < operators.size(); ++i) {
    if (absl::c_linear_search(operators[i].outputs, tensor)) return i;
  }
  return absl::nullopt;
}

}  // namespace stowage
