// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "flatbuffers/flatbuffers.h"
#include "model_schema/model_generated.h"
#include "src/tflite/control_edges.h"
#include "src/tflite/graph_reader.h"
#include "src/tflite/sparse_tensor.h"
#include "stowage/base/text.h"
#include "stowage/error_payload.h"
#include "stowage/io/input_file.h"
#include "stowage/io/other_format.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_file.h"
#include "stowage/tflite/model_structure.h"

namespace stowage {

// The alignment of constants. Needed because kernels read constants into vector
// registers.
constexpr size_t kConstantAlignment = 16;

struct alignas(kConstantAlignment) AlignedBlock {
  uint8_t bytes[kConstantAlignment];
};

// The maximum number of bytes of all unpacked sparse constants together, as a
// multiple of the size of the file. Without this limit, unpacking a small file
// could exhaust memory.
constexpr size_t kMaxSparseGrowth = 256;

// Adds everything else that running a model requires to its graphs:
// quantization, the contents of constants, options, signatures and metadata.
class ModelReader {
 public:
  // Says whether the contents of constants are read.
  enum class Constants { kRead, kLeftOut };

  // The model holds a reference to `owner`, which may be null, in order to keep
  // the bytes alive.
  static absl::StatusOr<std::unique_ptr<const Model>> Parse(
      absl::string_view bytes, absl::string_view name,
      std::shared_ptr<const void> owner, Constants constants);
  static absl::StatusOr<std::unique_ptr<const Model>> ReadFile(
      const std::string& path, Constants constants);

 private:
  ModelReader(absl::string_view bytes, absl::string_view name,
              const ModelFile& file, Constants constants)
      : bytes_(bytes),
        constants_(constants),
        source_(file.model()),
        graphs_(file, name),
        model_(new Model()),
        sparse_budget_(bytes.size() * kMaxSparseGrowth) {
    model_->name_ = std::string(name);
    model_->bytes_ = bytes;
  }

  absl::Status Read();
  // Keeps alive, as long as the model exists, an object that owns memory to
  // which the model refers.
  void Own(std::shared_ptr<const void> owned) {
    model_->owned_.push_back(std::move(owned));
  }
  absl::Status ReadSubgraph(size_t index);
  absl::Status ReadContents(const tflite::Tensor& tensor, TensorSpec* spec);
  static absl::Status ReadSignature(const tflite::Tensor& tensor,
                                    TensorSpec* spec);
  absl::Status ReadQuantization(const tflite::Tensor& tensor, TensorSpec* spec);
  absl::Status ReadData(const tflite::Tensor& tensor, TensorSpec* spec);
  absl::Status ReadSparseData(const tflite::SparsityParameters& sparsity,
                              absl::Span<const uint8_t> elements, size_t bytes,
                              TensorSpec* spec);
  static void ReadOptions(const tflite::Operator& op, OperatorSpec* spec);
  absl::Status ReadSignatures();
  absl::Status ReadArguments(
      const flatbuffers::Vector<flatbuffers::Offset<tflite::TensorMap>>* list,
      size_t subgraph, std::vector<SignatureSpec::Argument>* arguments);
  absl::Status ReadMetadata();
  absl::Status ReadControlEdges(absl::Span<const uint8_t> data);
  absl::Span<const uint8_t> DataOf(const tflite::Buffer& buffer) const;
  absl::Span<const uint8_t> Aligned(uint32_t buffer,
                                    absl::Span<const uint8_t> data);
  absl::string_view bytes_;
  const Constants constants_;
  const tflite::Model& source_;
  GraphReader graphs_;
  std::unique_ptr<Model> model_;
  size_t sparse_budget_;  // says how many bytes may still be unpacked
  // The aligned copy of each buffer.
  std::map<uint32_t, absl::Span<const uint8_t>> copies_;
};

absl::Status ModelReader::Read() {
  absl::StatusOr<std::string> description =
      graphs_.ReadText(source_.description());
  if (!description.ok()) return description.status();
  model_->description_ = *std::move(description);
  const size_t count = SizeOf(source_.subgraphs());
  if (count == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(model_->name_, ": a model without subgraphs"));
  }
  for (size_t i = 0; i < count; ++i) {
    absl::Status status = ReadSubgraph(i);
    if (!status.ok()) return status;
  }
  absl::Status status = ReadSignatures();
  if (status.ok()) status = ReadMetadata();
  return status;
}

