// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/cpu_trace.h"

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "src/tflite/read_input.h"
#include "src/tflite/trace_of_graph.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"

namespace stowage::harness {

absl::StatusOr<ModelTrace> CpuTraceOf(
    const Model& model, const OperatorResolver& resolver,
    const ModelTraceOptions& options,
    absl::Span<const DelegateRequest> delegates) {
  if (absl::Status s = model.CheckSubgraph(options.subgraph); !s.ok()) return s;
  InterpreterOptions interpreter_options;
  interpreter_options.io_lifetime = options.io_lifetime;
  interpreter_options.delegates.assign(delegates.begin(), delegates.end());
  const absl::StatusOr<std::unique_ptr<Interpreter>> interpreter =
      Interpreter::Create(model, resolver, interpreter_options);
  if (!interpreter.ok()) return interpreter.status();
  Subgraph& graph = (*interpreter)->subgraph(options.subgraph);
  if (absl::Status status = graph.Prepare(); !status.ok()) return status;
  const ArenaRecords records = graph.plan().Records();
  absl::StatusOr<ModelTrace> result = TraceOfRecords(
      absl::StrCat(model.name(), ": subgraph ", options.subgraph), graph.spec(),
      records, options.tensor_alignment);
  if (!result.ok()) return result.status();
  result->trace.place_first = PlacedFirst(records, graph.plan().lifetimes);
  result->subgraph_count = model.subgraphs().size();
  result->trace.lifetimes = std::string(LifetimeRulesName(LifetimeRules::kCpu));
  result->operator_count = graph.plan().graph.nodes.size();
  result->computed_operators =
      result->operator_count - graph.plan().prepared_nodes;
  return result;
}

absl::StatusOr<ModelTrace> ParseCpuTrace(absl::string_view model,
                                         absl::string_view name,
                                         const ModelTraceOptions& options) {
  const absl::StatusOr<std::unique_ptr<const Model>> parsed =
      Model::Parse(model, name);
  if (!parsed.ok()) return parsed.status();
  return CpuTraceOf(**parsed, BuiltinOperators(), options);
}

absl::StatusOr<ModelTrace> ReadCpuModelTrace(const std::string& path,
                                             const ModelTraceOptions& options) {
  return ReadModelWith(path,
                       [&](absl::string_view bytes, absl::string_view name) {
                         return ParseCpuTrace(bytes, name, options);
                       });
}

absl::StatusOr<Trace> ReadCpuTrace(const std::string& path,
                                   const TraceOptions& csv,
                                   const ModelTraceOptions& model) {
  return ReadTraceWith(path, csv,
                       [&](absl::string_view bytes, absl::string_view name) {
                         return ParseCpuTrace(bytes, name, model);
                       });
}

}  // namespace stowage::harness
