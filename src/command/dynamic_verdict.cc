// SPDX-License-Identifier: Apache-2.0
// Verifies plans, and computes lower bounds, for all values of a problem with
// parameters.
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/answer.h"
#include "src/command/dynamic_inputs.h"
#include "src/command/dynamic_plan.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/options.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/dynamic/dynamic_file.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/verify_dynamic.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage::cli {
namespace {

// The bounds are computed at a sample of the values. The size of the sample is
// chosen so that about kMaxBoundedSizes sizes are computed, but it is at least
// kMinBounded and at most kMaxBounded values. People see kMaxBoundRows bounds.
constexpr size_t kMaxBounded = 4096;
constexpr size_t kMinBounded = 256;
constexpr size_t kMaxBoundedSizes = size_t{1} << 20;
constexpr size_t kMaxBoundRows = 12;
// The sizes in a plan file are compared with those of the problem at about this
// many values.
constexpr size_t kComparedValues = 256;

// The order or the offsets of a plan, and its reserve. Records are numbered as
// in the problem, not as in the plan file.
struct AskedPlan {
  std::vector<size_t> order;
  std::vector<std::string> offsets;
  absl::optional<size_t> reserve;
};

// Describes the lifetime of a record with the half-open interval of files.
std::string LifetimeText(const TensorUsageRecord<size_t>& record) {
  return absl::StrCat("lower ", record.first_task, ", upper ",
                      record.last_task + 1);
}

// Returns, for each record of the problem, the index of the record with the
// same id in the plan. Error: InvalidArgument unless the problem and the plan
// have the same ids with the same lifetimes. A plan may have no lifetimes.
absl::StatusOr<std::vector<size_t>> MatchIds(const DynamicProblem& problem,
                                             const ProblemSpec& planned) {
  const ProblemSpec& asked = problem.spec().problem;
  std::map<std::string, size_t> rows;
  for (size_t i = 0; i < planned.names.size(); ++i) rows[planned.names[i]] = i;
  std::vector<size_t> matched;
  for (size_t i = 0; i < asked.names.size(); ++i) {
    const std::string& id = asked.names[i];
    const auto found = rows.find(id);
    if (found == rows.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("no record '", id, "'; expected all of the problem"));
    }
    matched.push_back(found->second);
    if (planned.records.empty()) continue;
    const std::string mine = LifetimeText(planned.records[found->second]);
    const std::string expected = LifetimeText(asked.records[i]);
    if (mine == expected) continue;
    return absl::InvalidArgumentError(absl::StrCat("id '", id, "' has ", mine,
                                                   "; expected ", expected,
                                                   " as in the problem"));
  }
  if (planned.names.size() == asked.names.size()) return matched;
  return absl::InvalidArgumentError(
      absl::StrCat(planned.names.size(), " records; expected the ",
                   asked.names.size(), " of the problem"));
}

