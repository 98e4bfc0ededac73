#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/trace/model_file.h"
#include "src/trace/model_generated.h"
#include "src/trace/model_graph.h"
#include "stowage/tensor_size.h"
#include "stowage/trace.h"

namespace stowage {
namespace {

constexpr size_t kNever = std::numeric_limits<size_t>::max();

// What running the operators in their order does with a tensor.
struct Life {
  size_t producer = kNever;  // the operator that writes it
  size_t last_use = kNever;  // the last operator that reads it
  bool is_folded = false;    // computed from constants alone
};

// Runs the operators of a graph without their arithmetic.
class Lives {
 public:
  explicit Lives(const Graph& graph)
      : graph_(graph), lives_(graph.tensors.size()) {}

  // Error: InvalidArgument if a tensor is read before it is there, written
  // twice, or written though it is constant.
  absl::StatusOr<std::vector<Life>> Run();

 private:
  absl::Status FindProducers();
  absl::Status Write(size_t op, size_t tensor);
  absl::Status Read(size_t op, size_t input);
  absl::Status CheckOutputs() const;
  // Whether the tensor has content before any operator runs, or needs none.
  bool IsThere(size_t tensor) const;
  bool MayLackData(size_t op, size_t input) const;
  void Fold(size_t op);
  absl::Status Error(absl::string_view place, absl::string_view message) const {
    return absl::InvalidArgumentError(
        absl::StrCat(graph_.place, ", ", place, ": ", message));
  }

