// SPDX-License-Identifier: Apache-2.0
// Converts a model to a program, in which the subgraphs are functions that call
// each other. All functions of a program can be planned in one arena, and any
// plan for them can be checked by tracking the values in memory
// (verify_values.h). For the records of a single subgraph, use model_trace.h.
// For the plan of a prepared interpreter, which includes the temporaries of
// operators, use harness/program_plan.h.
//
//   absl::StatusOr<ModelProgram> program = ProgramOfModel(*model);
//   PlanProgram(program->program, "optimal");
#ifndef STOWAGE_TFLITE_PROGRAM_OF_MODEL_H_
#define STOWAGE_TFLITE_PROGRAM_OF_MODEL_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "stowage/programs/entry_names.h"
#include "stowage/programs/program.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/storage.h"

namespace stowage {

struct ProgramOfModelOptions {
  // The subgraph that the caller enters. Ignored if `enters_signatures` is
  // true.
  size_t subgraph = 0;
  // If true, the caller may enter the subgraph of each signature, one subgraph
  // at a time.
  bool enters_signatures = false;
  // A power of two. Every size is rounded up to a multiple of it.
  size_t tensor_alignment = 1;
  bool keeps_inputs = true;  // Program::keeps_inputs
};

struct ModelProgram {
  // The tensors and nodes of a function have the same indices as in the
  // subgraph. The id of a tensor is its index.
  Program program;
  std::vector<size_t> subgraphs;  // by function
  // The names of each entry: the keys of its signatures, and the names of its
  // input and output tensors in the model and in the signatures.
  std::vector<EntryNames> names;
};

// Returns the program of a model. Its functions are the entries, followed by
// the subgraphs that the entries call. Operators become these nodes:
//
//   IF, WHILE, CALL_ONCE, STABLEHLO_COMPOSITE  nodes that call
//   READ_VARIABLE, ASSIGN_VARIABLE             nodes that read or assign a
//                                              variable; its id consists of
//                                              the container and the name in
//                                              its VAR_HANDLE
//   all others                                 operators, with the outputs that
//                                              they may compute in place
//
// A tensor has 0 bytes in the program if it is a constant, depends only on
// constants (TensorSpec::is_folded), is a variable tensor
// (TensorSpec::is_variable), has a type without a fixed size, or is never
// written. An open extent counts as 1.
//
// Errors, naming the subgraph, the operator and the chain of calls:
// InvalidArgument if options.subgraph does not exist, or if
// options.enters_signatures is true and the model has no signatures; those of
// CheckCalls (calls.h) and of CheckProgram; OutOfRange if a size overflows.
absl::StatusOr<ModelProgram> ProgramOfModel(
    const Model& model, const ProgramOfModelOptions& options = {});

// Returns the inputs with which output 0 of a builtin operator may share memory
// under the rules `cpu`. Returns InPlace::kNever for custom operators, and for
// operators that cannot compute their output in place.
InPlace InPlaceOf(const OperatorSpec& op);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_PROGRAM_OF_MODEL_H_
