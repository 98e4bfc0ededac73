#include "src/tflite/lives.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/tflite/model_generated.h"
#include "src/tflite/model_graph.h"

namespace stowage {
namespace {

// Runs the operators of a graph without their arithmetic.
class Lives {
 public:
  explicit Lives(const Graph& graph)
      : graph_(graph), lives_(graph.tensors.size()) {}

  // Error: InvalidArgument if a tensor is read before it is there, written
  // twice, or written though it is constant or the caller's.
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
  if (graph_.tensors[tensor].is_input) {
    return Error(graph_.Operator(op),
                 absl::StrCat("writes ", graph_.Tensor(tensor),
                              ", which is a graph input: expected one writer, "
                              "the caller"));
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

}  // namespace

absl::StatusOr<std::vector<Life>> FindLives(const Graph& graph) {
  return Lives(graph).Run();
}

}  // namespace stowage
