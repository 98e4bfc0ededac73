// SPDX-License-Identifier: Apache-2.0
// Checks the structure of a program before the program is expanded.
#include "src/programs/check_program.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/programs/program.h"

namespace stowage {
namespace {

// The maximum depth of nested calls. The expansion of a program recurses by one
// level for each nested call.
constexpr size_t kMaxNestedCalls = 1000;

std::string Counted(size_t count, string_view noun) {
  return StrCat(count, " ", noun, count == 1 ? "" : "s");
}

// The kind of thing that writes a tensor of a function.
enum class Writer : uint8_t { kNone, kInput, kNode, kTemporary };

class ProgramChecker {
 public:
  explicit ProgramChecker(const Program& program) : program_(program) {}

  Status Check();
  ProgramPlace place() const { return place_; }

 private:
  Status AtFunction(const std::string& what) const {
    return InvalidArgumentError(
        StrCat(FunctionPlace(program_, function_), ": ", what));
  }
  Status AtNode(const std::string& what) const {
    return InvalidArgumentError(
        StrCat(NodePlace(program_, function_, node_), ": ", what));
  }
  static std::string TensorName(const ProgramFunction& function,
                                size_t tensor) {
    return StrCat("tensor \"", function.tensors[tensor].id, "\"");
  }

  Status CheckInterface();
  Status CheckFunction();
  Status CheckInputs(const ProgramFunction& function);
  Status CheckIndices(const ProgramFunction& function,
                      const std::vector<size_t>& tensors) const;
  Status CheckNode(const ProgramFunction& function, const ProgramNode& node);
  Status CheckDataFlow(const ProgramFunction& function,
                       const ProgramNode& node);
  Status Write(const ProgramFunction& function, size_t tensor, Writer writer);
  Status CheckOperator(const ProgramFunction& function,
                       const ProgramNode& node) const;
  Status CheckCall(const ProgramFunction& function,
                   const ProgramNode& node) const;
  Status CheckWhile(const ProgramFunction& function,
                    const ProgramNode& node) const;
  Status CheckSizes(const ProgramFunction& function,
                    const std::vector<size_t>& tensors, string_view noun,
                    size_t callee, const std::vector<size_t>& others,
                    string_view other_noun) const;
  Status CheckArguments(const ProgramFunction& function,
                        const std::vector<size_t>& arguments,
                        size_t callee) const;
  Status CheckResults(const ProgramFunction& function,
                      const std::vector<size_t>& results, size_t callee) const;
  Status CheckCondition(size_t callee) const;
  Status Recursion(const std::vector<std::pair<size_t, size_t>>& chain,
                   size_t callee) const;
  Status CheckNesting() const;