  const Graph& graph_;
  std::vector<Life> lives_;
};

absl::StatusOr<std::vector<Life>> Lives::Run() {
  if (absl::Status status = FindProducers(); !status.ok()) return status;
  for (size_t op = 0; op < graph_.operators.size(); ++op) {
    for (size_t i = 0; i < graph_.operators[op].inputs.size(); ++i) {
      if (absl::Status status = Read(op, i); !status.ok()) return status;
    }
    Fold(op);
  }
  if (absl::Status status = CheckOutputs(); !status.ok()) return status;
  return std::move(lives_);
}

absl::Status Lives::FindProducers() {
  for (size_t op = 0; op < graph_.operators.size(); ++op) {
    for (const size_t tensor : graph_.operators[op].outputs) {
      if (tensor == kAbsentTensor) continue;
      if (absl::Status status = Write(op, tensor); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status Lives::Write(size_t op, size_t tensor) {
  if (graph_.tensors[tensor].is_constant) {
    return Error(graph_.Operator(op),
                 absl::StrCat("writes ", graph_.Tensor(tensor),
                              ", which is constant: its buffer has data"));
  }
  Life& life = lives_[tensor];
  if (life.producer != kNever) {
    return Error(graph_.Operator(op),
                 absl::StrCat("writes ", graph_.Tensor(tensor), ", which ",
                              graph_.Operator(life.producer),
                              " writes already: expected one writer"));
  }
  life.producer = op;
  return absl::OkStatus();
}

absl::Status Lives::Read(size_t op, size_t input) {
  const size_t tensor = graph_.operators[op].inputs[input];
  if (tensor == kAbsentTensor) return absl::OkStatus();
  Life& life = lives_[tensor];
  life.last_use = op;
  const bool is_written = life.producer != kNever;
  if (IsThere(tensor) || (is_written && life.producer < op) ||
      (!is_written && MayLackData(op, input))) {
    return absl::OkStatus();
  }
  if (is_written) {
    return Error(graph_.Operator(op),
                 absl::StrCat("reads ", graph_.Tensor(tensor), " before ",
                              graph_.Operator(life.producer),
                              " has written it: expected operators in "
                              "execution order"));
  }
  return Error(graph_.Operator(op),
               absl::StrCat("reads ", graph_.Tensor(tensor),
                            ", which nothing writes: expected an operator, "
                            "data or a graph input"));
}

absl::Status Lives::CheckOutputs() const {
  for (size_t i = 0; i < lives_.size(); ++i) {
    const GraphTensor& tensor = graph_.tensors[i];
    if (!tensor.is_output || IsThere(i) || tensor.bytes == 0) continue;
    if (lives_[i].producer != kNever) continue;
    return Error(graph_.Tensor(i),
                 "a graph output that nothing writes: expected an operator, "
                 "data or a graph input");
  }
  return absl::OkStatus();
}

bool Lives::IsThere(size_t tensor) const {
  const GraphTensor& t = graph_.tensors[tensor];
  return t.is_input || t.is_variable || t.is_constant;
}

// Resources and empty tensors have no data to lack; of the shape that RESHAPE
// is given as a tensor, runtimes use only the tensor's own shape.
bool Lives::MayLackData(size_t op, size_t input) const {
  const GraphOperator& reader = graph_.operators[op];
  return graph_.tensors[reader.inputs[input]].bytes == 0 ||
         (reader.code == tflite::BuiltinOperator::RESHAPE && input == 1);
}

// What is kept for the caller is not folded: it has to be there at every run.
void Lives::Fold(size_t op) {
  const GraphOperator& source = graph_.operators[op];
  if (source.code != tflite::BuiltinOperator::DEQUANTIZE &&
      source.code != tflite::BuiltinOperator::DENSIFY) {
    return;
  }
  bool is_constant = !source.inputs.empty();
  for (const size_t tensor : source.inputs) {
    is_constant =
        is_constant && tensor != kAbsentTensor &&
        (graph_.tensors[tensor].is_constant || lives_[tensor].is_folded);
  }
  for (const size_t tensor : source.outputs) {
    if (tensor == kAbsentTensor) continue;
    const GraphTensor& t = graph_.tensors[tensor];
    lives_[tensor].is_folded =
        is_constant && !t.is_input && !t.is_output && !t.is_variable;
  }
}

// The tasks during which a tensor needs memory, or none.
absl::optional<TensorUsageRecord<size_t>> RecordOf(const GraphTensor& tensor,
                                                   const Life& life,
                                                   size_t operator_count,
                                                   bool include_io) {
  const size_t last = operator_count - 1;
  const bool is_io = tensor.is_input || tensor.is_variable || tensor.is_output;
  if (tensor.bytes == 0 || tensor.is_constant || life.is_folded ||
      operator_count == 0 || (is_io && !include_io)) {
    return absl::nullopt;
  }
  if (tensor.is_input || tensor.is_variable) return {{tensor.bytes, 0, last}};
  if (life.producer == kNever) return absl::nullopt;
  if (tensor.is_output) return {{tensor.bytes, life.producer, last}};
  const size_t end = life.last_use == kNever ? life.producer : life.last_use;
  return {{tensor.bytes, life.producer, end}};
}

absl::Status RoundUpSizes(size_t alignment, Graph* graph) {
  if (!IsValidAlignment(alignment)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor alignment ", alignment, ": expected a power of two"));
  }
  for (size_t i = 0; i < graph->tensors.size(); ++i) {
    const absl::optional<size_t> bytes =
        CheckedAlignUp(graph->tensors[i].bytes, alignment);
    if (!bytes) {
      return absl::InvalidArgumentError(absl::StrCat(
          graph->place, ", ", graph->Tensor(i),
          ": its size passes 2^64 - 1 when rounded up to ", alignment));
    }
    graph->tensors[i].bytes = *bytes;
  }
  return absl::OkStatus();
}

absl::Status CountFolded(const Graph& graph, const std::vector<Life>& lives,
                         ModelTrace* result) {
  for (size_t i = 0; i < lives.size(); ++i) {
    if (!lives[i].is_folded || graph.tensors[i].bytes == 0) continue;
    const absl::optional<size_t> sum =
        CheckedAdd(result->folded_bytes, graph.tensors[i].bytes);
    if (!sum) {
      return absl::InvalidArgumentError(
          absl::StrCat(graph.place, ", ", graph.Tensor(i),
                       ": its size takes those computed from constants past "
                       "2^64 - 1"));
    }
    result->folded_bytes = *sum;
    ++result->folded_tensors;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ModelTrace> ParseModelTrace(absl::string_view model,
                                           absl::string_view name,
                                           const TraceOptions& options) {
  const absl::StatusOr<ModelFile> file = ModelFile::Open(model, name);
  if (!file.ok()) return file.status();
  absl::StatusOr<Graph> graph = ReadGraph(*file, options.subgraph, name);
  if (!graph.ok()) return graph.status();
  absl::Status status = RoundUpSizes(options.tensor_alignment, &*graph);
  if (!status.ok()) return status;
  const absl::StatusOr<std::vector<Life>> lives = Lives(*graph).Run();
  if (!lives.ok()) return lives.status();
  ModelTrace result;
  result.subgraph_count = file->model().subgraphs()->size();
  result.operator_count = graph->operators.size();
  status = CountFolded(*graph, *lives, &result);
  if (!status.ok()) return status;
  for (size_t i = 0; i < graph->tensors.size(); ++i) {
    const absl::optional<TensorUsageRecord<size_t>> record =
        RecordOf(graph->tensors[i], (*lives)[i], graph->operators.size(),
                 options.include_io);
    if (!record) continue;
    result.trace.ids.push_back(absl::StrCat(i));
    result.trace.records.push_back(*record);
  }
  return result;
}

}  // namespace stowage
