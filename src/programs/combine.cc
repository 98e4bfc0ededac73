// SPDX-License-Identifier: Apache-2.0
#include "stowage/programs/combine.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/programs/program.h"

namespace stowage {
namespace {

// Merges the functions and variables of several programs into one program.
class Combiner {
 public:
  // If `has_main` is true, the new program begins with a new function, which is
  // its entry.
  explicit Combiner(bool has_main) {
    if (has_main) result_.functions.emplace_back();
    if (!has_main) result_.entries.clear();
  }

  // Adds the functions of a program, but not its entries. Returns the index of
  // the first function that was added.
  StatusOr<size_t> Add(const NamedProgram& named);

  ProgramFunction& main() { return result_.functions[0]; }
  Program& result() { return result_; }

 private:
  Program result_;
  btree_map<std::string, size_t> variables_;
};

StatusOr<size_t> Combiner::Add(const NamedProgram& named) {
  const Program& program = named.program;
  std::vector<size_t> variables;
  for (const ProgramVariable& variable : program.variables) {
    const auto [known, is_new] =
        variables_.try_emplace(variable.id, result_.variables.size());
    if (is_new) result_.variables.push_back(variable);
    const size_t size = result_.variables[known->second].size;
    if (size != variable.size) {
      return InvalidArgumentError(StrCat(
          named.name, ": variable \"", variable.id, "\" of ", variable.size,
          " bytes; expected ", size, ", as in another program"));
    }
    variables.push_back(known->second);
  }
  const size_t first = result_.functions.size();
  for (ProgramFunction function : program.functions) {
    function.name = function.name.empty()
                        ? named.name
                        : StrCat(named.name, ":", function.name);
    for (ProgramNode& node : function.nodes) {
      for (size_t& callee : node.functions) callee += first;
      for (auto& read : node.reads) read.first = variables[read.first];
      for (auto& assign : node.assigns) assign.first = variables[assign.first];
    }
    result_.functions.push_back(std::move(function));
  }
  result_.keeps_inputs &= program.keeps_inputs;
  return first;
}

Status CheckParts(Span<const NamedProgram> programs) {
  if (programs.empty()) {
    return InvalidArgumentError("no programs; expected at least one");
  }
  for (const NamedProgram& named : programs) {
    if (named.program.entries.size() == 1 && named.program.carried.empty()) {
      continue;
    }
    return InvalidArgumentError(
        StrCat(named.name, ": ", named.program.entries.size(), " entries and ",
               named.program.carried.size(),
               " carried outputs; expected one entry and no carried outputs"));
  }
  return OkStatus();
}

const ProgramFunction& EntryOf(const NamedProgram& named) {
  return named.program.functions[named.program.entries[0]];
}

// Returns a node that represents the caller: it writes the inputs before a
// program runs, or reads the outputs after the program has run.
ProgramNode CallerNode(std::string name, std::vector<size_t> reads,
                       std::vector<size_t> writes) {
  ProgramNode node;
  node.name = std::move(name);
  node.inputs = std::move(reads);
  node.outputs = std::move(writes);
  return node;
}

// Returns the tensors that are read after a program has run: its outputs and,
// if the program keeps its inputs, also its inputs.
std::vector<size_t> ReadAtEnd(const NamedProgram& named,
                              const std::vector<size_t>& inputs,
                              const std::vector<size_t>& outputs) {
  std::vector<size_t> reads = outputs;
  if (named.program.keeps_inputs) {
    reads.insert(reads.end(), inputs.begin(), inputs.end());
  }
  return reads;
}

Status CheckHandOver(Span<const NamedProgram> programs, const HandOver& over) {
  if (over.from >= over.to || over.to >= programs.size()) {
    return InvalidArgumentError(
        StrCat("an output of program ", over.from, " is handed to program ",
               over.to, "; expected a later program, below ", programs.size()));
  }
  const ProgramFunction& from = EntryOf(programs[over.from]);
  const ProgramFunction& to = EntryOf(programs[over.to]);
  if (over.output >= from.outputs.size() || over.input >= to.inputs.size()) {
    return InvalidArgumentError(
        StrCat("output ", over.output, " of ", programs[over.from].name,
               " handed to input ", over.input, " of ", programs[over.to].name,
               "; expected indices below ", from.outputs.size(), " and ",
               to.inputs.size()));
  }
  const size_t size = from.tensors[from.outputs[over.output]].size;
  const size_t other = to.tensors[to.inputs[over.input]].size;
  if (size == other) return OkStatus();
  return InvalidArgumentError(
      StrCat("output ", over.output, " of ", programs[over.from].name, " has ",
             size, " bytes, and input ", over.input, " of ",
             programs[over.to].name, " has ", other, "; expected equal sizes"));
}

// Builds a function that calls several programs one after another.
class Sequencer {
 public:
  Sequencer(Span<const NamedProgram> programs, Span<const HandOver> hand_overs)
      : programs_(programs), hand_overs_(hand_overs), combiner_(true) {}

  StatusOr<Program> Make();

 private:
  Status AddCall(size_t index);
  // Adds a tensor to the common function that corresponds to a tensor in the
  // entry of program `index`. Returns the index of the new tensor.
  size_t AddTensor(size_t index, size_t tensor);

