// SPDX-License-Identifier: Apache-2.0
// Reads the usage records of a TensorFlow Lite model under the rules `plain`: a
// tensor is live from the operator that writes it to the last operator that
// reads it. For the records of an interpreter (the rules `cpu`), use
// harness/cpu_trace.h; for all other contents of a model, use model.h.
//
//   const absl::StatusOr<ModelTrace> model = ReadModelTrace("net.tflite");
//   if (!model.ok()) return model.status();
//   const absl::StatusOr<Problem> problem = Problem::Create(model->problem);
//
// docs/models.md explains the rules. Error messages name the file, the
// subgraph, and the operator or tensor.
#ifndef STOWAGE_TFLITE_MODEL_TRACE_H_
#define STOWAGE_TFLITE_MODEL_TRACE_H_

#include <cstddef>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/tflite/known_shapes.h"
#include "stowage/tflite/lifetimes.h"

namespace stowage {

// The records of a model to read, and their lifetime rules.
struct ModelTraceOptions {
  size_t subgraph = 0;
  // If true, the trace includes graph inputs, outputs and variables. Variables
  // are live at every task. Outputs are live from the operator that writes them
  // to the last task.
  bool include_io = false;
  // The lifetime of graph inputs, if they are included. If not set,
  // DefaultIoLifetime applies. Under `micro`, kKeep makes inputs and outputs
  // live for the whole run.
  absl::optional<IoLifetime> io_lifetime;
  // A power of two. The size of every record is rounded up to a multiple of it.
  size_t tensor_alignment = 1;
  // Used only under `micro`. If true, each tensor that has an offset in the
  // plan of the model (tflm/offline_plan.h) is fixed at this offset, and
  // variables with an offset are included. It is an error if the plan is not
  // sound.
  bool honour_offline_plan = false;
  // If not 0, schedules the operators on this number of streams (streams.h), at
  // most 64. The constraints of the trace (ProblemSpec::constraints) then
  // include the users of each record and the order of the operators. If 0, the
  // operators run in the order of the file. Must be 0 under `micro`.
  size_t streams = 0;
  // The tensors that share memory; used only under `cpu`. With kGroups, the
  // records have places in rigid groups (ProblemSpec::constraints).
  // Displacements in a group are multiples of `sharing_alignment`, a power of
  // two, so that all offsets of a group can be aligned to this number of bytes.
  Sharing sharing = Sharing::kFixed;
  size_t sharing_alignment = 64;
  // Shapes that replace those that the model declares; used only under `plain`.
  // To compute all shapes that follow from the given shapes of some tensors,
  // use harness/given_shapes.h.
  KnownShapes shapes = {};
};

// The usage records of a model, and facts about the rest of the model.
struct ModelTrace {
  // The ids of the records are tensor indices. Ids beyond the tensors of the
  // subgraph are temporaries of operators, in the order in which the operators
  // request them.
  ProblemSpec problem;
  std::string note;           // is like ProblemFile::note
  size_t subgraph_count = 0;  // the number of subgraphs in the model
  // The number of operators in the subgraph. Each operator is a task.
  size_t operator_count = 0;
  // The number of outputs of DEQUANTIZE and DENSIFY that depend only on
  // constants, and the sum of their bytes. These tensors are not part of the
  // problem, since they need to be computed only once.
  size_t folded_tensors = 0;
  size_t folded_bytes = 0;
  // Under `cpu`, the number of operators at the end of the graph that the trace
  // does not cover, because the shapes of their tensors are known only while
  // the model runs. 0 under all other rules.
  size_t computed_operators = 0;
  // Under `cpu`, the number of operators that shadows replace
  // (harness/shadow.h). 0 under all other rules.
  size_t shadowed_operators = 0;
  // The tensors with an open extent. Their records are too small for runs with
  // larger inputs.
  OpenShapes open;
};

// Parses a TensorFlow Lite flatbuffer, which is not needed after the call.
// Error messages refer to the file as `name`. Error: InvalidArgument if the
// model is invalid, if it does not have the subgraph, or if operators are not
// in execution order. O(bytes).
absl::StatusOr<ModelTrace> ParseModelTrace(
    absl::string_view model, absl::string_view name,
    const ModelTraceOptions& options = {});

// A function that makes the records of a model from the bytes of its file.
// Error messages refer to the file as `name`. ParseModelTrace follows the rules
// `plain`, ParseMicroTrace (tflm/micro_trace.h) the rules `micro`, and
// harness::ParseTrace (harness/cpu_trace.h) the rules `cpu`.
using ModelParser = std::function<absl::StatusOr<ModelTrace>(
    absl::string_view bytes, absl::string_view name)>;

// Reads a model from a file, which is mapped into memory, or from standard
// input if the path is "-". The second overload parses the model with
// ParseModelTrace and `options`. Errors: those of the parser, and those of
// ReadProblemFile for a file that cannot be opened.
absl::StatusOr<ModelTrace> ReadModelTrace(const std::string& path,
                                          const ModelParser& parse);
absl::StatusOr<ModelTrace> ReadModelTrace(
    const std::string& path, const ModelTraceOptions& options = {});

// Returns the format "tflite" for ReadProblemFile. A file has this format if it
// begins like a model or if its name ends in .tflite. The second overload
// parses the model with ParseModelTrace and `options`.
//
//   ReadProblemFile("net.tflite", {{}, {ModelFormat()}})
FileFormat ModelFormat(ModelParser parse);
FileFormat ModelFormat(const ModelTraceOptions& options = {});

}  // namespace stowage

#endif  // STOWAGE_TFLITE_MODEL_TRACE_H_
