// SPDX-License-Identifier: Apache-2.0
#include "stowage/programs/points.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/programs/program.h"

namespace stowage {
namespace {

// The maximum total number of entries in the lists CallFrame::slots and in the
// lists of all points. The number is limited because every call lists all slots
// of the called function.
constexpr size_t kMaxListedSlots = 50000000;

class PointBuilder {
 public:
  PointBuilder(const Program& program, const PointOptions& options)
      : program_(program), options_(options) {}

  StatusOr<ProgramPoints> Build();

 private:
  using Slots = std::vector<SlotId>;

  void NumberSlots();
  Status AddEntry(size_t entry, std::vector<uint32_t>* ends);
  Status AddFunction(uint32_t call);
  Status AddNode(uint32_t call, uint32_t node);
  Status AddOperator(uint32_t call, uint32_t node);
  Status AddCall(uint32_t call, uint32_t node);
  Status AddOnce(uint32_t call, uint32_t node);
  Status AddIf(uint32_t call, uint32_t node);
  Status AddWhile(uint32_t call, uint32_t node);

  // Adds a frame and its points for a call with `arguments`. If the arguments
  // have to be copied, first adds a point that copies them.
  StatusOr<uint32_t> AddCallee(uint32_t call, uint32_t node, size_t function,
                               const Slots& arguments, bool in_loop);
  // Adds a point that assigns all `sources` to `destinations` simultaneously.
  // Pairs of equal slots are not assigned, but the point still reads all
  // sources.
  Status AddCopies(PointKind kind, uint32_t call, uint32_t node,
                   const Slots& destinations, const Slots& sources);
  // Adds a point that follows the points in `open_`, and makes it the only open
  // point.
  Status AddPoint(Point point);
  Status CheckListed(size_t count, uint32_t call);

  bool HasMemory(SlotId slot) const { return points_.slot_sizes[slot] > 0; }
  bool HaveSameSize(SlotId a, SlotId b) const {
    return points_.slot_sizes[a] == points_.slot_sizes[b];
  }
  SlotId VariableSlot(size_t variable) const {
    return points_.first_slot.back() + static_cast<SlotId>(variable);
  }
  const ProgramFunction& FunctionOf(uint32_t call) const {
    return program_.functions[points_.calls[call].function];
  }
  const ProgramNode& NodeOf(uint32_t call, uint32_t node) const {
    return FunctionOf(call).nodes[node];
  }
  Slots SlotsOf(uint32_t call, const std::vector<size_t>& tensors) const {
    Slots slots;
    slots.reserve(tensors.size());
    for (const size_t tensor : tensors) {
      slots.push_back(points_.calls[call].slots[tensor]);
    }
    return slots;
  }

