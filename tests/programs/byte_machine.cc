// SPDX-License-Identifier: Apache-2.0
#include "tests/programs/byte_machine.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"
#include "stowage/programs/program_problem.h"

namespace stowage {
namespace {

// Identifies the content of each byte of a value. No two computed values have a
// byte in common.
using Value = std::vector<uint64_t>;

// The state of a function that is running.
struct Frame {
  size_t function = 0;
  std::vector<SlotId> slots;  // by tensor
  std::vector<Value> values;  // by tensor
};

// A tensor of an operator that is running.
struct Use {
  SlotId slot = 0;
  Value value;
};

class ByteMachine {
 public:
  ByteMachine(const Program& program, const MachinePlan& plan, uint64_t seed);

  std::string Run();

 private:
  size_t Below(size_t count) { return random_() % count; }
  Value Fresh(SlotId slot);
  size_t SizeOf(SlotId slot) const { return sizes_.slot_sizes[slot]; }
  SlotId SlotOf(size_t function, size_t tensor) const {
    return first_slots_[function] + static_cast<SlotId>(tensor);
  }
  void Fail(const std::string& what) {
    if (fault_.empty()) fault_ = where_ + ": " + what;
  }
  std::string Name(SlotId slot) const { return SlotName(program_, slot); }

  void Check(SlotId slot, const Value& value);
  void Write(SlotId slot, const Value& value);
  bool Overlap(SlotId a, SlotId b) const;
  bool AtOnePlace(SlotId a, SlotId b) const {
    return plan_.offsets[a] == plan_.offsets[b] && SizeOf(a) == SizeOf(b);
  }
  // Assigns all sources to their destinations simultaneously, and returns the
  // new values.
  std::vector<Value> Copy(const std::vector<SlotId>& destinations,
                          const std::vector<Use>& sources);
  void Move(const std::vector<SlotCopy>& copies);

  Frame OwnFrame(size_t function) const;
  Frame Call(size_t function, const std::vector<Use>& arguments);
  void RunFunction(Frame* frame);
  void RunNode(Frame* frame, size_t node);
  void RunOperator(Frame* frame, size_t node);
  void RunWhile(Frame* frame, const ProgramNode& node);
  void CheckOperator(const Frame& frame, const ProgramNode& node,
                     const std::vector<Use>& reads,
                     const std::vector<Use>& writes);
  void Invoke(size_t entry);

  std::vector<Use> UsesOf(const Frame& frame,
                          const std::vector<size_t>& tensors) const;
  void Return(const Frame& callee, Frame* frame, const ProgramNode& node);