absl::Status ModelReader::ReadSubgraph(size_t index) {
  absl::StatusOr<SubgraphSpec> graph = graphs_.Read(index);
  if (!graph.ok()) return graph.status();
  const tflite::SubGraph& source =
      *source_.subgraphs()->Get(static_cast<flatbuffers::uoffset_t>(index));
  for (size_t i = 0; i < graph->tensors.size(); ++i) {
    const auto at = static_cast<flatbuffers::uoffset_t>(i);
    const absl::Status status =
        ReadContents(*source.tensors()->Get(at), &graph->tensors[i]);
    if (!status.ok()) {
      const std::string place =
          absl::StrCat(graphs_.Place(index), ", ", graph->TensorPlace(i));
      return WithTensor(AtPlace(place, status), i);
    }
  }
  for (size_t i = 0; i < graph->operators.size(); ++i) {
    const auto at = static_cast<flatbuffers::uoffset_t>(i);
    ReadOptions(*source.operators()->Get(at), &graph->operators[i]);
  }
  if (!model_->subgraphs_.empty()) graph->first_tensor = model_->tensor_count();
  model_->subgraphs_.push_back(*std::move(graph));
  return absl::OkStatus();
}

absl::Status ModelReader::ReadContents(const tflite::Tensor& tensor,
                                       TensorSpec* spec) {
  absl::Status status = ReadSignature(tensor, spec);
  if (status.ok()) status = ReadQuantization(tensor, spec);
  if (status.ok() && constants_ == Constants::kRead) {
    status = ReadData(tensor, spec);
  }
  return status;
}

absl::Status ModelReader::ReadSignature(const tflite::Tensor& tensor,
                                        TensorSpec* spec) {
  spec->has_rank = tensor.has_rank();
  if (!spec->signature.empty() &&
      spec->signature.size() != spec->shape.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its shape is ", ShapeText(spec->shape), " and its shape signature ",
        ShapeText(spec->signature), "; expected as many dimensions"));
  }
  return absl::OkStatus();
}

absl::Status ModelReader::ReadQuantization(const tflite::Tensor& tensor,
                                           TensorSpec* spec) {
  const tflite::QuantizationParameters* source = tensor.quantization();
  if (source == nullptr || SizeOf(source->scale()) == 0) {
    return absl::OkStatus();
  }
  const size_t count = SizeOf(source->scale());
  absl::Status status = graphs_.Spend(count * 2 * sizeof(float));
  if (!status.ok()) return status;
  Quantization& result = spec->quantization;
  result.dimension = source->quantized_dimension();
  // A tensor of rank 1 has only dimension 0. For a bias, however, converters
  // write the dimension of the weights.
  if (spec->shape.size() == 1) result.dimension = 0;
  const bool has_slices =
      result.dimension >= 0 &&
      static_cast<size_t>(result.dimension) < spec->shape.size() &&
      static_cast<size_t>(spec->shape[static_cast<size_t>(result.dimension)]) ==
          count;
  if (count != 1 && !has_slices) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", count, " scales along dimension ",
                     result.dimension, " of the shape ", ShapeText(spec->shape),
                     "; expected one, or one for each slice"));
  }
  const size_t zero_points = SizeOf(source->zero_point());
  if (zero_points > 1 && zero_points != count) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", zero_points, " zero points and ", count,
                     " scales; expected as many"));
  }
  result.scales.assign(source->scale()->begin(), source->scale()->end());
  result.zero_points.resize(count);
  for (size_t i = 0; i < count && zero_points > 0; ++i) {
    // In corrupt files, a list may be unaligned, which the verifier of
    // flatbuffers does not detect. The number is therefore copied.
    int64_t zero_point = 0;
    std::memcpy(&zero_point,
                source->zero_point()->Data() +
                    (zero_points == 1 ? 0 : i) * sizeof(zero_point),
                sizeof(zero_point));
    if (zero_point < std::numeric_limits<int32_t>::min() ||
        zero_point > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(
          absl::StrCat("its zero point ", zero_point, " is beyond 32 bits"));
    }
    result.zero_points[i] = static_cast<int32_t>(zero_point);
  }
  return absl::OkStatus();
}

