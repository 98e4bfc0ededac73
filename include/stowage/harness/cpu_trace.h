// SPDX-License-Identifier: Apache-2.0
// Returns the usage records of a model under the rules `cpu`, which are exactly
// the records that an Interpreter plans. For the rules `plain`, which need no
// operators, use tflite/model_trace.h. To run a model under a plan, use
// interpreter.h.
//
//   const absl::StatusOr<ModelTrace> trace = ParseTrace(
//       bytes, "net.tflite", LifetimeRules::kCpu);
//
// The records include graph inputs and outputs, and temporaries of operators.
// Tensors that share memory in place have a single record, with the id of the
// first of these tensors. Variables, and tensors that are computed only from
// constants, are in the persistent arena and have no records. docs/arena.md
// describes the rules.
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

// The operators that are replaced by shadows, which are kernels without
// arithmetic (shadow.h). With shadows, a trace can be made even if an operator
// has no kernel, or if its kernel refuses the model.
struct TraceShadows {
  ShadowMode mode = ShadowMode::kNone;
  // Shapes that replace the shapes in the model, under all rules. Shapes may be
  // given for graph inputs, and for tensors of operators without a kernel.
  std::vector<GivenShape> shapes;
};

// Returns the usage records of `options.subgraph`. Prepares the operators, but
// does not run them. `options.include_io` has no effect: graph inputs and
// outputs are always included. `delegates` are applied to the graph in this
// order (InterpreterOptions::delegates). With delegates, each task is an
// operator, a partition, or a step of a partition. If some shapes are known
// only while the model runs, the trace has the records that are planned before
// the run, and ModelTrace::computed_operators is the number of operators that
// are planned later.
//
// Errors: InvalidArgument if the subgraph does not exist; if the resolver lacks
// an operator that no shadow replaces; if an operator, which the error names,
// refuses the model; if a shape is given for a tensor that does not exist or is
// a constant; or if the kernel that computes a tensor computes a shape other
// than the given one. Also the errors of a delegate that cannot be applied.
absl::StatusOr<ModelTrace> CpuTraceOf(
    const Model& model, const OperatorResolver& resolver,
    const ModelTraceOptions& options = {},
    absl::Span<const DelegateRequest> delegates = {},
    const TraceShadows& shadows = {});

// A subgraph and all subgraphs that it calls, with the temporaries of their
// operators, in the form that an Interpreter plans (program_plan.h).
struct CpuProgram {
  // Tensors and nodes have the same numbers as in their subgraphs, and
  // temporaries follow the tensors. If there are variables, the program has an
  // additional function at the end, which represents all code that may read the
  // variables between two invocations.
  Program program;
  std::vector<size_t> subgraphs;  // by function of the model
  // The number of operators of `options.subgraph` that are prepared only while
  // the subgraph runs. Their tensors have no memory in the program.
  size_t computed_operators = 0;
};

// Returns the program of `options.subgraph`. Sizes are rounded up to multiples
// of `options.tensor_alignment`; `options.streams` and `options.sharing` have
// no effect. Errors: those of CpuTraceOf; FailedPrecondition if the subgraph
// has no variables and does not call any other subgraph that can be prepared
// before the run.
absl::StatusOr<CpuProgram> CpuProgramOf(const Model& model,
                                        const OperatorResolver& resolver,
                                        const ModelTraceOptions& options = {},
                                        const TraceShadows& shadows = {});

// Parses a model and returns its records under the given rules, with the
// operators of this library. `shadows.mode` has an effect only under `cpu`.
//
// An extent is open if the model marks it as unknown. If shapes are given
// (`shadows.shapes`), the shapes that operators compute from them replace the
// shapes in the model (given_shapes.h). If no shapes are given, the rules
// `plain` use the declared extents for the open extents of inputs, and compute
// all other open extents; the rules `micro` use all extents as declared, like a
// device. ModelTrace::open describes the tensors that still have open extents.
//
// Errors depend on the rules:
//
//   plain   those of ParseModelTrace
//   micro   those of ParseMicroTrace; if no shapes are given, InvalidArgument
//           if a kernel would write more bytes than the model declares for a
//           tensor (declared_shapes.h)
//   cpu     those of Model::Parse and CpuTraceOf
//
// If shapes are given, the errors also include those of Model::Parse,
// ResolveShapes and FindKnownShapes.
absl::StatusOr<ModelTrace> ParseTrace(absl::string_view model,
                                      absl::string_view name,
                                      LifetimeRules rules,
                                      const ModelTraceOptions& options = {},
                                      const TraceShadows& shadows = {});

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_CPU_TRACE_H_
