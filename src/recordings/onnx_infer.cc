// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/onnx_infer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/recordings/onnx_call.h"
#include "src/recordings/onnx_constants.h"
#include "src/recordings/onnx_model.h"
#include "src/recordings/onnx_shapes.h"
#include "src/recordings/onnx_type.h"
#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"
#include "stowage/io/wire_reader.h"

namespace stowage::recordings {
namespace {

// The amount of work, in elements, after which no further contents of tensors
// are computed. Limits the time for hostile models.
constexpr size_t kMaxContentWork = size_t{1} << 22;

// The largest possible extent. Options that set a larger extent are ignored.
constexpr size_t kMaxExtent = INT64_MAX;

// The maximum number of dimensions that are collected for messages. A message
// names only a few of them.
constexpr size_t kMaxOpenDims = 64;

// A dimension as declared in a model (TensorShapeProto.Dimension).
struct OnnxDeclaredDim {
  optional<int64_t> extent;
  string_view name;
};

// A type as declared in a model (TypeProto).
struct OnnxDeclared {
  OnnxType::Kind kind = OnnxType::Kind::kTensor;
  int32_t element = kOnnxUnknown;
  optional<std::vector<OnnxDeclaredDim>> dims;
};

OnnxDeclaredDim ReadDim(string_view message) {
  OnnxDeclaredDim dim;
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() == 1) dim.extent = static_cast<int64_t>(fields.value());
    if (fields.field() == 2) dim.name = fields.bytes();
  }
  // For an unknown extent, exporters write -1, or 0 together with a name.
  if (dim.extent && (*dim.extent < 0 || !dim.name.empty())) {
    dim.extent = nullopt;
  }
  return dim;
}

OnnxDeclared ReadDeclared(string_view type_proto) {
  OnnxDeclared declared;
  WireReader kinds(type_proto);
  while (kinds.Next()) {
    const uint64_t kind = kinds.field();
    const bool is_other =
        kind == 4 || kind == 5 || kind == 7 || kind == 8 || kind == 9;
    if (is_other) declared.kind = OnnxType::Kind::kOther;
    if (kind != 1) continue;
    WireReader fields(kinds.bytes());
    while (fields.Next()) {
      if (fields.field() == 1) {
        declared.element = static_cast<int32_t>(fields.value());
      }
      if (fields.field() != 2) continue;
      declared.dims.emplace();
      WireReader dims(fields.bytes());
      while (dims.Next() && declared.dims->size() <= kMaxOnnxRank) {
        if (dims.field() == 1) declared.dims->push_back(ReadDim(dims.bytes()));
      }
      if (declared.dims->size() > kMaxOnnxRank) declared.dims = nullopt;
    }
  }
  return declared;
}

}  // namespace

// Returns the extent that an option sets for dimensions with this name, or
// nothing if there is no such option.
optional<int64_t> OnnxInference::GivenExtent(const std::string& name) {
  const auto found = options_.dims.find(name);
  if (found == options_.dims.end() || found->second > kMaxExtent) {
    return nullopt;
  }
  used_dims_.insert(name);
  return static_cast<int64_t>(found->second);
}

// Returns the extent that an option sets for an open dimension of a value, or
// kOnnxOpen. Options refer to the dimension by `name`, if it has a name, or by
// its place, such as "x[0]". If `has_default` is true, the default extent also
// applies to the dimension. If no option sets the extent, adds the name or the
// place of the dimension to `open`, unless `open` is null.
int64_t OnnxInference::Extent(string_view name, const OnnxValue& value,
                              size_t axis, bool has_default,
                              std::vector<std::string>* open) {
  std::string place;
  if (!options_.dims.empty() || name.empty()) {
    place = absl::StrCat(value.name, "[", axis, "]");
  }
  if (!name.empty() && dim_names_.size() < kMaxOpenDims) {
    dim_names_.emplace(name);
  }
  if (!options_.dims.empty()) {
    optional<int64_t> given;
    if (!name.empty()) given = GivenExtent(std::string(name));
    if (!given) given = GivenExtent(place);
    if (given) return *given;
  }
  if (has_default && options_.default_dim &&
      *options_.default_dim <= kMaxExtent) {
    return static_cast<int64_t>(*options_.default_dim);
  }
  if (open == nullptr || open->size() >= kMaxOpenDims) return kOnnxOpen;
  std::string shown = name.empty() ? std::move(place) : std::string(name);
  if (std::find(open->begin(), open->end(), shown) == open->end()) {
    open->push_back(std::move(shown));
  }
  return kOnnxOpen;
}