absl::Status ModelReader::ReadData(const tflite::Tensor& tensor,
                                   TensorSpec* spec) {
  if (!spec->is_constant) return absl::OkStatus();
  if (tensor.external_buffer() != 0) {
    return absl::InvalidArgumentError(
        "its data is in another file; expected it in the model");
  }
  const absl::Span<const uint8_t> data =
      DataOf(*source_.buffers()->Get(tensor.buffer()));
  // A shape with a dimension of 0 can be planned, no matter how large its other
  // dimensions are. Here it is rejected if their product is too large for
  // TensorBytes.
  const absl::StatusOr<size_t> bytes = TensorBytes(spec->type, spec->shape);
  if (!bytes.ok()) return bytes.status();
  if (tensor.sparsity() != nullptr) {
    return ReadSparseData(*tensor.sparsity(), data, *bytes, spec);
  }
  if (ElementBits(spec->type) > 0 && data.size() != *bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its buffer has ", data.size(), " bytes",
        // Tools that remove the constants of a model leave one byte of each.
        data.size() == 1 ? ", as in a model whose constants were removed" : "",
        "; expected ", *bytes, " for ", ElementTypeName(spec->type), " ",
        ShapeText(spec->shape)));
  }
  spec->data = Aligned(tensor.buffer(), data);
  return absl::OkStatus();
}

absl::Status ModelReader::ReadSparseData(
    const tflite::SparsityParameters& sparsity,
    absl::Span<const uint8_t> elements, size_t bytes, TensorSpec* spec) {
  if (bytes > sparse_budget_) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it is sparse and takes ", bytes, " bytes; expected at most ",
        kMaxSparseGrowth, " times those of the file for all sparse tensors"));
  }
  sparse_budget_ -= bytes;
  auto dense = std::make_shared<std::vector<AlignedBlock>>(
      bytes / kConstantAlignment + 1);
  uint8_t* const data = dense->data()->bytes;
  absl::Status status = UnpackSparse(
      sparsity, spec->shape, ElementBytes(spec->type), elements, {data, bytes});
  spec->data = {data, bytes};
  Own(std::move(dense));
  return status;
}

void ModelReader::ReadOptions(const tflite::Operator& op, OperatorSpec* spec) {
  spec->options = op.builtin_options();
  spec->options_type = static_cast<int>(op.builtin_options_type());
  spec->options_2 = op.builtin_options_2();
  spec->options_2_type = static_cast<int>(op.builtin_options_2_type());
  if (op.custom_options() != nullptr) {
    spec->custom_options = {op.custom_options()->data(),
                            op.custom_options()->size()};
  }
}

absl::Status ModelReader::ReadSignatures() {
  for (size_t i = 0; i < SizeOf(source_.signature_defs()); ++i) {
    const tflite::SignatureDef& source =
        *source_.signature_defs()->Get(static_cast<flatbuffers::uoffset_t>(i));
    const std::string place = absl::StrCat(model_->name_, ": signature ", i);
    SignatureSpec& spec = model_->signatures_.emplace_back();
    absl::StatusOr<std::string> key = graphs_.ReadText(source.signature_key());
    if (!key.ok()) return AtPlace(place, key.status());
    spec.key = *std::move(key);
    spec.subgraph = source.subgraph_index();
    if (spec.subgraph >= model_->subgraphs_.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(place, ": its subgraph is ", spec.subgraph,
                       ": there are ", model_->subgraphs_.size()));
    }
    absl::Status status =
        ReadArguments(source.inputs(), spec.subgraph, &spec.inputs);
    if (status.ok()) {
      status = ReadArguments(source.outputs(), spec.subgraph, &spec.outputs);
    }
    if (!status.ok()) return AtPlace(place, status);
  }
  return absl::OkStatus();
}