  const Program& program_;
  size_t function_ = 0;
  size_t node_ = 0;
  ProgramPlace place_;
  std::vector<Writer> writers_;  // what writes each tensor of `function_`
};

Status ProgramChecker::Check() {
  if (program_.functions.empty()) {
    return InvalidArgumentError("no functions; expected at least one");
  }
  Status status = CheckNesting();
  for (function_ = 0; status.ok() && function_ < program_.functions.size();
       ++function_) {
    place_ = {function_, nullopt};
    status = CheckFunction();
  }
  if (!status.ok()) return status;
  place_ = {};
  return CheckInterface();
}

// Returns how many times a function is an entry or is called by a node.
size_t CountUses(const Program& program, size_t function) {
  auto uses =
      std::count(program.entries.begin(), program.entries.end(), function);
  for (const ProgramFunction& caller : program.functions) {
    for (const ProgramNode& node : caller.nodes) {
      uses +=
          std::count(node.functions.begin(), node.functions.end(), function);
    }
  }
  return static_cast<size_t>(uses);
}

// Checks the entries, and the state that one invocation passes to the next.
Status ProgramChecker::CheckInterface() {
  if (program_.entries.empty()) {
    return InvalidArgumentError("no entry; expected at least one function");
  }
  for (const size_t entry : program_.entries) {
    if (entry < program_.functions.size()) continue;
    return InvalidArgumentError(StrCat("entry: function ", entry,
                                       "; expected an index below ",
                                       program_.functions.size()));
  }
  std::vector<std::pair<size_t, size_t>> inputs;
  for (const CarriedOutput& carried : program_.carried) {
    if (carried.entry >= program_.entries.size()) {
      return InvalidArgumentError(
          StrCat("carried output: entry ", carried.entry,
                 "; expected an index below ", program_.entries.size()));
    }
    const size_t index = program_.entries[carried.entry];
    const ProgramFunction& entry = program_.functions[index];
    const std::string place = FunctionPlace(program_, index);
    if (CountUses(program_, index) > 1) {
      return InvalidArgumentError(
          StrCat(place,
                 ": has a carried output, but also runs elsewhere, where its "
                 "input has another value; expected a function that is one "
                 "entry and that nothing calls"));
    }
    if (carried.output >= entry.outputs.size() ||
        carried.input >= entry.inputs.size()) {
      return InvalidArgumentError(
          StrCat(place, ": output ", carried.output, " is carried to input ",
                 carried.input, "; expected indices below ",
                 entry.outputs.size(), " and ", entry.inputs.size()));
    }
    const size_t from = entry.tensors[entry.outputs[carried.output]].size;
    const size_t to = entry.tensors[entry.inputs[carried.input]].size;
    if (from != to) {
      return InvalidArgumentError(StrCat(place, ": output ", carried.output,
                                         " of ", Counted(from, "byte"),
                                         " is carried to input ", carried.input,
                                         " of ", to, "; expected equal sizes"));
    }
    inputs.emplace_back(carried.entry, carried.input);
  }
  std::sort(inputs.begin(), inputs.end());
  const auto twice = std::adjacent_find(inputs.begin(), inputs.end());
  if (twice == inputs.end()) return OkStatus();
  return InvalidArgumentError(StrCat(
      FunctionPlace(program_, program_.entries[twice->first]),
      ": two outputs are carried to input ", twice->second, "; expected one"));
}

Status ProgramChecker::CheckFunction() {
  const ProgramFunction& function = program_.functions[function_];
  Status status = CheckInputs(function);
  if (!status.ok()) return status;
  for (node_ = 0; node_ < function.nodes.size(); ++node_) {
    place_.node = node_;
    status = CheckNode(function, function.nodes[node_]);
    if (!status.ok()) return status;
  }
  place_.node = nullopt;
  for (const size_t output : function.outputs) {
    if (output >= function.tensors.size()) {
      return AtFunction(StrCat("output: tensor ", output, "; expected one of ",
                               function.tensors.size()));
    }
    if (writers_[output] == Writer::kNone &&
        function.tensors[output].size > 0) {
      return AtFunction(StrCat("output: ", TensorName(function, output),
                               " is never written"));
    }
    if (writers_[output] == Writer::kTemporary) {
      return AtFunction(
          StrCat("output: ", TensorName(function, output), " is a temporary"));
    }
  }
  return OkStatus();
}

Status ProgramChecker::CheckInputs(const ProgramFunction& function) {
  writers_.assign(function.tensors.size(), Writer::kNone);
  for (const size_t input : function.inputs) {
    if (input >= function.tensors.size()) {
      return AtFunction(StrCat("input: tensor ", input, "; expected one of ",
                               function.tensors.size()));
    }
    if (writers_[input] != Writer::kNone) {
      return AtFunction(StrCat("input: ", TensorName(function, input),
                               " is listed twice; expected it once"));
    }
    writers_[input] = Writer::kInput;
  }
  return OkStatus();
}

Status ProgramChecker::CheckIndices(const ProgramFunction& function,
                                    const std::vector<size_t>& tensors) const {
  for (const size_t tensor : tensors) {
    if (tensor < function.tensors.size()) continue;
    return AtNode(StrCat("tensor ", tensor, "; expected one of ",
                         function.tensors.size()));
  }
  return OkStatus();
}

Status ProgramChecker::CheckNode(const ProgramFunction& function,
                                 const ProgramNode& node) {
  Status status = CheckIndices(function, node.inputs);
  if (status.ok()) status = CheckIndices(function, node.outputs);
  if (status.ok()) status = CheckIndices(function, node.temporaries);
  if (status.ok()) status = CheckDataFlow(function, node);
  if (!status.ok()) return status;
  return node.kind == NodeKind::kOperator ? CheckOperator(function, node)
                                          : CheckCall(function, node);
}

Status ProgramChecker::CheckDataFlow(const ProgramFunction& function,
                                     const ProgramNode& node) {
  for (const size_t input : node.inputs) {
    if (writers_[input] == Writer::kTemporary ||
        (writers_[input] == Writer::kNone &&
         function.tensors[input].size > 0)) {
      return AtNode(StrCat("reads ", TensorName(function, input),
                           " before it is written"));
    }
  }
  for (const size_t output : node.outputs) {
    Status status = Write(function, output, Writer::kNode);
    if (!status.ok()) return status;
  }
  for (const size_t temporary : node.temporaries) {
    if (writers_[temporary] == Writer::kTemporary) continue;
    Status status = Write(function, temporary, Writer::kTemporary);
    if (!status.ok()) return status;
  }
  return OkStatus();
}

Status ProgramChecker::Write(const ProgramFunction& function, size_t tensor,
                             Writer writer) {
  if (writers_[tensor] == Writer::kInput) {
    return AtNode(StrCat("writes ", TensorName(function, tensor),
                         ", an input of the function"));
  }
  if (writers_[tensor] != Writer::kNone) {
    return AtNode(StrCat("writes ", TensorName(function, tensor),
                         ", which is written twice; expected one writer"));
  }
  writers_[tensor] = writer;
  return OkStatus();
}

Status ProgramChecker::CheckOperator(const ProgramFunction& function,
                                     const ProgramNode& node) const {
  if (!node.functions.empty()) {
    return AtNode("an operator that calls functions; expected none");
  }
  for (const InPlaceOutput& in_place : node.in_place) {
    if (in_place.output >= node.outputs.size() ||
        in_place.input >= node.inputs.size()) {
      return AtNode(StrCat("output ", in_place.output, " in place of input ",
                           in_place.input, "; expected indices below ",
                           node.outputs.size(), " and ", node.inputs.size()));
    }
    const size_t output = node.outputs[in_place.output];
    const size_t input = node.inputs[in_place.input];
    const size_t size = function.tensors[output].size;
    if (size > 0 && function.tensors[input].size > 0 &&
        size != function.tensors[input].size) {
      return AtNode(StrCat("output ", in_place.output, " of ",
                           Counted(size, "byte"), " in place of input ",
                           in_place.input, " of ", function.tensors[input].size,
                           "; expected equal sizes"));
    }
  }
  const auto check = [&](const std::pair<size_t, size_t>& use,
                         const std::vector<size_t>& tensors) {
    if (use.first >= program_.variables.size() ||
        use.second >= tensors.size()) {
      return AtNode(StrCat("variable ", use.first, " and tensor ", use.second,
                           " of the operator; expected indices below ",
                           program_.variables.size(), " and ", tensors.size()));
    }
    const size_t size = function.tensors[tensors[use.second]].size;
    const ProgramVariable& variable = program_.variables[use.first];
    if (size == 0 || variable.size == 0 || size == variable.size) {
      return OkStatus();
    }
    return AtNode(StrCat("variable \"", variable.id, "\" of ",
                         Counted(variable.size, "byte"), " and a tensor of ",
                         size, "; expected equal sizes"));
  };
  for (const auto& read : node.reads) {
    if (Status status = check(read, node.outputs); !status.ok()) return status;
  }
  for (const auto& assign : node.assigns) {
    if (Status status = check(assign, node.inputs); !status.ok()) return status;
  }
  return OkStatus();
}

Status ProgramChecker::CheckCall(const ProgramFunction& function,
                                 const ProgramNode& node) const {
  const bool is_pair =
      node.kind == NodeKind::kIf || node.kind == NodeKind::kWhile;
  if (node.functions.size() != (is_pair ? 2 : 1)) {
    return AtNode(StrCat(Counted(node.functions.size(), "function"),
                         "; expected ", is_pair ? 2 : 1));
  }
  for (const size_t callee : node.functions) {
    if (callee < program_.functions.size()) continue;
    return AtNode(StrCat("function ", callee, "; expected an index below ",
                         program_.functions.size()));
  }
  if (!node.in_place.empty() || !node.temporaries.empty() ||
      !node.reads.empty() || !node.assigns.empty()) {
    return AtNode(
        "a call with temporaries, variables or outputs in place; "
        "expected them in the functions that it calls");
  }
  if (node.kind == NodeKind::kWhile) return CheckWhile(function, node);
  if (node.kind == NodeKind::kOnce &&
      !(node.inputs.empty() && node.outputs.empty())) {
    return AtNode("has arguments or results; expected none");
  }
  std::vector<size_t> arguments = node.inputs;
  if (node.kind == NodeKind::kIf) {
    if (arguments.empty()) return AtNode("no condition; expected input 0");
    if (function.tensors[arguments[0]].size > 1) {
      return AtNode(StrCat("a condition of ",
                           function.tensors[arguments[0]].size,
                           " bytes; expected one BOOL"));
    }
    arguments.erase(arguments.begin());
  }
  for (const size_t callee : node.functions) {
    Status status = CheckArguments(function, arguments, callee);
    if (status.ok()) status = CheckResults(function, node.outputs, callee);
    if (!status.ok()) return status;
  }
  return OkStatus();
}

Status ProgramChecker::CheckWhile(const ProgramFunction& function,
                                  const ProgramNode& node) const {
  const size_t condition = node.functions[0];
  const size_t body = node.functions[1];
  if (condition == body) {
    return AtNode("condition and body are the same function");
  }
  Status status = CheckArguments(function, node.inputs, condition);
  if (status.ok()) status = CheckCondition(condition);
  if (status.ok()) status = CheckArguments(function, node.inputs, body);
  if (status.ok()) status = CheckResults(function, node.outputs, body);
  // The outputs become the loop variables, so they must fit the body inputs.
  return status.ok() ? CheckArguments(function, node.outputs, body) : status;
}

Status ProgramChecker::CheckCondition(size_t callee) const {
  const ProgramFunction& condition = program_.functions[callee];
  if (condition.outputs.size() != 1) {
    return AtNode(StrCat(FunctionPlace(program_, callee), ", the condition, ",
                         "has ", Counted(condition.outputs.size(), "output"),
                         "; expected one BOOL"));
  }
  const size_t output = condition.outputs[0];
  if (output < condition.tensors.size() && condition.tensors[output].size > 1) {
    return AtNode(StrCat(FunctionPlace(program_, callee), ", the condition, ",
                         "returns ", condition.tensors[output].size,
                         " bytes; expected one BOOL"));
  }
  return OkStatus();
}

// Tensors of 0 bytes are constants or have no place, so they fit any size.
Status ProgramChecker::CheckSizes(const ProgramFunction& function,
                                  const std::vector<size_t>& tensors,
                                  string_view noun, size_t callee,
                                  const std::vector<size_t>& others,
                                  string_view other_noun) const {
  const ProgramFunction& called = program_.functions[callee];
  if (tensors.size() != others.size()) {
    return AtNode(StrCat(Counted(tensors.size(), noun), "; ",
                         FunctionPlace(program_, callee), " has ",
                         Counted(others.size(), other_noun)));
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (others[i] >= called.tensors.size()) continue;  // is reported there
    const size_t size = function.tensors[tensors[i]].size;
    const size_t other = called.tensors[others[i]].size;
    if (size == 0 || other == 0 || size == other) continue;
    return AtNode(StrCat(noun, " ", i, " has ", Counted(size, "byte"), "; ",
                         other_noun, " ", i, " of ",
                         FunctionPlace(program_, callee), " has ", other));
  }
  return OkStatus();
}

Status ProgramChecker::CheckArguments(const ProgramFunction& function,
                                      const std::vector<size_t>& arguments,
                                      size_t callee) const {
  return CheckSizes(function, arguments, "argument", callee,
                    program_.functions[callee].inputs, "input");
}

Status ProgramChecker::CheckResults(const ProgramFunction& function,
                                    const std::vector<size_t>& results,
                                    size_t callee) const {
  return CheckSizes(function, results, "result", callee,
                    program_.functions[callee].outputs, "output");
}

Status ProgramChecker::Recursion(
    const std::vector<std::pair<size_t, size_t>>& chain, size_t callee) const {
  std::string text;
  bool is_inside = false;
  for (const auto& link : chain) {
    is_inside |= link.first == callee;
    if (!is_inside) continue;
    StrAppend(&text, FunctionPlace(program_, link.first), " > ");
  }
  return InvalidArgumentError(
      StrCat("recursion: ", text, FunctionPlace(program_, callee),
             "; expected functions that do not call themselves"));
}

// Detects recursion by a depth-first search of the calls.
Status ProgramChecker::CheckNesting() const {
  enum class State : uint8_t { kNew, kActive, kDone };
  std::vector<State> states(program_.functions.size(), State::kNew);
  std::vector<size_t> depths(program_.functions.size(), 0);
  std::vector<std::vector<size_t>> callees(program_.functions.size());
  for (size_t f = 0; f < callees.size(); ++f) {
    for (const ProgramNode& node : program_.functions[f].nodes) {
      for (const size_t callee : node.functions) {
        // Calls of functions that do not exist are reported at their nodes.
        if (callee < callees.size()) callees[f].push_back(callee);
      }
    }
  }
  for (size_t root = 0; root < states.size(); ++root) {
    std::vector<std::pair<size_t, size_t>> chain;  // function, next callee
    if (states[root] == State::kNew) chain.emplace_back(root, 0);
    while (!chain.empty()) {
      auto& [function, next] = chain.back();
      states[function] = State::kActive;
      if (next == callees[function].size()) {
        size_t depth = 0;
        for (const size_t callee : callees[function]) {
          depth = std::max(depth, depths[callee] + 1);
        }
        if (depth > kMaxNestedCalls) {
          return InvalidArgumentError(
              StrCat(FunctionPlace(program_, function), ": ", depth,
                     " nested calls; expected at most ", kMaxNestedCalls));
        }
        depths[function] = depth;
        states[function] = State::kDone;
        chain.pop_back();
        continue;
      }
      const size_t callee = callees[function][next++];
      if (states[callee] == State::kActive) return Recursion(chain, callee);
      if (states[callee] == State::kNew) chain.emplace_back(callee, 0);
    }
  }
  return OkStatus();
}

}  // namespace

Status CheckProgram(const Program& program) {
  return ProgramChecker(program).Check();
}

Status CheckProgram(const Program& program, ProgramPlace* place) {
  ProgramChecker checker(program);
  Status status = checker.Check();
  if (!status.ok()) *place = checker.place();
  return status;
}

}  // namespace stowage
