// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/cpu_trace.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/error_payload.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/declared_shapes.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/tflite/streams.h"
#include "stowage/tflite/trace_of_graph.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage::harness {
namespace {

// Adds the order of the tasks on several streams to the plan. If the operators
// of the graph form a chain, its tasks run one after the other on any number of
// streams, and a run does not need the order. The order is added even then,
// because the trace must say what was requested.
absl::Status AddOrder(const SubgraphSpec& graph, size_t streams,
                      MemoryPlan* plan) {
  if (plan->graph.nodes.size() != graph.operators.size() ||
      plan->prepared_nodes < plan->graph.nodes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("streams: ", streams, ", with ",
                     plan->prepared_nodes < plan->graph.nodes.size()
                         ? "shapes that depend on data"
                         : "delegates",
                     "; expected all operators to be tasks of known shapes"));
  }
  absl::StatusOr<TaskOrder> order = OrderOnStreams(graph, streams);
  if (!order.ok()) return order.status();
  plan->order = *std::move(order);
  plan->users = UsersOf(plan->graph, plan->lifetimes, *plan->order);
  return absl::OkStatus();
}

absl::Status CheckSharing(const ModelTraceOptions& options) {
  if (options.sharing != Sharing::kGroups) return absl::OkStatus();
  if (options.streams > 0) {
    return absl::InvalidArgumentError(
        "sharing: groups, with streams; expected no streams");
  }
  if (IsValidAlignment(options.sharing_alignment)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("sharing alignment ",
                                                 options.sharing_alignment,
                                                 "; expected a power of two"));
}

// Finds the tensor whose name or number is `key`.
absl::StatusOr<size_t> FindTensor(const SubgraphSpec& graph,
                                  const std::string& key) {
  absl::optional<size_t> found;
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    if (graph.tensors[t].name != key) continue;
    if (found) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the name of tensors ", *found, " and ", t, "; expected a number"));
    }
    found = t;
  }
  size_t number = 0;
  if (!found && absl::SimpleAtoi(key, &number) &&
      number < graph.tensors.size()) {
    found = number;
  }
  if (found) return *found;
  return absl::InvalidArgumentError(
      absl::StrCat("no such tensor; expected a name, or a number below ",
                   graph.tensors.size()));
}

// Returns the shapes that the caller gives, keyed by tensor.
absl::StatusOr<std::map<size_t, Shape>> ResolveShapes(
    const SubgraphSpec& graph, const TraceShadows& shadows) {
  std::map<size_t, Shape> shapes;
  for (const TraceShadows::GivenShape& given : shadows.shapes) {
    const std::string place = absl::StrCat("shape of '", given.tensor, "'");
    const absl::StatusOr<size_t> tensor = FindTensor(graph, given.tensor);
    if (!tensor.ok()) return AtPlace(place, tensor.status());
    const TensorSpec& spec = graph.tensors[*tensor];
    absl::Status status = TensorBytes(spec.type, given.shape).status();
    if (spec.is_constant || spec.is_variable) {
      status = absl::InvalidArgumentError(absl::StrCat(
          graph.TensorPlace(*tensor), " is a ",
          spec.is_constant ? "constant" : "variable",
          ", whose shape the model has; expected an input, or an output of an "
          "operator without a kernel"));
    } else if (status.ok() && !shapes.emplace(*tensor, given.shape).second) {
      status = absl::InvalidArgumentError(
          absl::StrCat(graph.TensorPlace(*tensor),
                       " is given twice; expected one shape for each tensor"));
    }
    if (!status.ok()) return AtPlace(place, status);
  }
  return shapes;
}

// Checks that the shapes that the caller gives are the shapes that the tensors
// have after preparation.
absl::Status CheckShapesHold(const Subgraph& graph,
                             const std::map<size_t, Shape>& shapes) {
  for (const auto& [tensor, shape] : shapes) {
    const Shape& computed = graph.tensor(tensor).shape;
    if (computed == shape) continue;
    return WithTensor(
        absl::InvalidArgumentError(absl::StrCat(
            graph.spec().TensorPlace(tensor), ": its operator ", "computes ",
            ShapeText(computed), ", not ", ShapeText(shape),
            " as given; expected no shape for it, or that")),
        tensor);
  }
  return absl::OkStatus();
}

// Returns a name for each task. The task of an operator has the name of that
// operator. The task of a delegate has no name of its own and is therefore
// named by its place ("delegate node 7 (...)"). A delegate node has one task,
// or several consecutive ones.
std::vector<std::string> TaskNames(const Subgraph& graph,
                                   const MemoryPlan& plan) {
  const std::vector<OperatorSpec>& operators = graph.spec().operators;
  std::vector<std::string> names;
  for (const int id : graph.execution_plan()) {
    const auto node = static_cast<size_t>(id);
    if (node < operators.size()) {
      names.push_back(operators[node].name);
      continue;
    }
    const std::string place = absl::StrCat("delegate node ", node, " (");
    while (names.size() < plan.places.size() &&
           absl::StartsWith(plan.places[names.size()], place)) {
      names.push_back(plan.places[names.size()]);
    }
  }
  names.resize(plan.graph.nodes.size());
  return names;
}