absl::Status ModelReader::ReadArguments(
    const flatbuffers::Vector<flatbuffers::Offset<tflite::TensorMap>>* list,
    size_t subgraph, std::vector<SignatureSpec::Argument>* arguments) {
  const size_t tensors = model_->subgraphs_[subgraph].tensors.size();
  absl::Status status =
      graphs_.Spend(SizeOf(list) * sizeof(SignatureSpec::Argument));
  for (size_t i = 0; status.ok() && i < SizeOf(list); ++i) {
    const tflite::TensorMap& source =
        *list->Get(static_cast<flatbuffers::uoffset_t>(i));
    absl::StatusOr<std::string> name = graphs_.ReadText(source.name());
    if (!name.ok()) return name.status();
    if (source.tensor_index() >= tensors) {
      return absl::InvalidArgumentError(
          absl::StrCat("an argument is tensor ", source.tensor_index(),
                       " of subgraph ", subgraph, ": there are ", tensors));
    }
    arguments->push_back({*std::move(name), source.tensor_index()});
  }
  return status;
}

absl::Status ModelReader::ReadMetadata() {
  for (size_t i = 0; i < SizeOf(source_.metadata()); ++i) {
    const tflite::Metadata& source =
        *source_.metadata()->Get(static_cast<flatbuffers::uoffset_t>(i));
    const std::string place = absl::StrCat(model_->name_, ": metadata ", i);
    absl::StatusOr<std::string> name = graphs_.ReadText(source.name());
    if (!name.ok()) return AtPlace(place, name.status());
    if (source.buffer() >= SizeOf(source_.buffers())) {
      return absl::InvalidArgumentError(
          absl::StrCat(place, ": its buffer is ", source.buffer(),
                       ": there are ", SizeOf(source_.buffers())));
    }
    const absl::Span<const uint8_t> data =
        DataOf(*source_.buffers()->Get(source.buffer()));
    if (*name == kControlEdgesName) {
      const absl::Status status = ReadControlEdges(data);
      if (!status.ok()) return AtPlace(place, status);
    }
    model_->metadata_.push_back({*std::move(name), data});
  }
  return absl::OkStatus();
}

absl::Status ModelReader::ReadControlEdges(absl::Span<const uint8_t> data) {
  absl::StatusOr<std::vector<std::vector<ControlEdge>>> edges =
      ParseControlEdges(data);
  if (!edges.ok()) return edges.status();
  if (edges->size() > model_->subgraphs_.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "control edges of ", edges->size(), " subgraphs; expected at most ",
        model_->subgraphs_.size()));
  }
  for (size_t i = 0; i < edges->size(); ++i) {
    SubgraphSpec& graph = model_->subgraphs_[i];
    for (const ControlEdge& edge : (*edges)[i]) {
      // Operators run in the order of the file, so an edge must go from an
      // earlier operator to a later one.
      if (edge.before < edge.after && edge.after < graph.operators.size()) {
        continue;
      }
      return absl::InvalidArgumentError(absl::StrCat(
          "subgraph ", i, ": a control edge from operator ", edge.before,
          " to ", edge.after, "; expected a later one below ",
          graph.operators.size()));
    }
    graph.control_edges = std::move((*edges)[i]);
  }
  return absl::OkStatus();
}

// Returns the data of a buffer, or no data if the data would be outside of the
// file. This must be checked here, because positions outside of the flatbuffer
// have been checked only for the buffers of tensors.
absl::Span<const uint8_t> ModelReader::DataOf(
    const tflite::Buffer& buffer) const {
  if (SizeOf(buffer.data()) > 0) {
    return {buffer.data()->data(), buffer.data()->size()};
  }
  if (buffer.offset() <= 1 || buffer.offset() > bytes_.size() ||
      buffer.size() > bytes_.size() - buffer.offset()) {
    return {};
  }
  const absl::string_view data = bytes_.substr(buffer.offset(), buffer.size());
  return {reinterpret_cast<const uint8_t*>(data.data()), data.size()};
}

