// SPDX-License-Identifier: Apache-2.0
// Parses any bytes as a model. Both readers must refuse the bytes, or return a
// consistent trace and a model that agrees with the trace.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "fuzz/model_input.h"
#include "fuzz/model_mutator.h"
#include "stowage/harness/tensor.h"
#include "stowage/io/problem_file.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_structure.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/tflm/micro_arena.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage {
namespace {

void CheckTrace(const ModelTrace& model, const ModelTraceOptions& options) {
  for (const TensorUsageRecord<size_t>& record : model.problem.records) {
    Check(record.first_task <= record.last_task, "a reversed interval");
    Check(record.last_task < model.operator_count, "a task without operator");
    Check(record.tensor_size > 0, "a tensor of no bytes");
    Check(record.tensor_size % options.tensor_alignment == 0, "not rounded up");
  }
  Check(FormatProblemCsv({model.problem}).ok(), "cannot be written");
}

void FuzzTrace(absl::string_view bytes, const ModelTraceOptions& options) {
  const absl::StatusOr<ModelTrace> result =
      ParseModelTrace(bytes, "fuzz.tflite", options);
  if (result.ok()) {
    CheckTrace(*result, options);
  } else {
    Check(absl::IsInvalidArgument(result.status()), result.status().ToString());
  }
}

// Parses the model under the rules of a device and plans its arena.
void FuzzDevice(absl::string_view bytes) {
  const auto model = ParseModelStructure(bytes, "fuzz.tflite");
  if (!model.ok()) {
    Check(absl::IsInvalidArgument(model.status()), model.status().ToString());
    return;
  }
  const absl::StatusOr<ModelTrace> trace = MicroTraceOf(**model);
  if (!trace.ok()) {
    Check(absl::IsInvalidArgument(trace.status()), trace.status().ToString());
    return;
  }
  for (const TensorUsageRecord<size_t>& record : trace->problem.records) {
    Check(record.first_task <= record.last_task, "a reversed interval");
    Check(record.tensor_size % kMicroAlignment == 0, "not rounded up");
  }
  for (const MicroWord word : {MicroWord::k32, MicroWord::k64}) {
    MicroArenaOptions options;
    options.word = word;
    const absl::StatusOr<MicroArena> arena =
        PredictMicroArena(**model, options);
    if (arena.ok()) {
      Check(arena->running.arena_bytes() <= arena->peak_bytes,
            "above the peak");
    } else {
      Check(absl::IsResourceExhausted(arena.status()),
            arena.status().ToString());
    }
  }
}

void CheckTensors(absl::Span<const size_t> tensors, const SubgraphSpec& graph) {
  for (const size_t t : tensors) {
    Check(t == kAbsent || t < graph.tensors.size(), "a tensor that is not");
  }
}

void CheckSubgraph(const SubgraphSpec& graph) {
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const TensorSpec& tensor = graph.tensors[t];
    graph.TensorPlace(t);
    if (tensor.is_constant) {
      const absl::StatusOr<size_t> size =
          TensorBytes(tensor.type, tensor.shape);
      Check(size.ok(), size.status().ToString());
      Check(tensor.data.size() == *size || ElementBytes(tensor.type) == 0,
            "a constant of other bytes than its shape takes");
    }
    Check(tensor.quantization.scales.size() ==
              tensor.quantization.zero_points.size(),
          "scales without zero points");
    // Copying the data touches every promised byte, so sanitizers detect bytes
    // that cannot be read.
    Check(std::vector<uint8_t>(tensor.data.begin(), tensor.data.end()).size() ==
              tensor.data.size(),
          "data of another size");
    Check(tensor.is_constant || tensor.data.empty(), "data of no constant");
  }
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    graph.OperatorPlace(i);
    CheckTensors(graph.operators[i].inputs, graph);
    CheckTensors(graph.operators[i].outputs, graph);
    CheckTensors(graph.operators[i].intermediates, graph);
  }
  CheckTensors(graph.inputs, graph);
  CheckTensors(graph.outputs, graph);
}

void CheckModel(const Model& model, absl::string_view bytes) {
  Check(!model.subgraphs().empty(), "a model without subgraphs");
  for (size_t i = 0; i < model.subgraphs().size(); ++i) {
    CheckSubgraph(model.subgraphs()[i]);
    ModelTraceOptions options;
    options.subgraph = i;
    FuzzTrace(bytes, options);
  }
  for (const SignatureSpec& signature : model.signatures()) {
    Check(signature.subgraph < model.subgraphs().size(), "a signature of none");
  }
}

void Fuzz(absl::string_view bytes) {
  ModelTraceOptions options;
  FuzzTrace(bytes, options);
  options.include_io = true;
  options.tensor_alignment = 64;
  FuzzTrace(bytes, options);
  FuzzDevice(bytes);
  const std::unique_ptr<const Model> model = ParseModelInput(
      reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (model != nullptr) CheckModel(*model, bytes);
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  return stowage::MutateModelOrBytes(data, size, max_size, seed, 2);
}
