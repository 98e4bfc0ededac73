// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <vector>

#include "src/command/explain_report.h"
#include "src/command/json.h"
#include "src/command/report_format.h"
#include "stowage/explain/explain.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"

namespace stowage::cli {
namespace {

Json IdsOf(const ProblemSpec& problem, const std::vector<size_t>& records) {
  Json ids = Json::array();
  for (const size_t i : records) ids.push_back(problem.names[i]);
  return ids;
}

Json TowerJson(const ExplainReport& report, const views::Tower& tower) {
  const ProblemSpec& problem = report.view.problem;
  Json parts = Json::array();
  for (const views::TowerPart& part : tower.parts) {
    parts.push_back({{"id", problem.names[part.record]},
                     {"offset", report.view.offsets[part.record] - tower.floor},
                     {"size", problem.records[part.record].tensor_size},
                     {"gap", part.gap}});
  }
  Json lifts = Json::array();
  for (const views::TowerLift& lift : tower.lifts) {
    Json feet = Json::array();
    for (size_t k = lift.foot; k < lift.part; ++k) {
      feet.push_back(problem.names[tower.parts[k].record]);
    }
    lifts.push_back({{"id", problem.names[tower.parts[lift.part].record]},
                     {"foot", feet},
                     {"held", lift.held},
                     {"needed", lift.needed},
                     {"bytes", lift.bytes}});
  }
  Json entry = Json::object();
  if (tower.band) entry["pool"] = report.view.bands[*tower.band].name;
  entry["size"] = tower.size;
  entry["breadth"] = tower.breadth;
  entry["peak_task"] = tower.peak;
  entry["excess"] = tower.excess;
  entry["gaps"] = tower.gaps;
  entry["above"] = tower.above;
  entry["tensors"] = parts;
  entry["lifts"] = lifts;
  entry["rest"] = tower.rest;
  entry["text"] = DescribeTower(report.view, tower);
  return entry;
}

Json WasteJson(const ExplainReport& report) {
  const views::PlanWaste& waste = report.why.waste;
  Json bands = Json::array();
  for (size_t b = 0; b < waste.bands.size(); ++b) {
    bands.push_back({{"name", report.view.bands[b].name},
                     {"size", report.view.bands[b].size},
                     {"tensors", waste.bands[b].records},
                     {"most_held", waste.bands[b].most_held},
                     {"free_at_peak", waste.bands[b].free_at_peak},
                     {"mean_free", waste.bands[b].mean_free}});
  }
  Json entry = {{"inside_at_peak", waste.inside_at_peak},
                {"top_at_peak", waste.top_at_peak},
                {"inside_mean", waste.inside_mean},
                {"top_mean", waste.top_mean},
                {"worst_task", nullptr}};
  if (!waste.tasks.empty()) {
    const views::TaskWaste& worst = waste.tasks[waste.worst];
    entry["worst_task"] = worst.task;
    entry["inside_at_worst"] = worst.inside;
  }
  const bool has_objects = report.view.kind == PlanKind::kObjects;
  if (!bands.empty()) entry[has_objects ? "objects" : "pools"] = bands;
  return entry;
}

Json PlanJson(const ExplainReport& report) {
  const views::PlanView& view = report.view;
  Json plan = {{"kind", std::string(PlanKindName(view.kind))},
               {"total_size", view.total_size},
               {"safe", !view.violation.has_value()}};
  if (view.violation) plan["violation"] = view.violation_text;
  plan["optimal"] = view.is_optimal();
  return plan;
}

Json ReplannedJson(const ExplainReport& report) {
  const ReplannedTotals& replanned = *report.replanned;
  Json without = Json::array();
  for (size_t k = 0; k < replanned.records.size(); ++k) {
    without.push_back({{"id", report.view.problem.names[replanned.records[k]]},
                       {"total_size", replanned.totals[k]}});
  }
  return {{"strategy", replanned.strategy},
          {"total_size", replanned.total},
          {"without", without}};
}

Json StartOf(const ExplainReport& report) {
  const views::BreadthExplanation& breadth = report.why.breadth;
  const ProblemSpec& problem = report.view.problem;
  Json document = {{"input", report.input},
                   {"records", problem.records.size()}};
  if (!problem.labels.lifetimes.empty()) {
    document["lifetimes"] = problem.labels.lifetimes;
  }
  document["peak"] = {{"breadth", breadth.breadth}, {"tasks", breadth.peaks}};
  document["bound"] = {
      {"lower_bound", report.view.lower_bound},
      {"reason", report.view.bound_reason},
      {"values_are_of",
       report.why_bound_differs.empty() ? "lower_bound" : "breadth"}};
  if (!report.why_bound_differs.empty()) {
    document["bound"]["differs_for"] = report.why_bound_differs;
  }
  document["plateau"] = {{"size", breadth.plateau.size()},
                         {"tensors", IdsOf(problem, breadth.plateau)}};
  if (report.replanned) document["replanned"] = ReplannedJson(report);
  if (!report.has_plan) return document;
  document["plan"] = PlanJson(report);
  document["towers"] = Json::array();
  for (const views::Tower& tower : report.why.towers) {
    document["towers"].push_back(TowerJson(report, tower));
  }
  document["waste"] = WasteJson(report);
  return document;
}

}  // namespace

std::string ExplainJson(const ExplainReport& report) {
  const views::BreadthExplanation& breadth = report.why.breadth;
  const ProblemSpec& problem = report.view.problem;
  std::vector<bool> is_at_peak(problem.records.size(), false);
  for (const size_t i : breadth.at_peak) is_at_peak[i] = true;
  LongDocument document(StartOf(report));
  if (report.has_plan) {
    document.BeginList("tasks");
    for (const views::TaskWaste& at : report.why.waste.tasks) {
      document.Add({{"task", at.task},
                    {"held", at.held},
                    {"inside", at.inside},
                    {"top", at.top}});
    }
  }
  document.BeginList("tensors");
  for (size_t i = 0; i < problem.records.size(); ++i) {
    Json entry = TensorJson(problem, i);
    const FilePlan& plan = report.view.plan;
    if (!plan.offsets.empty()) entry["offset"] = plan.offsets[i];
    if (!plan.objects.empty()) entry["object"] = plan.objects[i];
    entry["live_at_peak"] = static_cast<bool>(is_at_peak[i]);
    entry["marginal_value"] = breadth.values[i].marginal;
    entry["value_if_ended_before_peak"] =
        breadth.values[i].if_ended_before_peak;
    document.Add(entry);
  }
  return document.Finish();
}

}  // namespace stowage::cli
