// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/harness/arena_view.h"
#include "src/harness/byte_ranges.h"
#include "src/harness/memory.h"
#include "stowage/error_payload.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/program_plan.h"
#include "stowage/harness/tensor.h"
#include "stowage/programs/points.h"

namespace stowage::harness {
namespace {

void Fill(absl::Span<uint8_t> arena, const std::vector<ByteRange>& ranges,
          uint8_t pattern) {
  for (const ByteRange& range : ranges) {
    std::memset(arena.data() + range.begin, pattern, range.end - range.begin);
  }
}

// Returns the position of the first byte in the range that differs from the
// pattern, or nullopt if there is none.
absl::optional<size_t> FindTouched(absl::Span<const uint8_t> arena,
                                   const ByteRange& range, uint8_t pattern) {
  const uint8_t* begin = arena.data() + range.begin;
  const size_t size = range.end - range.begin;
  // If the first byte equals the pattern and each byte equals the byte before
  // it, all bytes equal the pattern. memcmp checks this as fast as memory can
  // be read.
  if (begin[0] == pattern && std::memcmp(begin, begin + 1, size - 1) == 0) {
    return absl::nullopt;
  }
  size_t byte = range.begin;
  while (arena[byte] == pattern) ++byte;
  return byte;
}

// Makes all bytes that are not live inaccessible. In a run on one stream, they
// become accessible again after each operator, because the caller may read the
// arena after the last operator.
void CloseFree(const Execution& at, const std::vector<ByteRange>& live) {
  for (const ByteRange& free : Without({{0, at.arena.size()}}, live)) {
    MakeInaccessible(at.arena.data() + free.begin, free.end - free.begin);
  }
}

// Returns, for each variable, whether the predicate is true for at least one
// slot in the memory of the variable.
template <typename Predicate>
std::vector<bool> VariablesOfThose(const Execution& at,
                                   const Predicate& predicate) {
  std::vector<bool> result(at.variables.size(), false);
  const ProgramPlan& program = *at.plan->program;
  for (SlotId slot = 0; slot < program.variables.size(); ++slot) {
    const absl::optional<size_t>& variable = program.variables[slot];
    if (variable && predicate(program, slot)) result[*variable] = true;
  }
  return result;
}

std::vector<bool> LiveVariables(const Execution& at) {
  return VariablesOfThose(at, [&](const ProgramPlan& program, SlotId slot) {
    return program.IsLive(slot, *at.point);
  });
}

// Fills the memory of each variable in which no slot has a value with the
// pattern. If no slot in it is live, also makes the memory inaccessible. Both
// can happen between the last read of the old value of a variable and the first
// write of its next value.
void PoisonVariables(const Execution& at, uint8_t pattern) {
  if (!at.point || at.variables.empty()) return;
  const std::vector<bool> live = LiveVariables(at);
  const std::vector<bool> filled =
      VariablesOfThose(at, [&](const ProgramPlan& program, SlotId slot) {
        return program.IsFilled(slot, *at.point);
      });
  for (size_t v = 0; v < at.variables.size(); ++v) {
    const absl::Span<uint8_t> memory = at.variables[v];
    MakeAccessible(memory.data(), memory.size());
    // A variable that has not been assigned yet has no memory.
    if (!filled[v] && !memory.empty()) {
      Fill(memory, {{0, memory.size()}}, pattern);
    }
    if (!live[v]) MakeInaccessible(memory.data(), memory.size());
  }
}

// Checks that nothing was written to the memory of variables without live
// slots.
absl::Status CheckVariables(const Execution& at, uint8_t pattern) {
  if (!at.point || at.variables.empty()) return absl::OkStatus();
  const std::vector<bool> live = LiveVariables(at);
  for (size_t v = 0; v < at.variables.size(); ++v) {
    const absl::Span<uint8_t> memory = at.variables[v];
    MakeAccessible(memory.data(), memory.size());
    if (live[v] || memory.empty()) continue;
    const absl::optional<size_t> byte =
        FindTouched(memory, {0, memory.size()}, pattern);
    if (!byte) continue;
    return absl::DataLossError(absl::StrCat(
        "poison check: writes ", absl::StrFormat("0x%02x", memory[*byte]),
        " to byte ", *byte, " of ", VariableText(*at.plan->program, v),
        ", which holds nothing there"));
  }
  return absl::OkStatus();
}

absl::Status CheckReads(const Execution& at) {
  for (const size_t t : at.reads) {
    const Tensor& tensor = at.tensors[t];
    // An input may have no memory, for example the shape that is an input of
    // RESHAPE. Such an input is not checked, because nothing can be read from
    // it.
    if (tensor.storage != Storage::kArena || tensor.bytes == 0 ||
        tensor.data == nullptr || at.IsLive(t, at.node)) {
      continue;
    }
    return WithTensor(absl::DataLossError(absl::StrCat(
                          "poison check: reads ", TensorText(at, t),
                          " at task ", at.node, ", outside its lifetime")),
                      t);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status PoisonChecker::BeforeOperator(const Execution& at) {
  if (absl::Status status = CheckReads(at); !status.ok()) return status;
  if (IsProgramCall(at)) return absl::OkStatus();
  PoisonVariables(at, pattern_);
  State& state = states_[at.subgraph];
  // In a program, the arena never counts as unchanged, because other subgraphs,
  // and copies between them, have used it since the last operator.
  const bool is_same_run = !at.point && state.arena == at.arena.data() &&
                           state.arena_bytes == at.arena.size() &&
                           state.run == at.run;
  state.arena = at.arena.data();
  state.arena_bytes = at.arena.size();
  state.run = at.run;
  if (at.arena.empty()) return absl::OkStatus();
  const std::vector<ByteRange> all = {{0, at.arena.size()}};
  MakeAccessible(at.arena.data(), at.arena.size());
  Fill(at.arena, Without(is_same_run ? state.held : all, FilledBytes(at)),
       pattern_);
  state.held = LiveBytes(at);
  CloseFree(at, state.held);
  return absl::OkStatus();
}

absl::Status PoisonChecker::AfterOperator(const Execution& at) {
  if (IsProgramCall(at)) return absl::OkStatus();
  absl::Status status = CheckVariables(at, pattern_);
  if (!status.ok() || at.arena.empty()) return status;
  State& state = states_[at.subgraph];
  MakeAccessible(at.arena.data(), at.arena.size());
  const std::vector<ByteRange> live = LiveBytes(at);
  // On several streams, other operators may have finished since this operator
  // began. The bytes that were live only for them are filled now.
  Fill(at.arena, Without(state.held, live), pattern_);
  for (const ByteRange& free : Without({{0, at.arena.size()}}, live)) {
    const absl::optional<size_t> byte = FindTouched(at.arena, free, pattern_);
    if (!byte) continue;
    const std::string nearest = NearestWriteText(at, *byte);
    return absl::DataLossError(absl::StrCat(
        at.states.empty() ? "poison check: writes "
                          : "poison check: it or an operator beside it writes ",
        absl::StrFormat("0x%02x", at.arena[*byte]), " to byte ", *byte,
        " of the arena, which belongs to ", OwnerText(at, *byte),
        nearest.empty() ? "" : "; ", nearest));
  }
  // Tensors that end at this operator are filled only when the next operator
  // begins, because other observers may still compare them.
  state.held = live;
  if (!at.states.empty()) CloseFree(at, live);
  return absl::OkStatus();
}

}  // namespace stowage::harness
