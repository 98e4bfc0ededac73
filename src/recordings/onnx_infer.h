// SPDX-License-Identifier: Apache-2.0
// Infers the types and shapes of all values of an ONNX model from the shapes of
// the inputs and the definitions of the operators. If this is not sufficient,
// the types that the model declares are used. If a declared type differs from
// the inferred type, the inferred type is used, because the declaration may be
// older than the rest of the model.
#ifndef STOWAGE_SRC_RECORDINGS_ONNX_INFER_H_
#define STOWAGE_SRC_RECORDINGS_ONNX_INFER_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "src/recordings/onnx_call.h"
#include "src/recordings/onnx_model.h"
#include "src/recordings/onnx_type.h"
#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"
#include "stowage/recordings/recording.h"

namespace stowage::recordings {

// The types of the outputs of a graph, and their contents if they are known.
struct OnnxResults {
  std::vector<OnnxType> types;
  std::vector<optional<OnnxData>> data;
};

class OnnxInference {
 public:
  // Both arguments must outlive the object.
  OnnxInference(OnnxModel* model, const RecordingOptions& options)
      : model_(model), options_(options) {}

  // Sets the types of the values of the model. A type that cannot be inferred
  // remains unknown. Errors: ResourceExhausted for nested loops that would take
  // too long.
  absl::Status Run();

  // Returns the names of the open dimensions that no option sets: dimensions of
  // inputs, and dimensions of results that depend on contents, in the order in
  // which they were found. If there are none, returns the other open dimensions
  // that the model declares.
  const std::vector<std::string>& open_dims() const {
    return open_dims_.empty() ? declared_dims_ : open_dims_;
  }
  // Return the names of the dimensions that the model declares (only the first
  // ones if there are many), and the names in the options that match some
  // dimension.
  const std::set<std::string>& dim_names() const { return dim_names_; }
  const std::set<std::string>& used_dims() const { return used_dims_; }
  // Returns the number of values that have different declared and inferred
  // shapes.
  size_t contradictions() const { return contradictions_; }

 private:
  struct Frame {
    OnnxGraph* graph;
    OnnxCall::DataTable data;
  };

  absl::Status RunNodes(Frame* frame);
  absl::Status RunNode(const OnnxNode& node, Frame* frame);
  void FinishOutput(size_t output, const OnnxNode& node, OnnxCall* call,
                    Frame* frame);
  void MergeDeclared(const OnnxValue& value, OnnxType* type);
  int64_t Extent(string_view name, const OnnxValue& value, size_t axis,
                 bool has_default, std::vector<std::string>* open);
  optional<int64_t> GivenExtent(const std::string& name);
  void Keep(const OnnxNode& node, OnnxCall* call, Frame* frame);

  // These functions infer the types of nodes with subgraphs
  // (onnx_infer_control.cc).
  absl::Status RunControl(OnnxCall* call, Frame* frame);
  absl::Status RunIf(OnnxCall* call, Frame* frame);
  absl::Status RunLoop(OnnxCall* call, Frame* frame);
  absl::Status RunScan(OnnxCall* call, Frame* frame);
  absl::Status RunSubgraph(OnnxGraph* graph, const OnnxResults& inputs,
                           Frame* outer, OnnxResults* results);
  absl::Status RunBody(OnnxGraph* body, size_t first, size_t count,
                       OnnxResults* inputs, Frame* frame, OnnxResults* results,
                       size_t first_result);
  static OnnxGraph* FindSubgraph(const OnnxNode& node, string_view attribute,
                                 Frame* frame);

  OnnxModel* model_;
  const RecordingOptions& options_;
  std::vector<std::string> open_dims_;
  std::vector<std::string> declared_dims_;
  std::set<std::string> dim_names_;
  std::set<std::string> used_dims_;
  size_t contradictions_ = 0;
  size_t content_work_ = 0;
  size_t subgraph_work_ = 0;
};

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_ONNX_INFER_H_
