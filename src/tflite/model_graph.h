// One subgraph of a model in plain form, every index in it checked.
#ifndef STOWAGE_SRC_TFLITE_MODEL_GRAPH_H_
#define STOWAGE_SRC_TFLITE_MODEL_GRAPH_H_

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/tflite/model_file.h"
#include "src/tflite/model_generated.h"

namespace stowage {

// In the place of a tensor that an operator can do without.
constexpr size_t kAbsentTensor = std::numeric_limits<size_t>::max();

struct GraphTensor {
  size_t bytes = 0;  // 0 for what has no fixed size: strings, resources
  bool is_input = false;
  bool is_output = false;
  bool is_variable = false;
  bool is_constant =
      false;               // has data in the file; none of the above but output
  absl::string_view name;  // of the model's bytes; any bytes
};

struct GraphOperator {
  tflite::BuiltinOperator code = tflite::BuiltinOperator::ADD;
  std::string name;                   // "ADD", "CUSTOM \"MyOp\""
  std::vector<size_t> inputs;         // of tensors, or kAbsentTensor
  std::vector<size_t> outputs;        // likewise
  std::vector<size_t> intermediates;  // likewise
};

struct Graph {
  std::string place;  // "model.tflite: subgraph 0"
  std::vector<GraphTensor> tensors;
  std::vector<GraphOperator> operators;

  // `tensor 7 "conv1"` and `operator 3 (ADD)`.
  std::string Tensor(size_t index) const;
  std::string Operator(size_t index) const;
};

// Reads a subgraph. `name` stands for the file in messages. The graph must not
// outlive the file. Error: InvalidArgument, naming the operator or the tensor,
// if the subgraph does not exist, an index is out of range, a dimension
// is negative, a type unknown or a size above 2^64 - 1.
absl::StatusOr<Graph> ReadGraph(const ModelFile& file, size_t subgraph,
                                absl::string_view name);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_MODEL_GRAPH_H_
