// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/cpu_trace.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/error_payload.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/declared_shapes.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/given_shapes.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/program_plan.h"
#include "stowage/harness/tensor.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/programs/program.h"
#include "stowage/task_order.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/known_shapes.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/tflite/streams.h"
#include "stowage/tflite/trace_of_graph.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage::harness {
namespace {

// Adds the order of the tasks on several streams to the plan. If the operators
// of the graph form a chain, its tasks run one after another on any number of
// streams, and a run would not need the order. It is added nevertheless,
// because the trace must show what was requested.
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

// Sets how tensors share memory and, for groups, the alignment that groups
// require.
absl::Status SetSharing(const ModelTraceOptions& options,
                        InterpreterOptions* interpreter) {
  interpreter->sharing = options.sharing;
  if (options.sharing != Sharing::kGroups) return absl::OkStatus();
  if (options.streams > 0) {
    return absl::InvalidArgumentError(
        "sharing: groups, with streams; expected no streams");
  }
  if (!IsValidAlignment(options.sharing_alignment)) {
    return absl::InvalidArgumentError(
        absl::StrCat("sharing alignment ", options.sharing_alignment,
                     "; expected a power of two"));
  }
  interpreter->tensor_alignment =
      std::max(interpreter->tensor_alignment, options.sharing_alignment);
  return absl::OkStatus();
}

// Returns a name for each task: the name of the operator, or for a task of a
// delegate, which has no name, its place ("delegate node 7 (...)"). A delegate
// node has one task or several consecutive tasks.
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
// An open extent of a tensor is marked in the trace only if `is_open` returns
// true for the tensor.
void DescribeTensors(const Subgraph& graph, const MemoryPlan& plan,
                     absl::Span<const size_t> tensors,
                     const std::function<bool(size_t)>& is_open,
                     ProblemSpec* problem) {
  const std::vector<TensorSpec>& specs = graph.spec().tensors;
  problem->labels.operators = TaskNames(graph, plan);
  for (const size_t t : tensors) {
    const Tensor& tensor = graph.tensor(t);
    const bool is_of_model = t < specs.size();
    problem->labels.tensors.push_back(DescribeTensor(
        is_of_model ? specs[t].name : "", tensor.type, tensor.shape,
        is_of_model && is_open(t) ? specs[t].signature : Shape()));
  }
  ConnectTasks(plan.graph, plan.lifetimes, tensors, &problem->labels.tensors);
  for (size_t i = 0; i < tensors.size(); ++i) {
    TensorInfo& info = problem->labels.tensors[i];
    if (tensors[i] < specs.size() || !info.producer) continue;
    info.name = TemporaryName(problem->labels.operators[*info.producer]);
  }
}

// A model with its operators prepared for a trace.
struct PreparedModel {
  std::unique_ptr<Interpreter> interpreter;
  KnownShapes known;
};

// Prepares the operators of a subgraph and of all subgraphs that it calls, with
// these options.
absl::StatusOr<PreparedModel> PrepareForTrace(
    const Model& model, const OperatorResolver& resolver,
    const ModelTraceOptions& options, const TraceShadows& shadows,
    InterpreterOptions interpreter_options) {
  if (absl::Status s = model.CheckSubgraph(options.subgraph); !s.ok()) return s;
  interpreter_options.shadow = shadows.mode;
  const absl::StatusOr<GivenTensors> given =
      ResolveShapes(model, options.subgraph, shadows.shapes);
  if (!given.ok()) return given.status();
  const absl::StatusOr<GivenTensors> shapes =
      shadows.mode == ShadowMode::kNone
          ? given
          : ShapesForShadows(model, resolver, options.subgraph, *given);
  if (!shapes.ok()) return shapes.status();
  for (const auto& [tensor, shape] : *shapes) {
    interpreter_options.shapes[{options.subgraph, tensor}] = shape;
  }
  absl::StatusOr<KnownShapes> known =
      FindKnownShapes(model, resolver, options.subgraph, *given);
  if (!known.ok()) return known.status();
  interpreter_options.io_lifetime = options.io_lifetime;
  absl::StatusOr<std::unique_ptr<Interpreter>> interpreter =
      Interpreter::Create(model, resolver, interpreter_options);
  if (!interpreter.ok()) return interpreter.status();
  absl::Status status = (*interpreter)->subgraph(options.subgraph).Prepare();
  if (!status.ok()) return status;
  return PreparedModel{*std::move(interpreter), *std::move(known)};
}

// Rounds up the sizes of all tensors and variables of a program.
absl::Status AlignSizes(size_t alignment, Program* program) {
  const auto align = [&](size_t* size) {
    const absl::optional<size_t> aligned = CheckedAlignUp(*size, alignment);
    if (aligned) *size = *aligned;
    return aligned.has_value();
  };
  bool is_small = true;
  for (ProgramFunction& function : program->functions) {
    for (ProgramTensor& tensor : function.tensors) {
      is_small = align(&tensor.size) && is_small;
    }
  }
  for (ProgramVariable& variable : program->variables) {
    is_small = align(&variable.size) && is_small;
  }
  if (is_small) return absl::OkStatus();
  return absl::OutOfRangeError(
      absl::StrCat("a size, rounded up to ", alignment, ", overflows 64 bits"));
}

}  // namespace

