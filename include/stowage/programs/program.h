// SPDX-License-Identifier: Apache-2.0
// Defines programs: functions that call each other and keep their tensors in
// one arena. A program can have branches, loops, calls and state. For a single
// list of operators without calls, use usage records (problem.h); for the
// operators of a model, use tflite/lifetimes.h.
//
//   Program program;
//   program.functions = {main, then, otherwise};
//   Status status = CheckProgram(program);
//
// To plan a program, points.h computes the steps of its runs, live_runs.h finds
// the steps at which each tensor needs its memory, and program_problem.h turns
// the program into a problem for any strategy. stowage/verify_values.h checks a
// plan of any origin.
//
// Semantics. A call passes arguments, which become the inputs of the function,
// and the outputs of the function become the results of the call. A function
// does not write its inputs. An output may also be an input of the function,
// and the same tensor may be passed or returned twice. A tensor has exactly one
// writer: a node, or the caller.
//
//   kOperator  reads its inputs and writes its outputs
//   kCall      runs functions[0]
//   kOnce      runs functions[0], without arguments and results, the first time
//              only
//   kIf        input 0 decides; runs functions[0] or functions[1] with the
//              other inputs
//   kWhile     v := inputs; while functions[0](v): v := functions[1](v), all at
//              once; results := v. Zero iterations are possible.
#ifndef STOWAGE_PROGRAMS_PROGRAM_H_
#define STOWAGE_PROGRAMS_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "stowage/base/status.h"
#include "stowage/base/string_view.h"

namespace stowage {

enum class NodeKind { kOperator, kCall, kOnce, kIf, kWhile };

// Returns "operator", "call", "once", "if" or "while".
string_view NodeKindName(NodeKind kind);

struct ProgramTensor {
  std::string id;  // is unique in its function
  // The size in bytes. A tensor of 0 bytes, such as a constant, needs no memory
  // and may be read without having been written.
  size_t size = 0;
};

// An output of an operator that may take over the memory of an input of the
// same size.
struct InPlaceOutput {
  size_t output = 0;  // an index in ProgramNode::outputs
  size_t input = 0;   // an index in ProgramNode::inputs
  // True if the output has the same bytes as the input, as for a reshape. Such
  // an operator does nothing if the input and the output share one place.
  bool is_view = false;
};

struct ProgramNode {
  NodeKind kind = NodeKind::kOperator;
  std::string name;               // such as "ADD"; may be empty
  std::vector<size_t> inputs;     // tensors of the function
  std::vector<size_t> outputs;    // tensors of the function
  std::vector<size_t> functions;  // the functions that the node calls
  // Tensors that need their memory only while this operator runs.
  std::vector<size_t> temporaries = {};
  std::vector<InPlaceOutput> in_place = {};
  // The variables of the program that the operator reads or assigns. Each entry
  // of `reads` is a variable and the output that receives a copy of the
  // variable. Each entry of `assigns` is a variable and the input that is
  // copied to the variable. All reads happen before all assignments.
  std::vector<std::pair<size_t, size_t>> reads = {};
  std::vector<std::pair<size_t, size_t>> assigns = {};
};

struct ProgramFunction {
  std::string name;  // for messages; may be empty
  std::vector<ProgramTensor> tensors;
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;
  std::vector<ProgramNode> nodes;  // has nodes in execution order
};

// A value that outlives an invocation.
struct ProgramVariable {
  std::string id;
  size_t size = 0;
};

// An output of an entry that is an input of the next invocation: state that the
// caller passes from one invocation to the next. The input must keep this state
// while other functions run. Therefore no other entry may have the same
// function, and no node may call this function.
struct CarriedOutput {
  size_t entry = 0;   // an index in Program::entries
  size_t output = 0;  // an index in the outputs of that function
  size_t input = 0;   // an index in its inputs
};

struct Program {
  std::vector<ProgramFunction> functions;
  // The functions that a caller invokes, one at a time and in any order.
  std::vector<size_t> entries = {0};
  std::vector<ProgramVariable> variables = {};
  std::vector<CarriedOutput> carried = {};
  // If true, the inputs of an entry keep their values up to the end of the
  // invocation.
  bool keeps_inputs = true;
};

// Checks everything that can be checked without following the calls: all
// indices exist, arguments and results have the right numbers and sizes, each
// tensor has one writer and is not read before it is written, conditions have
// one byte, and functions are not recursive. Error: InvalidArgument. The
// message names the function and the node or, for a recursion, the chain of
// calls. O(program).
Status CheckProgram(const Program& program);

// Return descriptions for messages: `function 1 "body"`, and `function 1
// "body", node 3 (ADD)`.
std::string FunctionPlace(const Program& program, size_t function);
std::string NodePlace(const Program& program, size_t function, size_t node);

}  // namespace stowage

#endif  // STOWAGE_PROGRAMS_PROGRAM_H_
