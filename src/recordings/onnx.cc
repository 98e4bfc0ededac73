// SPDX-License-Identifier: Apache-2.0
// Reads ONNX models. Each node of the main graph is a task, and each value that
// a node computes in every run is a record. Graph inputs and outputs are not
// records, because the caller provides their memory. Weights, and values that
// depend only on constants, are not records either, because they are computed
// only once.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "src/recordings/onnx_infer.h"
#include "src/recordings/onnx_model.h"
#include "src/recordings/onnx_shapes.h"
#include "src/recordings/onnx_type.h"
#include "src/recordings/recording_format.h"
#include "src/recordings/recording_input.h"
#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/io/other_format.h"
#include "stowage/problem.h"
#include "stowage/recordings/recording.h"
#include "stowage/tensor_size.h"

namespace stowage::recordings {
namespace {

// The maximum number of values and of dimensions that a message names.
constexpr size_t kMaxNamedValues = 3;
constexpr size_t kMaxNamedDims = 8;

// Returns whether a node is known to compute the same result for the same
// inputs. Only the operators of ONNX and ONNX Runtime are known.
bool IsDeterministic(const OnnxNode& node) {
  constexpr string_view kRandom[] = {"Bernoulli",        "Multinomial",
                                     "RandomNormal",     "RandomUniform",
                                     "RandomNormalLike", "RandomUniformLike"};
  if (!node.domain.empty() && node.domain != "com.microsoft" &&
      node.domain != "ai.onnx.ml") {
    return false;
  }
  return node.graph_count == 0 &&
         std::find(std::begin(kRandom), std::end(kRandom), node.op) ==
             std::end(kRandom);
}

// Returns, for each value, whether it depends only on constants.
std::vector<bool> FindConstants(const OnnxGraph& graph) {
  std::vector<bool> is_constant(graph.values.size());
  for (size_t id = 0; id < graph.values.size(); ++id) {
    is_constant[id] = graph.values[id].is_initializer;
  }
  for (const OnnxNode& node : graph.nodes) {
    bool has_inputs = node.domain.empty() && node.op == "Constant";
    bool is_folded = IsDeterministic(node);
    for (const uint32_t input : graph.Inputs(node)) {
      if (input == kOnnxAbsent) continue;
      has_inputs = true;
      is_folded = is_folded && is_constant[input];
    }
    if (!has_inputs || !is_folded) continue;
    for (const uint32_t output : graph.Outputs(node)) {
      if (output != kOnnxAbsent) is_constant[output] = true;
    }
  }
  return is_constant;
}

// Returns, for each value, the last node that reads it, or kOnnxAbsent.
std::vector<uint32_t> FindLastReaders(const OnnxGraph& graph) {
  std::vector<uint32_t> last(graph.values.size(), kOnnxAbsent);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const auto& reads :
         {graph.Inputs(graph.nodes[i]), graph.Implicit(graph.nodes[i])}) {
      for (const uint32_t id : reads) {
        if (id != kOnnxAbsent) last[id] = static_cast<uint32_t>(i);
      }
    }
  }
  return last;
}

std::string OnnxOperatorName(const OnnxNode& node) {
  return node.domain.empty() ? std::string(node.op)
                             : absl::StrCat(node.domain, ":", node.op);
}

// Creates the records of a model. Requires that its shapes have been inferred.
class OnnxRecords {
 public:
  OnnxRecords(const OnnxModel& model, const OnnxInference& shapes,
              const RecordingOptions& options, const std::string& name)
      : graph_(model.graph),
        model_(model),
        shapes_(shapes),
        options_(options),
        name_(name) {}

  StatusOr<RecordingPart> Make();

 private:
  absl::Status Add(uint32_t id, size_t task);
  void AddRecord(uint32_t id, size_t task, size_t bytes);
  void AddConsumers();
  std::string IdOf(string_view name);
  std::string Describe(uint32_t id) const;
  absl::Status CheckDims() const;
  absl::Status CheckUnknown() const;
  std::string ExpectedShapes() const;
  std::string Note() const;

  const OnnxGraph& graph_;
  const OnnxModel& model_;
  const OnnxInference& shapes_;
  const RecordingOptions& options_;
  const std::string& name_;
  std::vector<bool> is_constant_;
  std::vector<uint32_t> last_readers_;
  std::vector<uint32_t> record_of_;  // by value; kOnnxAbsent for none
  std::unordered_set<std::string> ids_;
  RecordingPart part_;
  std::vector<uint32_t> unknown_;  // values whose bytes are not known
  size_t constants_ = 0;
  size_t constant_bytes_ = 0;
  size_t unread_ = 0;
  size_t empty_ = 0;
};

// Returns a unique id for a name that can be written to a file.
std::string OnnxRecords::IdOf(string_view name) {
  const std::string text = FileText(name);
  std::string id = text;
  for (size_t i = 2; !ids_.insert(id).second; ++i) {
    id = absl::StrCat(text, "#", i);
  }
  return id;
}