absl::Span<const uint8_t> ModelReader::Aligned(uint32_t buffer,
                                               absl::Span<const uint8_t> data) {
  if (reinterpret_cast<uintptr_t>(data.data()) % kConstantAlignment == 0) {
    return data;
  }
  const auto copied = copies_.find(buffer);
  if (copied != copies_.end()) return copied->second;
  auto copy = std::make_shared<std::vector<AlignedBlock>>(
      data.size() / kConstantAlignment + 1);
  if (!data.empty()) std::memcpy(copy->data(), data.data(), data.size());
  const absl::Span<const uint8_t> result = {copy->data()->bytes, data.size()};
  Own(std::move(copy));
  copies_[buffer] = result;
  return result;
}

std::string OperatorSpec::TypeText() const {
  return is_custom ? absl::StrCat("CUSTOM ", name) : name;
}

absl::StatusOr<std::unique_ptr<const Model>> ModelReader::Parse(
    absl::string_view bytes, absl::string_view name,
    std::shared_ptr<const void> owner, Constants constants) {
  absl::StatusOr<ModelFile> opened = ModelFile::Open(bytes, name);
  if (!opened.ok()) return opened.status();
  // The model refers to the bytes of the file, so it keeps the file alive.
  auto file = std::make_shared<const ModelFile>(*std::move(opened));
  ModelReader reader(bytes, name, *file, constants);
  if (absl::Status status = reader.Read(); !status.ok()) return status;
  reader.Own(std::move(file));
  reader.Own(std::move(owner));
  return std::move(reader.model_);
}

absl::StatusOr<std::unique_ptr<const Model>> Model::Parse(
    absl::string_view bytes, absl::string_view name) {
  return ModelReader::Parse(bytes, name, nullptr,
                            ModelReader::Constants::kRead);
}

absl::Status Model::CheckSubgraph(size_t index) const {
  if (index < subgraphs_.size()) return absl::OkStatus();
  return NoSubgraphError(name_, index, subgraphs_.size());
}

absl::StatusOr<size_t> Model::FindSignature(absl::string_view key) const {
  std::string keys;
  for (const SignatureSpec& signature : signatures_) {
    if (signature.key == key) return signature.subgraph;
    absl::StrAppend(&keys, keys.empty() ? "" : ", ", Quoted(signature.key));
  }
  return absl::NotFoundError(absl::StrCat(
      name_, ": no signature ", Quoted(key),
      keys.empty() ? ", and no other; expected a subgraph by its number"
                   : absl::StrCat("; expected one of ", keys)));
}

absl::StatusOr<std::unique_ptr<const Model>> ModelReader::ReadFile(
    const std::string& path, Constants constants) {
  absl::StatusOr<std::unique_ptr<InputFile>> opened = InputFile::Open(path);
  if (!opened.ok()) return opened.status();
  std::shared_ptr<InputFile> file = *std::move(opened);
  const absl::StatusOr<absl::string_view> start = file->Peek(kFormatStartBytes);
  if (!start.ok()) return start.status();
  // If the first bytes show that the file is not a model, stop reading, because
  // the file may be an endless stream.
  if (!IsModel(*start)) return Parse(*start, file->name(), nullptr, constants);
  const absl::StatusOr<absl::string_view> bytes = file->Contents();
  if (!bytes.ok()) return bytes.status();
  const std::string name = file->name();
  return Parse(*bytes, name, std::move(file), constants);
}

absl::StatusOr<std::unique_ptr<const Model>> Model::Read(
    const std::string& path) {
  return ModelReader::ReadFile(path, ModelReader::Constants::kRead);
}

absl::StatusOr<std::unique_ptr<const Model>> ParseModelStructure(
    absl::string_view bytes, absl::string_view name) {
  return ModelReader::Parse(bytes, name, nullptr,
                            ModelReader::Constants::kLeftOut);
}

absl::StatusOr<std::unique_ptr<const Model>> ReadModelStructure(
    const std::string& path) {
  return ModelReader::ReadFile(path, ModelReader::Constants::kLeftOut);
}

}  // namespace stowage