  const Program& program_;
  const PointOptions& options_;
  ProgramPoints points_;
  // For each slot, the first node that uses it as a temporary. Later nodes that
  // use the same slot find in it what that node left there.
  std::vector<size_t> temporary_nodes_;
  // For each function, whether it has an input that one invocation passes to
  // the next. Such an input must keep its bytes when another entry calls the
  // function.
  std::vector<bool> keeps_input_;
  size_t listed_ = 0;
  // The points that may be directly followed by the next point.
  std::vector<uint32_t> open_;
};

void PointBuilder::NumberSlots() {
  keeps_input_.resize(program_.functions.size());
  for (const CarriedOutput& carried : program_.carried) {
    keeps_input_[program_.entries[carried.entry]] = true;
  }
  for (const ProgramFunction& function : program_.functions) {
    points_.first_slot.push_back(
        static_cast<SlotId>(points_.slot_sizes.size()));
    for (const ProgramTensor& tensor : function.tensors) {
      points_.slot_sizes.push_back(tensor.size);
    }
    temporary_nodes_.resize(points_.slot_sizes.size());
    for (size_t n = function.nodes.size(); n-- > 0;) {
      for (const size_t tensor : function.nodes[n].temporaries) {
        temporary_nodes_[points_.first_slot.back() + tensor] = n;
      }
    }
  }
  points_.first_slot.push_back(static_cast<SlotId>(points_.slot_sizes.size()));
  for (const ProgramVariable& variable : program_.variables) {
    points_.slot_sizes.push_back(variable.size);
  }
}

Status PointBuilder::CheckListed(size_t count, uint32_t call) {
  listed_ += count;
  if (points_.points.size() < kMaxProgramPoints && listed_ <= kMaxListedSlots) {
    return OkStatus();
  }
  return ResourceExhaustedError(
      StrCat(CallPlace(program_, points_, call), ": more than ",
             kMaxProgramPoints, " points with ", kMaxListedSlots,
             " uses of tensors; expected fewer calls"));
}

Status PointBuilder::AddPoint(Point point) {
  Status status = CheckListed(
      point.reads.size() + point.writes.size() + point.copies.size(),
      point.call);
  if (!status.ok()) return status;
  const auto index = static_cast<uint32_t>(points_.points.size());
  for (const uint32_t before : open_) {
    points_.points[before].next.push_back(index);
  }
  open_ = {index};
  points_.points.push_back(std::move(point));
  return OkStatus();
}

Status PointBuilder::AddCopies(PointKind kind, uint32_t call, uint32_t node,
                               const Slots& destinations,
                               const Slots& sources) {
  Point point;
  point.kind = kind;
  point.call = call;
  point.node = node;
  for (const SlotId source : sources) {
    if (HasMemory(source)) point.reads.push_back(source);
  }
  for (size_t i = 0; i < destinations.size(); ++i) {
    if (destinations[i] == sources[i] || !HasMemory(destinations[i])) continue;
    point.writes.push_back(destinations[i]);
    // Some assignments are writes but not copies. A constant has no slot. An
    // input of unknown size may represent an argument of any size, so a result
    // of a different size is not a copy of it.
    if (HaveSameSize(destinations[i], sources[i])) {
      point.copies.push_back({destinations[i], sources[i]});
    }
  }
  return AddPoint(std::move(point));
}

StatusOr<uint32_t> PointBuilder::AddCallee(uint32_t call, uint32_t node,
                                           size_t function,
                                           const Slots& arguments,
                                           bool in_loop) {
  const ProgramFunction& callee = program_.functions[function];
  const auto index = static_cast<uint32_t>(points_.calls.size());
  CallFrame frame;
  frame.function = function;
  frame.caller = call;
  frame.node = node;
  frame.loops = points_.calls[call].loops + (in_loop ? 1 : 0);
  for (size_t t = 0; t < callee.tensors.size(); ++t) {
    frame.slots.push_back(points_.first_slot[function] +
                          static_cast<SlotId>(t));
  }
  const bool copies = options_.copies_arguments && !keeps_input_[function];
  Slots inputs;
  for (size_t i = 0; i < callee.inputs.size(); ++i) {
    inputs.push_back(frame.slots[callee.inputs[i]]);
    if (!copies) {
      frame.slots[callee.inputs[i]] = arguments[i];
    }
  }
  Status status = CheckListed(frame.slots.size(), call);
  if (!status.ok()) return status;
  points_.calls.push_back(std::move(frame));
  if (copies) {
    status = AddCopies(PointKind::kArguments, call, node, inputs, arguments);
    if (!status.ok()) return status;
  }
  status = AddFunction(index);
  if (!status.ok()) return status;
  return index;
}

Status PointBuilder::AddFunction(uint32_t call) {
  const size_t count = FunctionOf(call).nodes.size();
  for (size_t node = 0; node < count; ++node) {
    Status status = AddNode(call, static_cast<uint32_t>(node));
    if (!status.ok()) return status;
  }
  return OkStatus();
}

Status PointBuilder::AddNode(uint32_t call, uint32_t node) {
  switch (NodeOf(call, node).kind) {
    case NodeKind::kOperator:
      return AddOperator(call, node);
    case NodeKind::kCall:
      return AddCall(call, node);
    case NodeKind::kOnce:
      return AddOnce(call, node);
    case NodeKind::kIf:
      return AddIf(call, node);
    case NodeKind::kWhile:
      return AddWhile(call, node);
  }
  return OkStatus();
}

Status PointBuilder::AddOperator(uint32_t call, uint32_t node) {
  const ProgramNode& op = NodeOf(call, node);
  Point point;
  point.call = call;
  point.node = node;
  const auto add = [&](const Slots& slots, Slots* list) {
    for (const SlotId slot : slots) {
      if (HasMemory(slot)) list->push_back(slot);
    }
  };
  const Slots inputs = SlotsOf(call, op.inputs);
  const Slots outputs = SlotsOf(call, op.outputs);
  add(inputs, &point.reads);
  add(outputs, &point.writes);
  for (const SlotId slot : SlotsOf(call, op.temporaries)) {
    if (!HasMemory(slot)) continue;
    (temporary_nodes_[slot] == node ? point.writes : point.reads)
        .push_back(slot);
  }
  const auto add_copy = [&](SlotId destination, SlotId source) {
    if (!HasMemory(destination) || !HaveSameSize(destination, source)) return;
    point.copies.push_back({destination, source});
  };
  for (const auto& [variable, output] : op.reads) {
    const SlotId slot = VariableSlot(variable);
    if (HasMemory(slot)) point.reads.push_back(slot);
    add_copy(outputs[output], slot);
  }
  for (const auto& [variable, input] : op.assigns) {
    const SlotId slot = VariableSlot(variable);
    if (HasMemory(slot)) point.writes.push_back(slot);
    add_copy(slot, inputs[input]);
  }
  for (const InPlaceOutput& in_place : op.in_place) {
    const SlotId output = outputs[in_place.output];
    const SlotId input = inputs[in_place.input];
    if (!HasMemory(output) || !HasMemory(input)) continue;
    point.in_place.push_back({output, input, in_place.is_view});
  }
  return AddPoint(std::move(point));
}

Status PointBuilder::AddCall(uint32_t call, uint32_t node) {
  const ProgramNode& that = NodeOf(call, node);
  const StatusOr<uint32_t> callee = AddCallee(
      call, node, that.functions[0], SlotsOf(call, that.inputs), false);
  if (!callee.ok()) return callee.status();
  return AddCopies(PointKind::kResults, call, node, SlotsOf(call, that.outputs),
                   SlotsOf(*callee, FunctionOf(*callee).outputs));
}

Status PointBuilder::AddOnce(uint32_t call, uint32_t node) {
  // The function may be skipped, so the points before it remain open.
  std::vector<uint32_t> around = open_;
  Status status = AddCall(call, node);
  if (!status.ok()) return status;
  open_.insert(open_.end(), around.begin(), around.end());
  return status;
}

Status PointBuilder::AddIf(uint32_t call, uint32_t node) {
  const ProgramNode& that = NodeOf(call, node);
  Slots arguments = SlotsOf(call, that.inputs);
  Status status =
      AddCopies(PointKind::kCondition, call, node, {}, {arguments[0]});
  arguments.erase(arguments.begin());
  const std::vector<uint32_t> decided = open_;
  std::vector<uint32_t> ends;
  for (const size_t function : that.functions) {
    if (!status.ok()) return status;
    open_ = decided;
    const StatusOr<uint32_t> callee =
        AddCallee(call, node, function, arguments, false);
    if (!callee.ok()) return callee.status();
    status =
        AddCopies(PointKind::kResults, call, node, SlotsOf(call, that.outputs),
                  SlotsOf(*callee, FunctionOf(*callee).outputs));
    ends.insert(ends.end(), open_.begin(), open_.end());
  }
  open_ = std::move(ends);
  return status;
}

Status PointBuilder::AddWhile(uint32_t call, uint32_t node) {
  const ProgramNode& that = NodeOf(call, node);
  const Slots variables = SlotsOf(call, that.outputs);
  Status status = AddCopies(PointKind::kEnterLoop, call, node, variables,
                            SlotsOf(call, that.inputs));
  if (!status.ok()) return status;
  const auto head = static_cast<uint32_t>(points_.points.size());
  StatusOr<uint32_t> callee =
      AddCallee(call, node, that.functions[0], variables, true);
  if (!callee.ok()) return callee.status();
  status = AddCopies(PointKind::kCondition, call, node, {},
                     SlotsOf(*callee, FunctionOf(*callee).outputs));
  if (!status.ok()) return status;
  const std::vector<uint32_t> leave = open_;
  callee = AddCallee(call, node, that.functions[1], variables, true);
  if (!callee.ok()) return callee.status();
  status = AddCopies(PointKind::kTurn, call, node, variables,
                     SlotsOf(*callee, FunctionOf(*callee).outputs));
  for (const uint32_t end : open_) points_.points[end].next.push_back(head);
  open_ = leave;
  return status;
}

Status PointBuilder::AddEntry(size_t entry, std::vector<uint32_t>* ends) {
  const size_t function_index = program_.entries[entry];
  const ProgramFunction& function = program_.functions[function_index];
  const auto call = static_cast<uint32_t>(points_.calls.size());
  CallFrame frame;
  frame.function = function_index;
  frame.caller = call;
  for (size_t t = 0; t < function.tensors.size(); ++t) {
    frame.slots.push_back(points_.first_slot[function_index] +
                          static_cast<SlotId>(t));
  }
  points_.calls.push_back(std::move(frame));
  const Slots inputs = SlotsOf(call, function.inputs);
  const Slots outputs = SlotsOf(call, function.outputs);
  std::vector<bool> is_carried(inputs.size(), false);
  Slots carried_inputs;
  Slots carried_outputs;
  for (const CarriedOutput& carried : program_.carried) {
    if (carried.entry != entry) continue;
    is_carried[carried.input] = true;
    carried_inputs.push_back(inputs[carried.input]);
    carried_outputs.push_back(outputs[carried.output]);
  }
  Point start;
  start.kind = PointKind::kStart;
  start.call = call;
  Point end = start;
  end.kind = PointKind::kEnd;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!HasMemory(inputs[i])) continue;
    if (is_carried[i]) {
      points_.points[0].writes.push_back(inputs[i]);
      // The caller may set all carried inputs, in any order, before the first
      // invocation.
      start.reads.push_back(inputs[i]);
      if (options_.keeps_carried_inputs) end.reads.push_back(inputs[i]);
      continue;
    }
    start.writes.push_back(inputs[i]);
    if (program_.keeps_inputs) end.reads.push_back(inputs[i]);
  }
  for (const SlotId output : outputs) {
    if (HasMemory(output)) end.reads.push_back(output);
  }
  Status status = AddPoint(std::move(start));
  if (status.ok()) status = AddFunction(call);
  if (status.ok()) status = AddPoint(std::move(end));
  if (status.ok() && !carried_inputs.empty()) {
    status =
        AddCopies(PointKind::kCarry, call, 0, carried_inputs, carried_outputs);
  }
  ends->insert(ends->end(), open_.begin(), open_.end());
  return status;
}

