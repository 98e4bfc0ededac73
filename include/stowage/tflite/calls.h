// SPDX-License-Identifier: Apache-2.0
// Finds the calls between the subgraphs of a model, and checks them. To plan
// all subgraphs that call each other in one arena use programs/program.h; to
// run them use harness/interpreter.h.
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

// The maximum number of subgraphs that are active at the same time because they
// call each other. Each call takes space on the stack.
constexpr size_t kMaxCallDepth = 64;

// Returns whether the operator runs other subgraphs. O(1).
bool CallsSubgraphs(const OperatorSpec& op);

// Returns whether the operator runs other subgraphs with arguments and results.
// O(1).
bool PassesArguments(const OperatorSpec& op);

// Returns the numbers of the subgraphs that an operator calls, in the order of
// the table above. The numbers are those of the model, and need not be valid.
// The list is empty for an operator that calls none, and for one without
// options. O(1).
std::vector<int> CalledSubgraphs(const OperatorSpec& op);

// Checks all calls of a model: that the called subgraphs exist, that arguments
// and results agree in number, type and size with the inputs and outputs of the
// called subgraph, that a condition is one BOOL, that no subgraph calls itself,
// and that calls are not nested deeper than kMaxCallDepth. A size is compared
// if the model fixes it on both sides. Error: InvalidArgument, naming the
// operator and the chain of calls that leads to it. O(operators and their
// tensors).
absl::Status CheckCalls(const Model& model);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_CALLS_H_
