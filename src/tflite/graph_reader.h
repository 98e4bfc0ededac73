// SPDX-License-Identifier: Apache-2.0
// Reads subgraphs of a model file into plain form, every index checked: all
// that planning needs. For what a run needs too, the contents of constants,
// quantization and options, see model_reader.cc, which adds them.
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
#include "src/tflite/model_file.h"
#include "src/tflite/model_generated.h"
#include "stowage/tflite/model.h"

namespace stowage {

// The elements of a list that a file may leave out.
template <typename T>
size_t SizeOf(const flatbuffers::Vector<T>* list) {
  return list == nullptr ? 0 : list->size();
}

// The error of an index beyond the `count` subgraphs of a model.
absl::Status NoSubgraphError(absl::string_view model, size_t index,
                             size_t count);

class GraphReader {
 public:
  // `file` must outlive this; `name` stands for it in messages.
  GraphReader(const ModelFile& file, absl::string_view name);

  // Of the tensors: name, type, shape and its
  // signature, which may have another rank, bytes and flags; of the operators
  // all but options. Error: InvalidArgument, naming the operator or the tensor,
  // if there is no such subgraph, an index has nothing in its table, a type is
  // unknown, a shape impossible, or an operator reads or writes what it must
  // not (CheckGraph).
  absl::StatusOr<SubgraphSpec> Read(size_t subgraph);

  // "model.tflite: subgraph 0"
  std::string Place(size_t subgraph) const;

  // A copy of what the file has. Error: that of Spend.
  absl::StatusOr<std::string> ReadText(const flatbuffers::String* text);

  // Counts bytes that are copied from the file. Error: InvalidArgument if they
  // are more than a file of this size could hold without tables that share
  // their lists: without a limit a small file could stand for more memory than
  // there is.
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
  size_t budget_;  // bytes that may yet be copied
};

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_GRAPH_READER_H_