absl::StatusOr<ModelTrace> CpuTraceOf(
    const Model& model, const OperatorResolver& resolver,
    const ModelTraceOptions& options,
    absl::Span<const DelegateRequest> delegates, const TraceShadows& shadows) {
  const std::string place =
      absl::StrCat(model.name(), ": subgraph ", options.subgraph);
  InterpreterOptions interpreter_options;
  // The trace describes a single subgraph, in which every read and every
  // assignment of a variable is a copy.
  interpreter_options.state_in_place = false;
  interpreter_options.delegates.assign(delegates.begin(), delegates.end());
  if (options.streams > 0) interpreter_options.streams = options.streams;
  if (absl::Status s = SetSharing(options, &interpreter_options); !s.ok()) {
    return s;
  }
  const absl::StatusOr<PreparedModel> prepared = PrepareForTrace(
      model, resolver, options, shadows, std::move(interpreter_options));
  if (!prepared.ok()) return prepared.status();
  const KnownShapes& known = prepared->known;
  Subgraph& graph = prepared->interpreter->subgraph(options.subgraph);
  MemoryPlan plan = graph.plan();
  if (options.streams > 0 && !plan.graph.nodes.empty()) {
    absl::Status status = AddOrder(graph.spec(), options.streams, &plan);
    if (!status.ok()) return AtPlace(place, status);
  }
  const ArenaRecords records = plan.Records();
  absl::StatusOr<ModelTrace> result =
      TraceOfRecords(place, graph.spec(), records, options.tensor_alignment);
  if (!result.ok()) return result.status();
  const auto is_open = [&](size_t tensor) {
    const auto found = known.find({options.subgraph, tensor});
    return found != known.end() && found->second.is_open;
  };
  AddOpenShapes(absl::StrCat("subgraph ", options.subgraph), graph.spec(),
                records.tensors, is_open, &result->open);
  DescribeTensors(graph, plan, records.tensors, is_open, &result->problem);
  result->problem.constraints.order = std::move(plan.order);
  result->problem.constraints.places = records.places;
  result->problem.place_first = PlacedFirst(records, graph.plan().lifetimes);
  result->subgraph_count = model.subgraphs().size();
  result->problem.labels.lifetimes =
      std::string(LifetimeRulesName(LifetimeRules::kCpu));
  result->operator_count = graph.plan().graph.nodes.size();
  result->shadowed_operators =
      prepared->interpreter->ShadowedOperators().size();
  result->computed_operators =
      result->operator_count - graph.plan().prepared_nodes;
  return result;
}

