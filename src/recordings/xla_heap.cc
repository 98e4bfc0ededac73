// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/xla_heap.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/recordings/rounded_size.h"
#include "src/recordings/xla_assignment.h"
#include "src/recordings/xla_message.h"
#include "src/recordings/xla_trace.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"
#include "stowage/recordings/recording.h"

namespace stowage::recordings {
namespace {

constexpr XlaSchema kXlaHloProto = {"HloProto", 0, XlaFields({1, 3})};
constexpr XlaSchema kXlaModuleProto = {"HloModuleProto", XlaFields({5, 6, 11}),
                                       XlaFields({1, 2, 3, 4, 7, 8})};
constexpr XlaSchema kXlaComputation = {
    "HloComputationProto", XlaFields({5, 6, 7}), XlaFields({1, 2, 4, 8})};
constexpr XlaSchema kXlaInstruction = {"HloInstructionProto",
                                       XlaFields({9, 13, 35}),
                                       XlaFields({1, 2, 3, 7, 8, 11})};

Status CheckXlaComputation(string_view message) {
  XlaMessage fields(message, kXlaComputation);
  while (fields.Next()) {
    if (fields.field() != 2) continue;
    Status status = CheckXlaMessage(fields.bytes(), kXlaInstruction);
    if (!status.ok()) return status;
  }
  return fields.status();
}

// Returns the name of a module, with its id if it has one. Several modules of a
// file may have the same name, but only if their ids differ.
StatusOr<std::string> ReadXlaModuleName(string_view message) {
  string_view name;
  uint64_t id = 0;
  XlaMessage fields(message, kXlaModuleProto);
  while (fields.Next()) {
    if (fields.field() == 1) name = fields.bytes();
    if (fields.field() == 5) id = fields.value();
    if (fields.field() != 3) continue;
    const Status status = CheckXlaComputation(fields.bytes());
    if (!status.ok()) return status;
  }
  if (!fields.status().ok()) return fields.status();
  // Truncate longer names, which do not fit in messages.
  constexpr size_t kMaxName = 200;
  std::string text = name.empty() ? "module" : FileText(name);
  if (text.size() > kMaxName) text = OneLine(text.substr(0, kMaxName));
  return id == 0 ? text : absl::StrCat(OneLine(text), ".", id);
}

uint64_t CappedXlaSum(uint64_t a, uint64_t b) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  return a > kMost - b ? kMost : a + b;
}

// Creates parts of a recording from the lifetimes in one trace.
class XlaPartMaker {
 public:
  XlaPartMaker(const XlaAssignment& assignment, const XlaTrace& trace,
               size_t tensor_alignment)
      : assignment_(assignment),
        trace_(trace),
        tensor_alignment_(tensor_alignment) {}

  // Returns the parts. For each part, appends the position of its allocation to
  // `allocations`.
  std::vector<RecordingPart> Make(std::vector<size_t>* allocations) const;

 private:
  const XlaBuffer& BufferOf(size_t life) const {
    return assignment_.buffers[trace_.lives[life].buffer];
  }
  // Creates a part from lifetimes that are in the same allocation.
  RecordingPart PartOf(Span<const size_t> lives, bool is_whole_trace) const;
  void AddRecord(size_t life, RecordingPart* part) const;
  // Adds rigid groups, which preserve the distances between buffers that share
  // memory.
  void AddGroups(Span<const size_t> lives, ProblemSpec* problem) const;

