// SPDX-License-Identifier: Apache-2.0
#include "src/views/page_reasons.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/views/page_data.h"
#include "src/views/web_text.h"
#include "stowage/base/text.h"
#include "stowage/explain/explain.h"
#include "stowage/explain/plan_view.h"
#include "stowage/usage_record.h"

namespace stowage::views {
namespace {

using Blocks = nlohmann::ordered_json;

// The maximum numbers of rows in tables of the page. Longer tables are cut,
// since a page need not list everything.
constexpr size_t kMaxValueRows = 12;
constexpr size_t kMaxChainRows = 40;

// Formats a count with its noun: "1 byte", "2 tensors".
std::string Counted(size_t number, absl::string_view noun) {
  return absl::StrCat(Grouped(number), " ", noun, number == 1 ? "" : "s");
}

Blocks TextBlock(absl::string_view title, const std::string& text) {
  Blocks block = {{"text", text}};
  if (!title.empty()) block["title"] = std::string(title);
  return block;
}

class PageReasonBlocks {
 public:
  PageReasonBlocks(const PagePlan& plan, const PlanExplanation& why)
      : view_(*plan.view), why_(why) {
    index_of_.resize(plan.rows.size());
    for (size_t i = 0; i < plan.rows.size(); ++i) index_of_[plan.rows[i]] = i;
  }

  Blocks Make() && {
    if (view_.peak_tasks.empty()) return Blocks::array();
    AddSum();
    AddValues();
    AddPlateau();
    if (!view_.violation) {
      for (const SupportChain& chain : why_.chains) AddChain(chain);
    }
    AddWaste();
    return std::move(blocks_);
  }

 private:
  void AddSum() {
    const PlanWaste& waste = why_.waste;
    std::string text =
        absl::StrCat("Total: ", Counted(view_.total_size, "byte"),
                     ". Live at its peak, task ", Grouped(view_.peak_tasks[0]),
                     ": ", Counted(view_.peak_breadth, "byte"), ".");
    if (view_.violation) {
      absl::StrAppend(&text, " Some of them share their place: the plan is ",
                      "unsafe, so the two do not add up.");
    } else {
      absl::StrAppend(
          &text, " Free there below a live tensor: ",
          Counted(waste.inside_at_peak, "byte"),
          "; above all of them: ", Counted(waste.top_at_peak, "byte"), ".");
    }
    const std::string other = WhyBoundDiffers(view_.problem, view_.kind);
    if (!other.empty()) {
      absl::StrAppend(&text, " The lower bound is ",
                      Counted(view_.lower_bound, "byte"), ", not the bytes ",
                      "live at the peak, because of ", other, ".");
    }
    blocks_.push_back(TextBlock("", text));
  }

  void AddValues() {
    const BreadthExplanation& breadth = why_.breadth;
    Blocks rows = Blocks::array();
    for (const size_t i : breadth.at_peak) {
      if (rows.size() == kMaxValueRows || breadth.values[i].marginal == 0) {
        break;
      }
      rows.push_back(
          Row(i, {Bytes(i), Tasks(i), absl::StrCat(breadth.values[i].marginal),
                  absl::StrCat(breadth.values[i].if_ended_before_peak)}));
    }
    if (rows.empty()) return;
    blocks_.push_back(
        {{"title", "What a tensor is worth"},
         {"text",
          "Without it, or if it ended before the first peak at which it is "
          "live, this many fewer bytes would be live at the peak. The largest "
          "tensor need not be the most valuable one."},
         {"columns",
          {"Tensor", "Bytes", "Tasks", "Marginal value",
           "If it ended before the peak"}},
         {"rows", std::move(rows)}});
  }

  // Adds the records that must change together to save memory. Does nothing if
  // a change of a single tensor already saves memory.
  void AddPlateau() {
    const std::vector<size_t>& plateau = why_.breadth.plateau;
    if (plateau.size() < 2) return;
    Blocks rows = Blocks::array();
    for (const size_t i : plateau) {
      if (rows.size() == kMaxValueRows) break;
      rows.push_back(Row(i, {Bytes(i), Tasks(i)}));
    }
    blocks_.push_back(
        {{"title", "No single tensor helps"},
         {"text", absl::StrCat(
                      "Peaks are equal and have no tensor in common. At least ",
                      Counted(plateau.size(), "tensor"),
                      " must shrink or end earlier before fewer bytes are live "
                      "at the peak; these would do:")},
         {"columns", {"Tensor", "Bytes", "Tasks"}},
         {"rows", std::move(rows)}});
  }

  void AddChain(const SupportChain& chain) {
    Blocks rows = Blocks::array();
    for (size_t k = chain.parts.size(); k > 0; --k) {
      if (rows.size() == kMaxChainRows) break;
      const ChainPart& part = chain.parts[k - 1];
      rows.push_back(Row(part.record, {Bytes(part.record), Tasks(part.record),
                                       absl::StrCat(part.gap)}));
    }
    std::string text = VisibleText(DescribeSupportChain(view_, chain));
    if (chain.parts.size() > rows.size()) {
      absl::StrAppend(&text, " The highest ", rows.size(), " of ",
                      Counted(chain.parts.size(), "tensor"), ":");
    }
    const std::string where =
        chain.band
            ? absl::StrCat(" of ", VisibleText(view_.bands[*chain.band].name))
            : "";
    blocks_.push_back(
        {{"title", absl::StrCat("What carries the highest byte", where)},
         {"text", std::move(text)},
         {"columns", {"Tensor", "Bytes", "Tasks", "Free beneath"}},
         {"rows", std::move(rows)}});
  }

  void AddWaste() {
    const PlanWaste& waste = why_.waste;
    if (waste.tasks.empty()) return;
    const TaskWaste& worst = waste.tasks[waste.worst];
    std::string text = absl::StrCat(
        "On average over all tasks, below a live tensor: ",
        Counted(waste.inside_mean, "byte"),
        "; above all of them: ", Counted(waste.top_mean, "byte"), ".");
    if (worst.inside > 0) {
      absl::StrAppend(&text, " Most below a live tensor, at task ",
                      Grouped(worst.task), ": ", Counted(worst.inside, "byte"),
                      ".");
    }
    blocks_.push_back(TextBlock("What is free", text));
  }

  std::string Bytes(size_t i) const {
    return absl::StrCat(view_.problem.records[i].tensor_size);
  }

  std::string Tasks(size_t i) const {
    const TensorUsageRecord<size_t>& record = view_.problem.records[i];
    return absl::StrCat(Grouped(record.first_task), " to ",
                        Grouped(record.last_task));
  }

  // Returns a row of a table. Its first cell is empty, because the page fills
  // in the name of the tensor.
  Blocks Row(size_t i, std::vector<std::string> cells) const {
    cells.insert(cells.begin(), "");
    return {{"record", index_of_.empty() ? i : index_of_[i]},
            {"cells", std::move(cells)}};
  }

  const PlanView& view_;
  const PlanExplanation& why_;
  // The index in the trace of each record of the plan. Empty if the plan and
  // the trace list their records in the same order.
  std::vector<size_t> index_of_;
  Blocks blocks_ = Blocks::array();
};

}  // namespace

nlohmann::ordered_json PageReasons(const PagePlan& plan,
                                   const PlanExplanation& why) {
  return PageReasonBlocks(plan, why).Make();
}

}  // namespace stowage::views