  const Program& program_;
  const MachinePlan& plan_;
  std::mt19937_64 random_;
  ProgramPoints sizes_;  // only its slot sizes are set
  std::vector<SlotId> first_slots_;
  std::vector<uint64_t> memory_;
  std::vector<Value> variables_;
  std::vector<std::vector<Value>> carried_;  // by entry and input
  std::set<size_t> done_;  // functions that run only once and have run
  uint64_t values_ = 0;
  size_t steps_ = 0;
  std::string where_;
  std::string fault_;
};

ByteMachine::ByteMachine(const Program& program, const MachinePlan& plan,
                         uint64_t seed)
    : program_(program), plan_(plan), random_(seed) {
  for (const ProgramFunction& function : program.functions) {
    first_slots_.push_back(static_cast<SlotId>(sizes_.slot_sizes.size()));
    for (const ProgramTensor& tensor : function.tensors) {
      sizes_.slot_sizes.push_back(tensor.size);
    }
  }
  first_slots_.push_back(static_cast<SlotId>(sizes_.slot_sizes.size()));
  for (const ProgramVariable& variable : program.variables) {
    sizes_.slot_sizes.push_back(variable.size);
  }
  size_t end = 0;
  for (size_t slot = 0; slot < plan.offsets.size(); ++slot) {
    if (!plan.offsets[slot]) continue;
    end = std::max(end, *plan.offsets[slot] + sizes_.slot_sizes[slot]);
  }
  memory_.resize(end);
}

Value ByteMachine::Fresh(SlotId slot) {
  Value value(SizeOf(slot));
  for (uint64_t& byte : value) byte = ++values_;
  return value;
}

void ByteMachine::Check(SlotId slot, const Value& value) {
  if (SizeOf(slot) == 0 || !fault_.empty()) return;
  const optional<size_t>& offset = plan_.offsets[slot];
  if (!offset) return Fail(Name(slot) + " has no offset");
  for (size_t i = 0; i < SizeOf(slot); ++i) {
    if (memory_[*offset + i] != value[i]) {
      return Fail(Name(slot) + " is overwritten");
    }
  }
}

void ByteMachine::Write(SlotId slot, const Value& value) {
  if (SizeOf(slot) == 0 || !fault_.empty()) return;
  const optional<size_t>& offset = plan_.offsets[slot];
  if (!offset) return Fail(Name(slot) + " has no offset");
  std::copy(value.begin(), value.end(),
            memory_.begin() + static_cast<ptrdiff_t>(*offset));
}

bool ByteMachine::Overlap(SlotId a, SlotId b) const {
  if (SizeOf(a) == 0 || SizeOf(b) == 0) return false;
  if (!plan_.offsets[a] || !plan_.offsets[b]) return false;
  return *plan_.offsets[a] < *plan_.offsets[b] + SizeOf(b) &&
         *plan_.offsets[b] < *plan_.offsets[a] + SizeOf(a);
}

void ByteMachine::Move(const std::vector<SlotCopy>& copies) {
  const auto move = [&](size_t to, size_t from, size_t size,
                        const std::vector<uint64_t>& source,
                        std::vector<uint64_t>* destination) {
    const auto begin = source.begin() + static_cast<ptrdiff_t>(from);
    const Value value(begin, begin + static_cast<ptrdiff_t>(size));
    std::copy(value.begin(), value.end(),
              destination->begin() + static_cast<ptrdiff_t>(to));
  };
  if (plan_.copies_in_order) {
    for (const SlotCopy& copy : copies) {
      move(*plan_.offsets[copy.destination], *plan_.offsets[copy.source],
           SizeOf(copy.source), memory_, &memory_);
    }
    return;
  }
  const CopySequence sequence = SequenceCopies(sizes_, copies, plan_.offsets);
  std::vector<uint64_t> scratch(sequence.scratch_bytes);
  for (const CopyStep& step : sequence.steps) {
    if (!step.destination) {
      move(step.scratch, *plan_.offsets[*step.source], SizeOf(*step.source),
           memory_, &scratch);
    } else if (!step.source) {
      move(*plan_.offsets[*step.destination], step.scratch,
           SizeOf(*step.destination), scratch, &memory_);
    } else {
      move(*plan_.offsets[*step.destination], *plan_.offsets[*step.source],
           SizeOf(*step.source), memory_, &memory_);
    }
  }
}

std::vector<Value> ByteMachine::Copy(const std::vector<SlotId>& destinations,
                                     const std::vector<Use>& sources) {
  for (const Use& source : sources) Check(source.slot, source.value);
  std::vector<Value> values;
  std::vector<SlotCopy> copies;
  for (size_t i = 0; i < destinations.size(); ++i) {
    const SlotId to = destinations[i];
    const SlotId from = sources[i].slot;
    if (SizeOf(from) > 0) {
      values.push_back(sources[i].value);
      if (to != from && SizeOf(to) > 0) copies.push_back({to, from});
      continue;
    }
    values.push_back(Fresh(to));  // from a constant
  }
  for (const SlotCopy& copy : copies) {
    if (!plan_.offsets[copy.destination]) {
      Fail(Name(copy.destination) + " has no offset");
    }
  }
  if (fault_.empty()) Move(copies);
  // A loop variable may become a constant while another variable is assigned
  // its old value. Constants are therefore written after the copies.
  for (size_t i = 0; i < destinations.size(); ++i) {
    if (SizeOf(sources[i].slot) == 0) Write(destinations[i], values[i]);
  }
  return values;
}

Frame ByteMachine::OwnFrame(size_t function) const {
  Frame frame;
  frame.function = function;
  const size_t count = program_.functions[function].tensors.size();
  for (size_t t = 0; t < count; ++t) {
    frame.slots.push_back(SlotOf(function, t));
  }
  frame.values.resize(count);
  return frame;
}

std::vector<Use> ByteMachine::UsesOf(const Frame& frame,
                                     const std::vector<size_t>& tensors) const {
  std::vector<Use> uses;
  for (const size_t t : tensors) {
    uses.push_back({frame.slots[t], frame.values[t]});
  }
  return uses;
}

Frame ByteMachine::Call(size_t function, const std::vector<Use>& arguments) {
  Frame frame = OwnFrame(function);
  const std::vector<size_t>& inputs = program_.functions[function].inputs;
  // If the inputs hold a state, no other call may write to the inputs.
  const bool holds_state =
      std::any_of(program_.carried.begin(), program_.carried.end(),
                  [&](const CarriedOutput& carried) {
                    return program_.entries[carried.entry] == function;
                  });
  if (plan_.copies_arguments && !holds_state) {
    std::vector<SlotId> slots;
    for (const size_t t : inputs) slots.push_back(frame.slots[t]);
    const std::vector<Value> values = Copy(slots, arguments);
    for (size_t i = 0; i < inputs.size(); ++i) {
      frame.values[inputs[i]] = values[i];
    }
  } else {
    for (size_t i = 0; i < inputs.size(); ++i) {
      frame.slots[inputs[i]] = arguments[i].slot;
      frame.values[inputs[i]] = arguments[i].value;
    }
  }
  RunFunction(&frame);
  return frame;
}

void ByteMachine::RunFunction(Frame* frame) {
  const size_t count = program_.functions[frame->function].nodes.size();
  for (size_t n = 0; n < count && fault_.empty(); ++n) RunNode(frame, n);
}

void ByteMachine::Return(const Frame& callee, Frame* frame,
                         const ProgramNode& node) {
  std::vector<SlotId> slots;
  for (const size_t t : node.outputs) slots.push_back(frame->slots[t]);
  const std::vector<Value> values =
      Copy(slots, UsesOf(callee, program_.functions[callee.function].outputs));
  for (size_t i = 0; i < values.size(); ++i) {
    frame->values[node.outputs[i]] = values[i];
  }
}

void ByteMachine::RunNode(Frame* frame, size_t n) {
  const ProgramNode& node = program_.functions[frame->function].nodes[n];
  ++steps_;
  where_ = NodePlace(program_, frame->function, n);
  std::vector<Use> arguments = UsesOf(*frame, node.inputs);
  switch (node.kind) {
    case NodeKind::kOperator:
      return RunOperator(frame, n);
    case NodeKind::kCall:
      return Return(Call(node.functions[0], arguments), frame, node);
    case NodeKind::kOnce:
      if (!done_.insert(node.functions[0]).second) return;
      return Return(Call(node.functions[0], arguments), frame, node);
    case NodeKind::kIf:
      Check(arguments[0].slot, arguments[0].value);
      arguments.erase(arguments.begin());
      return Return(Call(node.functions[Below(2)], arguments), frame, node);
    case NodeKind::kWhile:
      return RunWhile(frame, node);
  }
}

void ByteMachine::RunWhile(Frame* frame, const ProgramNode& node) {
  std::vector<SlotId> variables;
  for (const size_t t : node.outputs) variables.push_back(frame->slots[t]);
  const std::vector<Value> values =
      Copy(variables, UsesOf(*frame, node.inputs));
  for (size_t i = 0; i < values.size(); ++i) {
    frame->values[node.outputs[i]] = values[i];
  }
  const size_t turns = steps_ > 2000 ? 0 : Below(4);
  for (size_t turn = 0; fault_.empty(); ++turn) {
    const Frame condition =
        Call(node.functions[0], UsesOf(*frame, node.outputs));
    const size_t output = program_.functions[node.functions[0]].outputs[0];
    Check(condition.slots[output], condition.values[output]);
    if (turn == turns) return;
    Return(Call(node.functions[1], UsesOf(*frame, node.outputs)), frame, node);
  }
}

// Checks that no two results of an operator share a byte, and that no result
// overwrites a tensor that the operator reads unless the program allows it.
void ByteMachine::CheckOperator(const Frame& frame, const ProgramNode& node,
                                const std::vector<Use>& reads,
                                const std::vector<Use>& writes) {
  const SlotId first_variable = first_slots_.back();
  const auto may_overlap = [&](SlotId written, SlotId read) {
    for (const InPlaceOutput& each : node.in_place) {
      if (frame.slots[node.outputs[each.output]] != written ||
          frame.slots[node.inputs[each.input]] != read) {
        continue;
      }
      if (each.is_view || AtOnePlace(written, read)) return true;
    }
    for (const auto& [variable, output] : node.reads) {
      if (frame.slots[node.outputs[output]] == written &&
          first_variable + variable == read) {
        return true;
      }
    }
    for (const auto& [variable, input] : node.assigns) {
      if (first_variable + variable == written &&
          frame.slots[node.inputs[input]] == read) {
        return true;
      }
    }
    return written == read;  // a variable that is read and assigned
  };
  for (size_t i = 0; i < writes.size(); ++i) {
    for (const Use& read : reads) {
      if (Overlap(writes[i].slot, read.slot) &&
          !may_overlap(writes[i].slot, read.slot)) {
        Fail(Name(writes[i].slot) + " is written over " + Name(read.slot));
      }
    }
    for (size_t k = 0; k < i; ++k) {
      if (Overlap(writes[i].slot, writes[k].slot)) {
        Fail("two results at one byte");
      }
    }
  }
}

void ByteMachine::RunOperator(Frame* frame, size_t n) {
  const ProgramFunction& function = program_.functions[frame->function];
  const ProgramNode& node = function.nodes[n];
  const SlotId first_variable = first_slots_.back();
  std::vector<Use> reads = UsesOf(*frame, node.inputs);
  std::vector<Use> writes;
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    const SlotId slot = frame->slots[node.outputs[o]];
    Value value = Fresh(slot);
    for (const InPlaceOutput& each : node.in_place) {
      if (each.output == o && each.is_view &&
          SizeOf(reads[each.input].slot) > 0) {
        value = reads[each.input].value;
      }
    }
    for (const auto& [variable, output] : node.reads) {
      if (output == o && !variables_[variable].empty()) {
        value = variables_[variable];
      }
    }
    writes.push_back({slot, std::move(value)});
  }
  for (const auto& [variable, output] : node.reads) {
    reads.push_back(
        {first_variable + static_cast<SlotId>(variable), variables_[variable]});
  }
  for (const size_t t : node.temporaries) {
    bool is_first = true;
    for (size_t before = 0; before < n; ++before) {
      const std::vector<size_t>& others = function.nodes[before].temporaries;
      is_first &= std::find(others.begin(), others.end(), t) == others.end();
    }
    const SlotId slot = frame->slots[t];
    if (is_first) frame->values[t] = Fresh(slot);
    (is_first ? writes : reads).push_back({slot, frame->values[t]});
  }
  for (const auto& [variable, input] : node.assigns) {
    const SlotId slot = first_variable + static_cast<SlotId>(variable);
    const Value& source = reads[input].value;
    writes.push_back(
        {slot, SizeOf(reads[input].slot) > 0 ? source : Fresh(slot)});
  }
  for (const Use& read : reads) Check(read.slot, read.value);
  CheckOperator(*frame, node, reads, writes);
  for (const Use& write : writes) Write(write.slot, write.value);
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    frame->values[node.outputs[o]] = writes[o].value;
  }
  for (const Use& write : writes) {
    if (write.slot >= first_variable) {
      variables_[write.slot - first_variable] = write.value;
    }
  }
}

