// SPDX-License-Identifier: Apache-2.0
// The usage records of a model under the rules `cpu`: exactly those that an
// Interpreter plans. For the rules `plain`, which need no operators, see
// tflite/model_trace.h; to run a model under a plan, interpreter.h.
//
//   const absl::StatusOr<ModelTrace> trace = ReadCpuTrace("net.tflite");
//
// The records include graph inputs and outputs, temporaries of operators, and
// tensors that share memory in place, as one record under the id of the first.
// They do not include tensors of the persistent arena: variables, and tensors
// that are computed from constants alone. docs/arena.md describes the rules.
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

// Returns the trace of a model. The operators are prepared, but nothing runs.
// `options.include_io` has no effect, since graph inputs and outputs are always
// included. With `delegates`, as in InterpreterOptions, the tasks are those of
// the delegated graph: operators, partitions, or steps of partitions. If shapes
// are known only while the model runs, the trace has the tensors that are
// planned before, and ModelTrace::computed_operators says how many operators
// follow. Errors: InvalidArgument if there is no such subgraph, for operators
// that the resolver does not have and, naming the operator, for operators that
// cannot run; those of a delegate that cannot be applied.
absl::StatusOr<ModelTrace> CpuTraceOf(const Model& model,
                                      const OperatorResolver& resolver,
                                      const ModelTraceOptions& options = {},
                                      absl::Span<const DelegateRequest>
                                          delegates = {});

// Parses a model and returns its trace with the operators of this library.
// Errors: those of Model::Parse and CpuTraceOf.
absl::StatusOr<ModelTrace> ParseCpuTrace(absl::string_view model,
                                         absl::string_view name,
                                         const ModelTraceOptions& options = {});

// Do the same as ReadModelTrace and ReadTrace (tflite/model_trace.h), but use
// ParseCpuTrace for models.
absl::StatusOr<ModelTrace> ReadCpuModelTrace(
    const std::string& path, const ModelTraceOptions& options = {});
absl::StatusOr<Trace> ReadCpuTrace(const std::string& path,
                                   const TraceOptions& csv = {},
                                   const ModelTraceOptions& model = {});

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_CPU_TRACE_H_
