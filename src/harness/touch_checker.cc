// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/harness/arena_view.h"
#include "stowage/error_payload.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/program_plan.h"
#include "stowage/harness/tensor.h"
#include "stowage/programs/points.h"

namespace stowage::harness {
namespace {

// Returns a node other than the current one that reads the tensor and has not
// finished, because it runs later or at the same time. Returns nullopt if there
// is none. The caller of the graph counts as a node after the last one.
absl::optional<size_t> NextReader(const Execution& at, size_t tensor) {
  const ArenaGraph& graph = at.plan->graph;
  const auto is_to_run = [&](size_t node) {
    return at.states.empty()
               ? node > at.node
               : node != at.node && at.states[node] != TaskState::kFinished;
  };
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (is_to_run(i) && absl::c_linear_search(graph.nodes[i].inputs, tensor)) {
      return i;
    }
  }
  if (absl::c_linear_search(graph.outputs, tensor)) return graph.nodes.size();
  return absl::nullopt;
}

// Returns whether the operator may write to the memory of `tensor`, because the
// plan lets a tensor that the operator writes share this memory. Requires that
// `tensor` is in the arena.
bool IsTakenOver(const Execution& at, size_t tensor) {
  return absl::c_any_of(at.writes, [&](size_t written) {
    return at.tensors[written].storage == Storage::kArena &&
           MayShareBytes(at, written, tensor);
  });
}

// Returns whether tensor `t`, whose memory the caller provides, may be
// overwritten now. This is the case if no operator needs `t` any longer, and
// the current operator writes another tensor whose memory the caller provides
// and which overlaps the memory of `t`.
bool IsReplaced(const Execution& at, size_t t) {
  const absl::optional<size_t>& last = at.lifetimes[t].last;
  if (!last || *last >= at.node) return false;
  const auto* const begin = at.tensors[t].as<uint8_t>();
  return absl::c_any_of(at.writes, [&](size_t written) {
    const Tensor& other = at.tensors[written];
    const auto* const data = other.as<uint8_t>();
    return other.storage == Storage::kCustom &&
           std::less<>()(data, begin + at.tensors[t].bytes) &&
           std::less<>()(begin, data + other.bytes);
  });
}

bool MustNotChange(const Execution& at, size_t t) {
  const Tensor& tensor = at.tensors[t];
  if (tensor.bytes == 0 || tensor.data == nullptr ||
      absl::c_linear_search(at.writes, t) || IsWrittenBeside(at, t)) {
    return false;
  }
  switch (tensor.storage) {
    case Storage::kConstant:
      // Only the constants that the operator reads are checked, because copying
      // all constants would take longer than the run.
      return absl::c_linear_search(at.reads, t);
    case Storage::kPersistent:
      return true;
    case Storage::kDynamic:
      return IsFilled(at, t);
    case Storage::kCustom:
      // An input that represents an argument is checked as a slot.
      if (at.plan->program != nullptr && at.plan->function > 0 &&
          absl::c_linear_search(at.graph->inputs, t)) {
        return false;
      }
      return at.graph->tensors[t].is_variable ||
             (IsFilled(at, t) && !IsReplaced(at, t));
    case Storage::kArena:
      return at.plan->program == nullptr && at.IsLive(t, at.node) &&
             IsFilled(at, t) && (!IsTakenOver(at, t) || NextReader(at, t));
    case Storage::kNone:
      return false;
  }
  return false;
}

// Returns the tensors to copy. If several tensors share memory in the arena,
// only the one that was computed last is copied.
std::vector<size_t> TensorsToCopy(const Execution& at) {
  std::vector<size_t> result;
  std::map<size_t, size_t> by_root;  // the position in `result` of each root
  for (size_t t = 0; t < at.tensors.size(); ++t) {
    if (!MustNotChange(at, t)) continue;
    if (at.tensors[t].storage != Storage::kArena) {
      result.push_back(t);
      continue;
    }
    const auto [known, is_new] =
        by_root.emplace(at.lifetimes[t].root, result.size());
    if (is_new) {
      result.push_back(t);
    } else if (at.lifetimes[t].first >
               at.lifetimes[result[known->second]].first) {
      result[known->second] = t;
    }
  }
  return result;
}

// Returns the slots of the program that the operator must not change: the slots
// that are read later, and the slots that the operator reads without
// overwriting them in place.
std::vector<SlotId> SlotsToCopy(const Execution& at) {
  std::vector<SlotId> result;
  if (!at.point) return result;
  const ProgramPlan& program = *at.plan->program;
  const Point& point = program.planned.points.points[*at.point];
  const auto is_overwritten = [&](absl::Span<const uint8_t> bytes) {
    return absl::c_any_of(point.writes, [&](SlotId written) {
      const absl::Span<const uint8_t> other = MemoryOfSlot(at, written);
      const std::less<> precedes;
      return precedes(other.data(), bytes.data() + bytes.size()) &&
             precedes(bytes.data(), other.data() + other.size());
    });
  };
  for (SlotId slot = 0; slot < program.live.size(); ++slot) {
    const absl::Span<const uint8_t> bytes = MemoryOfSlot(at, slot);
    if (bytes.empty() || !program.IsFilled(slot, *at.point) ||
        absl::c_linear_search(point.writes, slot)) {
      continue;
    }
    if (program.IsReadAfter(slot, *at.point) || !is_overwritten(bytes)) {
      result.push_back(slot);
    }
  }
  return result;
}

// Compares a slot with its copy.
absl::Status CompareSlot(const Execution& at, SlotId slot,
                         const std::vector<uint8_t>& copy) {
  const ProgramPlan& program = *at.plan->program;
  const uint8_t* const now = MemoryOfSlot(at, slot).data();
  if (std::memcmp(copy.data(), now, copy.size()) == 0) return absl::OkStatus();
  const auto changed = std::mismatch(copy.begin(), copy.end(), now).first;
  const auto byte = static_cast<size_t>(changed - copy.begin());
  std::string where;
  if (const auto range = RangeOfSlot(program, slot)) {
    const std::string nearest = NearestWriteText(at, range->begin + byte);
    where = absl::StrCat(range->begin + byte, " of the arena",
                         nearest.empty() ? "" : ", and ", nearest);
  } else {
    where = absl::StrCat(byte, " of ",
                         VariableText(program, *program.variables[slot]));
  }
  return absl::DataLossError(absl::StrCat(
      "touch check: changes byte ", byte, " of ", SlotText(program, slot),
      ", which is still read",
      absl::StrFormat(", from 0x%02x to 0x%02x", *changed, now[byte]),
      "; that is byte ", where));
}

std::string WhyNot(const Execution& at, size_t tensor) {
  if (at.tensors[tensor].storage != Storage::kArena ||
      !IsTakenOver(at, tensor)) {
    return "which it does not write";
  }
  const size_t reader = NextReader(at, tensor).value_or(0);
  return absl::StrCat("whose memory it takes over in place, and which ",
                      reader < at.plan->places.size() ? at.plan->places[reader]
                                                      : "the graph's caller",
                      " still reads");
}

// Returns whether all users of the tensor have finished since it was copied, so
// other tensors may use its bytes. This happens only on several streams.
bool IsGone(const Execution& at, size_t tensor) {
  return at.tensors[tensor].storage == Storage::kArena &&
         !at.IsLive(tensor, at.node);
}

std::string WhereText(const Execution& at, size_t tensor, size_t byte) {
  const std::string nearest = NearestWriteText(at, byte);
  const std::string sharer =
      at.states.empty() ? "" : SharerText(at, tensor, byte);
  return absl::StrCat("; that is byte ", byte, " of the arena",
                      sharer.empty() ? "" : ", which ", sharer,
                      sharer.empty() ? "" : " has, too",
                      nearest.empty() ? "" : ", and ", nearest);
}

}  // namespace

