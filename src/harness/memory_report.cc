// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/memory_report.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/base/text.h"
#include "stowage/constraints.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/program_plan.h"
#include "stowage/harness/tensor.h"
#include "stowage/programs/live_runs.h"
#include "stowage/programs/points.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

// Determines which tensors have a place in the plan, and sums their sizes.
class PlacedTensors {
 public:
  explicit PlacedTensors(const Subgraph& subgraph)
      : subgraph_(subgraph), plan_(subgraph.plan()) {
    for (size_t t = 0; t < plan_.offsets.size(); ++t) {
      if (!plan_.offsets[t]) continue;
      const ArenaTensor& tensor = plan_.graph.tensors[t];
      if (tensor.storage == Storage::kArena) in_arena_.push_back(t);
      if (tensor.storage == Storage::kPersistent) persistent_.push_back(t);
    }
  }

  absl::Span<const size_t> persistent() const { return persistent_; }

  std::vector<size_t> LiveAt(size_t task) const {
    std::vector<size_t> live;
    for (const size_t t : in_arena_) {
      const Lifetime& lifetime = plan_.lifetimes[t];
      if (lifetime.first && *lifetime.first <= task &&
          (!lifetime.last || task <= *lifetime.last)) {
        live.push_back(t);
      }
    }
    return CountedOnce(std::move(live));
  }

  // Returns the sums of the sizes of `tensors`. No sum overflows, because the
  // plan has been checked.
  ArenaUse UseOf(absl::Span<const size_t> tensors) const {
    ArenaUse use;
    size_t largest_tail = 0;
    for (const size_t t : tensors) {
      const size_t bytes = plan_.graph.tensors[t].bytes;
      const size_t aligned =
          CheckedAlignUp(bytes, plan_.alignment).value_or(bytes);
      use.requested += bytes;
      use.aligned += aligned;
      largest_tail = std::max(largest_tail, aligned - bytes);
    }
    use.aligned -= largest_tail;
    return use;
  }

  LiveTensor Describe(size_t t) const {
    const Lifetime& lifetime = plan_.lifetimes[t];
    LiveTensor result;
    result.tensor = t;
    result.is_temporary = t >= subgraph_.spec().tensors.size();
    result.place = result.is_temporary
                       ? absl::StrCat("tensor ", t, " (",
                                      OneLine(subgraph_.tensor(t).name), ")")
                       : subgraph_.spec().TensorPlace(t);
    result.bytes = plan_.graph.tensors[t].bytes;
    result.offset = *plan_.offsets[t];
    result.first_task = *lifetime.first;
    result.last_task = lifetime.last;
    return result;
  }

 private:
  // Returns whether both tensors are in the same group and all bytes of `inner`
  // are also bytes of `outer`. If both have exactly the same bytes, only the
  // tensor with the higher index counts as inside the other tensor.
  bool IsInside(size_t inner, size_t outer) const {
    const RecordPlace& a = plan_.tensor_places[inner];
    const RecordPlace& b = plan_.tensor_places[outer];
    if (inner == outer || a.group == kNoGroup || a.group != b.group) {
      return false;
    }
    const size_t begin = *plan_.offsets[inner];
    const size_t end = begin + plan_.graph.tensors[inner].bytes;
    const size_t outer_begin = *plan_.offsets[outer];
    const size_t outer_end = outer_begin + plan_.graph.tensors[outer].bytes;
    if (begin == outer_begin && end == outer_end) return outer < inner;
    return outer_begin <= begin && end <= outer_end;
  }

  // Returns `live` without the tensors that are inside another live tensor, so
  // no byte is counted twice.
  std::vector<size_t> CountedOnce(std::vector<size_t> live) const {
    if (plan_.tensor_places.empty()) return live;
    std::vector<size_t> counted;
    absl::c_copy_if(live, std::back_inserter(counted), [&](size_t inner) {
      return absl::c_none_of(
          live, [&](size_t outer) { return IsInside(inner, outer); });
    });
    return counted;
  }

  const Subgraph& subgraph_;
  const MemoryPlan& plan_;
  std::vector<size_t> in_arena_;
  std::vector<size_t> persistent_;
};

