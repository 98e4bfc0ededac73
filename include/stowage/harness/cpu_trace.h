// SPDX-License-Identifier: Apache-2.0
// Returns the usage records of a model under the rules `cpu`. These records are
// exactly the records that an Interpreter plans. For the rules `plain`, which
// need no operators, see tflite/model_trace.h; to run a model under a plan, see
// interpreter.h.
//
//   const absl::StatusOr<ModelTrace> trace = ParseTrace(
//       bytes, "net.tflite", LifetimeRules::kCpu);
//
// The records include graph inputs and outputs, and temporaries of operators.
// Tensors that share memory in place have one record together, under the id of
// the first of these tensors. Variables and tensors that are computed from
// constants alone lie in the persistent arena and have no records.
// docs/arena.md describes the rules.
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

// Says which operators are replaced by shadows, which are kernels without
// arithmetic (shadow.h). With shadows, a trace can be made even if an operator
// has no kernel, or if its kernel refuses the model.
struct TraceShadows {
  ShadowMode mode = ShadowMode::kNone;
  // Shapes that replace the shapes in the model. They have an effect under all
  // rules. Shapes may be given for graph inputs, and for tensors of operators
  // without a kernel.
  std::vector<GivenShape> shapes;
};

// Returns the usage records of `options.subgraph`. The operators are prepared,
// but nothing runs. `options.include_io` has no effect: graph inputs and
// outputs are always included. `delegates` are applied to the graph in this
// order (InterpreterOptions::delegates). With delegates, each task is an
// operator, a partition, or a step of a partition. If some shapes are known
// only while the model runs, the trace has the records that are planned before
// the run, and ModelTrace::computed_operators is the number of operators that
// are planned later.
//
// Errors: InvalidArgument if there is no such subgraph; if the resolver does
// not have an operator and no shadow replaces this operator; if an operator,
// which the error names, refuses the model; if a shape is given for a tensor
// that does not exist or is a constant; or if the kernel that computes a tensor
// computes a shape other than the given one. Also the errors of a delegate that
// cannot be applied.
absl::StatusOr<ModelTrace> CpuTraceOf(
    const Model& model, const OperatorResolver& resolver,
    const ModelTraceOptions& options = {},
    absl::Span<const DelegateRequest> delegates = {},
    const TraceShadows& shadows = {});

// A subgraph and all subgraphs that it calls, with the temporaries of their
// operators, as an Interpreter plans them (program_plan.h).
struct CpuProgram {
  // Tensors and nodes have the same numbers as in their subgraphs, and
  // temporaries follow the tensors. If there are variables, the program has one
  // more function at the end, which stands for all code that may read the
  // variables between two invocations.
  Program program;
  std::vector<size_t> subgraphs;  // by function of the model
  // The number of operators of `options.subgraph` that are prepared only while
  // the subgraph runs. The tensors of these operators have no memory in the
  // program.
  size_t computed_operators = 0;
};

// Returns the program of `options.subgraph`. Sizes are rounded up to multiples
// of `options.tensor_alignment`; `options.streams` and `options.sharing` have
// no effect. Errors: those of CpuTraceOf; FailedPrecondition if the subgraph
// has no variables and calls no other subgraph that can be prepared before the
// run.
absl::StatusOr<CpuProgram> CpuProgramOf(const Model& model,
                                        const OperatorResolver& resolver,
                                        const ModelTraceOptions& options = {},
                                        const TraceShadows& shadows = {});

// Parses a model and returns its records under any of the rules, with the
// operators of this library. `shadows.mode` has an effect only under `cpu`.
//
// An extent is open if the model marks it as unknown. If shapes are given
// (`shadows.shapes`), the shapes that operators compute from them replace the
// shapes in the model (given_shapes.h). If no shapes are given, the rules
// `plain` use the declared extents of inputs in place of open extents, and
// compute all other open extents; the rules `micro` use all extents as
// declared, as a device does. ModelTrace::open describes the tensors that still
// have open extents.
//
// Errors depend on the rules:
//
//   plain   those of ParseModelTrace
//   micro   those of ParseMicroTrace; if no shapes are given, InvalidArgument
//           if a kernel would write more bytes than the model declares for a
//           tensor (declared_shapes.h)
//   cpu     those of Model::Parse and CpuTraceOf
//
// If shapes are given, there are also the errors of Model::Parse, ResolveShapes
// and FindKnownShapes.
absl::StatusOr<ModelTrace> ParseTrace(absl::string_view model,
                                      absl::string_view name,
                                      LifetimeRules rules,
                                      const ModelTraceOptions& options = {},
                                      const TraceShadows& shadows = {});

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_CPU_TRACE_H_
