// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflite/model_trace.h"

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/tflite/graph_reader.h"
#include "stowage/error_payload.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/known_shapes.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_file.h"
#include "stowage/tflite/model_structure.h"
#include "stowage/tflite/streams.h"
#include "stowage/tflite/trace_of_graph.h"

namespace stowage {
namespace {

// Returns the graph to which the rules `plain` are applied. Inputs, outputs and
// variables are tensors of the arena only if `include_io` is true.
ArenaGraph PlainGraph(const SubgraphSpec& spec, bool include_io) {
  ArenaGraph graph;
  for (const TensorSpec& tensor : spec.tensors) {
    Storage storage = Storage::kArena;
    if (tensor.is_constant) storage = Storage::kConstant;
    if (tensor.is_folded) storage = Storage::kPersistent;
    if (tensor.is_variable && !include_io) storage = Storage::kNone;
    graph.tensors.push_back({tensor.bytes, storage});
  }
  for (const std::vector<size_t>* ends : {&spec.inputs, &spec.outputs}) {
    for (const size_t t : *ends) {
      if (!include_io) graph.tensors[t].storage = Storage::kNone;
    }
  }
  for (const OperatorSpec& op : spec.operators) {
    ArenaNode& node = graph.nodes.emplace_back();
    node.outputs = op.outputs;
    for (const size_t t : op.inputs) {
      const bool is_scratch = t != kAbsent && spec.tensors[t].is_scratch;
      (is_scratch ? node.temporaries : node.inputs).push_back(t);
    }
  }
  graph.inputs = spec.inputs;
  graph.outputs = spec.outputs;
  for (size_t t = 0; t < spec.tensors.size(); ++t) {
    if (spec.tensors[t].is_variable) graph.variables.push_back(t);
  }
  return graph;
}

ArenaRecords PlainRecords(const ArenaGraph& graph,
                          absl::Span<const Lifetime> lifetimes,
                          const TaskOrder* order) {
  // Without operators, there are no tasks, and therefore no records.
  if (graph.nodes.empty()) return {};
  return order == nullptr
             ? RecordsOf(graph, lifetimes, graph.nodes.size() - 1)
             : RecordsOf(graph, lifetimes, UsersOf(graph, lifetimes, *order));
}

absl::StatusOr<ModelTrace> PlainTrace(const std::string& place,
                                      const SubgraphSpec& spec,
                                      const ModelTraceOptions& options,
                                      const TaskOrder* order) {
  const ArenaGraph graph = PlainGraph(spec, options.include_io);
  LifetimeOptions lifetime_options;
  lifetime_options.rules = LifetimeRules::kPlain;
  lifetime_options.io = options.io_lifetime;
  const std::vector<Lifetime> lifetimes =
      PlanLifetimes(graph, lifetime_options);
  const ArenaRecords records = PlainRecords(graph, lifetimes, order);
  absl::StatusOr<ModelTrace> result =
      TraceOfRecords(place, spec, records, options.tensor_alignment);
  if (!result.ok()) return result;
  ProblemSpec& problem = result->problem;
  for (const size_t t : records.tensors) {
    problem.labels.tensors.push_back(DescribeTensor(spec.tensors[t]));
  }
  ConnectTasks(graph, lifetimes, records.tensors, &problem.labels.tensors);
  problem.labels.operators = OperatorNames(spec);
  AddOpenShapes(
      absl::StrCat("subgraph ", options.subgraph), spec, records.tensors,
      [&spec](size_t t) { return HasOpenExtent(spec.tensors[t]); },
      &result->open);
  return result;
}

// Returns the order of the operators on the streams. Reads the whole model,
// because control edges are in the metadata of the model and not in its graphs.
absl::StatusOr<TaskOrder> OrderIn(absl::string_view bytes,
                                  absl::string_view name,
                                  const ModelTraceOptions& options) {
  const absl::StatusOr<std::unique_ptr<const Model>> model =
      ParseModelStructure(bytes, name);
  if (!model.ok()) return model.status();
  return OrderOnStreams((*model)->subgraphs()[options.subgraph],
                        options.streams);
}

absl::Status PassesMaximum(absl::string_view place, const SubgraphSpec& graph,
                           size_t tensor, absl::string_view what) {
  // A temporary of an operator has no name in the file, so use its number.
  const std::string name = tensor < graph.tensors.size()
                               ? graph.TensorPlace(tensor)
                               : absl::StrCat("tensor ", tensor);
  return WithTensor(
      absl::InvalidArgumentError(absl::StrCat(place, ", ", name, ": ", what)),
      tensor);
}

}  // namespace

std::vector<size_t> CountConsumers(const SubgraphSpec& graph) {
  std::vector<size_t> consumers(graph.tensors.size());
  for (const OperatorSpec& op : graph.operators) {
    const std::set<size_t> inputs(op.inputs.begin(), op.inputs.end());
    for (const size_t t : inputs) {
      if (t < consumers.size()) ++consumers[t];
    }
  }
  return consumers;
}

absl::StatusOr<ModelTrace> TraceOfRecords(absl::string_view place,
                                          const SubgraphSpec& graph,
                                          const ArenaRecords& records,
                                          size_t tensor_alignment) {
  if (!IsValidAlignment(tensor_alignment)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor alignment ", tensor_alignment, "; expected a power of two"));
  }
  ModelTrace result;
  result.operator_count = graph.operators.size();
  const std::vector<size_t> consumers = CountConsumers(graph);
  for (size_t i = 0; i < records.tensors.size(); ++i) {
    TensorUsageRecord<size_t> record = records.records[i];
    const absl::optional<size_t> bytes =
        CheckedAlignUp(record.tensor_size, tensor_alignment);
    if (!bytes) {
      return PassesMaximum(
          place, graph, records.tensors[i],
          absl::StrCat("its size exceeds 2^64 - 1 when rounded up to ",
                       tensor_alignment));
    }
    record.tensor_size = *bytes;
    result.problem.names.push_back(absl::StrCat(records.tensors[i]));
    result.problem.records.push_back(record);
    // A temporary is read only by its own operator, while that operator runs.
    const size_t tensor = records.tensors[i];
    result.problem.labels.readers.push_back(
        tensor < consumers.size() ? consumers[tensor] : 0);
  }
  result.problem.constraints.users = records.users;
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const TensorSpec& tensor = graph.tensors[t];
    if (!tensor.is_folded || tensor.bytes == 0) continue;
    absl::optional<size_t> sum = CheckedAlignUp(tensor.bytes, tensor_alignment);
    if (sum) sum = CheckedAdd(result.folded_bytes, *sum);
    if (!sum) {
      return PassesMaximum(
          place, graph, t,
          "its size makes the sum of tensors computed from constants overflow "
          "64 bits; expected a sum below 2^64");
    }
    result.folded_bytes = *sum;
    ++result.folded_tensors;
  }
  return result;
}

absl::StatusOr<ModelTrace> ParseModelTrace(absl::string_view model,
                                           absl::string_view name,
                                           const ModelTraceOptions& options) {
  const absl::StatusOr<ModelFile> file = ModelFile::Open(model, name);
  if (!file.ok()) return file.status();
  GraphReader reader(*file, name);
  absl::StatusOr<SubgraphSpec> spec = reader.Read(options.subgraph);
  if (!spec.ok()) return spec.status();
  ReplaceShapes(options.shapes, options.subgraph, &*spec);
  absl::optional<TaskOrder> order;
  if (options.streams > 0 && !spec->operators.empty()) {
    absl::StatusOr<TaskOrder> found = OrderIn(model, name, options);
    if (!found.ok()) return found.status();
    order = *std::move(found);
  }
  absl::StatusOr<ModelTrace> result =
      PlainTrace(reader.Place(options.subgraph), *spec, options,
                 order ? &*order : nullptr);
  if (!result.ok()) return result.status();
  result->problem.constraints.order = std::move(order);
  result->subgraph_count = file->model().subgraphs()->size();
  result->problem.labels.lifetimes =
      std::string(LifetimeRulesName(LifetimeRules::kPlain));
  return result;
}

}  // namespace stowage
