// SPDX-License-Identifier: Apache-2.0
// Finds and checks the calls between the subgraphs of a model. To plan
// subgraphs that call each other in one arena, use programs/program.h; to run
// subgraphs, use harness/interpreter.h. Each line of this table is an operator
// that calls subgraphs, with the inputs of the operator and the subgraphs that
// it calls:
//
//   IF                   the condition, then arguments   then, else
//   WHILE                arguments                       condition, body
//   CALL_ONCE            no arguments                    initialization
//   STABLEHLO_COMPOSITE  arguments                       decomposition
#ifndef STOWAGE_TFLITE_CALLS_H_
#define STOWAGE_TFLITE_CALLS_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "stowage/tflite/model.h"

namespace stowage {

// The maximum depth of nested calls, which is limited because each call uses
// space on the stack.
constexpr size_t kMaxCallDepth = 64;

// Returns whether the operator runs other subgraphs. O(1).
bool CallsSubgraphs(const OperatorSpec& op);

// Returns whether the operator runs other subgraphs with arguments and results.
// O(1).
bool PassesArguments(const OperatorSpec& op);

// Returns the indices of the subgraphs that an operator calls, in the order of
// the table above. The indices are copied from the model without a check and
// may be invalid. Returns an empty list if the operator calls no subgraph or
// has no options. O(1).
std::vector<int> CalledSubgraphs(const OperatorSpec& op);

// Checks all calls of a model: the called subgraphs exist; arguments and
// results agree in number, type and size with the inputs and outputs of the
// called subgraph; a condition is one BOOL; no subgraph calls itself; and calls
// are not nested deeper than kMaxCallDepth. Two sizes are compared only if the
// model fixes both of them. Error: InvalidArgument, naming the operator and the
// chain of calls that leads to it. O(operators and their tensors).
absl::Status CheckCalls(const Model& model);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_CALLS_H_
