// SPDX-License-Identifier: Apache-2.0
#include "stowage/explain/explain.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/explain/explain_waste.h"
#include "src/explain/record_name.h"
#include "src/explain/support_chain.h"
#include "src/model/keep_records.h"
#include "stowage/explain/plan_view.h"
#include "stowage/problem.h"

namespace stowage::views {
namespace {

std::string CountBytes(size_t bytes) {
  return absl::StrCat(bytes, bytes == 1 ? " byte" : " bytes");
}

// Formats the parts of one support chain as text.
class ChainText {
 public:
  ChainText(const ProblemSpec& problem, const SupportChain& chain,
            const NameRecord& name)
      : problem_(problem), chain_(chain), name_(name) {}

  std::string Describe(const ChainLift& lift) const;
  // Returns the parts in [begin, end) as a list: `"6", "24" and 3 others`.
  std::string List(size_t begin, size_t end) const;
  // Returns the index of the first part that is live at the peak, or the number
  // of parts if none is.
  size_t FirstLive() const;

 private:
  bool IsLive(size_t part) const;
  std::string Name(size_t part) const {
    return name_(chain_.parts[part].record);
  }
  std::string Foot(const ChainLift& lift) const;
  // Returns the end of the run of parts, beginning at `begin`, that are all
  // live at the peak.
  size_t EndOfLive(size_t begin) const;

