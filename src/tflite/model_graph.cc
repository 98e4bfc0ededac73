#include "src/tflite/model_graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "flatbuffers/flatbuffers.h"
#include "src/tflite/model_file.h"
#include "src/tflite/model_generated.h"
#include "src/tflite/tensor_bytes.h"
#include "src/trace/text.h"

namespace stowage {
namespace {

using Indices = flatbuffers::Vector<int32_t>;

// How often, on average, tables of a file may share one list. Writers do not
// share any; without a limit a small file could have work for years.
constexpr size_t kMaxSharing = 16;

template <typename T>
size_t SizeOf(const flatbuffers::Vector<T>* list) {
  return list == nullptr ? 0 : list->size();
}

absl::string_view View(const flatbuffers::String* text) {
  if (text == nullptr) return "";
  return absl::string_view(text->data(), text->size());
}

class GraphReader {
 public:
  GraphReader(const ModelFile& file, absl::string_view name)
      : model_(file.model()),
        file_size_(file.size()),
        name_(name),
        budget_(file.size() * kMaxSharing / sizeof(int32_t)) {}

  absl::StatusOr<Graph> Read(size_t subgraph);

 private:
  absl::Status ReadTensors(const tflite::SubGraph& subgraph);
  absl::Status ReadTensor(const tflite::Tensor& tensor);
  absl::StatusOr<bool> HasData(const tflite::Tensor& tensor) const;
  absl::Status ReadEnds(const tflite::SubGraph& subgraph);
  absl::Status ReadOperators(const tflite::SubGraph& subgraph);
  absl::Status ReadOperator(const tflite::Operator& op);
  absl::Status ReadCode(const tflite::Operator& op, GraphOperator* result);
  absl::StatusOr<std::vector<size_t>> ReadTensorIndices(const Indices* indices,
                                                        bool may_be_absent,
                                                        absl::string_view place,
                                                        absl::string_view what);
  absl::Status Spend(size_t elements, absl::string_view place);
  absl::Status Error(absl::string_view place, absl::string_view message) const {
    return absl::InvalidArgumentError(
        absl::StrCat(graph_.place, ", ", place, ": ", message));
  }