// Returns an error if the values or sizes in a plan file are not those of the
// problem. They are compared at a sample of the values, because the same size
// can be written in several ways. `rows` is the result of MatchIds.
absl::Status CheckPlannedSizes(const DynamicProblem& problem,
                               const DynamicProblem& planned,
                               absl::Span<const size_t> rows) {
  for (const ParameterValues& values : planned.SampleValues(kComparedValues)) {
    const absl::Status known =
        problem.ParseValues(planned.Describe(values)).status();
    if (known.ok()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "a value that the problem does not have: ", known.message()));
  }
  for (const ParameterValues& values : problem.SampleValues(kComparedValues)) {
    const std::string at = problem.Describe(values);
    const absl::StatusOr<ParameterValues> same = planned.ParseValues(at);
    if (!same.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "no value ", at, "; expected all values of the problem"));
    }
    const absl::StatusOr<std::vector<size_t>> mine = planned.SizesAt(*same);
    if (!mine.ok()) return mine.status();
    const absl::StatusOr<std::vector<size_t>> asked = problem.SizesAt(values);
    if (!asked.ok()) return asked.status();
    for (size_t i = 0; i < rows.size(); ++i) {
      if ((*mine)[rows[i]] == (*asked)[i]) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("id '", problem.spec().problem.names[i], "' has size ",
                       (*mine)[rows[i]], " at ", at, "; expected size ",
                       (*asked)[i], " as in the problem"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<AskedPlan> ReadPlanOf(const DynamicProblem& problem,
                                     const DynamicPlanInput& plan) {
  const ProblemSpec& spec = plan.fixed != nullptr
                                ? plan.fixed->problem
                                : plan.dynamic->file.problem.problem;
  const absl::StatusOr<std::vector<size_t>> matched = MatchIds(problem, spec);
  if (!matched.ok()) return matched.status();
  AskedPlan asked;
  if (plan.fixed != nullptr) {
    if (plan.fixed->plan.offsets.empty()) {
      return absl::InvalidArgumentError(
          "no offsets; expected an offset for each record");
    }
    for (const size_t row : *matched) {
      asked.offsets.push_back(absl::StrCat(plan.fixed->plan.offsets[row]));
    }
    return asked;
  }
  if (plan.dynamic->problem) {
    absl::Status same =
        CheckPlannedSizes(problem, *plan.dynamic->problem, *matched);
    if (!same.ok()) return same;
  }
  const DynamicFile& file = plan.dynamic->file;
  asked.reserve = file.reserve;
  std::vector<size_t> record_of_row(matched->size());
  for (size_t i = 0; i < matched->size(); ++i) record_of_row[(*matched)[i]] = i;
  for (const size_t row : file.order) {
    asked.order.push_back(record_of_row[row]);
  }
  if (!file.offsets.empty()) {
    for (const size_t row : *matched) {
      asked.offsets.push_back(file.offsets[row]);
    }
  }
  if (asked.order.empty() && asked.offsets.empty() && problem.size() > 0) {
    return absl::InvalidArgumentError(
        "no plan; expected a stack or an offset for each record");
  }
  return asked;
}

std::string SafetySentence(const DynamicProblem& problem,
                           const DynamicVerdict& verdict) {
  switch (verdict.safety) {
    case SafetyRule::kOrder:
      return std::string(SafetyOfOrders(problem));
    case SafetyRule::kLargestSizes:
      return "the offsets are safe with the largest size of each record, and "
             "smaller sizes only take less";
    case SafetyRule::kAllValues:
      break;
  }
  return absl::StrCat("all ", Count(verdict.values.value_or(0), "value"),
                      " tried");
}

}  // namespace

Outcome NotRead(const absl::Status& status, const DynamicInput& input) {
  return absl::IsResourceExhausted(input.status) ? Failure(status)
                                                 : BadInput(status);
}

Outcome VerifyAllValues(const std::string& problem_path,
                        const DynamicProblem& problem,
                        const DynamicPlanInput& plan, Format format) {
  const absl::StatusOr<AskedPlan> asked = ReadPlanOf(problem, plan);
  absl::StatusOr<DynamicVerdict> verdict = DynamicVerdict();
  if (asked.ok()) {
    verdict = asked->offsets.empty()
                  ? VerifyOrder(problem, asked->order, asked->reserve)
                  : VerifyFormulas(problem, asked->offsets, asked->reserve);
  }
  const absl::Status status = asked.ok() ? verdict.status() : asked.status();
  if (!status.ok()) {
    return Failure(ExitCodeOf(status),
                   absl::StrCat(InputName(plan.path), ": ", status.message()));
  }
  Answer answer;
  answer.AddData("problem", problem_path);
  answer.AddData("plan", plan.path);
  answer.AddData("records", problem.size());
  answer.AddData("safe", !verdict->fault);
  if (verdict->fault) {
    const std::string message = Describe(problem, *verdict->fault);
    answer.AddData("fault",
                   {{"at", verdict->fault->values.empty()
                               ? Json()
                               : AtValue(problem, verdict->fault->values).json},
                    {"message", message}});
    answer.SayLine(Phrase("unsafe: ", message));
    return {ExitCode::kRefuted, answer.Render(format), ""};
  }
  answer.AddData("rule", std::string(SafetyRuleName(verdict->safety)));
  answer.AddData("reserve_rule",
                 std::string(LargestRuleName(verdict->reserve)));
  answer.AddData("height", verdict->height);
  answer.SayLine(
      Phrase("safe for all values: ", Count(problem.size(), "tensor"), " in ",
             Size(verdict->height), " at most"));
  answer.SayLine(Phrase("no overlap: ", SafetySentence(problem, *verdict)));
  answer.SayLine(
      Phrase("height: ", DescribeLargest(problem, verdict->reserve,
                                         verdict->largest, verdict->values)));
  return {ExitCode::kDone, answer.Render(format), ""};
}

Outcome BoundAllValues(const std::string& path, const DynamicProblem& problem,
                       Format format) {
  struct Bounded {
    ParameterValues values;
    LowerBound bound;
    size_t naive = 0;
  };
  std::vector<Bounded> rows;
  size_t largest = 0;
  const size_t count =
      std::min(kMaxBounded,
               std::max(kMinBounded, kMaxBoundedSizes /
                                         std::max<size_t>(problem.size(), 1)));
  for (const ParameterValues& values : problem.SampleValues(count)) {
    const absl::StatusOr<Problem> at = problem.ProblemAt(values);
    if (!at.ok()) return Failure(at.status());
    rows.push_back({values, LowerBoundOf(*at), NaiveSize(*at)});
    if (rows.back().bound.bytes > rows[largest].bound.bytes) {
      largest = rows.size() - 1;
    }
  }
  const Bounded& most = rows[largest];
  Answer answer;
  answer.Add("input", "input", path);
  AddDynamicProblem(problem, &answer);
  answer.Add(
      "lower_bound", "lower bound", most.bound.bytes,
      Phrase(Size(most.bound.bytes), ", for ", AtValue(problem, most.values),
             ": ", Describe(most.bound.proof)));
  answer.AddData("bound_at", AtValue(problem, most.values).json);
  answer.Add("compared", "compared", rows.size(),
             Phrase(Count(rows.size(), "value"),
                    ", of which this bound is the largest"));
  AnswerTable table{{"value=at", "lower bound>lower_bound", "naive>naive_size"},
                    rows.size(),
                    [&](size_t k) -> std::vector<Value> {
                      return {AtValue(problem, rows[k].values),
                              rows[k].bound.bytes, rows[k].naive};
                    }};
  table.max = kMaxBoundRows;
  answer.AddTable(std::move(table), "bounds");
  return {ExitCode::kDone, answer.Render(format), ""};
}

}  // namespace stowage::cli
