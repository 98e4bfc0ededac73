// SPDX-License-Identifier: Apache-2.0
// The usage records of a model under the rules `cpu`: exactly those that an
// Interpreter plans. For the rules `plain`, which need no operators, see
// tflite/model_trace.h; to run a model under a plan, interpreter.h.
//
//   const absl::StatusOr<ModelTrace> trace = ParseTrace(
//       bytes, "net.tflite", LifetimeRules::kCpu);
//
// The records include graph inputs and outputs, and temporaries of operators.
// Tensors that share memory in place have one record, under the id of the first
// of them. Tensors of the persistent arena have no records: variables, and
// tensors that are computed from constants alone. docs/arena.md describes the
// rules.
#ifndef STOWAGE_HARNESS_CPU_TRACE_H_
#define STOWAGE_HARNESS_CPU_TRACE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/given_shapes.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/programs/program.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"

namespace stowage::harness {

// Says which operators are replaced by shadows (shadow.h), which have no
// arithmetic. This makes traces possible for operators without a kernel, and
// for operators whose kernel refuses the model.
struct TraceShadows {
  ShadowMode mode = ShadowMode::kNone;
  // Shapes in place of those that the model declares, under all rules. They may
  // be given for graph inputs, and for tensors of operators without a kernel.
  std::vector<GivenShape> shapes;
};

// Returns the usage records of `options.subgraph`. The operators are prepared,
// and nothing runs. `options.include_io` has no effect: graph inputs and
// outputs are always included. `delegates` are applied as
// InterpreterOptions::delegates are; each task is then an operator, a
// partition, or a step of a partition. If some shapes are known only while the
// model runs, the trace has the records that are planned before the run, and
// ModelTrace::computed_operators is the number of operators that are planned
// later.
//
// Errors: InvalidArgument if there is no such subgraph; if the resolver does
// not have an operator and no shadow replaces it; naming the operator, if an
// operator refuses the model; or if a shape is given for a tensor that does not
// exist, is a constant, or gets another shape from its kernel. Those of a
// delegate that cannot be applied.
absl::StatusOr<ModelTrace> CpuTraceOf(
    const Model& model, const OperatorResolver& resolver,
    const ModelTraceOptions& options = {},
    absl::Span<const DelegateRequest> delegates = {},
    const TraceShadows& shadows = {});

// A subgraph and all subgraphs that it calls, with the temporaries of their
// operators, as an Interpreter plans them (program_plan.h).
struct CpuProgram {
  // Tensors and nodes have the numbers that they have in their subgraphs;
  // temporaries follow. If there are variables, the last function is an entry
  // that stands for all that may read them between two invocations.
  Program program;
  std::vector<size_t> subgraphs;  // by function of the model
  // The operators of `options.subgraph` that are prepared only while it runs,
  // whose tensors have no memory in the program.
  size_t computed_operators = 0;
};

// Returns the program of `options.subgraph`. Sizes are rounded up to multiples
// of `options.tensor_alignment`; streams and sharing have no effect. Errors:
// those of CpuTraceOf; FailedPrecondition if the subgraph calls no other one
// that can be prepared before the run, and has no variables.
absl::StatusOr<CpuProgram> CpuProgramOf(const Model& model,
                                        const OperatorResolver& resolver,
                                        const ModelTraceOptions& options = {},
                                        const TraceShadows& shadows = {});

// Parses a model and returns its records under any of the rules, with the
// operators of this library. The mode of `shadows` matters only under `cpu`.
//
// Shapes that are given determine the sizes of all tensors that operators
// compute from them (given_shapes.h). Without them, `plain` takes open extents
// of inputs as declared and computes the other open extents; `micro` takes all
// as declared, as a device does. ModelTrace::open says what stays open.
//
// Errors: under `plain` those of ParseModelTrace; under `micro` those of
// ParseMicroTrace, and, without given shapes, InvalidArgument if a kernel would
// write more bytes than the model declares for a tensor (declared_shapes.h);
// under `cpu` those of Model::Parse and CpuTraceOf; with given shapes those of
// Model::Parse, ResolveShapes and FindKnownShapes.
absl::StatusOr<ModelTrace> ParseTrace(absl::string_view model,
                                      absl::string_view name,
                                      LifetimeRules rules,
                                      const ModelTraceOptions& options = {},
                                      const TraceShadows& shadows = {});

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_CPU_TRACE_H_