  const XlaAssignment& assignment_;
  const XlaTrace& trace_;
  size_t tensor_alignment_;
};

void XlaPartMaker::AddRecord(size_t life, RecordingPart* part) const {
  const XlaBuffer& buffer = BufferOf(life);
  const XlaLife& times = trace_.lives[life];
  const size_t size = RoundedSize(buffer.size, tensor_alignment_);
  ProblemSpec& problem = part->file.problem;
  problem.records.emplace_back(size, times.begin, times.end - 1);
  problem.names.push_back(absl::StrCat(buffer.id));
  TensorInfo info;
  info.name = std::string(times.instruction);
  problem.labels.tensors.push_back(std::move(info));
  part->file.plan.offsets.push_back(buffer.offset);
}

void XlaPartMaker::AddGroups(Span<const size_t> lives,
                             ProblemSpec* problem) const {
  const bool has_sharing = std::any_of(
      lives.begin(), lives.end(),
      [this](size_t life) { return trace_.lives[life].owner != life; });
  if (!has_sharing) return;
  // The lowest offset and the number of members of each group, indexed by the
  // owner of the group.
  std::vector<uint64_t> starts(trace_.lives.size(),
                               std::numeric_limits<uint64_t>::max());
  std::vector<size_t> members(trace_.lives.size(), 0);
  for (const size_t life : lives) {
    const size_t owner = trace_.lives[life].owner;
    starts[owner] = std::min(starts[owner], BufferOf(life).offset);
    ++members[owner];
  }
  for (const size_t life : lives) {
    const size_t owner = trace_.lives[life].owner;
    RecordPlace place;
    if (members[owner] > 1) {
      place.group = static_cast<uint32_t>(owner);
      place.at = BufferOf(life).offset - starts[owner];
    }
    problem->constraints.places.push_back(place);
  }
}

RecordingPart XlaPartMaker::PartOf(Span<const size_t> lives,
                                   bool is_whole_trace) const {
  const XlaAllocation& allocation =
      assignment_.allocations[BufferOf(lives[0]).allocation];
  RecordingPart part;
  part.name = absl::StrCat("allocation ", allocation.index);
  part.file.plan.arena_size = allocation.size;
  bool is_rounded = false;
  for (const size_t life : lives) {
    AddRecord(life, &part);
    is_rounded |=
        part.file.problem.records.back().tensor_size != BufferOf(life).size;
  }
  AddGroups(lives, &part.file.problem);
  if (is_whole_trace) {
    // The last event only ends lifetimes, so it is not a task.
    std::vector<std::string>& operators = part.file.problem.labels.operators;
    const size_t tasks = trace_.instructions.size() - 1;
    for (size_t task = 0; task < tasks; ++task) {
      operators.emplace_back(trace_.instructions[task]);
    }
  }
  part.file.note = absl::StrCat("XLA's allocation has ", allocation.size,
                                " bytes in memory space ", allocation.color);
  if (is_rounded) {
    part.file.plan.offsets.clear();
    absl::StrAppend(&part.file.note,
                    ", and its plan is left out, since sizes are rounded up");
  }
  return part;
}

std::vector<RecordingPart> XlaPartMaker::Make(
    std::vector<size_t>* allocations) const {
  std::vector<size_t> lives;
  for (size_t life = 0; life < trace_.lives.size(); ++life) {
    // Buffers of 0 bytes need no place.
    if (BufferOf(life).size > 0) lives.push_back(life);
  }
  std::stable_sort(lives.begin(), lives.end(), [this](size_t a, size_t b) {
    return BufferOf(a).allocation < BufferOf(b).allocation;
  });
  std::vector<RecordingPart> parts;
  for (auto begin = lives.begin(); begin != lives.end();) {
    const size_t allocation = BufferOf(*begin).allocation;
    const auto end = std::find_if(begin, lives.end(), [&](size_t life) {
      return BufferOf(life).allocation != allocation;
    });
    parts.push_back(PartOf({&*begin, static_cast<size_t>(end - begin)},
                           begin == lives.begin() && end == lives.end()));
    allocations->push_back(allocation);
    begin = end;
  }
  return parts;
}

// Adds to the note of each part a description of the buffers in its allocation
// that are not records. allocations[i] is the position of the allocation of
// parts[i].
void NoteIdleXlaBuffers(const XlaAssignment& assignment,
                        Span<const size_t> allocations,
                        Span<RecordingPart> parts) {
  struct Idle {
    size_t count = 0;
    uint64_t bytes = 0;
  };
  std::vector<Idle> idle(assignment.allocations.size());
  for (const XlaBuffer& buffer : assignment.buffers) {
    if (buffer.trace != 0) continue;
    Idle& sum = idle[buffer.allocation];
    ++sum.count;
    sum.bytes = CappedXlaSum(sum.bytes, buffer.size);
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    const Idle& sum = idle[allocations[i]];
    if (sum.count == 0) continue;
    absl::StrAppend(
        &parts[i].file.note, "; ", sum.count,
        sum.count == 1 ? " buffer in it has" : " buffers in it have",
        " no events (", sum.bytes, " bytes)");
  }
}

Status AddXlaParts(size_t tensor_alignment, XlaAssignment* assignment,
                   XlaModule* module) {
  std::vector<size_t> allocations;
  for (size_t number = 1; number <= assignment->traces.size(); ++number) {
    const StatusOr<XlaTrace> trace = ReadXlaTrace(number, assignment);
    if (!trace.ok()) return trace.status();
    std::vector<RecordingPart> parts =
        XlaPartMaker(*assignment, *trace, tensor_alignment).Make(&allocations);
    for (RecordingPart& part : parts) module->parts.push_back(std::move(part));
    if (module->parts.size() > kMaxXlaParts) {
      return absl::ResourceExhaustedError(
          absl::StrCat("has more than ", kMaxXlaParts,
                       " heap traces; expected at most this number"));
    }
  }
  NoteIdleXlaBuffers(*assignment, allocations, absl::MakeSpan(module->parts));
  std::sort(allocations.begin(), allocations.end());
  for (size_t i = 0; i < assignment->allocations.size(); ++i) {
    if (std::binary_search(allocations.begin(), allocations.end(), i)) continue;
    const XlaAllocation& allocation = assignment->allocations[i];
    uint64_t& bytes = module->whole_bytes[static_cast<size_t>(allocation.use)];
    bytes = CappedXlaSum(bytes, allocation.size);
  }
  return absl::OkStatus();
}

}  // namespace