// Completes a type with the type that the model declares for the value.
void OnnxInference::MergeDeclared(const OnnxValue& value, OnnxType* type) {
  if (value.proto.empty() || value.is_initializer) return;
  const OnnxDeclared declared = ReadDeclared(value.proto);
  if (declared.kind == OnnxType::Kind::kOther) type->kind = declared.kind;
  if (type->element == kOnnxUnknown) type->element = declared.element;
  if (!declared.dims) return;
  const bool is_new = !type->dims;
  if (is_new) type->dims = OpenOnnxDims(declared.dims->size());
  OnnxDims& dims = *type->dims;
  if (dims.size() != declared.dims->size()) {
    ++contradictions_;
    return;
  }
  bool is_contradicted = false;
  for (size_t i = 0; i < dims.size(); ++i) {
    const OnnxDeclaredDim& dim = (*declared.dims)[i];
    if (dim.extent) {
      is_contradicted |= dims[i] != kOnnxOpen && dims[i] != *dim.extent;
      if (dims[i] == kOnnxOpen) dims[i] = *dim.extent;
      continue;
    }
    std::vector<std::string>* const open =
        value.is_input ? &open_dims_ : &declared_dims_;
    const int64_t given = Extent(dim.name, value, i, /*has_default=*/true,
                                 dims[i] == kOnnxOpen ? open : nullptr);
    if (dims[i] == kOnnxOpen) dims[i] = given;
  }
  contradictions_ += is_contradicted ? 1 : 0;
}

// Completes the type of an output with the declared type and with the extents
// that options set. Requires that the call has computed its outputs.
void OnnxInference::FinishOutput(size_t output, const OnnxNode& node,
                                 OnnxCall* call, Frame* frame) {
  OnnxValue& value = frame->graph->values[frame->graph->Outputs(node)[output]];
  OnnxType type = call->outputs()[output];
  MergeDeclared(value, &type);
  for (size_t i = 0; type.dims && i < type.dims->size(); ++i) {
    if ((*type.dims)[i] != kOnnxOpen) continue;
    const bool is_counted =
        std::any_of(call->counted().begin(), call->counted().end(),
                    [&](const OnnxCall::Counted& each) {
                      return each.output == output && each.axis == i;
                    });
    // An option may set any open extent by its place. Messages request only
    // extents that are known to depend on the contents of tensors.
    if (!is_counted && options_.dims.empty()) continue;
    (*type.dims)[i] =
        Extent("", value, i, is_counted, is_counted ? &open_dims_ : nullptr);
  }
  value.type = std::move(type);
}

// Stores the types that a call has inferred, and the contents of its first
// output.
void OnnxInference::Keep(const OnnxNode& node, OnnxCall* call, Frame* frame) {
  if (call->data()) {
    const bool is_known = std::any_of(
        call->data()->begin(), call->data()->end(), [](const OnnxNumber& each) {
          return each.kind != OnnxNumber::Kind::kUnknown;
        });
    if (is_known || call->data()->empty()) {
      frame->data[frame->graph->Outputs(node)[0]] = *call->data();
    }
  }
  for (size_t i = 0; i < call->output_count(); ++i) {
    if (call->HasOutput(i)) FinishOutput(i, node, call, frame);
  }
}

absl::Status OnnxInference::RunNode(const OnnxNode& node, Frame* frame) {
  // The operators that ONNX Runtime adds have only one version. The other
  // operators in its domain are standard operators, and use the version of the
  // standard domain.
  const auto opset = model_->opsets.find(
      node.domain == "com.microsoft" ? string_view() : node.domain);
  OnnxCall call(*frame->graph, node, &frame->data,
                opset == model_->opsets.end() ? 1 : opset->second);
  const OnnxShapeFunction function = FindOnnxShape(node.domain, node.op);
  if (node.graph_count > 0 && function == nullptr) {
    absl::Status status = RunControl(&call, frame);
    if (!status.ok()) return status;
  } else if (function != nullptr && call.output_count() > 0) {
    function(&call);
    if (content_work_ < kMaxContentWork) {
      content_work_ += ComputeOnnxData(&call);
    }
  }
  Keep(node, &call, frame);
  return absl::OkStatus();
}

absl::Status OnnxInference::RunNodes(Frame* frame) {
  for (const OnnxNode& node : frame->graph->nodes) {
    absl::Status status = RunNode(node, frame);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status OnnxInference::Run() {
  Frame frame = {&model_->graph, {}};
  for (const uint32_t input : model_->graph.inputs) {
    OnnxValue& value = model_->graph.values[input];
    MergeDeclared(value, &value.type);
  }
  return RunNodes(&frame);
}

}  // namespace stowage::recordings
