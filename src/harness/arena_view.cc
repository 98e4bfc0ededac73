// SPDX-License-Identifier: Apache-2.0
#include "src/harness/arena_view.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/harness/byte_ranges.h"
#include "stowage/base/text.h"
#include "stowage/constraints.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/program_plan.h"
#include "stowage/harness/tensor.h"
#include "stowage/programs/points.h"

namespace stowage::harness {
namespace {

template <typename Predicate>
std::vector<ByteRange> BytesOfThose(const Execution& at,
                                    const Predicate& predicate) {
  std::vector<ByteRange> ranges;
  for (size_t t = 0; t < at.tensors.size(); ++t) {
    if (at.lifetimes[t].root != t || !predicate(t)) continue;
    if (const auto range = RangeOf(at, t); range) ranges.push_back(*range);
  }
  return UnionOf(std::move(ranges), at.arena.size());
}

template <typename Predicate>
std::vector<ByteRange> BytesOfSlots(const Execution& at,
                                    const Predicate& predicate) {
  const ProgramPlan& program = *at.plan->program;
  std::vector<ByteRange> ranges;
  for (SlotId slot = 0; slot < program.live.size(); ++slot) {
    if (!predicate(program, slot)) continue;
    const auto range = RangeOfSlot(program, slot);
    if (range) ranges.push_back(*range);
  }
  return UnionOf(std::move(ranges), at.arena.size());
}

// Returns a text that names the slot that contains a byte of the arena of a
// program, or an empty string if no slot contains the byte.
std::string SlotOwnerText(const Execution& at, size_t byte) {
  const ProgramPlan& program = *at.plan->program;
  absl::optional<SlotId> dead;
  for (SlotId slot = 0; slot < program.live.size(); ++slot) {
    const auto range = RangeOfSlot(program, slot);
    if (!range || byte < range->begin || byte >= range->end) continue;
    if (program.IsLive(slot, *at.point)) return SlotText(program, slot);
    dead = slot;
  }
  return dead ? absl::StrCat(SlotText(program, *dead), ", not live there") : "";
}

// Returns whether the task writes `tensor`, or a tensor that shares memory in
// the arena with it.
bool Writes(const Execution& at, size_t task, size_t tensor) {
  const auto is_same = [&](size_t written) {
    return written != kAbsent &&
           (written == tensor ||
            (at.tensors[tensor].storage == Storage::kArena &&
             at.tensors[written].storage == Storage::kArena &&
             at.lifetimes[written].root == at.lifetimes[tensor].root));
  };
  const ArenaNode& node = at.plan->graph.nodes[task];
  return absl::c_any_of(node.outputs, is_same) ||
         absl::c_any_of(node.temporaries, is_same) ||
         (at.tensors[tensor].is_variable &&
          absl::c_linear_search(node.inputs, tensor));
}

template <typename Predicate>
size_t CountOtherTasks(const Execution& at, const Predicate& predicate) {
  size_t count = 0;
  for (size_t task = 0; task < at.states.size(); ++task) {
    if (task != at.node && predicate(task)) ++count;
  }
  return count;
}

// Returns whether the tensor is live now. Requires a run on several streams.
bool IsLiveNow(const Execution& at, size_t root) {
  const absl::Span<const TaskId> users = at.plan->users[root];
  const auto has_finished = [&](TaskId user) {
    return at.states[user] == TaskState::kFinished;
  };
  const auto is_waiting = [&](TaskId user) {
    return at.states[user] == TaskState::kWaiting;
  };
  const bool has_begun = absl::c_linear_search(at.graph->inputs, root) ||
                         !absl::c_all_of(users, is_waiting);
  return has_begun &&
         (!at.lifetimes[root].last || !absl::c_all_of(users, has_finished));
}

}  // namespace

bool Execution::IsLive(size_t tensor, size_t task) const {
  const Lifetime& lifetime = lifetimes[lifetimes[tensor].root];
  if (!states.empty()) {
    return lifetime.first && IsLiveNow(*this, lifetimes[tensor].root);
  }
  return lifetime.first && *lifetime.first <= task &&
         (!lifetime.last || task <= *lifetime.last);
}

std::string Execution::Chain() const {
  if (caller == nullptr) return place;
  return absl::StrCat(caller->Chain(), ", call ", caller->calls, " > ", place);
}

absl::optional<ByteRange> RangeOf(const Execution& at, size_t tensor) {
  const Tensor& described = at.tensors[tensor];
  const size_t root = at.lifetimes[tensor].root;
  if (described.storage != Storage::kArena || described.bytes == 0 ||
      root >= at.plan->offsets.size() || !at.plan->offsets[root]) {
    return absl::nullopt;
  }
  const size_t begin = *at.plan->offsets[root];
  return ByteRange{begin, begin + described.bytes};
}

bool MayShareBytes(const Execution& at, size_t a, size_t b) {
  if (at.lifetimes[a].root == at.lifetimes[b].root) return true;
  const std::vector<RecordPlace>& places = at.plan->tensor_places;
  if (a >= places.size() || b >= places.size() || places[a].group == kNoGroup ||
      places[a].group != places[b].group) {
    return false;
  }
  const absl::optional<ByteRange> bytes_of_a = RangeOf(at, a);
  const absl::optional<ByteRange> bytes_of_b = RangeOf(at, b);
  // The start of the group must be the same whether it is computed from `a` or
  // from `b`. The sums may wrap modulo 2^64, which does not affect the
  // comparison.
  return bytes_of_a && bytes_of_b && bytes_of_a->begin < bytes_of_b->end &&
         bytes_of_b->begin < bytes_of_a->end &&
         bytes_of_a->begin + places[b].at == bytes_of_b->begin + places[a].at;
}

bool IsFilled(const Execution& at, size_t tensor) {
  if (absl::c_linear_search(at.graph->inputs, tensor)) return true;
  const absl::optional<size_t>& first = at.lifetimes[tensor].first;
  if (!first) return false;
  return at.states.empty() ? *first < at.node
                           : at.states[*first] == TaskState::kFinished;
}

size_t CountOtherWrites(const Execution& at, size_t tensor) {
  return CountOtherTasks(at, [&](size_t task) {
    return at.states[task] != TaskState::kWaiting && Writes(at, task, tensor);
  });
}

bool IsWrittenBeside(const Execution& at, size_t tensor) {
  return CountOtherTasks(at, [&](size_t task) {
           return at.states[task] == TaskState::kRunning &&
                  Writes(at, task, tensor);
         }) > 0;
}

bool IsProgramCall(const Execution& at) {
  return at.plan->program != nullptr && !at.point;
}

absl::optional<ByteRange> RangeOfSlot(const ProgramPlan& program, SlotId slot) {
  const absl::optional<size_t>& offset = program.planned.offsets[slot];
  if (!offset || program.live[slot].empty() || program.variables[slot]) {
    return absl::nullopt;
  }
  return ByteRange{*offset, *offset + program.planned.points.slot_sizes[slot]};
}

absl::Span<uint8_t> MemoryOfSlot(const Execution& at, SlotId slot) {
  const ProgramPlan& program = *at.plan->program;
  if (const auto range = RangeOfSlot(program, slot)) {
    return at.arena.subspan(range->begin, range->end - range->begin);
  }
  const absl::optional<size_t>& variable = program.variables[slot];
  if (!variable || program.live[slot].empty()) return {};
  return at.variables[*variable];
}

std::string VariableText(const ProgramPlan& program, size_t variable) {
  return absl::StrCat("the memory of variable ",
                      Quoted(program.program.variables[variable].id));
}

std::string SlotText(const ProgramPlan& program, SlotId slot) {
  if (slot >= program.planned.points.first_slot.back()) {
    return absl::StrCat("variable ", Quoted(SlotName(program.program, slot)));
  }
  return absl::StrCat("tensor ", SlotName(program.program, slot),
                      " (function and tensor)");
}

std::vector<ByteRange> LiveBytes(const Execution& at) {
  if (at.point) {
    return BytesOfSlots(at, [&](const ProgramPlan& program, SlotId slot) {
      return program.IsLive(slot, *at.point);
    });
  }
  return BytesOfThose(at, [&](size_t t) { return at.IsLive(t, at.node); });
}

std::vector<ByteRange> FilledBytes(const Execution& at) {
  if (at.point) {
    return BytesOfSlots(at, [&](const ProgramPlan& program, SlotId slot) {
      return program.IsFilled(slot, *at.point);
    });
  }
  return BytesOfThose(at, [&](size_t t) {
    return at.IsLive(t, at.node) && (IsFilled(at, t) || IsWrittenBeside(at, t));
  });
}

std::string TensorText(const Execution& at, size_t tensor) {
  const Lifetime& lifetime = at.lifetimes[at.lifetimes[tensor].root];
  const bool is_temporary = tensor >= at.graph->tensors.size();
  std::string text =
      is_temporary ? absl::StrCat("tensor ", tensor, " (",
                                  at.tensors[tensor].name, " of an operator)")
                   : at.graph->TensorPlace(tensor);
  if (!lifetime.first) return absl::StrCat(text, " (no tasks)");
  if (!lifetime.last) {
    return absl::StrCat(text, " (tasks from ", *lifetime.first, ")");
  }
  return absl::StrCat(text, " (tasks [", *lifetime.first, ", ", *lifetime.last,
                      "])");
}

std::string SharerText(const Execution& at, size_t tensor, size_t byte) {
  for (size_t t = 0; t < at.tensors.size(); ++t) {
    const absl::optional<ByteRange> range = RangeOf(at, t);
    if (at.lifetimes[t].root == t && t != at.lifetimes[tensor].root && range &&
        range->begin <= byte && byte < range->end && at.IsLive(t, at.node)) {
      return TensorText(at, t);
    }
  }
  return "";
}

std::string OwnerText(const Execution& at, size_t byte) {
  if (at.point) {
    std::string owner = SlotOwnerText(at, byte);
    if (!owner.empty()) return owner;
  }
  // If no live tensor owns the byte, names the tensor that owned it last or, if
  // no tensor has owned it yet, the tensor that will own it first.
  absl::optional<size_t> ended;
  absl::optional<size_t> later;
  for (size_t t = 0; t < at.tensors.size(); ++t) {
    const absl::optional<ByteRange> range = RangeOf(at, t);
    const Lifetime& lifetime = at.lifetimes[t];
    if (lifetime.root != t || !range || byte < range->begin ||
        byte >= range->end || !lifetime.first) {
      continue;
    }
    if (at.IsLive(t, at.node)) return TensorText(at, t);
    if (*lifetime.first > at.node) {
      if (!later || *lifetime.first < *at.lifetimes[*later].first) later = t;
    } else if (!ended || *lifetime.last > *at.lifetimes[*ended].last) {
      ended = t;
    }
  }
  if (ended || later) {
    return absl::StrCat(TensorText(at, ended ? *ended : *later),
                        ", not live at task ", at.node);
  }
  return byte >= at.plan->arena_bytes ? "no tensor: it is beyond the plan"
                                      : "no tensor";
}

std::string NearestWriteText(const Execution& at, size_t byte) {
  size_t nearest = std::numeric_limits<size_t>::max();
  std::string text;
  for (const size_t t : at.writes) {
    const absl::optional<ByteRange> range = RangeOf(at, t);
    if (!range) continue;
    const bool is_before = range->end <= byte;
    const size_t distance = is_before             ? byte - range->end + 1
                            : byte < range->begin ? range->begin - byte
                                                  : 0;
    if (distance >= nearest) continue;
    nearest = distance;
    text = absl::StrCat(TensorText(at, t), ", which it writes, ");
    if (distance == 0) {
      absl::StrAppend(&text, "has that byte, too");
    } else if (is_before) {
      absl::StrAppend(&text, "ends ", distance - 1, " bytes before it");
    } else {
      absl::StrAppend(&text, "begins ", distance, " bytes after it");
    }
  }
  return text;
}

}  // namespace stowage::harness