std::string DescribeXlaBytes(const std::array<uint64_t, kXlaUses>& bytes) {
  constexpr string_view kNames[kXlaUses] = {"parameters", "constants",
                                            "thread-local memory", "outputs",
                                            "temporary memory without events"};
  std::string text;
  for (size_t use = 0; use < kXlaUses; ++use) {
    if (bytes[use] == 0) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", bytes[use], " bytes of ",
                    kNames[use]);
  }
  return text;
}

StatusOr<XlaModule> ReadXlaModule(string_view hlo, size_t tensor_alignment) {
  XlaModule module;
  optional<string_view> module_message;
  optional<string_view> assignment_message;
  XlaMessage fields(hlo, kXlaHloProto);
  while (fields.Next()) {
    if (fields.field() != 1 && fields.field() != 3) continue;
    optional<string_view>& message =
        fields.field() == 1 ? module_message : assignment_message;
    if (message) {
      return absl::InvalidArgumentError(
          absl::StrCat("HloProto has a second field ", fields.field(),
                       ", as joined files have; expected one module"));
    }
    message = fields.bytes();
  }
  if (!fields.status().ok()) return fields.status();
  if (module_message) {
    StatusOr<std::string> name = ReadXlaModuleName(*module_message);
    if (!name.ok()) return name.status();
    module.name = *std::move(name);
  }
  if (module.name.empty()) module.name = "module";
  if (!assignment_message) return module;
  module.has_assignment = true;
  StatusOr<XlaAssignment> assignment = ReadXlaAssignment(*assignment_message);
  const std::string place = absl::StrCat("module '", module.name, "'");
  if (!assignment.ok()) return AtXlaPlace(place, assignment.status());
  const Status status = AddXlaParts(tensor_alignment, &*assignment, &module);
  if (!status.ok()) return AtXlaPlace(place, status);
  return module;
}

}  // namespace stowage::recordings