StatusOr<ProgramPoints> PointBuilder::Build() {
  NumberSlots();
  Point initial;
  initial.kind = PointKind::kInitial;
  for (size_t v = 0; v < program_.variables.size(); ++v) {
    if (HasMemory(VariableSlot(v))) initial.writes.push_back(VariableSlot(v));
  }
  points_.points.push_back(std::move(initial));
  std::vector<uint32_t> starts;
  std::vector<uint32_t> ends;
  for (size_t entry = 0; entry < program_.entries.size(); ++entry) {
    open_ = {0};
    starts.push_back(static_cast<uint32_t>(points_.points.size()));
    Status status = AddEntry(entry, &ends);
    if (!status.ok()) return status;
  }
  // Any entry can be invoked after the end of an invocation.
  for (const uint32_t end : ends) {
    std::vector<uint32_t>& next = points_.points[end].next;
    next.insert(next.end(), starts.begin(), starts.end());
  }
  return std::move(points_);
}

}  // namespace

StatusOr<ProgramPoints> PointsOf(const Program& program,
                                 const PointOptions& options) {
  return PointBuilder(program, options).Build();
}

std::string CallPlace(const Program& program, const ProgramPoints& points,
                      size_t call) {
  std::vector<std::string> chain;
  for (size_t at = call; points.calls[at].caller != at;
       at = points.calls[at].caller) {
    const CallFrame& frame = points.calls[at];
    const size_t caller = points.calls[frame.caller].function;
    chain.push_back(NodePlace(program, caller, frame.node));
  }
  std::reverse(chain.begin(), chain.end());
  chain.push_back(FunctionPlace(program, points.calls[call].function));
  return StrJoin(chain, " > ");
}

