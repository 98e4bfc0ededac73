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
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/trace.h"

namespace stowage::harness {

// Says which operators are replaced by shadows: operators that have no kernel,
// or whose kernel refuses the model.
struct TraceShadows {
  ShadowMode mode = ShadowMode::kNone;
  struct GivenShape {
    std::string tensor;  // its name, or its number in the subgraph
    Shape shape;
  };
  // Shapes to use in place of those that the model declares. They may be given
  // for graph inputs and for tensors that shadows write.
  std::vector<GivenShape> shapes;
};

// The operators are prepared, and nothing runs. `options.include_io` has no
// effect: graph inputs and outputs are always in. With `delegates`, those of
// InterpreterOptions, tasks are those of the graph that they leave: an
// operator, a partition, or a step of one. Where shapes are known only while
// the model runs, what is planned before is in the trace, and
// ModelTrace::computed_operators says how many operators come after. Errors:
// InvalidArgument if there is no such subgraph, for operators that the resolver
// does not have where no shadows stand in for them, and, naming the operator,
// for what cannot run; for the shape of a tensor that does not exist, that is a
// constant or of which a kernel computes another shape; those of a delegate
// that cannot be applied.
absl::StatusOr<ModelTrace> CpuTraceOf(
    const Model& model, const OperatorResolver& resolver,
    const ModelTraceOptions& options = {},
    absl::Span<const DelegateRequest> delegates = {},
    const TraceShadows& shadows = {});

// Parses a model and returns its trace with the operators of this library.
// Errors: those of Model::Parse and CpuTraceOf.
absl::StatusOr<ModelTrace> ParseCpuTrace(absl::string_view model,
                                         absl::string_view name,
                                         const ModelTraceOptions& options = {},
                                         const TraceShadows& shadows = {});

// Do the same as ReadModelTrace and ReadTrace (tflite/model_trace.h), but use
// ParseCpuTrace for models.
absl::StatusOr<ModelTrace> ReadCpuModelTrace(
    const std::string& path, const ModelTraceOptions& options = {});
absl::StatusOr<Trace> ReadCpuTrace(const std::string& path,
                                   const TraceOptions& csv = {},
                                   const ModelTraceOptions& model = {});

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_CPU_TRACE_H_
