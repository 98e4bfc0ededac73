// SPDX-License-Identifier: Apache-2.0
// Represents a validated TensorFlow Lite model as plain structs. To run a
// model, use harness/interpreter.h. To get only the usage records of a model,
// use model_trace.h, which also accepts models with damaged constants.
#ifndef STOWAGE_TFLITE_MODEL_H_
#define STOWAGE_TFLITE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/known_shapes.h"

namespace stowage {

// The index of an input or output that an operator leaves out.
constexpr size_t kAbsent = std::numeric_limits<size_t>::max();

struct TensorSpec {
  std::string name;  // may have any bytes
  ElementType type = ElementType::kFloat32;
  Shape shape;  // has 1 for dimensions of unknown size
  // Like `shape`, but with -1 for dimensions of unknown size. Empty if the file
  // has no such list.
  Shape signature;
  // True if the file states that the tensor has exactly the dimensions of
  // `shape`, even if `shape` is empty. Old files do not state this for any
  // tensor.
  bool has_rank = false;
  Quantization quantization;
  // The number of bytes of `shape`, or 0 for types without a fixed size.
  size_t bytes = 0;
  bool is_variable = false;
  // The bytes of a constant, exactly as many as the shape requires, aligned to
  // 16 bytes.
  absl::Span<const uint8_t> data;
  // True if the tensor is neither an input nor a variable, and the file has
  // data for it, which may be empty.
  bool is_constant = false;
  // True if the tensor is the output of a DEQUANTIZE or DENSIFY that depends
  // only on constants, so the tensor needs to be computed only once. Always
  // false for variables, and for inputs and outputs of the graph.
  bool is_folded = false;
  // True if no operator writes the tensor and only custom operators read it.
  // Such a tensor is working memory of these operators, and carries no data
  // from one operator to the next.
  bool is_scratch = false;
};

struct OperatorSpec {
  std::string name;  // is "CONV_2D", or the name of a custom operator
  bool is_custom = false;
  int32_t builtin_code = 0;  // the number of the builtin operator
  int32_t version = 1;
  std::vector<size_t> inputs;         // tensors of the subgraph, or kAbsent
  std::vector<size_t> outputs;        // tensors of the subgraph, or kAbsent
  std::vector<size_t> intermediates;  // tensors of the subgraph, or kAbsent
  // The options of a builtin operator. `options` points to a table of the union
  // BuiltinOptions in the file, and `options_type` is the type of this table in
  // the union. `options` is null if there are no options.
  const void* options = nullptr;
  int options_type = 0;
  // The same for the union BuiltinOptions2, which has the options of newer
  // operators.
  const void* options_2 = nullptr;
  int options_2_type = 0;
  // The options of a custom operator: arbitrary bytes.
  absl::Span<const uint8_t> custom_options;

  // Returns "CONV_2D" or "CUSTOM SignalFramer", for example.
  std::string TypeText() const;
};

// Two operators of a subgraph, of which `before` must run before `after` even
// if they have no tensor in common.
struct ControlEdge {
  size_t before = 0;
  size_t after = 0;
};

// A subgraph of a model, with its operators in execution order.
struct SubgraphSpec {
  std::string name;
  std::vector<TensorSpec> tensors;
  // The number of tensors in all earlier subgraphs. This is the number of the
  // first tensor of this subgraph if the tensors of all subgraphs are numbered
  // consecutively, as in offline plans.
  size_t first_tensor = 0;
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;
  std::vector<OperatorSpec> operators;  // has operators in execution order
  // The order that reordered operators must keep, in addition to the order that
  // tensors require. If not set, only operators with side effects must keep
  // their order relative to each other.
  absl::optional<std::vector<ControlEdge>> control_edges;

  // Return descriptions for messages: `tensor 7 "conv1"` and `operator 3
  // (CONV_2D)`.
  std::string TensorPlace(size_t tensor) const;
  std::string OperatorPlace(size_t op) const;

  // Returns the first operator that writes the tensor, or nullopt if no
  // operator writes it. O(operators).
  absl::optional<size_t> ProducerOf(size_t tensor) const;
};

// A way to call a subgraph, with names for its inputs and outputs.
struct SignatureSpec {
  struct Argument {
    std::string name;
    size_t tensor = 0;  // the index of the tensor in the subgraph
  };
  std::string key;
  size_t subgraph = 0;
  std::vector<Argument> inputs;
  std::vector<Argument> outputs;
};

// A named blob of data that a model stores in addition to its graphs.
struct MetadataSpec {
  std::string name;
  absl::Span<const uint8_t> data;
};

// An immutable model with a checked structure.
class Model {
 public:
  // Parses a file in memory. `bytes` must outlive the model. Error messages
  // refer to the file as `name`. Error: InvalidArgument, naming the subgraph
  // and the operator or tensor, if the model is invalid: an index is out of
  // range, operators are not in execution order, or the size of a constant or a
  // quantization does not match the shape. O(bytes).
  static absl::StatusOr<std::unique_ptr<const Model>> Parse(
      absl::string_view bytes, absl::string_view name);

  // Maps the file at `path`, or reads standard input if the path is "-".
  // Errors: those of Parse, and those that the system reports.
  static absl::StatusOr<std::unique_ptr<const Model>> Read(
      const std::string& path);

  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // Returns a copy of this model in which `shapes` replace the declared shapes
  // (ReplaceShapes). The copy shares the contents of this model. Its bytes()
  // are the original file, which still has the declared shapes.
  std::unique_ptr<const Model> WithShapes(const KnownShapes& shapes) const;

  const std::string& name() const { return name_; }
  // Returns the whole file.
  absl::string_view bytes() const { return bytes_; }
  const std::string& description() const { return description_; }
  // Returns the subgraphs, at least one.
  absl::Span<const SubgraphSpec> subgraphs() const { return subgraphs_; }
  // Returns the number of tensors in all subgraphs.
  size_t tensor_count() const {
    return subgraphs_.back().first_tensor + subgraphs_.back().tensors.size();
  }
  absl::Span<const SignatureSpec> signatures() const { return signatures_; }
  absl::Span<const MetadataSpec> metadata() const { return metadata_; }

  // Checks that the subgraph `index` exists. Error: InvalidArgument.
  absl::Status CheckSubgraph(size_t index) const;
  // Returns the index of the subgraph of the signature `key`. Error: NotFound,
  // listing the signatures.
  absl::StatusOr<size_t> FindSignature(absl::string_view key) const;

 private:
  friend class ModelReader;

  Model() = default;

  std::string name_;
  absl::string_view bytes_;
  std::string description_;
  std::vector<SubgraphSpec> subgraphs_;
  std::vector<SignatureSpec> signatures_;
  std::vector<MetadataSpec> metadata_;
  // The file, if the model owns it, and aligned copies of the data that is not
  // aligned in the file.
  std::vector<std::shared_ptr<const void>> owned_;
};

}  // namespace stowage

#endif  // STOWAGE_TFLITE_MODEL_H_