  const Span<const NamedProgram> programs_;
  const Span<const HandOver> hand_overs_;
  Combiner combiner_;
  // Maps a program and the index of one of its inputs to the hand-over that
  // sets this input.
  btree_map<std::pair<size_t, size_t>, HandOver> handed_;
  // For each call so far, its outputs.
  std::vector<std::vector<size_t>> outputs_;
};

size_t Sequencer::AddTensor(size_t index, size_t tensor) {
  const ProgramTensor& that = EntryOf(programs_[index]).tensors[tensor];
  std::vector<ProgramTensor>& tensors = combiner_.main().tensors;
  tensors.push_back({StrCat(programs_[index].name, ".", that.id), that.size});
  return tensors.size() - 1;
}

Status Sequencer::AddCall(size_t index) {
  const NamedProgram& named = programs_[index];
  const ProgramFunction& entry = EntryOf(named);
  const StatusOr<size_t> first = combiner_.Add(named);
  if (!first.ok()) return first.status();
  ProgramNode call;
  call.kind = NodeKind::kCall;
  call.name = named.name;
  call.functions = {*first + named.program.entries[0]};
  std::vector<size_t> filled;
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    const auto over = handed_.find({index, i});
    if (over != handed_.end()) {
      call.inputs.push_back(outputs_[over->second.from][over->second.output]);
      continue;
    }
    filled.push_back(AddTensor(index, entry.inputs[i]));
    call.inputs.push_back(filled.back());
  }
  for (const size_t output : entry.outputs) {
    call.outputs.push_back(AddTensor(index, output));
  }
  outputs_.push_back(call.outputs);
  std::vector<ProgramNode>& nodes = combiner_.main().nodes;
  nodes.push_back(CallerNode(StrCat(named.name, ": inputs"), {}, filled));
  std::vector<size_t> read = ReadAtEnd(named, call.inputs, call.outputs);
  nodes.push_back(std::move(call));
  nodes.push_back(
      CallerNode(StrCat(named.name, ": outputs"), std::move(read), {}));
  return OkStatus();
}

StatusOr<Program> Sequencer::Make() {
  for (const HandOver& over : hand_overs_) {
    if (handed_.try_emplace({over.to, over.input}, over).second) continue;
    return InvalidArgumentError(
        StrCat("input ", over.input, " of ", programs_[over.to].name,
               ": two outputs are handed to it; expected one"));
  }
  for (size_t p = 0; p < programs_.size(); ++p) {
    Status status = AddCall(p);
    if (!status.ok()) return status;
  }
  return std::move(combiner_.result());
}

}  // namespace

StatusOr<Program> InSequence(Span<const NamedProgram> programs,
                             Span<const HandOver> hand_overs) {
  Status status = CheckParts(programs);
  for (const HandOver& over : hand_overs) {
    if (status.ok()) status = CheckHandOver(programs, over);
  }
  if (!status.ok()) return status;
  return Sequencer(programs, hand_overs).Make();
}

StatusOr<Program> Interleaved(Span<const NamedProgram> programs) {
  Status status = CheckParts(programs);
  if (!status.ok()) return status;
  Combiner combiner(true);
  // For each program, the nodes of its entry, modified to use the tensors of
  // the common function.
  std::vector<std::vector<ProgramNode>> nodes;
  for (const NamedProgram& named : programs) {
    const StatusOr<size_t> first = combiner.Add(named);
    if (!first.ok()) return first.status();
    ProgramFunction& main = combiner.main();
    const size_t base = main.tensors.size();
    const ProgramFunction& entry =
        combiner.result().functions[*first + named.program.entries[0]];
    const auto shifted = [&](std::vector<size_t> tensors) {
      for (size_t& tensor : tensors) tensor += base;
      return tensors;
    };
    for (const ProgramTensor& tensor : entry.tensors) {
      main.tensors.push_back({StrCat(named.name, ".", tensor.id), tensor.size});
    }
    const std::vector<size_t> inputs = shifted(entry.inputs);
    std::vector<ProgramNode> own;
    own.push_back(CallerNode(StrCat(named.name, ": inputs"), {}, inputs));
    for (ProgramNode node : entry.nodes) {
      node.inputs = shifted(std::move(node.inputs));
      node.outputs = shifted(std::move(node.outputs));
      node.temporaries = shifted(std::move(node.temporaries));
      own.push_back(std::move(node));
    }
    own.push_back(CallerNode(StrCat(named.name, ": outputs"),
                             ReadAtEnd(named, inputs, shifted(entry.outputs)),
                             {}));
    nodes.push_back(std::move(own));
  }
  for (size_t i = 0, left = nodes.size(); left > 0; ++i) {
    left = 0;
    for (std::vector<ProgramNode>& own : nodes) {
      if (i >= own.size()) continue;
      combiner.main().nodes.push_back(std::move(own[i]));
      ++left;
    }
  }
  return std::move(combiner.result());
}

StatusOr<Program> OneAtATime(Span<const NamedProgram> programs) {
  if (programs.empty()) {
    return InvalidArgumentError("no programs; expected at least one");
  }
  Combiner combiner(false);
  for (const NamedProgram& named : programs) {
    const StatusOr<size_t> first = combiner.Add(named);
    if (!first.ok()) return first.status();
    Program& result = combiner.result();
    for (CarriedOutput carried : named.program.carried) {
      carried.entry += result.entries.size();
      result.carried.push_back(carried);
    }
    for (const size_t entry : named.program.entries) {
      result.entries.push_back(*first + entry);
    }
  }
  return std::move(combiner.result());
}

}  // namespace stowage