void ByteMachine::Invoke(size_t entry) {
  const size_t index = program_.entries[entry];
  const ProgramFunction& function = program_.functions[index];
  Frame frame = OwnFrame(index);
  where_ = FunctionPlace(program_, index);
  std::vector<bool> is_carried(function.inputs.size(), false);
  for (const CarriedOutput& carried : program_.carried) {
    if (carried.entry == entry) is_carried[carried.input] = true;
  }
  for (size_t i = 0; i < function.inputs.size(); ++i) {
    const size_t t = function.inputs[i];
    frame.values[t] =
        is_carried[i] ? carried_[entry][i] : Fresh(frame.slots[t]);
    if (!is_carried[i]) Write(frame.slots[t], frame.values[t]);
  }
  RunFunction(&frame);
  where_ = FunctionPlace(program_, index) + ", its end";
  for (const Use& output : UsesOf(frame, function.outputs)) {
    Check(output.slot, output.value);
  }
  for (size_t i = 0; i < function.inputs.size(); ++i) {
    if (is_carried[i] || !program_.keeps_inputs) continue;
    const size_t t = function.inputs[i];
    Check(frame.slots[t], frame.values[t]);
  }
  std::vector<SlotId> slots;
  std::vector<size_t> outputs;
  std::vector<size_t> inputs;
  for (const CarriedOutput& carried : program_.carried) {
    if (carried.entry != entry) continue;
    slots.push_back(frame.slots[function.inputs[carried.input]]);
    outputs.push_back(function.outputs[carried.output]);
    inputs.push_back(carried.input);
  }
  const std::vector<Value> values = Copy(slots, UsesOf(frame, outputs));
  for (size_t i = 0; i < inputs.size(); ++i) {
    carried_[entry][inputs[i]] = values[i];
  }
}

