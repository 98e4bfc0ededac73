// SPDX-License-Identifier: Apache-2.0
// Makes a program of a model: its subgraphs as functions that call each other,
// for plans in one arena and for the check by values. For the records of a
// single subgraph use model_trace.h; for the plan of a prepared interpreter,
// which also has the temporaries of operators, see harness/program_plan.h.
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
  // The subgraph that is entered; without effect if signatures are entered.
  size_t subgraph = 0;
  // If true, the subgraphs of all signatures are entered, of which one runs at
  // a time.
  bool enters_signatures = false;
  // Every size is rounded up to a multiple of this power of two.
  size_t tensor_alignment = 1;
  bool keeps_inputs = true;  // Program::keeps_inputs
};

struct ModelProgram {
  // A tensor and a node of a function have the numbers that they have in the
  // subgraph. The id of a tensor is its number.
  Program program;
  std::vector<size_t> subgraphs;  // by function
  // The names of each entry: the key of its signature, the names of its
  // tensors, and those that the signature gives to its arguments.
  std::vector<EntryNames> names;
};

// Returns the program of a model: the entries first, then the subgraphs that
// they call.
//
//   IF, WHILE, CALL_ONCE, STABLEHLO_COMPOSITE  nodes that call
//   READ_VARIABLE, ASSIGN_VARIABLE             reads and assigns of a variable,
//                                              whose id is that of its
//                                              VAR_HANDLE: container and name
//   all others                                 operators, with the outputs that
//                                              they may compute in place
//
// Constants, tensors of variable tensors' kind (TensorSpec::is_variable),
// tensors without bytes and those that nothing writes have 0 bytes. An extent
// that is open counts as 1. Errors, with the subgraph, the operator and the
// chain of calls: InvalidArgument for no such subgraph, for a model without
// signatures if these are to be entered, those of CheckCalls (calls.h) and of
// CheckProgram; OutOfRange if a size overflows.
absl::StatusOr<ModelProgram> ProgramOfModel(
    const Model& model, const ProgramOfModelOptions& options = {});

// Says which inputs output 0 of a builtin operator may share memory with, by
// the rules `cpu`. Returns InPlace::kNever for other operators.
InPlace InPlaceOf(const OperatorSpec& op);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_PROGRAM_OF_MODEL_H_
