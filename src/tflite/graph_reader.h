// SPDX-License-Identifier: Apache-2.0
// Reads subgraphs of a model file into plain structs and checks every index.
// This is sufficient for planning. Running a model also requires the contents
// of constants, quantization and options, which model_reader.cc adds.
#ifndef STOWAGE_SRC_TFLITE_GRAPH_READER_H_
#define STOWAGE_SRC_TFLITE_GRAPH_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "flatbuffers/flatbuffers.h"
#include "model_schema/model_generated.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_file.h"

namespace stowage {

// Returns the number of elements of a list; 0 if the list is not in the file.
template <typename T>
size_t SizeOf(const flatbuffers::Vector<T>* list) {
  return list == nullptr ? 0 : list->size();
}

// Returns the error for a subgraph `index` that does not exist in a model with
// `count` subgraphs.
absl::Status NoSubgraphError(absl::string_view model, size_t index,
                             size_t count);

class GraphReader {
 public:
  // `file` must outlive the reader. `name` is the name of the file in messages.
  GraphReader(const ModelFile& file, absl::string_view name);

  // Reads a subgraph. The returned tensors have a name, type, shape, bytes and
  // flags, and the signature of the shape, which may have a different rank. The
  // returned operators have everything except options. Errors: InvalidArgument,
  // with the name of the operator or the tensor, if there is no such subgraph,
  // an index has no entry in its table, a type is unknown, a shape is
  // impossible, or an operator reads or writes a tensor that it must not
  // (CheckGraph).
  absl::StatusOr<SubgraphSpec> Read(size_t subgraph);

  // Returns "model.tflite: subgraph 0".
  std::string Place(size_t subgraph) const;

  // Returns a copy of the text; empty if the text is not in the file. Errors:
  // that of Spend.
  absl::StatusOr<std::string> ReadText(const flatbuffers::String* text);

  // Counts bytes that are copied from the file. Errors: InvalidArgument if more
  // than kMaxSharing times the size of the file is copied in total. The tables
  // of a file can share lists, so without this limit, the copies from a small
  // file could exhaust memory.
  absl::Status Spend(size_t bytes);

 private:
  absl::Status ReadTensors(const tflite::SubGraph& source, SubgraphSpec* graph);
  absl::Status ReadTensor(const tflite::Tensor& source, TensorSpec* tensor);
  absl::StatusOr<bool> HasData(const tflite::Tensor& source) const;
  absl::Status ReadEnds(const tflite::SubGraph& source, SubgraphSpec* graph);
  absl::Status ReadOperator(const tflite::Operator& source,
                            SubgraphSpec* graph);
  absl::Status ReadCode(const tflite::Operator& source, OperatorSpec* op);
  absl::StatusOr<std::vector<size_t>> ReadTensorIndices(
      const flatbuffers::Vector<int32_t>* indices, bool may_be_absent,
      const SubgraphSpec& graph, absl::string_view what);

  const tflite::Model& model_;
  size_t file_size_;
  std::string name_;
  size_t budget_;  // says how many bytes may still be copied
};

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_GRAPH_READER_H_
