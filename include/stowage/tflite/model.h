// SPDX-License-Identifier: Apache-2.0
// A TensorFlow Lite model as plain structs, validated. To run it use
// harness/interpreter.h; for its usage records alone, model_trace.h, which also
// reads models whose constants are damaged.
//
//   absl::StatusOr<std::unique_ptr<const Model>> model =
//       Model::Read("net.tflite");
//   for (const TensorSpec& tensor : (*model)->subgraphs()[0].tensors) ...
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

namespace stowage {

// In the place of a tensor that an operator can do without.
constexpr size_t kAbsent = std::numeric_limits<size_t>::max();

struct TensorSpec {
  std::string name;  // any bytes
  ElementType type = ElementType::kFloat32;
  Shape shape;      // with 1 where the file leaves a dimension open
  Shape signature;  // `shape` with -1 for open dimensions; empty if none is
  // The file says that the tensor has the dimensions of `shape`, even if these
  // are none. Old files do not say so of any.
  bool has_rank = false;
  Quantization quantization;
  size_t bytes = 0;  // that `shape` takes; 0 for types without a fixed size
  bool is_variable = false;
  // The bytes of a constant, aligned to 16; as many as its shape takes.
  absl::Span<const uint8_t> data;
  // Has data in the file, even if that is no bytes, and is neither an input nor
  // a variable.
  bool is_constant = false;
  // Constants alone determine it and no caller sees it: the output of a
  // DEQUANTIZE or DENSIFY that can be computed once.
  bool is_folded = false;
  // Nothing writes it and custom operators alone read it: memory that these
  // work in. It carries no data from one of them to the next.
  bool is_scratch = false;
};

struct OperatorSpec {
  std::string name;  // "CONV_2D"; of a custom operator, the custom name
  bool is_custom = false;
  int32_t builtin_code = 0;  // the number of the builtin operator
  int32_t version = 1;
  std::vector<size_t> inputs;         // tensors of the subgraph, or kAbsent
  std::vector<size_t> outputs;        // likewise
  std::vector<size_t> intermediates;  // likewise
  // The options of builtin operators as the file has them: a table of the
  // format's union BuiltinOptions, and its number there. Null for none.
  const void* options = nullptr;
  int options_type = 0;
  // The options of custom operators: any bytes.
  absl::Span<const uint8_t> custom_options;

  std::string TypeText() const;  // "CONV_2D", "CUSTOM SignalFramer"
};

// Operators of a subgraph: the first runs before the second, whatever tensors
// they have.
struct ControlEdge {
  size_t before = 0;
  size_t after = 0;
};

struct SubgraphSpec {
  std::string name;
  std::vector<TensorSpec> tensors;
  // Where tensors are counted through the subgraphs, as in offline plans: the
  // number of the first, which is how many the subgraphs before have.
  size_t first_tensor = 0;
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;
  std::vector<OperatorSpec> operators;  // in execution order
  // What must be kept of that order where others may change it; without a
  // value, the order of operators with side effects.
  absl::optional<std::vector<ControlEdge>> control_edges;

  // `tensor 7 "conv1"` and `operator 3 (CONV_2D)`, for messages.
  std::string TensorPlace(size_t tensor) const;
  std::string OperatorPlace(size_t op) const;
};

// A way to call a subgraph, with names for what goes in and comes out.
struct SignatureSpec {
  struct Argument {
    std::string name;
    size_t tensor = 0;  // of the subgraph
  };
  std::string key;
  size_t subgraph = 0;
  std::vector<Argument> inputs;
  std::vector<Argument> outputs;
};

struct MetadataSpec {
  std::string name;
  absl::Span<const uint8_t> data;
};

class Model {
 public:
  // Parses a file that is in memory; `bytes` must outlive the model. `name`
  // stands for the file in messages. Error: InvalidArgument, naming subgraph
  // and operator or tensor, for an invalid model: an index is out of range,
  // operators are not in execution order, a constant's bytes are not
  // what its shape takes, quantisation does not fit the shape. O(bytes).
  static absl::StatusOr<std::unique_ptr<const Model>> Parse(
      absl::string_view bytes, absl::string_view name);

  // Maps the file at `path`, or reads standard input if the path is "-".
  // Errors: those of Parse, and what the system reports.
  static absl::StatusOr<std::unique_ptr<const Model>> Read(
      const std::string& path);

  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const std::string& name() const { return name_; }
  // The whole file.
  absl::string_view bytes() const { return bytes_; }
  const std::string& description() const { return description_; }
  // There is at least one.
  absl::Span<const SubgraphSpec> subgraphs() const { return subgraphs_; }
  // The number of tensors of all subgraphs.
  size_t tensor_count() const {
    return subgraphs_.back().first_tensor + subgraphs_.back().tensors.size();
  }
  absl::Span<const SignatureSpec> signatures() const { return signatures_; }
  absl::Span<const MetadataSpec> metadata() const { return metadata_; }

  // Error: InvalidArgument if there is no subgraph `index`.
  absl::Status CheckSubgraph(size_t index) const;

 private:
  friend class ModelReader;

  Model() = default;

  std::string name_;
  absl::string_view bytes_;
  std::string description_;
  std::vector<SubgraphSpec> subgraphs_;
  std::vector<SignatureSpec> signatures_;
  std::vector<MetadataSpec> metadata_;
  // The file, where it is ours, and copies of what it does not align.
  std::vector<std::shared_ptr<const void>> owned_;
};

}  // namespace stowage

#endif  // STOWAGE_TFLITE_MODEL_H_
