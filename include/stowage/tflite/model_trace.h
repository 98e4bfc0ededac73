// SPDX-License-Identifier: Apache-2.0
// The usage records of a TensorFlow Lite model, under the rules `plain`: a
// tensor is live from the operator that writes it to the last that reads it.
// For the records that an interpreter plans, the rules `cpu`, see
// harness/cpu_trace.h; for all that a model says, model.h.
//
// docs/models.md has the rules. Errors name file, subgraph, and operator or
// tensor.
#ifndef STOWAGE_TFLITE_MODEL_TRACE_H_
#define STOWAGE_TFLITE_MODEL_TRACE_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/trace.h"

namespace stowage {

struct ModelTraceOptions {
  size_t subgraph = 0;
  // Graph inputs, outputs and variables too. Variables live from the first task
  // to the last operator, outputs from their producer on.
  bool include_io = false;
  // How long graph inputs live, where they are included; without a value, that
  // of DefaultIoLifetime. Under `micro` kKeep holds inputs and outputs for the
  // whole run.
  absl::optional<IoLifetime> io_lifetime;
  // Every size is rounded up to a multiple of this power of two.
  size_t tensor_alignment = 1;
  // Under `micro`: a tensor that a plan in the model (offline_plan.h) gives an
  // offset has that fixed offset; variables with one are included. A plan that
  // is not sound is an error.
  bool honour_offline_plan = false;
  // Under `plain` and `cpu`: schedules the operators on so many streams
  // (streams.h), 1 to 64, and gives the trace their order, with the users of
  // each record (Trace::constraints). 0: no order but that of the file.
  size_t streams = 0;
  // Under `cpu`: which tensors share memory. With kGroups the records have
  // places (Trace::constraints) at displacements that are multiples of
  // `sharing_alignment`, a power of two, so that offsets may be.
  Sharing sharing = Sharing::kFixed;
  size_t sharing_alignment = 64;
};

// The usage records of a model, and what became of the rest of it.
struct ModelTrace {
  // Ids are tensor indices; beyond those of the subgraph they are temporaries
  // of operators, in the order in which these ask for them.
  Trace trace;
  size_t subgraph_count = 0;  // in the model
  size_t operator_count = 0;  // in the subgraph: its tasks
  size_t folded_tensors = 0;  // DEQUANTIZE, DENSIFY of constants: left out,
  size_t folded_bytes = 0;    // for they can be computed once, with these
  // Under `cpu`: the last operators, whose tensors are left out because they
  // have their shapes only while the model runs. Under `plain` 0.
  size_t computed_operators = 0;
  // Under `cpu`: operators that shadows stand in for.
  size_t shadowed_operators = 0;
};

// Parses a TensorFlow Lite flatbuffer, which is not kept. `name` stands for the
// file in messages. Error: InvalidArgument for anything that is not a valid
// model, for a subgraph that it does not have, for operators that are not in
// execution order. O(bytes).
absl::StatusOr<ModelTrace> ParseModelTrace(
    absl::string_view model, absl::string_view name,
    const ModelTraceOptions& options = {});

// Reads a model from a file, mapped into memory, or from standard input if the
// path is "-". Errors: those of ParseModelTrace and of opening the file, as for
// ReadTraceCsv.
absl::StatusOr<ModelTrace> ReadModelTrace(
    const std::string& path, const ModelTraceOptions& options = {});

// Reads a trace from a CSV file or a model, told apart by content, or from
// standard input if the path is "-". Errors: those of ReadTraceCsv and
// ReadModelTrace.
absl::StatusOr<Trace> ReadTrace(const std::string& path,
                                const TraceOptions& csv = {},
                                const ModelTraceOptions& model = {});

}  // namespace stowage

#endif  // STOWAGE_TFLITE_MODEL_TRACE_H_