void ReportPeak(const Subgraph& subgraph, const PlacedTensors& placed,
                MemoryReport* report) {
  for (size_t node = 0; node < subgraph.plan().graph.nodes.size(); ++node) {
    const size_t bytes = placed.UseOf(placed.LiveAt(node)).requested;
    report->live_bytes.push_back(bytes);
    if (bytes > report->arena.requested) {
      report->arena.requested = bytes;
      report->peak_node = node;
    }
  }
  if (report->peak_node) {
    const std::vector<size_t> live = placed.LiveAt(*report->peak_node);
    report->arena = placed.UseOf(live);
    report->peak_operator = subgraph.plan().places[*report->peak_node];
    for (const size_t t : live) report->peak.push_back(placed.Describe(t));
    std::stable_sort(report->peak.begin(), report->peak.end(),
                     [](const LiveTensor& a, const LiveTensor& b) {
                       return a.bytes > b.bytes;
                     });
  }
  report->arena.used = subgraph.plan().arena_bytes;
}

// Counts the live bytes of a program at each point. Slots that share a place
// are counted once.
class LiveBytesOfPoints {
 public:
  explicit LiveBytesOfPoints(const ProgramPlan& program)
      : program_(program), changes_(PointCount() + 1) {
    for (SlotId slot = 0; slot < program.live.size(); ++slot) {
      if (!IsInArena(slot)) continue;
      for (const LiveRun& run : program.live[slot]) {
        changes_[run.first].push_back({slot, true});
        changes_[run.last + 1].push_back({slot, false});
      }
    }
  }

  size_t PointCount() const { return program_.planned.points.points.size(); }

  // Returns the first point at which the most bytes are live.
  uint32_t Peak() const {
    std::map<Place, size_t> live;
    size_t bytes = 0;
    size_t largest = 0;
    uint32_t peak = 0;
    for (uint32_t p = 0; p < PointCount(); ++p) {
      for (const auto& [slot, begins] : changes_[p]) {
        const Place place = PlaceOf(slot);
        if (begins) {
          if (live[place]++ == 0) bytes += place.second;
        } else if (--live[place] == 0) {
          bytes -= place.second;
        }
      }
      if (bytes <= largest) continue;
      largest = bytes;
      peak = p;
    }
    return peak;
  }

  // Returns the slots that are live at `point`, one slot for each place.
  std::vector<SlotId> At(uint32_t point) const {
    std::map<Place, SlotId> found;
    for (SlotId slot = 0; slot < program_.live.size(); ++slot) {
      if (IsInArena(slot) && program_.IsLive(slot, point)) {
        found.emplace(PlaceOf(slot), slot);
      }
    }
    std::vector<SlotId> slots;
    slots.reserve(found.size());
    for (const auto& [place, slot] : found) slots.push_back(slot);
    return slots;
  }

 private:
  using Place = std::pair<size_t, size_t>;  // the offset and the bytes

  bool IsInArena(SlotId slot) const {
    return program_.planned.offsets[slot] && !program_.variables[slot];
  }
  Place PlaceOf(SlotId slot) const {
    return {*program_.planned.offsets[slot],
            program_.planned.points.slot_sizes[slot]};
  }

  const ProgramPlan& program_;
  // For each point, the slots that become live there (true) and the slots that
  // are no longer live there (false).
  std::vector<std::vector<std::pair<SlotId, bool>>> changes_;
};

// Reports the point of a program at which the most bytes are live, counted over
// all subgraphs that share the arena.
void ReportProgramPeak(const ProgramPlan& program, size_t alignment,
                       MemoryReport* report) {
  const ProgramPoints& points = program.planned.points;
  const LiveBytesOfPoints live(program);
  report->arena.used = program.planned.total_size;
  const uint32_t peak = live.Peak();
  size_t largest_tail = 0;
  for (const SlotId slot : live.At(peak)) {
    LiveTensor tensor;
    tensor.tensor = slot;
    tensor.place = SlotName(program.program, slot);
    tensor.bytes = points.slot_sizes[slot];
    tensor.offset = *program.planned.offsets[slot];
    tensor.first_task = program.live[slot].front().first;
    tensor.last_task = program.live[slot].back().last;
    const size_t aligned =
        CheckedAlignUp(tensor.bytes, alignment).value_or(tensor.bytes);
    report->arena.requested += tensor.bytes;
    report->arena.aligned += aligned;
    largest_tail = std::max(largest_tail, aligned - tensor.bytes);
    report->peak.push_back(std::move(tensor));
  }
  if (report->peak.empty()) return;
  report->arena.aligned -= largest_tail;
  // Finds the operator of the entry that runs at the peak.
  uint32_t call = points.points[peak].call;
  report->peak_node = points.points[peak].node;
  for (; points.calls[call].caller != call; call = points.calls[call].caller) {
    report->peak_node = points.calls[call].node;
  }
  report->peak_operator = PointPlace(program.program, points, peak);
  std::stable_sort(report->peak.begin(), report->peak.end(),
                   [](const LiveTensor& a, const LiveTensor& b) {
                     return a.bytes > b.bytes;
                   });
}

