// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/types/optional.h"
#include "src/command/diff_plans.h"
#include "src/command/json.h"
#include "src/command/report_format.h"
#include "stowage/explain/plan_diff.h"
#include "stowage/explain/plan_view.h"
#include "stowage/problem.h"

namespace stowage::cli {
namespace {

using views::DiffRow;
using views::PlanDiff;

// Returns the number, or null if it does not fit into 64 bits.
Json SignedJson(absl::int128 bytes) {
  if (bytes >= 0 &&
      bytes <= absl::int128(std::numeric_limits<uint64_t>::max())) {
    return static_cast<uint64_t>(bytes);
  }
  if (bytes < 0 && bytes >= absl::int128(std::numeric_limits<int64_t>::min())) {
    return static_cast<int64_t>(bytes);
  }
  return nullptr;
}

Json TaskJson(const absl::optional<TaskId>& task) {
  return task ? Json(*task) : Json();
}

Json SideJson(const std::string& path, const views::PlanView& view,
              const views::DiffSide& side) {
  Json entry = {{"input", path},
                {"records", view.problem.records.size()},
                {"total_size", side.total},
                {"lower_bound", side.lower_bound},
                {"breadth", side.breadth},
                {"peak_task", TaskJson(side.peak)},
                {"safe", !view.violation.has_value()}};
  if (!view.caption.strategy.empty()) {
    entry["strategy"] = view.caption.strategy;
  }
  if (view.violation) entry["violation"] = view.violation_text;
  return entry;
}

Json RowJson(const PlanDiffReport& report, size_t index) {
  const DiffRow& row = report.diff.rows[index];
  Json entry = {{"reason", std::string(views::ReasonName(row.reason))},
                {"old", nullptr},
                {"new", nullptr},
                {"old_bytes", row.old_bytes},
                {"new_bytes", row.new_bytes},
                {"change", SignedJson(row.change())}};
  if (row.old_record) {
    entry["old"] = TensorJson(report.old_view.problem, *row.old_record);
  }
  if (row.new_record) {
    entry["new"] = TensorJson(report.new_view.problem, *row.new_record);
  }
  if (index < report.reverted.size()) {
    entry["reverted_total"] =
        report.reverted[index] ? Json(*report.reverted[index]) : Json();
  }
  return entry;
}

}  // namespace

std::string PlanDiffJson(const PlanDiffReport& report) {
  const PlanDiff& diff = report.diff;
  const PlanDiffArgs& args = *report.args;
  Json start = {
      {"kind", std::string(PlanKindName(report.new_view.kind))},
      {"old", SideJson(args.old_path, report.old_view, diff.old_side)},
      {"new", SideJson(args.new_path, report.new_view, diff.new_side)},
      {"change",
       {{"total", SignedJson(diff.TotalChange())},
        {"tensors", SignedJson(diff.TensorsChange())},
        {"bound", SignedJson(diff.BoundChange())},
        {"gaps", SignedJson(diff.GapsChange())}}},
      {"peak",
       {{"moved", diff.has_peak_moved},
        {"old_task_in_new", TaskJson(diff.old_peak_in_new)},
        {"old_peak_now",
         diff.old_peak_in_new ? Json(diff.old_peak_now) : Json()}}},
      {"matched", diff.matched}};
  if (args.fail_above) {
    start["fail_above"] = args.fail_above->text;
    start["failed"] = report.has_failed;
  }
  if (report.replanned_total) {
    start["replanned"] = {{"strategy", args.strategy},
                          {"total_size", *report.replanned_total}};
  }
  LongDocument document(start);
  document.BeginList("gone");
  for (const size_t i : diff.gone) {
    document.Add(TensorJson(report.old_view.problem, i));
  }
  document.BeginList("appeared");
  for (const size_t i : diff.appeared) {
    document.Add(TensorJson(report.new_view.problem, i));
  }
  document.BeginList("tensors");
  for (size_t k = 0; k < diff.rows.size(); ++k) {
    document.Add(RowJson(report, k));
  }
  return document.Finish();
}

}  // namespace stowage::cli