void OnnxRecords::AddRecord(uint32_t id, size_t task, size_t bytes) {
  ProblemSpec& problem = part_.file.problem;
  const OnnxValue& value = graph_.values[id];
  const size_t last =
      last_readers_[id] == kOnnxAbsent ? task : last_readers_[id];
  record_of_[id] = static_cast<uint32_t>(problem.records.size());
  problem.records.emplace_back(bytes, task, last);
  problem.names.push_back(IdOf(value.name));
  TensorInfo info;
  info.name = std::string(value.name);
  info.type = std::string(OnnxElementName(value.type.element));
  info.shape = OnnxShapeText(value.type);
  info.producer = task;
  problem.labels.tensors.push_back(std::move(info));
}

absl::Status OnnxRecords::Add(uint32_t id, size_t task) {
  const OnnxValue& value = graph_.values[id];
  const optional<size_t> bytes = OnnxBytes(value.type);
  if (is_constant_[id]) {
    ++constants_;
    constant_bytes_ =
        CheckedAdd(constant_bytes_, bytes.value_or(0)).value_or(SIZE_MAX);
    return absl::OkStatus();
  }
  if (value.is_output) return absl::OkStatus();
  if (bytes) {
    const optional<size_t> padded =
        CheckedAlignUp(*bytes, options_.tensor_alignment);
    if (*bytes == 0) {
      ++empty_;
    } else if (padded) {
      AddRecord(id, task, *padded);
    }
    if (padded) return absl::OkStatus();
  }
  if (IsOnnxComplete(value.type) && OnnxElementBits(value.type.element)) {
    return absl::OutOfRangeError(
        absl::StrCat(name_, ": ", Describe(id),
                     " has more bytes than 64 bits can count; expected fewer"));
  }
  // Some outputs exist only in training, and their shapes may be unknown. If
  // nothing reads such an output, its unknown shape is not an error.
  if (last_readers_[id] == kOnnxAbsent && !value.type.dims) {
    ++unread_;
  } else {
    unknown_.push_back(id);
  }
  return absl::OkStatus();
}

void OnnxRecords::AddConsumers() {
  std::vector<TensorInfo>& tensors = part_.file.problem.labels.tensors;
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    for (const auto& reads :
         {graph_.Inputs(graph_.nodes[i]), graph_.Implicit(graph_.nodes[i])}) {
      for (const uint32_t id : reads) {
        if (id == kOnnxAbsent || record_of_[id] == kOnnxAbsent) continue;
        std::vector<size_t>& consumers = tensors[record_of_[id]].consumers;
        if (consumers.empty() || consumers.back() != i) consumers.push_back(i);
      }
    }
  }
}

// Describes a value and its node: "'x' (float 1x?, node 3 (Conv 'c'))".
std::string OnnxRecords::Describe(uint32_t id) const {
  const OnnxValue& value = graph_.values[id];
  std::string text = absl::StrCat(Quoted(value.name), " (",
                                  OnnxElementName(value.type.element), " ",
                                  OnnxShapeText(value.type));
  const OnnxNode& node = graph_.nodes[value.producer];
  absl::StrAppend(&text, ", ", OnnxNodeText(graph_, value.producer));
  const std::string function = absl::StrCat(node.domain, ":", node.op);
  if (std::find(model_.functions.begin(), model_.functions.end(), function) !=
      model_.functions.end()) {
    absl::StrAppend(&text, ", a function of the model");
  } else if (node.graph_count == 0 &&
             FindOnnxShape(node.domain, node.op) == nullptr) {
    absl::StrAppend(&text, ", an operator that is not known here");
  }
  return absl::StrCat(text, ")");
}

std::string OnnxDimOptions(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMaxNamedDims); ++i) {
    // Names with characters that a shell may interpret are quoted.
    const bool is_plain =
        std::all_of(names[i].begin(), names[i].end(), [](char c) {
          return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                 c == '_' || c == '-' || c == '.';
        });
    const std::string shown = OneLine(names[i].substr(0, 64));
    absl::StrAppend(&text, i == 0 ? "" : " ",
                    is_plain ? absl::StrCat("--dim ", shown, "=N")
                             : absl::StrCat("--dim '", shown, "=N'"));
  }
  return text;
}

// Returns an error for options that set dimensions that the model does not
// have.
absl::Status OnnxRecords::CheckDims() const {
  for (const auto& [dim, extent] : options_.dims) {
    if (shapes_.used_dims().count(dim) != 0) continue;
    const std::vector<std::string> names(shapes_.dim_names().begin(),
                                         shapes_.dim_names().end());
    return absl::InvalidArgumentError(absl::StrCat(
        name_, ": has no open dimension ", Quoted(dim), "; expected ",
        names.empty() ? "no --dim" : OnnxDimOptions(names)));
  }
  return absl::OkStatus();
}

