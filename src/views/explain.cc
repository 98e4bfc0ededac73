// SPDX-License-Identifier: Apache-2.0
#include "stowage/views/explain.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/views/explain_tower.h"
#include "src/views/explain_waste.h"
#include "src/views/record_name.h"
#include "stowage/problem.h"
#include "stowage/trace.h"
#include "stowage/views/plan_view.h"

namespace stowage::views {
namespace {

std::string BytesOf(size_t bytes) {
  return absl::StrCat(bytes, bytes == 1 ? " byte" : " bytes");
}

std::string SizeAndTasks(const Trace& trace, size_t record) {
  const ByteRecord& life = trace.records[record];
  return absl::StrCat(RecordName(trace, record), " (",
                      BytesOf(life.tensor_size), ", tasks ", life.first_task,
                      "-", life.last_task, ")");
}

// `"6", "24" and 3 others`, of parts [begin, end).
std::string ListParts(const Trace& trace, const Tower& tower, size_t begin,
                      size_t end) {
  constexpr size_t kMost = 3;
  const size_t count = end - begin;
  const size_t shown = count > kMost + 1 ? kMost : count;
  std::string text;
  for (size_t k = 0; k < shown; ++k) {
    const bool is_last = k + 1 == shown && shown == count;
    if (k > 0) absl::StrAppend(&text, is_last ? " and " : ", ");
    absl::StrAppend(&text, RecordName(trace, tower.parts[begin + k].record));
  }
  if (shown < count) absl::StrAppend(&text, " and ", count - shown, " others");
  return text;
}

// The end of the parts from `begin` that are live at the peak.
size_t EndOfLive(const Trace& trace, const Tower& tower, size_t begin) {
  size_t end = begin;
  for (; end < tower.parts.size(); ++end) {
    const ByteRecord& life = trace.records[tower.parts[end].record];
    if (life.first_task > tower.peak || tower.peak > life.last_task) break;
  }
  return end;
}

std::string DescribeLift(const Trace& trace, const Tower& tower,
                         const TowerLift& lift) {
  const size_t end = EndOfLive(trace, tower, lift.part);
  std::string foot;
  if (lift.foot == lift.part) {
    foot = absl::StrCat("A gap of ", BytesOf(tower.parts[lift.part].gap));
  } else if (lift.foot + 1 == lift.part) {
    foot = SizeAndTasks(trace, tower.parts[lift.foot].record);
  } else {
    foot = ListParts(trace, tower, lift.foot, lift.part);
  }
  const bool is_one = lift.foot + 1 >= lift.part;
  const bool is_all = lift.bytes == tower.excess;
  return absl::StrCat(
      foot, is_one ? " lifts " : " lift ",
      ListParts(trace, tower, lift.part, end),
      end - lift.part == 1 ? ", which is" : ", which are",
      " live at the peak (task ", tower.peak, "): ", BytesOf(lift.held),
      " lie beneath, of which the peak needs ", lift.needed,
      is_all ? absl::StrCat("; the other ", lift.bytes, " are the excess.")
             : absl::StrCat("; that is ", lift.bytes, " of ", tower.excess,
                            " bytes of excess."));
}

}  // namespace

std::string WhyBoundDiffers(const Trace& trace, PlanKind kind) {
  if (kind == PlanKind::kObjects) return "shared objects";
  if (!trace.constraints.empty()) return "constraints";
  const bool has_fixed = std::any_of(
      trace.fixed.begin(), trace.fixed.end(),
      [](const absl::optional<size_t>& offset) { return offset.has_value(); });
  return has_fixed ? "fixed offsets" : "";
}

PlanExplanation ExplainPlan(const PlanView& view) {
  PlanExplanation why;
  why.breadth = ExplainBreadth(view.trace.records);
  const std::vector<size_t> bands = BandsOf(view);
  why.waste = WasteOf(view, bands);
  if (view.kind == PlanKind::kObjects) return why;
  std::vector<std::vector<size_t>> members(
      std::max<size_t>(view.bands.size(), 1));
  for (size_t i = 0; i < bands.size(); ++i) members[bands[i]].push_back(i);
  for (size_t b = 0; b < members.size(); ++b) {
    Tower tower =
        TowerOf(view, members[b],
                view.bands.empty() ? absl::nullopt : absl::optional<size_t>(b));
    if (!tower.parts.empty()) why.towers.push_back(std::move(tower));
  }
  return why;
}

std::string DescribeTower(const PlanView& view, const Tower& tower) {
  const Trace& trace = view.trace;
  if (view.violation) return "The plan is unsafe, so its tower says nothing.";
  if (tower.excess == 0) {
    return absl::StrCat("No excess: as large as the bytes live at the peak ",
                        "(task ", tower.peak, ").");
  }
  std::string text;
  for (const TowerLift& lift : tower.lifts) {
    absl::StrAppend(&text, text.empty() ? "" : " ",
                    DescribeLift(trace, tower, lift));
  }
  if (tower.rest == 0) return text;
  absl::StrAppend(&text, text.empty() ? "" : " ", BytesOf(tower.rest),
                  " of the excess are free at the peak (task ", tower.peak,
                  ") above all of the tower that is live there.");
  return text;
}

std::vector<size_t> ReplanCandidates(const PlanExplanation& why, size_t count) {
  std::vector<size_t> candidates;
  const auto add = [&](size_t record) {
    const bool is_new = std::find(candidates.begin(), candidates.end(),
                                  record) == candidates.end();
    if (is_new && candidates.size() < count) candidates.push_back(record);
  };
  for (const Tower& tower : why.towers) {
    for (const TowerLift& lift : tower.lifts) {
      for (size_t part = lift.foot; part < lift.part; ++part) {
        if (candidates.size() >= (count + 1) / 2) break;
        add(tower.parts[part].record);
      }
    }
  }
  for (const size_t record : why.breadth.at_peak) {
    if (candidates.size() == count) break;
    add(record);
  }
  return candidates;
}

Trace WithoutRecord(const Trace& trace, size_t record) {
  Trace less = trace;
  if (!trace.constraints.empty()) {
    less.records[record].tensor_size = 0;
    return less;
  }
  const auto erase = [record](auto* list) {
    if (record >= list->size()) return;
    list->erase(list->begin() + static_cast<std::ptrdiff_t>(record));
  };
  erase(&less.ids);
  erase(&less.records);
  erase(&less.alignments);
  erase(&less.fixed);
  erase(&less.offsets);
  erase(&less.objects);
  erase(&less.chosen_pools);
  erase(&less.tensors);
  erase(&less.consumers);
  less.place_first.clear();
  for (const size_t first : trace.place_first) {
    if (first != record) less.place_first.push_back(first - (first > record));
  }
  return less;
}

absl::StatusOr<std::vector<size_t>> ReplanWithout(
    const Trace& trace, absl::Span<const size_t> records,
    const PlanTotal& plan) {
  std::vector<size_t> totals;
  for (const size_t record : records) {
    const absl::StatusOr<size_t> total = plan(WithoutRecord(trace, record));
    if (!total.ok()) return total.status();
    totals.push_back(*total);
  }
  return totals;
}

}  // namespace stowage::views