absl::Status TouchChecker::BeforeOperator(const Execution& at) {
  std::vector<Copy>& copies = copies_[{at.subgraph, at.node}];
  copies.clear();
  for (const SlotId slot : SlotsToCopy(at)) {
    const absl::Span<const uint8_t> bytes = MemoryOfSlot(at, slot);
    copies.push_back({slot, true, 0, {bytes.begin(), bytes.end()}});
  }
  for (const size_t t : TensorsToCopy(at)) {
    const uint8_t* data = at.tensors[t].as<uint8_t>();
    copies.push_back({t,
                      false,
                      CountOtherWrites(at, t),
                      {data, data + at.tensors[t].bytes}});
  }
  return absl::OkStatus();
}

absl::Status TouchChecker::AfterOperator(const Execution& at) {
  const auto found = copies_.find({at.subgraph, at.node});
  const std::vector<Copy> copies = std::move(found->second);
  copies_.erase(found);
  for (const Copy& copy : copies) {
    if (copy.is_slot) {
      const auto slot = static_cast<SlotId>(copy.tensor);
      if (absl::Status s = CompareSlot(at, slot, copy.bytes); !s.ok()) return s;
      continue;
    }
    if (IsGone(at, copy.tensor) ||
        CountOtherWrites(at, copy.tensor) != copy.other_writes) {
      continue;
    }
    const uint8_t* now = at.tensors[copy.tensor].as<uint8_t>();
    if (std::memcmp(copy.bytes.data(), now, copy.bytes.size()) == 0) continue;
    const auto changed =
        std::mismatch(copy.bytes.begin(), copy.bytes.end(), now).first;
    const auto byte = static_cast<size_t>(changed - copy.bytes.begin());
    const absl::optional<ByteRange> range = RangeOf(at, copy.tensor);
    std::string where;
    if (range) {
      where = WhereText(at, copy.tensor, range->begin + byte);
    }
    return WithTensor(
        absl::DataLossError(absl::StrCat(
            at.states.empty()
                ? "touch check: changes byte "
                : "touch check: it or an operator beside it changes byte ",
            byte, " of ", TensorText(at, copy.tensor), ", ",
            WhyNot(at, copy.tensor),
            absl::StrFormat(", from 0x%02x to 0x%02x", *changed, now[byte]),
            where)),
        copy.tensor);
  }
  return absl::OkStatus();
}

}  // namespace stowage::harness
