// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/command/answer.h"
#include "src/command/cost_fields.h"
#include "src/command/explain_report.h"
#include "src/command/json.h"
#include "src/command/tensor_cells.h"
#include "src/command/text.h"
#include "stowage/constraints.h"
#include "stowage/explain/explain.h"
#include "stowage/explain/free_pairs.h"
#include "stowage/explain/plan_view.h"
#include "stowage/problem.h"

namespace stowage::cli {
namespace {

using views::BandWaste;
using views::BreadthExplanation;
using views::ChainPart;
using views::PlanWaste;
using views::SupportChain;

Json IdsOf(const ProblemSpec& problem, const std::vector<size_t>& records) {
  Json ids = Json::array();
  for (const size_t i : records) ids.push_back(problem.names[i]);
  return ids;
}

Json ChainJson(const ExplainReport& report, const views::SupportChain& chain) {
  const ProblemSpec& problem = report.view.problem;
  Json parts = Json::array();
  for (const views::ChainPart& part : chain.parts) {
    parts.push_back({{"id", problem.names[part.record]},
                     {"offset", report.view.offsets[part.record] - chain.floor},
                     {"size", problem.records[part.record].tensor_size},
                     {"gap", part.gap}});
  }
  Json lifts = Json::array();
  for (const views::ChainLift& lift : chain.lifts) {
    Json feet = Json::array();
    for (size_t k = lift.foot; k < lift.part; ++k) {
      feet.push_back(problem.names[chain.parts[k].record]);
    }
    lifts.push_back({{"id", problem.names[chain.parts[lift.part].record]},
                     {"foot", feet},
                     {"held", lift.held},
                     {"needed", lift.needed},
                     {"bytes", lift.bytes}});
  }
  Json entry = Json::object();
  if (chain.band) entry["pool"] = report.view.bands[*chain.band].name;
  entry["size"] = chain.size;
  entry["breadth"] = chain.breadth;
  entry["peak_task"] = chain.peak;
  entry["excess"] = chain.excess;
  entry["gaps"] = chain.gaps;
  entry["above"] = chain.above;
  entry["tensors"] = parts;
  entry["lifts"] = lifts;
  entry["rest"] = chain.rest;
  entry["text"] = DescribeSupportChain(report.view, chain);
  return entry;
}

Json WasteJson(const ExplainReport& report) {
  const views::PlanWaste& waste = report.why.waste;
  Json bands = Json::array();
  for (size_t b = 0; b < waste.bands.size(); ++b) {
    bands.push_back({{"name", report.view.bands[b].name},
                     {"size", report.view.bands[b].size},
                     {"tensors", waste.bands[b].records},
                     {"most_held", waste.bands[b].max_held},
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
  if (view.cost) {
    plan["cost"] = *view.cost;
    plan["cost_bound"] = view.cost_bound;
  }
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

// Returns the name of a tensor as it appears in sentences: in quotes.
Value NameInProse(const ProblemSpec& problem, size_t record) {
  return QuotedName(TensorCell(problem, record));
}

Value PeakOf(const BreadthExplanation& breadth) {
  const Value live = Phrase(Size(breadth.breadth), " live at ");
  size_t tasks = 0;  // does not overflow, as no record of a file has every task
  for (size_t k = 0; k < breadth.peaks.size(); ++k) {
    tasks += breadth.peak_ends[k] - breadth.peaks[k] + 1;
  }
  if (tasks == 1) return Phrase(live, "task ", breadth.peaks[0]);
  return Phrase(live, tasks, " tasks, first ", breadth.peaks[0], ", last ",
                breadth.peak_ends.back());
}

Value PlateauOf(const ProblemSpec& problem,
                const std::vector<size_t>& plateau) {
  const Value list = Listed(plateau.size(), 4, [&](size_t k) {
    return NameInProse(problem, plateau[k]);
  });
  if (plateau.size() == 1) {
    return Phrase("one tensor is enough to lower the peak, best ", list);
  }
  return Phrase("no single tensor helps: at least ", plateau.size(),
                " must change, for example ", list);
}

// Adds the facts that do not depend on a plan: the peak, the lower bound and
// the plateau.
void AddBound(const ExplainReport& report, Answer* answer) {
  const views::PlanView& view = report.view;
  const BreadthExplanation& breadth = report.why.breadth;
  const std::vector<size_t>& plateau = breadth.plateau;
  const std::string& differs = report.why_bound_differs;
  answer->AddTitle("input", "input", Name(report.input));
  if (view.violation) answer->Say("unsafe", Name(view.violation_text, 400));
  answer->Add("records", "records", view.problem.records.size());
  if (!view.problem.labels.lifetimes.empty()) {
    answer->Add("lifetimes", "lifetimes", view.problem.labels.lifetimes);
  }
  answer->AddData("peak",
                  {{"breadth", breadth.breadth}, {"tasks", breadth.peaks}});
  if (!breadth.peaks.empty()) answer->Say("peak", PeakOf(breadth));
  Json bound = {{"lower_bound", view.lower_bound},
                {"reason", view.bound_reason},
                {"values_are_of", differs.empty() ? "lower_bound" : "breadth"}};
  if (!differs.empty()) bound["differs_for"] = differs;
  answer->Add("bound", "lower bound", std::move(bound),
              Phrase(Size(view.lower_bound),
                     view.bound_reason.empty() ? "" : ": ", view.bound_reason));
  answer->AddData("plateau", {{"size", plateau.size()},
                              {"tensors", IdsOf(view.problem, plateau)}});
  if (!plateau.empty()) {
    answer->Say("plateau", PlateauOf(view.problem, plateau));
  }
  if (!differs.empty()) {
    answer->Say("worth",
                Phrase("of the bytes live at once, not of the lower bound, "
                       "which depends on ",
                       differs, ", too"));
  }
}

// Adds the total of the plan and the number of free bytes.
void AddPlan(const ExplainReport& report, Answer* answer) {
  const views::PlanView& view = report.view;
  const size_t above =
      view.total_size - std::min(view.total_size, view.lower_bound);
  answer->Add(
      "plan", "total", PlanJson(report),
      Phrase(Size(view.total_size),
             view.is_optimal() ? ", the lower bound: optimal"
             : above > 0 ? Phrase(", ", Bytes(above), " above the bound (",
                                  Percent(above, view.lower_bound), ")")
                         : Value()));
  if (view.cost) {
    answer->Say(
        "cost",
        Phrase(*view.cost, *view.cost <= view.cost_bound ? ", the least" : ""));
  }
  const PlanWaste& waste = report.why.waste;
  if (waste.tasks.empty()) return;
  const auto free = [](size_t inside, size_t top) {
    return Phrase(Bytes(inside), " bytes free below live tensors, ", Bytes(top),
                  " above");
  };
  const views::TaskWaste& worst = waste.tasks[waste.worst];
  if (report.why.breadth.breadth > 0) {
    answer->Say("at the peak", free(waste.inside_at_peak, waste.top_at_peak));
  }
  answer->Say("worst task",
              Phrase(worst.task, ": ", free(worst.inside, worst.top)));
  answer->Say("mean", free(waste.inside_mean, waste.top_mean));
}

// Adds a table of at most --top rows.
void AddTopTable(const ExplainReport& report, const char* rest,
                 AnswerTable table, Answer* answer) {
  table.max = report.top;
  table.rest = absl::StrCat("and $0 more ", rest);
  answer->AddTable(std::move(table));
}

void AddTensors(const ExplainReport& report, Answer* answer) {
  AnswerTable table;
  table.columns = {"tensor", "bytes>", "tasks>",
                   "worth>", "%>",     "if it ended before>"};
  table.count = report.why.breadth.at_peak.size();
  table.row = [&report](size_t k) -> std::vector<Value> {
    const ProblemSpec& problem = report.view.problem;
    const BreadthExplanation& breadth = report.why.breadth;
    const size_t i = breadth.at_peak[k];
    const views::RecordValue& value = breadth.values[i];
    return {TensorCell(problem, i),
            Bytes(problem.records[i].tensor_size),
            TasksCell(problem, i),
            Bytes(value.marginal),
            Percent(value.marginal, breadth.breadth),
            Bytes(value.if_ended_before_peak)};
  };
  if (std::min(table.count, report.top) == 0) return;
  answer->AddHeading(
      "Tensors live at the peak, by what it falls by without them");
  AddTopTable(report, "live at a peak", std::move(table), answer);
}

void AddReplanned(const ExplainReport& report, Answer* answer) {
  AnswerTable table;
  table.columns = {"without", "bytes>", "tasks>", "total>", "less>"};
  table.count = report.replanned->records.size();
  table.row = [&report](size_t k) -> std::vector<Value> {
    const ProblemSpec& problem = report.view.problem;
    const size_t i = report.replanned->records[k];
    const size_t all = report.replanned->total;
    const size_t total = report.replanned->totals[k];
    return {
        TensorCell(problem, i), Bytes(problem.records[i].tensor_size),
        TasksCell(problem, i), Bytes(total),
        total <= all ? Bytes(all - total) : Phrase("-", Bytes(total - all))};
  };
  answer->AddHeading(Phrase("Plans of ", report.replanned->strategy,
                            " without each: ", Bytes(report.replanned->total),
                            " bytes with all"));
  answer->AddTable(std::move(table));
}

// Returns the number of bytes by which the smallest known plan in which the
// pair pays nothing is larger than the explained plan. Returns Nothing() if no
// such plan was found.
Value BytesToFree(const views::PlanView& view, const views::FreedPair& freed) {
  if (!freed.total_size) return Nothing();
  const size_t more =
      *freed.total_size - std::min(*freed.total_size, view.total_size);
  return {more, Phrase(Bytes(more), freed.is_least ? " =" : "")};
}

// Adds the pairs that pay for sharing bytes, for programs, largest cost first.
void AddPairList(const ExplainReport& report, Answer* answer) {
  const views::PlanView& view = report.view;
  if (!view.cost || view.problem.constraints.prefer_apart.empty()) return;
  answer->AddList("pairs_paid", view.paid.size(), [&report, &view](size_t k) {
    Json json = PairJson(view.problem.names, view.paid[k]);
    if (k < report.freed.size()) {
      json["freed_by"] = BytesToFree(view, report.freed[k]).json;
      json["freed_by_is_least"] = report.freed[k].is_least;
    }
    return json;
  });
}

// Adds the pairs that pay for sharing bytes, for people. Also adds the value of
// BytesToFree for the first few pairs.
void AddPairs(const ExplainReport& report, Answer* answer) {
  const views::PlanView& view = report.view;
  const bool has_freed = !report.freed.empty();
  AnswerTable table;
  table.columns = {"pair", "cost>"};
  if (has_freed) table.columns.emplace_back("freed by more bytes>");
  table.count = view.paid.size();
  table.row = [&report, &view, has_freed](size_t k) {
    const ApartPreference& pair = view.paid[k];
    std::vector<Value> row = {PairValue(view.problem.names, pair), pair.cost};
    if (!has_freed) return row;
    row.push_back(k < report.freed.size() ? BytesToFree(view, report.freed[k])
                                          : Value());
    return row;
  };
  if (std::min(table.count, report.top) == 0) return;
  answer->AddHeading(Phrase(
      "Pairs that pay for sharing",
      has_freed
          ? Phrase(", and the bytes with which ", report.replanned->strategy,
                   " frees the first ", report.freed.size(), " (= no fewer do)")
          : Value()));
  AddTopTable(report, "pairs", std::move(table), answer);
}

void AddChain(const ExplainReport& report, const SupportChain& chain,
              Answer* answer) {
  AnswerTable table;
  table.key_columns = 2;
  table.columns = {"offset>", "tensor",       "bytes>",
                   "tasks>",  "gap beneath>", "at the peak>"};
  table.count = chain.parts.size();
  table.row = [&report, &chain](size_t k) -> std::vector<Value> {
    const ProblemSpec& problem = report.view.problem;
    const ChainPart& part = chain.parts[chain.parts.size() - 1 - k];
    const auto& life = problem.records[part.record];
    const bool is_live =
        life.first_task <= chain.peak && chain.peak <= life.last_task;
    return {Bytes(report.view.offsets[part.record] - chain.floor),
            TensorCell(problem, part.record),
            Bytes(life.tensor_size),
            TasksCell(problem, part.record),
            Bytes(part.gap),
            is_live ? "live" : "-"};
  };
  answer->AddHeading(Phrase(
      "Support chain of the highest byte", chain.band ? " of pool " : "",
      chain.band ? Name(report.view.bands[*chain.band].name) : Value(), ", ",
      Count(chain.parts.size(), "tensor"), " and ", Bytes(chain.gaps),
      chain.gaps == 1 ? " byte" : " bytes", " in gaps"));
  AddTopTable(report, "beneath", std::move(table), answer);
  const auto describe = [&](std::string Value::*member) {
    return DescribeSupportChain(
        report.view, chain, [&report, member](size_t i) {
          return NameInProse(report.view.problem, i).*member;
        });
  };
  answer->AddParagraph(
      {nullptr, describe(&Value::text), describe(&Value::markdown)});
}

void AddBands(const ExplainReport& report, Answer* answer) {
  const std::vector<BandWaste>& bands = report.why.waste.bands;
  const bool has_objects = report.view.kind == PlanKind::kObjects;
  std::vector<size_t> order;
  for (size_t b = 0; b < bands.size(); ++b) order.push_back(b);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return bands[a].free_at_peak > bands[b].free_at_peak;
  });
  AnswerTable table;
  table.columns = {has_objects ? "object" : "pool",
                   "bytes>",
                   "tensors>",
                   "most held>",
                   "free at the peak>",
                   "mean free>"};
  table.count = bands.size();
  table.row = [&report, &bands, order](size_t k) -> std::vector<Value> {
    const views::Band& band = report.view.bands[order[k]];
    const BandWaste& waste = bands[order[k]];
    return {Name(band.name, 40),
            Bytes(band.size),
            waste.records,
            Bytes(waste.max_held),
            Bytes(waste.free_at_peak),
            Bytes(waste.mean_free)};
  };
  if (bands.empty()) return;
  answer->AddHeading(has_objects ? "Shared objects" : "Pools");
  AddTopTable(report, has_objects ? "objects" : "pools", std::move(table),
              answer);
}

// Adds the lists that only programs read.
void AddLists(const ExplainReport& report, Answer* answer) {
  if (report.has_plan) {
    answer->AddList("towers", report.why.chains.size(), [&report](size_t k) {
      return ChainJson(report, report.why.chains[k]);
    });
    answer->AddData("waste", WasteJson(report));
    const auto& tasks = report.why.waste.tasks;
    answer->AddList("tasks", tasks.size(), [&tasks](size_t k) {
      return Json({{"task", tasks[k].task},
                   {"held", tasks[k].held},
                   {"inside", tasks[k].inside},
                   {"top", tasks[k].top}});
    });
  }
  const ProblemSpec& problem = report.view.problem;
  const FilePlan& plan = report.view.plan;
  const BreadthExplanation& breadth = report.why.breadth;
  std::vector<bool> is_at_peak(problem.records.size(), false);
  for (const size_t i : breadth.at_peak) is_at_peak[i] = true;
  answer->AddList("tensors", problem.records.size(),
                  [&problem, &plan, &breadth, is_at_peak](size_t i) {
                    Json entry = TensorJson(problem, i);
                    if (!plan.offsets.empty()) {
                      entry["offset"] = plan.offsets[i];
                    }
                    if (!plan.objects.empty()) {
                      entry["object"] = plan.objects[i];
                    }
                    entry["live_at_peak"] = static_cast<bool>(is_at_peak[i]);
                    entry["marginal_value"] = breadth.values[i].marginal;
                    entry["value_if_ended_before_peak"] =
                        breadth.values[i].if_ended_before_peak;
                    return entry;
                  });
}

}  // namespace

Answer ExplainAnswer(const ExplainReport& report) {
  Answer answer;
  AddBound(report, &answer);
  if (report.replanned) answer.AddData("replanned", ReplannedJson(report));
  if (report.has_plan) AddPlan(report, &answer);
  AddPairList(report, &answer);
  AddLists(report, &answer);
  AddTensors(report, &answer);
  AddPairs(report, &answer);
  if (report.replanned) AddReplanned(report, &answer);
  for (const SupportChain& chain : report.why.chains) {
    AddChain(report, chain, &answer);
  }
  AddBands(report, &answer);
  return answer;
}

}  // namespace stowage::cli