absl::Status OnnxRecords::CheckUnknown() const {
  if (unknown_.empty()) return absl::OkStatus();
  std::vector<std::string> values;
  for (size_t i = 0; i < std::min(unknown_.size(), kMaxNamedValues); ++i) {
    values.push_back(Describe(unknown_[i]));
  }
  const std::string count =
      unknown_.size() == 1
          ? "the size of a value is"
          : absl::StrCat("the sizes of ", unknown_.size(), " values are");
  return absl::InvalidArgumentError(absl::StrCat(
      name_, ": ", count, " not known: ", absl::StrJoin(values, ", "),
      unknown_.size() > values.size() ? ", ..." : "", "; expected ",
      ExpectedShapes()));
}

// Returns the part of a message that explains to the user how to provide the
// unknown sizes.
std::string OnnxRecords::ExpectedShapes() const {
  const std::vector<std::string>& open = shapes_.open_dims();
  if (!open.empty()) {
    return absl::StrCat(OnnxDimOptions(open), ", or --default-dim N");
  }
  const bool has_options = !options_.dims.empty() || options_.default_dim;
  return absl::StrCat(
      has_options ? "extents that fit all operators, or " : "",
      "a model that declares these shapes, as the shape inference of ONNX and "
      "simplifiers write it");
}

std::string OnnxRecords::Note() const {
  std::vector<std::string> clauses;
  if (constants_ > 0) {
    clauses.push_back(absl::StrCat(
        constants_, constants_ == 1 ? " value" : " values", " (",
        constant_bytes_, " bytes) that follow from constants left out"));
  }
  if (unread_ > 0) {
    clauses.push_back(
        absl::StrCat(unread_, unread_ == 1 ? " output" : " outputs",
                     " of unknown shape that nothing reads left out"));
  }
  if (empty_ > 0) {
    clauses.push_back(absl::StrCat(empty_, empty_ == 1 ? " value" : " values",
                                   " of no bytes left out"));
  }
  if (!graph_.subgraphs.empty()) {
    clauses.emplace_back("what subgraphs compute within their nodes left out");
  }
  if (shapes_.contradictions() > 0) {
    clauses.push_back(absl::StrCat(shapes_.contradictions(),
                                   shapes_.contradictions() == 1
                                       ? " declared shape differs"
                                       : " declared shapes differ",
                                   " from what is computed, which is taken"));
  }
  return absl::StrJoin(clauses, "; ");
}

StatusOr<RecordingPart> OnnxRecords::Make() {
  absl::Status status = CheckDims();
  if (!status.ok()) return status;
  is_constant_ = FindConstants(graph_);
  last_readers_ = FindLastReaders(graph_);
  record_of_.assign(graph_.values.size(), kOnnxAbsent);
  part_.name = graph_.name.empty() ? "graph" : OneLine(FileText(graph_.name));
  for (size_t task = 0; task < graph_.nodes.size(); ++task) {
    const OnnxNode& node = graph_.nodes[task];
    part_.file.problem.labels.operators.push_back(OnnxOperatorName(node));
    for (const uint32_t output : graph_.Outputs(node)) {
      if (output == kOnnxAbsent) continue;
      status = Add(output, task);
      if (!status.ok()) return status;
    }
  }
  status = CheckUnknown();
  if (!status.ok()) return status;
  AddConsumers();
  part_.file.note = Note();
  return std::move(part_);
}

StatusOr<std::vector<RecordingPart>> ReadOnnx(RecordingInput* input,
                                              const RecordingOptions& options) {
  const StatusOr<string_view> bytes = input->Contents();
  if (!bytes.ok()) return bytes.status();
  StatusOr<OnnxModel> model = ParseOnnxModel(*bytes, input->name());
  if (!model.ok()) return model.status();
  OnnxInference shapes(&*model, options);
  const absl::Status status = shapes.Run();
  if (!status.ok()) {
    return absl::Status(status.code(),
                        absl::StrCat(input->name(), ": ", status.message()));
  }
  StatusOr<RecordingPart> part =
      OnnxRecords(*model, shapes, options, input->name()).Make();
  if (!part.ok()) return part.status();
  return OnePart(*std::move(part));
}

}  // namespace

const RecordingFormat kOnnx = {
    {"onnx", "an ONNX model (.onnx)", "", /*has_events=*/false,
     /*has_requested_frees=*/false, /*has_open_dims=*/true},
    [](string_view start, const std::string& path) {
      // The version of the format is the first field of a model. A file that
      // has the ending of models, too, may have names that no text has.
      return OtherFormat(start.substr(0, kFormatStartBytes)) ==
                 "an ONNX model" ||
             (absl::EndsWith(path, ".onnx") && absl::StartsWith(start, "\x08"));
    },
    ReadOnnx,
};

}  // namespace stowage::recordings
