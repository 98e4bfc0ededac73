#include "stowage/tflite/model_trace.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/tflite/lives.h"
#include "src/tflite/model_file.h"
#include "src/tflite/model_graph.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

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
                                           const ModelTraceOptions& options) {
  const absl::StatusOr<ModelFile> file = ModelFile::Open(model, name);
  if (!file.ok()) return file.status();
  absl::StatusOr<Graph> graph = ReadGraph(*file, options.subgraph, name);
  if (!graph.ok()) return graph.status();
  absl::Status status = RoundUpSizes(options.tensor_alignment, &*graph);
  if (!status.ok()) return status;
  const absl::StatusOr<std::vector<Life>> lives = FindLives(*graph);
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
