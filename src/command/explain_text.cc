// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "src/base/text.h"
#include "src/command/explain_report.h"
#include "src/command/layout.h"
#include "src/command/markdown.h"
#include "src/command/report_format.h"
#include "src/command/screen.h"
#include "src/command/text.h"
#include "stowage/explain/explain.h"
#include "stowage/explain/plan_view.h"
#include "stowage/problem.h"

namespace stowage::cli {
namespace {

using views::BandWaste;
using views::BreadthExplanation;
using views::PlanWaste;
using views::Tower;
using views::TowerPart;

// Writes one report, in one format.
class ExplainWriter {
 public:
  ExplainWriter(const ExplainReport& report, ReportFormat format)
      : report_(report),
        view_(report.view),
        problem_(report.view.problem),
        format_(format) {}

  std::string Write();

 private:
  bool is_markdown() const { return format_ == ReportFormat::kMarkdown; }
  std::string Cell(size_t bytes) const { return BytesCell(bytes, format_); }
  std::string Bytes(size_t bytes) const {
    return is_markdown() ? absl::StrCat(Grouped(bytes), " bytes")
                         : FormatBytes(bytes);
  }
  // Returns the name of a tensor within a sentence.
  std::string Name(size_t record) const {
    const std::string cell = TensorCell(problem_, record, format_);
    return is_markdown() ? cell : absl::StrCat("'", cell, "'");
  }
  void AddField(absl::string_view name, absl::string_view value);
  void AddHeading(absl::string_view text);
  void AddTable(const Table& table, size_t rows_left, absl::string_view rows);

  void WriteHead();
  void WriteBound();
  void WritePlateau();
  void WritePlan();
  void WriteTensors();
  void WriteReplanned();
  void WriteTower(const Tower& tower);
  void WriteBands();