string_view PointPhase(PointKind kind) {
  switch (kind) {
    case PointKind::kInitial:
    case PointKind::kOperator:
      return "";
    case PointKind::kStart:
      return ", its start";
    case PointKind::kEnd:
      return ", its end";
    case PointKind::kCarry:
      return ", after its end";
    case PointKind::kCondition:
      return ", its condition";
    case PointKind::kArguments:
      return ", its arguments";
    case PointKind::kResults:
      return ", its results";
    case PointKind::kEnterLoop:
      return ", before its first turn";
    case PointKind::kTurn:
      return ", the end of a turn";
  }
  return "";
}

std::string PointPlace(const Program& program, const ProgramPoints& points,
                       size_t point) {
  const Point& that = points.points[point];
  if (that.kind == PointKind::kInitial) return "before the first invocation";
  const std::string place = CallPlace(program, points, that.call);
  if (that.kind == PointKind::kStart || that.kind == PointKind::kEnd ||
      that.kind == PointKind::kCarry) {
    return StrCat(place, PointPhase(that.kind));
  }
  const ProgramNode& node =
      program.functions[points.calls[that.call].function].nodes[that.node];
  return StrCat(
      place, ", node ", that.node, " (",
      node.name.empty() ? std::string(NodeKindName(node.kind)) : node.name,
      PointPhase(that.kind), ")");
}

std::string SlotName(const Program& program, SlotId slot) {
  size_t rest = slot;
  for (size_t f = 0; f < program.functions.size(); ++f) {
    const std::vector<ProgramTensor>& tensors = program.functions[f].tensors;
    if (rest < tensors.size()) return StrCat(f, ".", tensors[rest].id);
    rest -= tensors.size();
  }
  return program.variables[rest].id;
}

}  // namespace stowage