absl::StatusOr<CpuProgram> CpuProgramOf(const Model& model,
                                        const OperatorResolver& resolver,
                                        const ModelTraceOptions& options,
                                        const TraceShadows& shadows) {
  const absl::StatusOr<PreparedModel> prepared =
      PrepareForTrace(model, resolver, options, shadows, {});
  if (!prepared.ok()) return prepared.status();
  const MemoryPlan& plan =
      prepared->interpreter->subgraph(options.subgraph).plan();
  if (plan.program == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        model.name(), ": subgraph ", options.subgraph,
        " calls no other that is prepared before the run, and has no "
        "variables; expected IF, WHILE, STABLEHLO_COMPOSITE or variables"));
  }
  CpuProgram result;
  result.program = plan.program->program;
  result.subgraphs = plan.program->subgraphs;
  result.computed_operators = plan.graph.nodes.size() - plan.prepared_nodes;
  absl::Status aligned = AlignSizes(options.tensor_alignment, &result.program);
  if (!aligned.ok()) return AtPlace(model.name(), aligned);
  return result;
}

namespace {

// Returns the trace under the rules `plain` or `micro`, with the shapes that
// are known before a run.
absl::StatusOr<ModelTrace> TraceWithShapes(
    const Model& model, LifetimeRules rules, const ModelTraceOptions& options,
    absl::Span<const GivenShape> shapes) {
  const absl::StatusOr<GivenTensors> given =
      ResolveShapes(model, options.subgraph, shapes);
  if (!given.ok()) return given.status();
  absl::StatusOr<KnownShapes> known =
      FindKnownShapes(model, BuiltinOperators(), options.subgraph, *given);
  if (!known.ok()) return known.status();
  if (rules == LifetimeRules::kMicro) {
    return MicroTraceOf(*model.WithShapes(*known), options);
  }
  ModelTraceOptions with_shapes = options;
  with_shapes.shapes = *std::move(known);
  if (!given->empty()) {
    return ParseModelTrace(model.bytes(), model.name(), with_shapes);
  }
  // Drops the known shape of a tensor if the model fixes all of its extents, so
  // that the declared shape is used.
  const std::vector<TensorSpec>& tensors =
      model.subgraphs()[options.subgraph].tensors;
  for (auto it = with_shapes.shapes.begin(); it != with_shapes.shapes.end();) {
    const auto& [subgraph, tensor] = it->first;
    const bool may_change =
        subgraph == options.subgraph &&
        (it->second.is_open || HasOpenExtent(tensors[tensor]));
    it = may_change ? std::next(it) : with_shapes.shapes.erase(it);
  }
  return ParseModelTrace(model.bytes(), model.name(), with_shapes);
}

absl::StatusOr<ModelTrace> MicroTraceAsDeclared(
    absl::string_view model, absl::string_view name,
    const ModelTraceOptions& options) {
  absl::StatusOr<ModelTrace> trace = ParseMicroTrace(model, name, options);
  if (!trace.ok()) return trace;
  absl::Status declared = CheckDeclaredShapes(model, name);
  if (!declared.ok()) return declared;
  return trace;
}

}  // namespace

absl::StatusOr<ModelTrace> ParseTrace(absl::string_view model,
                                      absl::string_view name,
                                      LifetimeRules rules,
                                      const ModelTraceOptions& options,
                                      const TraceShadows& shadows) {
  if (rules != LifetimeRules::kCpu && shadows.shapes.empty()) {
    absl::StatusOr<ModelTrace> trace =
        rules == LifetimeRules::kMicro
            ? MicroTraceAsDeclared(model, name, options)
            : ParseModelTrace(model, name, options);
    const bool is_known = !trace.ok() || trace->open.tensors == 0;
    if (is_known || rules == LifetimeRules::kMicro) return trace;
    const absl::StatusOr<std::unique_ptr<const Model>> parsed =
        Model::Parse(model, name);
    // Parsing fails if constants have no contents, but the rules `plain` do not
    // need them. The trace with the declared shapes is returned instead.
    if (!parsed.ok()) return trace;
    return TraceWithShapes(**parsed, rules, options, {});
  }
  const absl::StatusOr<std::unique_ptr<const Model>> parsed =
      Model::Parse(model, name);
  if (!parsed.ok()) return parsed.status();
  if (rules != LifetimeRules::kCpu) {
    return TraceWithShapes(**parsed, rules, options, shadows.shapes);
  }
  return CpuTraceOf(**parsed, BuiltinOperators(), options, {}, shadows);
}

}  // namespace stowage::harness