  const ExplainReport& report_;
  const views::PlanView& view_;
  const ProblemSpec& problem_;
  const ReportFormat format_;
  std::string text_;
};

void ExplainWriter::AddField(absl::string_view name, absl::string_view value) {
  if (is_markdown()) {
    absl::StrAppend(&text_, "- ", name, ": ", value, "\n");
  } else {
    text_ += Field(name, value);
  }
}

void ExplainWriter::AddHeading(absl::string_view text) {
  absl::StrAppend(&text_, "\n", is_markdown() ? "### " : "", text,
                  is_markdown() ? "\n\n" : ":\n\n");
}

void ExplainWriter::AddTable(const Table& table, size_t rows_left,
                             absl::string_view rows) {
  text_ += is_markdown() ? table.ToMarkdown() : table.ToText(ScreenLimits());
  if (rows_left == 0) return;
  absl::StrAppend(&text_, "\nand ", rows_left, " more ", rows, "\n");
}

void ExplainWriter::WriteHead() {
  if (is_markdown()) {
    absl::StrAppend(&text_, "## ", CodeSpan(report_.input), "\n\n");
  } else {
    AddField("input", OneLine(report_.input));
  }
  if (view_.violation) {
    AddField("unsafe", is_markdown() ? CodeSpan(view_.violation_text, 400)
                                     : Shortened(view_.violation_text, 400));
  }
  if (!problem_.labels.lifetimes.empty()) {
    AddField("lifetimes", problem_.labels.lifetimes);
  }
  AddField("records", absl::StrCat(problem_.records.size()));
}

void ExplainWriter::WriteBound() {
  const BreadthExplanation& breadth = report_.why.breadth;
  if (!breadth.peaks.empty()) {
    AddField("peak",
             absl::StrCat(Bytes(breadth.breadth), " live at ",
                          breadth.peaks.size() == 1
                              ? absl::StrCat("task ", breadth.peaks[0])
                              : absl::StrCat(breadth.peaks.size(),
                                             " tasks, first ", breadth.peaks[0],
                                             ", last ", breadth.peaks.back())));
  }
  std::string bound = Bytes(view_.lower_bound);
  if (!view_.bound_reason.empty()) {
    absl::StrAppend(&bound, ": ",
                    is_markdown() ? EscapeMarkdown(view_.bound_reason)
                                  : OneLine(view_.bound_reason));
  }
  AddField("lower bound", bound);
  WritePlateau();
  if (!report_.why_bound_differs.empty()) {
    AddField("worth",
             absl::StrCat("of the bytes live at once, not of the lower bound, "
                          "which depends on ",
                          report_.why_bound_differs, ", too"));
  }
}

void ExplainWriter::WritePlateau() {
  const std::vector<size_t>& plateau = report_.why.breadth.plateau;
  if (plateau.empty()) return;
  std::vector<std::string> names;
  constexpr size_t kMost = 4;
  for (size_t k = 0; k < std::min(kMost, plateau.size()); ++k) {
    names.push_back(Name(plateau[k]));
  }
  const std::string list = absl::StrCat(absl::StrJoin(names, ", "),
                                        plateau.size() > kMost ? ", ..." : "");
  AddField(
      "plateau",
      plateau.size() == 1
          ? absl::StrCat("one tensor is enough to lower the peak, best ", list)
          : absl::StrCat("no single tensor helps: at least ", plateau.size(),
                         " must change, for example ", list));
}

void ExplainWriter::WritePlan() {
  const size_t breadth = report_.why.breadth.breadth;
  const size_t total = view_.total_size;
  std::string text = Bytes(total);
  if (view_.is_optimal()) {
    absl::StrAppend(&text, ", the lower bound: optimal");
  } else if (total > view_.lower_bound) {
    absl::StrAppend(&text, ", ", Cell(total - view_.lower_bound),
                    " above the bound (",
                    Percent(total - view_.lower_bound, view_.lower_bound), ")");
  }
  AddField("total", text);
  const PlanWaste& waste = report_.why.waste;
  if (waste.tasks.empty()) return;
  const auto free = [this](size_t inside, size_t top) {
    return absl::StrCat(Cell(inside), " bytes free below live tensors, ",
                        Cell(top), " above");
  };
  const views::TaskWaste& worst = waste.tasks[waste.worst];
  if (breadth > 0) {
    AddField("at the peak", free(waste.inside_at_peak, waste.top_at_peak));
  }
  AddField("worst task",
           absl::StrCat(worst.task, ": ", free(worst.inside, worst.top)));
  AddField("mean", free(waste.inside_mean, waste.top_mean));
}

void ExplainWriter::WriteTensors() {
  const BreadthExplanation& breadth = report_.why.breadth;
  const std::vector<size_t>& records = breadth.at_peak;
  const size_t rows = std::min(report_.top, records.size());
  if (rows == 0) return;
  AddHeading("Tensors live at the peak, by what it falls by without them");
  Table table;
  table.AddColumn("tensor", Table::Align::kLeft);
  for (const char* title :
       {"bytes", "tasks", "worth", "%", "if it ended before"}) {
    table.AddColumn(title, Table::Align::kRight);
  }
  for (size_t k = 0; k < rows; ++k) {
    const size_t i = records[k];
    const views::RecordValue& value = breadth.values[i];
    table.AddRow({TensorCell(problem_, i, format_),
                  Cell(problem_.records[i].tensor_size), TasksCell(problem_, i),
                  Cell(value.marginal),
                  Percent(value.marginal, breadth.breadth),
                  Cell(value.if_ended_before_peak)});
  }
  AddTable(table, records.size() - rows, "live at a peak");
}

void ExplainWriter::WriteReplanned() {
  if (!report_.replanned) return;
  const ReplannedTotals& replanned = *report_.replanned;
  AddHeading(absl::StrCat("Plans of ", replanned.strategy, " without each: ",
                          Cell(replanned.total), " bytes with all"));
  Table table;
  table.AddColumn("without", Table::Align::kLeft);
  for (const char* title : {"bytes", "tasks", "total", "less"}) {
    table.AddColumn(title, Table::Align::kRight);
  }
  for (size_t k = 0; k < replanned.records.size(); ++k) {
    const size_t i = replanned.records[k];
    const size_t total = replanned.totals[k];
    const bool is_less = total <= replanned.total;
    table.AddRow({TensorCell(problem_, i, format_),
                  Cell(problem_.records[i].tensor_size), TasksCell(problem_, i),
                  Cell(total),
                  is_less ? Cell(replanned.total - total)
                          : absl::StrCat("-", Cell(total - replanned.total))});
  }
  AddTable(table, 0, "");
}

void ExplainWriter::WriteTower(const Tower& tower) {
  std::string title = "Tower under the highest byte";
  if (tower.band) {
    const std::string& pool = view_.bands[*tower.band].name;
    absl::StrAppend(&title, " of pool ",
                    is_markdown() ? CodeSpan(pool) : OneLine(pool));
  }
  AddHeading(absl::StrCat(title, ", ", Count(tower.parts.size(), "tensor"),
                          " and ", Cell(tower.gaps), " bytes in gaps"));
  Table table;
  table.set_key_columns(2);
  table.AddColumn("offset", Table::Align::kRight);
  table.AddColumn("tensor", Table::Align::kLeft);
  for (const char* column : {"bytes", "tasks", "gap beneath", "at the peak"}) {
    table.AddColumn(column, Table::Align::kRight);
  }
  const size_t rows = std::min(report_.top, tower.parts.size());
  for (size_t k = 0; k < rows; ++k) {
    const TowerPart& part = tower.parts[tower.parts.size() - 1 - k];
    const auto& life = problem_.records[part.record];
    const bool is_live =
        life.first_task <= tower.peak && tower.peak <= life.last_task;
    table.AddRow({Cell(view_.offsets[part.record] - tower.floor),
                  TensorCell(problem_, part.record, format_),
                  Cell(life.tensor_size), TasksCell(problem_, part.record),
                  Cell(part.gap), is_live ? "live" : "-"});
  }
  AddTable(table, tower.parts.size() - rows, "beneath");
  absl::StrAppend(
      &text_, "\n",
      DescribeTower(view_, tower, [this](size_t i) { return Name(i); }), "\n");
}

void ExplainWriter::WriteBands() {
  const std::vector<BandWaste>& bands = report_.why.waste.bands;
  if (bands.empty()) return;
  const bool has_objects = view_.kind == PlanKind::kObjects;
  AddHeading(has_objects ? "Shared objects" : "Pools");
  Table table;
  table.AddColumn(has_objects ? "object" : "pool", Table::Align::kLeft);
  for (const char* title :
       {"bytes", "tensors", "most held", "free at the peak", "mean free"}) {
    table.AddColumn(title, Table::Align::kRight);
  }
  std::vector<size_t> order;
  for (size_t b = 0; b < bands.size(); ++b) order.push_back(b);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return bands[a].free_at_peak > bands[b].free_at_peak;
  });
  const size_t rows = std::min(report_.top, bands.size());
  for (size_t k = 0; k < rows; ++k) {
    const views::Band& band = view_.bands[order[k]];
    const BandWaste& waste = bands[order[k]];
    table.AddRow(
        {is_markdown() ? CodeSpan(band.name, 40) : Shortened(band.name, 40),
         Cell(band.size), absl::StrCat(waste.records), Cell(waste.most_held),
         Cell(waste.free_at_peak), Cell(waste.mean_free)});
  }
  AddTable(table, bands.size() - rows, has_objects ? "objects" : "pools");
}

std::string ExplainWriter::Write() {
  WriteHead();
  WriteBound();
  if (report_.has_plan) WritePlan();
  WriteTensors();
  WriteReplanned();
  for (const Tower& tower : report_.why.towers) WriteTower(tower);
  WriteBands();
  return is_markdown() ? std::move(text_) : FitScreen(text_);
}

}  // namespace

std::string ExplainText(const ExplainReport& report, ReportFormat format) {
  return ExplainWriter(report, format).Write();
}

}  // namespace stowage::cli