// Adds the names of the tasks and the descriptions of the tensors to the trace.
// Tensors with an index beyond those of the model are temporaries of operators.
void DescribeTensors(const Subgraph& graph, const MemoryPlan& plan,
                     absl::Span<const size_t> tensors, ProblemSpec* problem) {
  const std::vector<TensorSpec>& specs = graph.spec().tensors;
  problem->labels.operators = TaskNames(graph, plan);
  for (const size_t t : tensors) {
    const Tensor& tensor = graph.tensor(t);
    const bool is_of_model = t < specs.size();
    problem->labels.tensors.push_back(DescribeTensor(
        is_of_model ? specs[t].name : "", tensor.type, tensor.shape,
        is_of_model ? specs[t].signature : Shape()));
  }
  ConnectTasks(plan.graph, plan.lifetimes, tensors, &problem->labels.tensors);
  for (size_t i = 0; i < tensors.size(); ++i) {
    TensorInfo& info = problem->labels.tensors[i];
    if (tensors[i] < specs.size() || !info.producer) continue;
    info.name = TemporaryName(problem->labels.operators[*info.producer]);
  }
}

}  // namespace

absl::StatusOr<ModelTrace> CpuTraceOf(
    const Model& model, const OperatorResolver& resolver,
    const ModelTraceOptions& options,
    absl::Span<const DelegateRequest> delegates, const TraceShadows& shadows) {
  if (absl::Status s = model.CheckSubgraph(options.subgraph); !s.ok()) return s;
  const std::string place =
      absl::StrCat(model.name(), ": subgraph ", options.subgraph);
  InterpreterOptions interpreter_options;
  interpreter_options.shadow = shadows.mode;
  const absl::StatusOr<std::map<size_t, Shape>> shapes =
      ResolveShapes(model.subgraphs()[options.subgraph], shadows);
  if (!shapes.ok()) return AtPlace(place, shapes.status());
  for (const auto& [tensor, shape] : *shapes) {
    interpreter_options.shapes[{options.subgraph, tensor}] = shape;
  }
  interpreter_options.io_lifetime = options.io_lifetime;
  interpreter_options.delegates.assign(delegates.begin(), delegates.end());
  if (options.streams > 0) interpreter_options.streams = options.streams;
  if (absl::Status s = CheckSharing(options); !s.ok()) return s;
  interpreter_options.sharing = options.sharing;
  if (options.sharing == Sharing::kGroups) {
    interpreter_options.tensor_alignment = std::max(
        interpreter_options.tensor_alignment, options.sharing_alignment);
  }
  const absl::StatusOr<std::unique_ptr<Interpreter>> interpreter =
      Interpreter::Create(model, resolver, interpreter_options);
  if (!interpreter.ok()) return interpreter.status();
  Subgraph& graph = (*interpreter)->subgraph(options.subgraph);
  if (absl::Status status = graph.Prepare(); !status.ok()) return status;
  if (absl::Status s = CheckShapesHold(graph, *shapes); !s.ok()) {
    return AtPlace(place, s);
  }
  MemoryPlan plan = graph.plan();
  if (options.streams > 0 && !plan.graph.nodes.empty()) {
    absl::Status status = AddOrder(graph.spec(), options.streams, &plan);
    if (!status.ok()) return AtPlace(place, status);
  }
  const ArenaRecords records = plan.Records();
  absl::StatusOr<ModelTrace> result =
      TraceOfRecords(place, graph.spec(), records, options.tensor_alignment);
  if (!result.ok()) return result.status();
  DescribeTensors(graph, plan, records.tensors, &result->problem);
  result->problem.constraints.order = std::move(plan.order);
  result->problem.constraints.places = records.places;
  result->problem.place_first = PlacedFirst(records, graph.plan().lifetimes);
  result->subgraph_count = model.subgraphs().size();
  result->problem.labels.lifetimes =
      std::string(LifetimeRulesName(LifetimeRules::kCpu));
  result->operator_count = graph.plan().graph.nodes.size();
  result->shadowed_operators = (*interpreter)->ShadowedOperators().size();
  result->computed_operators =
      result->operator_count - graph.plan().prepared_nodes;
  return result;
}

absl::StatusOr<ModelTrace> ParseTrace(absl::string_view model,
                                      absl::string_view name,
                                      LifetimeRules rules,
                                      const ModelTraceOptions& options,
                                      const TraceShadows& shadows) {
  switch (rules) {
    case LifetimeRules::kPlain:
      break;
    case LifetimeRules::kMicro: {
      absl::StatusOr<ModelTrace> trace = ParseMicroTrace(model, name, options);
      if (!trace.ok()) return trace;
      absl::Status declared = CheckDeclaredShapes(model, name);
      if (!declared.ok()) return declared;
      return trace;
    }
    case LifetimeRules::kCpu: {
      const absl::StatusOr<std::unique_ptr<const Model>> parsed =
          Model::Parse(model, name);
      if (!parsed.ok()) return parsed.status();
      return CpuTraceOf(**parsed, BuiltinOperators(), options, {}, shadows);
    }
  }
  return ParseModelTrace(model, name, options);
}

}  // namespace stowage::harness