  const tflite::Model& model_;
  size_t file_size_;
  absl::string_view name_;
  size_t budget_;  // elements of lists yet to be read
  Graph graph_;
};

absl::StatusOr<Graph> GraphReader::Read(size_t subgraph) {
  const size_t count = SizeOf(model_.subgraphs());
  if (subgraph >= count) {
    return absl::InvalidArgumentError(absl::StrCat(name_, ": no subgraph ",
                                                   subgraph, ": the model has ",
                                                   count, ", numbered from 0"));
  }
  graph_.place = absl::StrCat(name_, ": subgraph ", subgraph);
  const tflite::SubGraph& source =
      *model_.subgraphs()->Get(static_cast<flatbuffers::uoffset_t>(subgraph));
  absl::Status status = ReadTensors(source);
  if (status.ok()) status = ReadEnds(source);
  if (status.ok()) status = ReadOperators(source);
  if (!status.ok()) return status;
  for (GraphTensor& tensor : graph_.tensors) {
    if (tensor.is_input || tensor.is_variable) tensor.is_constant = false;
  }
  return std::move(graph_);
}

absl::Status GraphReader::ReadTensors(const tflite::SubGraph& subgraph) {
  if (subgraph.tensors() == nullptr) return absl::OkStatus();
  for (const tflite::Tensor* tensor : *subgraph.tensors()) {
    if (absl::Status status = ReadTensor(*tensor); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status GraphReader::ReadTensor(const tflite::Tensor& tensor) {
  const size_t index = graph_.tensors.size();
  GraphTensor& result = graph_.tensors.emplace_back();
  result.name = View(tensor.name());
  result.is_variable = tensor.is_variable();
  absl::Status status = Spend(SizeOf(tensor.shape()), graph_.Tensor(index));
  if (!status.ok()) return status;
  const absl::StatusOr<size_t> bytes = TensorBytes(tensor);
  if (!bytes.ok()) {
    return Error(graph_.Tensor(index), bytes.status().message());
  }
  const absl::StatusOr<bool> has_data = HasData(tensor);
  if (!has_data.ok()) {
    return Error(graph_.Tensor(index), has_data.status().message());
  }
  result.bytes = *bytes;
  result.is_constant = *has_data;
  return absl::OkStatus();
}

absl::StatusOr<bool> GraphReader::HasData(const tflite::Tensor& tensor) const {
  const size_t count = SizeOf(model_.buffers());
  if (tensor.buffer() >= count) {
    return absl::InvalidArgumentError(
        absl::StrCat("its buffer is ", tensor.buffer(), ": there are ", count));
  }
  const tflite::Buffer& buffer = *model_.buffers()->Get(tensor.buffer());
  // Offsets 0 and 1 mean that the data, if any, is in the flatbuffer.
  if (buffer.offset() > 1 && (buffer.offset() > file_size_ ||
                              buffer.size() > file_size_ - buffer.offset())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its buffer ", tensor.buffer(), " is ", buffer.size(), " bytes at ",
        buffer.offset(), ", beyond the file's ", file_size_));
  }
  return SizeOf(buffer.data()) > 0 || buffer.offset() > 1 ||
         tensor.external_buffer() != 0;
}

absl::Status GraphReader::ReadEnds(const tflite::SubGraph& subgraph) {
  const absl::StatusOr<std::vector<size_t>> inputs =
      ReadTensorIndices(subgraph.inputs(), false, "graph", "input");
  if (!inputs.ok()) return inputs.status();
  for (const size_t tensor : *inputs) graph_.tensors[tensor].is_input = true;
  const absl::StatusOr<std::vector<size_t>> outputs =
      ReadTensorIndices(subgraph.outputs(), false, "graph", "output");
  if (!outputs.ok()) return outputs.status();
  for (const size_t tensor : *outputs) graph_.tensors[tensor].is_output = true;
  return absl::OkStatus();
}

absl::Status GraphReader::ReadOperators(const tflite::SubGraph& subgraph) {
  if (subgraph.operators() == nullptr) return absl::OkStatus();
  for (const tflite::Operator* op : *subgraph.operators()) {
    if (absl::Status status = ReadOperator(*op); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status GraphReader::ReadOperator(const tflite::Operator& op) {
  const size_t index = graph_.operators.size();
  GraphOperator& result = graph_.operators.emplace_back();
  if (absl::Status status = ReadCode(op, &result); !status.ok()) return status;
  const std::string place = graph_.Operator(index);
  absl::StatusOr<std::vector<size_t>> inputs =
      ReadTensorIndices(op.inputs(), true, place, "input");
  if (!inputs.ok()) return inputs.status();
  absl::StatusOr<std::vector<size_t>> outputs =
      ReadTensorIndices(op.outputs(), true, place, "output");
  if (!outputs.ok()) return outputs.status();
  absl::StatusOr<std::vector<size_t>> intermediates =
      ReadTensorIndices(op.intermediates(), true, place, "intermediate");
  if (!intermediates.ok()) return intermediates.status();
  result.inputs = *std::move(inputs);
  result.outputs = *std::move(outputs);
  result.intermediates = *std::move(intermediates);
  return absl::OkStatus();
}

absl::Status GraphReader::ReadCode(const tflite::Operator& op,
                                   GraphOperator* result) {
  const size_t count = SizeOf(model_.operator_codes());
  if (op.opcode_index() >= count) {
    return Error(absl::StrCat("operator ", graph_.operators.size() - 1),
                 absl::StrCat("its operator code is ", op.opcode_index(),
                              ": there are ", count));
  }
  const tflite::OperatorCode& code =
      *model_.operator_codes()->Get(op.opcode_index());
  result->code = std::max(
      code.builtin_code(),
      static_cast<tflite::BuiltinOperator>(code.deprecated_builtin_code()));
  const absl::string_view name = tflite::EnumNameBuiltinOperator(result->code);
  result->name = name.empty() ? absl::StrCat("builtin operator ",
                                             static_cast<int>(result->code))
                              : std::string(name);
  if (code.custom_code() != nullptr) {
    absl::StrAppend(&result->name, " ", Quoted(View(code.custom_code())));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<size_t>> GraphReader::ReadTensorIndices(
    const Indices* indices, bool may_be_absent, absl::string_view place,
    absl::string_view what) {
  const size_t count = SizeOf(indices);
  if (absl::Status status = Spend(count, place); !status.ok()) return status;
  std::vector<size_t> result;
  result.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const int32_t index = indices->Get(static_cast<flatbuffers::uoffset_t>(i));
    const bool is_absent = index == -1 && may_be_absent;
    if (!is_absent &&
        (index < 0 || static_cast<size_t>(index) >= graph_.tensors.size())) {
      return Error(place, absl::StrCat(what, " ", i, " is tensor ", index,
                                       ": there are ", graph_.tensors.size()));
    }
    result.push_back(is_absent ? kAbsentTensor : static_cast<size_t>(index));
  }
  return result;
}

absl::Status GraphReader::Spend(size_t elements, absl::string_view place) {
  if (elements > budget_) {
    return Error(place, "its lists are longer than the file could hold");
  }
  budget_ -= elements;
  return absl::OkStatus();
}

}  // namespace

std::string Graph::Tensor(size_t index) const {
  const absl::string_view name = tensors[index].name;
  return name.empty() ? absl::StrCat("tensor ", index)
                      : absl::StrCat("tensor ", index, " ", Quoted(name));
}

std::string Graph::Operator(size_t index) const {
  return absl::StrCat("operator ", index, " (", operators[index].name, ")");
}

absl::StatusOr<Graph> ReadGraph(const ModelFile& file, size_t subgraph,
                                absl::string_view name) {
  return GraphReader(file, name).Read(subgraph);
}

}  // namespace stowage