size_t MetadataBytes(const Subgraph& subgraph) {
  size_t bytes = 0;
  for (size_t t = 0; t < subgraph.plan().graph.tensors.size(); ++t) {
    const Tensor& tensor = subgraph.tensor(t);
    bytes +=
        sizeof(Tensor) + tensor.name.size() +
        tensor.shape.size() * sizeof(int32_t) +
        tensor.quantization.scales.size() * (sizeof(float) + sizeof(int32_t));
  }
  return bytes;
}

size_t BytesBeside(const AppliedDelegate& delegate) {
  size_t bytes = 0;
  for (const DelegateMemory& memory : delegate.memory) bytes += memory.bytes;
  return bytes;
}

std::string DelegateText(const AppliedDelegate& delegate) {
  std::string text = absl::StrCat("delegate ", OneLine(delegate.name), ": ",
                                  delegate.workspace_bytes,
                                  " bytes of workspace in the arena");
  absl::string_view separator = "; beside it ";
  for (const DelegateMemory& memory : delegate.memory) {
    absl::StrAppend(&text, std::exchange(separator, ", "), memory.bytes, " of ",
                    OneLine(memory.what));
  }
  return absl::StrCat(text, "\n");
}

std::string UseText(const std::string& what, const ArenaUse& use) {
  return absl::StrCat(what, use.used, " bytes: ", use.requested, " requested, ",
                      use.alignment_bytes(), " alignment, ",
                      use.fragmentation_bytes(), " fragmentation\n");
}

}  // namespace

MemoryReport MemoryReportOf(const Subgraph& subgraph) {
  MemoryReport report;
  report.strategy = subgraph.plan().strategy;
  report.alignment = subgraph.plan().alignment;
  const PlacedTensors placed(subgraph);
  if (const ProgramPlan* const program = subgraph.plan().program.get()) {
    ReportProgramPeak(*program, report.alignment, &report);
    report.copied = program->planned.copied_bytes;
    report.possible_copies = program->planned.possible_bytes;
  } else {
    ReportPeak(subgraph, placed, &report);
  }
  report.persistent = placed.UseOf(placed.persistent());
  report.persistent.used = subgraph.plan().persistent_bytes;
  report.operator_data = subgraph.operator_data_bytes();
  report.metadata = MetadataBytes(subgraph);
  for (size_t t = 0; t < subgraph.spec().tensors.size(); ++t) {
    const Tensor& tensor = subgraph.tensor(t);
    if (tensor.storage == Storage::kDynamic && tensor.data != nullptr) {
      report.dynamic += tensor.bytes;
    }
    if (tensor.storage == Storage::kConstant) report.constants += tensor.bytes;
  }
  for (AppliedDelegate& delegate : subgraph.delegates()) {
    if (!delegate.status.ok()) continue;
    report.delegates.push_back(std::move(delegate));
  }
  return report;
}

size_t MemoryReport::Total() const {
  size_t total =
      arena.used + persistent.used + operator_data + metadata + dynamic;
  for (const AppliedDelegate& delegate : delegates) {
    total += BytesBeside(delegate);
  }
  return total;
}

std::string MemoryReport::Text() const {
  std::string text = UseText("arena            ", arena);
  if (possible_copies > 0) {
    absl::StrAppend(&text, "copied           ", copied, " bytes of ",
                    possible_copies, " between subgraphs, in one pass\n");
  }
  absl::StrAppend(&text, UseText("persistent arena ", persistent),
                  "operator data    ", operator_data, " bytes\n",
                  "tensor metadata  ", metadata, " bytes\n",
                  "dynamic tensors  ", dynamic, " bytes\n");
  for (const AppliedDelegate& delegate : delegates) {
    absl::StrAppend(&text, DelegateText(delegate));
  }
  absl::StrAppend(&text, "total            ", Total(), " bytes, and ",
                  constants, " of constants in the model\n", "planned by ",
                  strategy, ", aligned to ", alignment, "\n");
  if (!peak_node) return text;
  absl::StrAppend(&text, "peak: ", peak_operator,
                  ", with these tensors live\n");
  for (const LiveTensor& live : peak) {
    absl::StrAppend(&text, "  ", live.bytes, " bytes at ", live.offset, ": ",
                    live.place, ", tasks ", live.first_task, " to ",
                    live.last_task ? absl::StrCat(*live.last_task) : "the end",
                    "\n");
  }
  return text;
}

}  // namespace stowage::harness