  const ProblemSpec& problem_;
  const SupportChain& chain_;
  const NameRecord& name_;
};

std::string ChainText::List(size_t begin, size_t end) const {
  constexpr size_t kMax = 3;
  const size_t count = end - begin;
  const size_t shown = count > kMax + 1 ? kMax : count;
  std::string text;
  for (size_t k = 0; k < shown; ++k) {
    const bool is_last = k + 1 == shown && shown == count;
    if (k > 0) absl::StrAppend(&text, is_last ? " and " : ", ");
    absl::StrAppend(&text, Name(begin + k));
  }
  if (shown < count) absl::StrAppend(&text, " and ", count - shown, " others");
  return text;
}

size_t ChainText::EndOfLive(size_t begin) const {
  size_t end = begin;
  while (end < chain_.parts.size() && IsLive(end)) ++end;
  return end;
}

size_t ChainText::FirstLive() const {
  size_t part = 0;
  while (part < chain_.parts.size() && !IsLive(part)) ++part;
  return part;
}

bool ChainText::IsLive(size_t part) const {
  const ByteRecord& life = problem_.records[chain_.parts[part].record];
  return life.first_task <= chain_.peak && chain_.peak <= life.last_task;
}

std::string ChainText::Foot(const ChainLift& lift) const {
  if (lift.foot == lift.part) {
    return absl::StrCat("A gap of ", CountBytes(chain_.parts[lift.part].gap));
  }
  if (lift.foot + 1 < lift.part) return List(lift.foot, lift.part);
  const ByteRecord& life = problem_.records[chain_.parts[lift.foot].record];
  return absl::StrCat(Name(lift.foot), " (", CountBytes(life.tensor_size),
                      ", tasks ", life.first_task, "-", life.last_task, ")");
}

std::string ChainText::Describe(const ChainLift& lift) const {
  const size_t end = EndOfLive(lift.part);
  const bool is_one = lift.foot + 1 >= lift.part;
  const bool is_all = lift.bytes == chain_.excess;
  return absl::StrCat(
      Foot(lift), is_one ? " lifts " : " lift ", List(lift.part, end),
      end - lift.part == 1 ? ", which is" : ", which are",
      " live at the peak (task ", chain_.peak, "): ", CountBytes(lift.held),
      " lie beneath, of which the peak needs ", lift.needed,
      is_all ? absl::StrCat("; the other ", lift.bytes, " are the excess.")
             : absl::StrCat("; that is ", lift.bytes, " of ", chain_.excess,
                            " bytes of excess."));
}

// Returns the three largest lifts, or all lifts if there are fewer, from the
// bottom up.
std::vector<ChainLift> LargestLifts(const SupportChain& chain) {
  constexpr size_t kMax = 3;
  std::vector<ChainLift> lifts = chain.lifts;
  if (lifts.size() <= kMax) return lifts;
  std::stable_sort(
      lifts.begin(), lifts.end(),
      [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  lifts.resize(kMax);
  std::sort(lifts.begin(), lifts.end(),
            [](const auto& a, const auto& b) { return a.part < b.part; });
  return lifts;
}

}  // namespace

std::string WhyBoundDiffers(const ProblemSpec& problem, PlanKind kind) {
  if (kind == PlanKind::kObjects) return "shared objects";
  if (!problem.constraints.empty()) return "constraints";
  const bool has_fixed = std::any_of(
      problem.fixed_offsets.begin(), problem.fixed_offsets.end(),
      [](const absl::optional<size_t>& offset) { return offset.has_value(); });
  return has_fixed ? "fixed offsets" : "";
}

PlanExplanation ExplainPlan(const PlanView& view) {
  PlanExplanation why;
  why.breadth = ExplainBreadth(view.problem.records);
  const std::vector<size_t> bands = BandsOf(view);
  why.waste = WasteOf(view, bands);
  if (view.kind == PlanKind::kObjects) return why;
  std::vector<std::vector<size_t>> members(
      std::max<size_t>(view.bands.size(), 1));
  for (size_t i = 0; i < bands.size(); ++i) members[bands[i]].push_back(i);
  for (size_t b = 0; b < members.size(); ++b) {
    SupportChain chain = SupportChainOf(
        view, members[b],
        view.bands.empty() ? absl::nullopt : absl::optional<size_t>(b));
    if (!chain.parts.empty()) why.chains.push_back(std::move(chain));
  }
  return why;
}

std::string DescribeSupportChain(const PlanView& view,
                                 const SupportChain& chain,
                                 const NameRecord& name) {
  const ProblemSpec& problem = view.problem;
  if (view.violation) {
    return "The plan is unsafe, so its support chain says nothing.";
  }
  if (chain.breadth > chain.size) {
    return absl::StrCat("No excess: ", CountBytes(chain.breadth),
                        " are live at the peak (task ", chain.peak, "), in ",
                        CountBytes(chain.size),
                        ", since some share their place.");
  }
  if (chain.excess == 0) {
    return absl::StrCat("No excess: as large as the bytes live at the peak ",
                        "(task ", chain.peak, ").");
  }
  const NameRecord names =
      name ? name : [&](size_t record) { return RecordName(problem, record); };
  const ChainText parts(problem, chain, names);
  std::vector<std::string> sentences;
  size_t left = chain.excess - chain.rest;
  for (const ChainLift& lift : LargestLifts(chain)) {
    sentences.push_back(parts.Describe(lift));
    left -= std::min(left, lift.bytes);
  }
  if (left > 0) {
    sentences.push_back(
        absl::StrCat("Smaller lifts account for ", CountBytes(left), "."));
  }
  if (parts.FirstLive() == chain.parts.size()) {
    const ByteRecord& top = problem.records[chain.parts.back().record];
    return absl::StrCat(
        "No tensor of the support chain is live at the peak (task ", chain.peak,
        "): its top, ", names(chain.parts.back().record), ", is live at tasks ",
        top.first_task, "-", top.last_task, ". At the peak ", chain.excess,
        " bytes are free.");
  }
  if (chain.rest > 0) {
    sentences.push_back(absl::StrCat(
        CountBytes(chain.rest), " of excess are free at the peak (task ",
        chain.peak, ") above all of the support chain that is live there."));
  }
  return absl::StrJoin(sentences, " ");
}

std::vector<size_t> ReplanCandidates(const PlanExplanation& why, size_t count) {
  std::vector<size_t> candidates;
  const auto add = [&](size_t record) {
    const bool is_new = std::find(candidates.begin(), candidates.end(),
                                  record) == candidates.end();
    if (is_new && candidates.size() < count) candidates.push_back(record);
  };
  for (const SupportChain& chain : why.chains) {
    for (const ChainLift& lift : chain.lifts) {
      for (size_t part = lift.foot; part < lift.part; ++part) {
        if (candidates.size() >= (count + 1) / 2) break;
        add(chain.parts[part].record);
      }
    }
  }
  for (const size_t record : why.breadth.at_peak) {
    if (candidates.size() == count) break;
    add(record);
  }
  return candidates;
}

ProblemSpec WithoutRecord(const ProblemSpec& problem, size_t record) {
  if (!problem.constraints.empty()) {
    ProblemSpec less = problem;
    less.records[record].tensor_size = 0;
    return less;
  }
  return DropRecord(problem, record);
}

absl::StatusOr<std::vector<size_t>> ReplanWithout(
    const ProblemSpec& problem, absl::Span<const size_t> records,
    const PlanTotal& plan) {
  std::vector<size_t> totals;
  for (const size_t record : records) {
    const absl::StatusOr<size_t> total = plan(WithoutRecord(problem, record));
    if (!total.ok()) return total.status();
    totals.push_back(*total);
  }
  return totals;
}

}  // namespace stowage::views
