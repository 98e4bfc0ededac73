// SPDX-License-Identifier: Apache-2.0
// The usage records of a model under the rules `cpu`: exactly what an
// Interpreter plans. For the rules `plain`, which need no operators, see
// tflite/model_trace.h; to see a plan at work, interpreter.h.
//
//   const absl::StatusOr<ModelTrace> trace = ReadCpuTrace("net.tflite");
//
// In them are graph inputs and outputs, temporaries of operators, and tensors
// that share memory in place as one record, under the id of the first; not in
// them is what lies in the persistent arena: variables, and what constants
// alone determine. docs/arena.md has the rules.
#ifndef STOWAGE_HARNESS_CPU_TRACE_H_
#define STOWAGE_HARNESS_CPU_TRACE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/operator.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/trace.h"

namespace stowage::harness {

// The operators are prepared, and nothing runs. `options.include_io` has no
// effect: graph inputs and outputs are always in. With `delegates`, those of
// InterpreterOptions, tasks are those of the graph that they leave: an operator,
// a partition, or a step of one. Where shapes are known only
// while the model runs, what is planned before is in the trace, and
// ModelTrace::computed_operators says how many operators come after. Errors:
// InvalidArgument if there is no such subgraph, for operators that the resolver
// does not have, and, naming the operator, for what cannot run; those of a
// delegate that cannot be applied.
absl::StatusOr<ModelTrace> CpuTraceOf(const Model& model,
                                      const OperatorResolver& resolver,
                                      const ModelTraceOptions& options = {},
                                      absl::Span<const DelegateRequest>
                                          delegates = {});

// Parses a model, and makes the trace with the operators of this library.
// Errors: those of Model::Parse and CpuTraceOf.
absl::StatusOr<ModelTrace> ParseCpuTrace(absl::string_view model,
                                         absl::string_view name,
                                         const ModelTraceOptions& options = {});

// As ReadModelTrace and ReadTrace (tflite/model_trace.h), with ParseCpuTrace
// for models.
absl::StatusOr<ModelTrace> ReadCpuModelTrace(
    const std::string& path, const ModelTraceOptions& options = {});
absl::StatusOr<Trace> ReadCpuTrace(const std::string& path,
                                   const TraceOptions& csv = {},
                                   const ModelTraceOptions& model = {});

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_CPU_TRACE_H_
