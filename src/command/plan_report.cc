// SPDX-License-Identifier: Apache-2.0
#include "src/command/plan_report.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "src/command/all_tensors.h"
#include "src/command/answer.h"
#include "src/command/cost_fields.h"
#include "src/command/free_order.h"
#include "src/command/inputs.h"
#include "src/command/interruption.h"
#include "src/command/json.h"
#include "src/command/notes.h"
#include "src/command/options.h"
#include "src/command/picture_files.h"
#include "src/command/pools.h"
#include "src/command/program_plan.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/assignment.h"
#include "stowage/certificate.h"
#include "stowage/compare.h"
#include "stowage/constraints.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/io/write_file.h"
#include "stowage/labels.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/programs/program_file.h"
#include "stowage/solution.h"
#include "stowage/usage_record.h"
#include "stowage/write_text.h"

namespace stowage::cli {
namespace {

// Returns text that lists at most kMax of the records that cannot fit together.
// The text also states whether each of these records alone exceeds the
// capacity, or whether they fit as soon as any one of them is left out.
std::string ConflictText(const Problem& problem, const Solution& solution) {
  constexpr size_t kMax = 20;
  const std::vector<size_t>& conflict = solution.conflict;
  std::string text = absl::StrCat(Count(conflict.size(), "tensor"), ":");
  for (size_t k = 0; k < std::min(conflict.size(), kMax); ++k) {
    absl::StrAppend(&text, " ", problem.names()[conflict[k]]);
  }
  if (conflict.size() > kMax) absl::StrAppend(&text, " ...");
  const bool is_above =
      problem.capacity() &&
      std::all_of(conflict.begin(), conflict.end(), [&](size_t i) {
        return problem.fixed_offset(i).value_or(0) +
                   problem.records()[i].tensor_size >
               *problem.capacity();
      });
  if (is_above) {
    absl::StrAppend(&text, conflict.size() == 1 ? "; it" : "; each",
                    " alone exceeds the capacity");
  } else if (solution.conflict_is_irreducible && conflict.size() > 1) {
    absl::StrAppend(&text, conflict.size() == 2
                               ? "; either alone fits"
                               : absl::StrCat("; any ", conflict.size() - 1,
                                              " of them fit"));
  }
  return text;
}

// Returns the cost of a naive choice of pools: each record uses the cheapest of
// its pools other than the first pool. A record uses the first pool only if it
// has no other choice.
uint64_t NaiveCost(const Problem& problem) {
  uint64_t cost = 0;
  for (const auto& choices : problem.constraints()->choices) {
    const PoolChoice* cheapest = nullptr;
    for (const PoolChoice& choice : choices) {
      const bool is_better = cheapest == nullptr ||
                             std::pair(choice.pool == 0, choice.cost) <
                                 std::pair(cheapest->pool == 0, cheapest->cost);
      if (is_better) cheapest = &choice;
    }
    if (cheapest != nullptr) cost += cheapest->cost;
  }
  return cost;
}

// Returns whether `total_size` is the size of a plan: either of the plan in the
// solution, or of a plan that was dropped because it exceeds the capacity.
bool HasTotal(const Solution& solution) {
  return solution.has_plan() ||
         solution.status == SolutionStatus::kOverCapacity;
}

// Adds the rule for tensors that share memory in place, unless it is the fixed
// rule.
void AddSharingOf(const PlanArgs& args, const ProblemSpec& problem,
                  Answer* answer) {
  const Sharing sharing = args.trace.model.sharing;
  if (problem.labels.lifetimes.empty() || sharing == Sharing::kFixed) return;
  const Value name = SharingName(sharing);
  if (sharing == Sharing::kNone) return answer->Add("sharing", "sharing", name);
  answer->Add("sharing", "sharing", name.json,
              Phrase(name, ", ", CountGroups(problem), " kept"));
  answer->AddData("groups", CountGroups(problem));
}

// Adds the pool of each record and the size of each pool in bytes.
void AddPoolsOf(const Problem& problem, const Solution& solution,
                Answer* answer) {
  const std::vector<std::string> names = PoolNames(problem);
  if (names.empty()) return;
  std::vector<size_t> sizes;
  if (solution.has_plan()) {
    sizes = PoolSizes(problem, *solution.offsets());
    Json pools = Json::array();
    for (const uint32_t pool : solution.offsets()->pools) {
      pools.push_back(names[pool]);
    }
    Json pool_sizes = Json::object();
    for (size_t p = 0; p < names.size(); ++p) pool_sizes[names[p]] = sizes[p];
    answer->AddData("pools", std::move(pools));
    answer->AddData("pool_sizes", std::move(pool_sizes));
  }
  for (size_t p = 0; p < names.size(); ++p) {
    const auto& capacity = problem.constraints()->pools[p].capacity;
    answer->Say(
        p == 0 ? "pools" : "",
        Phrase(names[p], " ", sizes.empty() ? Nothing() : Size(sizes[p]),
               capacity ? Phrase(" of ", Size(*capacity)) : Value()));
  }
}

// Adds the plan itself, its cost and the conflict.
void AddPlanOf(const PlanArgs& args, const ProblemFile& file,
               const Problem& problem, const Solution& solution,
               Answer* answer) {
  if (solution.has_plan() && file.problem.free_order) {
    answer->Add("order", "order", solution.order, OrderText(solution.order));
  }
  if (solution.has_plan() && problem.kind() == PlanKind::kOffsets) {
    answer->AddData("offsets", solution.offsets()->offsets);
  } else if (solution.has_plan()) {
    answer->AddData("object_ids", solution.objects()->object_ids);
    answer->AddData("object_sizes", solution.objects()->object_sizes);
  }
  AddPoolsOf(problem, solution, answer);
  if (HasCost(problem)) {
    if (args.cost_limit) {
      answer->Add("cost_limit", "cost limit", *args.cost_limit);
    }
    AddCostOf(problem, solution, answer);
    if (!problem.constraints()->choices.empty()) {
      answer->Add("naive_cost", "naive cost", NaiveCost(problem));
    }
  }
  if (solution.conflict.empty()) return;
  Json conflict = Json::array();
  for (const size_t i : solution.conflict) {
    conflict.push_back(problem.names()[i]);
  }
  answer->Add("conflict", "conflict", std::move(conflict),
              ConflictText(problem, solution));
  answer->AddData("irreducible", solution.conflict_is_irreducible);
}

Answer PlanAnswer(const PlanArgs& args, const ProblemFile& file,
                  const Problem& problem, const Solution& solution) {
  const bool has_plan = solution.has_plan();
  const Value status = SolutionStatusName(solution.status);
  Answer answer;
  answer.Add("input", "input", args.input);
  if (args.inputs.size() > 1) answer.AddData("inputs", args.inputs);
  answer.Add("strategy", "strategy", args.strategy,
             Phrase(args.strategy, args.strategy_note));
  answer.Add("kind", "kind", PlanKindName(problem.kind()));
  answer.Add(
      "status", "status", status.json,
      Phrase(status, solution.reason.empty() ? "" : ": ", solution.reason));
  answer.Add("total_size", "total",
             HasTotal(solution) ? Size(solution.total_size) : Nothing());
  if (has_plan) {
    answer.Add("found_by", "found by", solution.found_by);
  } else {
    answer.AddData("found_by", nullptr);
  }
  answer.Add("lower_bound", "lower bound", Size(solution.lower_bound));
  const Value proof = NameOf(solution.bound_proof);
  if (!proof.text.empty() && solution.lower_bound > 0) {
    answer.Add("bound_proved_by", "proved by", proof);
  } else {
    answer.AddData("bound_proved_by", proof.json);
  }
  answer.Say("ratio", has_plan ? RatioValue(Ratio(solution.total_size,
                                                  solution.lower_bound))
                               : Nothing());
  answer.Add("naive_size", "naive size", Size(NaiveSize(problem)));
  answer.Add("records", "records", problem.size());
  if (!file.problem.labels.lifetimes.empty()) {
    answer.Add("lifetimes", "lifetimes", file.problem.labels.lifetimes);
  }
  AddProgramOf(file.problem, &answer);
  AddCopiesOf(problem, solution, &answer);
  AddStateOf(file.problem, &answer);
  AddSharingOf(args, file.problem, &answer);
  AddPlanOf(args, file, problem, solution, &answer);
  const Value time = Time(absl::Nanoseconds(solution.time_ns));
  answer.Add("plan_micros", "time", time.json,
             HasTotal(solution) ? time : Nothing());
  return answer;
}

// Returns the file with the plan. If --alignment or --capacity is given, its
// value replaces that in the file, so that the file agrees with the plan.
ProblemFile FileWithPlan(const PlanArgs& args, ProblemFile file,
                         const Solution& solution) {
  file.plan = FilePlanOf(solution);
  std::vector<size_t>& alignments = file.problem.alignments;
  if (args.alignment && !alignments.empty()) {
    alignments.assign(alignments.size(), *args.alignment);
  }
  if (args.capacity && file.problem.capacity) {
    file.problem.capacity = args.capacity;
  }
  return file;
}

ProblemFile WithoutNames(ProblemFile file) {
  DropNames(&file.problem);
  return file;
}

// Returns the number of operators that have a name but neither read nor write a
// tensor.
size_t CountUnusedNames(const ProblemSpec& problem) {
  std::vector<std::string> unused = problem.labels.operators;
  const auto use = [&](TaskId task) {
    if (task < unused.size()) unused[task].clear();
  };
  for (const TensorInfo& info : problem.labels.tensors) {
    if (info.producer) use(*info.producer);
    for (const TaskId task : info.consumers) use(task);
  }
  return static_cast<size_t>(
      std::count_if(unused.begin(), unused.end(),
                    [](const auto& name) { return !name.empty(); }));
}

// Returns the plan file. The plan of a program is written as a program file.
// Any other plan is written as CSV with the columns of the trace and of the
// plan, or as a problem file if CSV cannot express the problem. CSV can name
// only operators that have tensors; if this loses names of operators, adds a
// note.
absl::StatusOr<std::string> PlanFile(const std::string& input,
                                     const ProblemFile& plan) {
  if (plan.problem.labels.program != nullptr) {
    return FormatProgramJson(ProgramFileOf(plan));
  }
  absl::StatusOr<std::string> csv = FormatProblemCsv(plan);
  if (absl::IsUnimplemented(csv.status())) return FormatProblemJson(plan);
  const bool is_model = !plan.problem.labels.lifetimes.empty();
  const size_t lost = is_model ? 0 : CountUnusedNames(plan.problem);
  if (csv.ok() && lost > 0) {
    AddNote(input, absl::StrCat("the plan file leaves out the names of ",
                                Count(lost, "operator"),
                                ": CSV names only the operators of tensors"));
  }
  return csv;
}

absl::Status WritePictures(const PlanArgs& args, ProblemFile plan,
                           const Solution& solution) {
  if (!IsAnyAskedFor(args.pictures)) return absl::OkStatus();
  absl::StatusOr<ProblemFile> ordered = InChosenOrder(std::move(plan));
  if (!ordered.ok()) return ordered.status();
  const absl::StatusOr<views::PlanView> view = views::ViewPlan(
      *std::move(ordered),
      {InputName(args.input), args.strategy, solution.lower_bound,
       NameOf(solution.bound_proof), solution.cost_bound});
  if (!view.ok()) return AboutInput(args.input, {}, view.status());
  return WritePictureFiles(args.pictures, *view);
}

// Writes a plan that is within the capacity, and its pictures.
Outcome WritePlan(const PlanArgs& args, const ProblemFile& problem,
                  const Solution& solution, const std::string& summary) {
  ProblemFile plan = FileWithPlan(args, problem, solution);
  Outcome outcome = {ExitCode::kDone, summary, ""};
  if (!args.output.empty()) {
    absl::StatusOr<std::string> file =
        args.all_tensors
            ? FormatAllTensors(args, plan)
            : PlanFile(args.input, args.names ? plan : WithoutNames(plan));
    if (!file.ok()) {
      return Failure(ExitCode::kBadInput,
                     DescribeError(args.input, plan.problem, file.status()));
    }
    if (args.output == "-") {
      outcome = {ExitCode::kDone, *std::move(file), summary};
    } else if (absl::Status s = WriteFile(args.output, *file); !s.ok()) {
      return BadInput(s);
    }
  }
  if (absl::Status s = WritePictures(args, std::move(plan), solution);
      !s.ok()) {
    outcome.code = ExitCode::kBadInput;
    absl::StrAppend(&outcome.err, OneLine(s.message()), "\n");
  }
  return outcome;
}

// Returns the outcome if there is no plan or the plan is too large. Writes no
// plan.
Outcome WithoutPlan(const PlanArgs& args, ExitCode code, const std::string& why,
                    const std::string& summary) {
  const std::string message =
      absl::StrCat(OneLine(InputName(args.input)), ": ", why, "\n");
  if (args.output == "-") return {code, "", absl::StrCat(summary, message)};
  return {code, summary, message};
}

}  // namespace

Outcome DeliverPlan(const PlanArgs& args, const ProblemFile& file,
                    const Problem& problem, const Solution& solution) {
  const std::string summary =
      PlanAnswer(args, file, problem, solution).Render(args.format);
  if (solution.status == SolutionStatus::kInfeasible) {
    return WithoutPlan(args, ExitCode::kInfeasible,
                       absl::StrCat("infeasible: ", solution.reason), summary);
  }
  if (solution.status == SolutionStatus::kTimeLimit) {
    return WithoutPlan(args, ExitCode::kGaveUp,
                       absl::StrCat("time limit: ", solution.reason), summary);
  }
  if (solution.status == SolutionStatus::kOverCapacity) {
    return WithoutPlan(
        args, ExitCode::kRefuted,
        absl::StrCat(solution.reason, "; a smaller one may exist"), summary);
  }
  return WritePlan(args, file, solution, summary);
}

absl::StatusOr<std::string> WriteCertificateFile(const PlanArgs& args,
                                                 const Problem& problem,
                                                 const Solution& solution) {
  // With the status kTimeLimit or kOverCapacity, the search has proved nothing,
  // so there is no certificate. The status itself has been reported already.
  if (args.certificate.empty() ||
      solution.status == SolutionStatus::kTimeLimit ||
      solution.status == SolutionStatus::kOverCapacity) {
    return std::string();
  }
  size_t bytes = 0;
  const auto begun = std::chrono::steady_clock::now();
  const absl::Status written =
      WriteFileInPieces(args.certificate, [&](const WriteText& write) {
        return WriteCertificate(
            problem, solution, [&](absl::string_view piece) {
              bytes += piece.size();
              if (!InterruptionRequested()) return write(piece);
              return absl::CancelledError(absl::StrCat(
                  args.certificate, ": interrupted; not a whole certificate"));
            });
      });
  if (!written.ok()) return written;
  // The proof of a conflict may have a log even if the proof of the bound needs
  // none.
  const bool has_log = solution.bound_proof.kind == BoundProof::Kind::kSearch &&
                       !solution.search_proof.records.empty();
  if (!has_log) return std::string();
  const absl::Duration time =
      absl::FromChrono(std::chrono::steady_clock::now() - begun);
  return absl::StrCat(OneLine(args.certificate), ": ", FormatBytes(bytes),
                      " with the log of the search, written in ",
                      FormatTime(time), "\n");
}

}  // namespace stowage::cli