std::string ByteMachine::Run() {
  where_ = "initial values";
  for (size_t v = 0; v < program_.variables.size(); ++v) {
    const SlotId slot = first_slots_.back() + static_cast<SlotId>(v);
    variables_.push_back(Fresh(slot));
    Write(slot, variables_.back());
  }
  for (const size_t index : program_.entries) {
    carried_.emplace_back(program_.functions[index].inputs.size());
  }
  for (const CarriedOutput& carried : program_.carried) {
    const size_t index = program_.entries[carried.entry];
    const SlotId slot =
        SlotOf(index, program_.functions[index].inputs[carried.input]);
    carried_[carried.entry][carried.input] = Fresh(slot);
    Write(slot, carried_[carried.entry][carried.input]);
  }
  for (size_t count = 1 + Below(3); count > 0 && fault_.empty(); --count) {
    Invoke(Below(program_.entries.size()));
  }
  return fault_;
}

}  // namespace

std::string RunOnBytes(const Program& program, const MachinePlan& plan,
                       uint64_t seed) {
  return ByteMachine(program, plan, seed).Run();
}

MachinePlan MachinePlanOf(const PlannedProgram& planned, ProgramCopies copies) {
  MachinePlan plan;
  plan.offsets = planned.offsets;
  plan.copies_arguments = copies == ProgramCopies::kMade;
  return plan;
}

}  // namespace stowage
