// SPDX-License-Identifier: Apache-2.0
#include "src/command/dynamic_plan.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/answer.h"
#include "src/command/dynamic_inputs.h"
#include "src/command/inputs.h"
#include "src/command/interruption.h"
#include "src/command/json.h"
#include "src/command/option_limits.h"
#include "src/command/options.h"
#include "src/command/plan_report.h"
#include "src/command/svg_file.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/assignment.h"
#include "stowage/dynamic/dynamic_certificate.h"
#include "stowage/dynamic/dynamic_file.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/error_payload.h"
#include "stowage/io/write_file.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/verify.h"
#include "stowage/views/dynamic_page.h"
#include "stowage/views/size_curve_svg.h"
#include "stowage/views/svg.h"

namespace stowage::cli {
namespace {

// The maximum number of rows that people see in the table of heights.
constexpr size_t kMaxRows = 12;

// Returns the height of the stack divided by the size of the smallest known
// plan. Programs read a fraction such as "47/45"; people read "1.0444".
Value RatioOfHeight(const HeightAt& value) {
  absl::optional<double> ratio;
  if (value.height == value.need) {
    ratio = 1.0;
  } else if (value.need > 0) {
    ratio = static_cast<double>(value.height) / static_cast<double>(value.need);
  }
  return {Json(RatioText(value)), RatioValue(ratio)};
}

void AddReserve(const DynamicProblem& problem, const DynamicPlan& plan,
                Answer* answer) {
  const SolutionStatus status = plan.status;
  const std::string name(SolutionStatusName(status));
  const Value bound_at = AtValue(problem, plan.bound_at);
  answer->Add("status", "status", name,
              status == SolutionStatus::kOptimal
                  ? Phrase("optimal: every plan for all values needs this "
                           "reserve, for ",
                           bound_at)
                  : Value(name));
  answer->Add("reserve", "reserve", Size(plan.reserve));
  answer->Add("reserve_proved_by", "proved by",
              std::string(LargestRuleName(plan.rule)),
              DescribeLargest(problem, plan.rule, plan.largest, plan.values));
  answer->AddData("largest_at", plan.largest.empty()
                                    ? Json()
                                    : AtValue(problem, plan.largest).json);
  answer->Add("reserve_bound", "lower bound", Size(plan.reserve_bound).json,
              Phrase(Size(plan.reserve_bound), ", for ", bound_at));
  answer->AddData("bound_at", bound_at.json);
}

void AddRatio(const DynamicProblem& problem, const DynamicPlan& plan,
              Answer* answer) {
  const HeightAt& worst = plan.worst;
  answer->AddData("ratio", RatioText(worst));
  answer->Say(
      "ratio",
      Phrase(RatioOfHeight(worst), " at most",
             plan.are_all_compared ? "" : " of those compared", ", for ",
             problem.Describe(worst.values), ": ", Size(worst.height),
             worst.is_need_proved ? ", where a plan needs "
                                  : ", where a plan was found with ",
             Size(worst.need)));
  answer->AddData("worst_at", AtValue(problem, worst.values).json);
  if (plan.values) answer->AddData("values", *plan.values);
  answer->Add("compared", "compared", plan.heights.size(),
              Phrase(Count(plan.heights.size(), "value"),
                     plan.is_best_order ? "; no order is better" : ""));
  answer->AddData("is_best_order", plan.is_best_order);
}

void AddHeights(const DynamicProblem& problem, const DynamicPlan& plan,
                Answer* answer) {
  const auto row = [&](size_t v) -> std::vector<Value> {
    const HeightAt& value = plan.heights[v];
    return {AtValue(problem, value.values), value.height, value.need,
            RatioOfHeight(value), Data(value.is_need_proved)};
  };
  AnswerTable table{{"value=at", "height>height", "need>need", "ratio>ratio",
                     "=need_is_proved"},
                    plan.heights.size(),
                    row};
  table.max = kMaxRows;
  answer->AddTable(std::move(table), "heights");
}

Answer PlanAnswerOf(const PlanArgs& args, const DynamicProblem& problem,
                    const DynamicPlan& plan) {
  Answer answer;
  answer.Add("input", "input", args.input);
  AddDynamicProblem(problem, &answer);
  AddReserve(problem, plan, &answer);
  AddRatio(problem, plan, &answer);
  answer.Add("edges", "edges", plan.stack.edges());
  Json order = Json::array();
  for (const size_t record : plan.stack.order()) {
    order.push_back(problem.spec().problem.names[record]);
  }
  answer.AddData("order", std::move(order));
  AddHeights(problem, plan, &answer);
  return answer;
}

// Returns a text that states that no plan is within the capacity, because at
// least `need` bytes are needed at the values `at`.
std::string NoPlanWithin(const DynamicProblem& problem,
                         const ParameterValues& at, size_t need) {
  return absl::StrCat("no plan within ", *problem.spec().problem.capacity,
                      " bytes: ", problem.Describe(at), " needs ", need);
}

// Returns the exit code for plans of fixed offsets, and a text that explains
// what exceeds the capacity. The text is empty if all plans are within the
// capacity.
absl::StatusOr<std::pair<ExitCode, std::string>> CheckBuckets(
    const DynamicProblem& problem, absl::Span<const SizeBucket> buckets) {
  std::pair<ExitCode, std::string> found = {ExitCode::kDone, ""};
  const absl::optional<size_t> capacity = problem.spec().problem.capacity;
  for (const SizeBucket& bucket : buckets) {
    if (!capacity || bucket.reserve <= *capacity) continue;
    for (const ParameterValues& values : {bucket.first, bucket.last}) {
      const absl::StatusOr<Problem> at = problem.ProblemAt(values);
      if (!at.ok()) return at.status();
      const size_t need = LowerBoundOf(*at).bytes;
      if (need <= *capacity) continue;
      return {{ExitCode::kInfeasible, NoPlanWithin(problem, values, need)}};
    }
    if (found.first != ExitCode::kDone) continue;
    found = {ExitCode::kRefuted,
             absl::StrCat("the reserve of ", bucket.reserve, " bytes for ",
                          problem.Describe(bucket.first), " to ",
                          problem.Describe(bucket.last),
                          " exceeds the capacity of ", *capacity)};
  }
  return found;
}

Outcome DeliverBuckets(const PlanArgs& args, const DynamicProblem& problem) {
  const absl::StatusOr<std::vector<SizeBucket>> buckets =
      PlanBuckets(problem, static_cast<size_t>(*args.buckets));
  if (!buckets.ok()) {
    return Failure(
        ExitCodeOf(buckets.status()),
        absl::StrCat(InputName(args.input), ": ", buckets.status().message()));
  }
  Answer answer;
  answer.Add("input", "input", args.input);
  AddDynamicProblem(problem, &answer);
  const std::vector<std::string>& names = problem.spec().problem.names;
  const auto row = [&](size_t k) -> std::vector<Value> {
    const SizeBucket& bucket = (*buckets)[k];
    Json offsets = Json::object();
    for (size_t i = 0; i < names.size(); ++i) {
      offsets[names[i]] = bucket.offsets[i];
    }
    return {AtValue(problem, bucket.first),
            AtValue(problem, bucket.last),
            bucket.reserve,
            RatioOfHeight(bucket.worst),
            AtValue(problem, bucket.worst.values),
            Data(std::move(offsets))};
  };
  answer.AddTable({{"from=first", "to=last", "reserve>reserve", "ratio>ratio",
                    "at=worst_at", "=offsets"},
                   buckets->size(),
                   row},
                  "buckets");
  const auto verdict = CheckBuckets(problem, *buckets);
  if (!verdict.ok()) return Failure(verdict.status());
  const auto& [code, why] = *verdict;
  return {
      code, answer.Render(args.format),
      why.empty() ? "" : absl::StrCat(InputName(args.input), ": ", why, "\n")};
}

// Returns the exit code, and a text that explains why the plan is not within
// the capacity. The text is empty if the plan is within the capacity.
std::pair<ExitCode, std::string> CheckCapacity(const DynamicProblem& problem,
                                               const DynamicPlan& plan) {
  const absl::optional<size_t>& capacity = problem.spec().problem.capacity;
  if (!capacity || plan.reserve <= *capacity) return {ExitCode::kDone, ""};
  if (plan.status == SolutionStatus::kInfeasible) {
    return {ExitCode::kInfeasible,
            NoPlanWithin(problem, plan.bound_at, plan.reserve_bound)};
  }
  return {ExitCode::kRefuted,
          absl::StrCat("the reserve of ", plan.reserve,
                       " bytes exceeds the capacity of ", *capacity)};
}

// Returns InvalidArgument for the first option that has no effect on a plan for
// all values or contradicts --buckets.
absl::Status CheckPlanOptions(const CLI::App& verb, const PlanArgs& args) {
  // The options from --shape onwards determine how models are read.
  constexpr const char* kOptions[] = {"--aim",         "--buckets",
                                      "--alignment",   "--capacity",
                                      "--time-limit",  "--nodes",
                                      "--output",      "--format",
                                      "--certificate", "--html",
                                      "--svg",         "--width",
                                      "--height",      "--theme",
                                      "--shape",       "--strict",
                                      "--parameter",   "--where",
                                      "--subgraph",    "--shadow",
                                      "--lifetimes",   "--tensor-alignment",
                                      "--include-io",  "--sharing",
                                      "--io-lifetime", "--offline"};
  absl::Status fits = CheckFitsAllValues(verb, kOptions);
  if (fits.ok() && args.format == Format::kCsv) {
    fits = absl::InvalidArgumentError(
        "--format csv: has no effect on a problem with parameters; expected "
        "text or json");
  }
  if (!fits.ok() || !args.buckets) return fits;
  return CheckNotGiven(verb,
                       {"--aim", "--output", "--certificate", "--nodes",
                        "--time-limit", "--html", "--svg"},
                       "with --buckets, which is answered by --format json; "
                       "expected one of the two");
}

// Writes the HTML page, which has a slider for the values, and the picture of a
// curve. The curve varies the parameter with the most values. Every other
// parameter keeps its value in `bound_at`.
absl::Status WriteDynamicPictures(const PlanArgs& args,
                                  const DynamicProblem& problem,
                                  const DynamicPlan& plan) {
  const std::string title = InputName(args.input);
  if (!args.pictures.html.empty()) {
    const absl::StatusOr<std::string> page =
        views::FormatDynamicPage(problem, plan, title);
    if (!page.ok()) return page.status();
    if (absl::Status s = WriteFile(args.pictures.html, *page); !s.ok()) {
      return s;
    }
  }
  const std::vector<SizeParameter>& parameters = problem.spec().parameters;
  const auto longest = std::max_element(
      parameters.begin(), parameters.end(), [](const auto& a, const auto& b) {
        return (a.max - a.min) / a.step < (b.max - b.min) / b.step;
      });
  std::string fixed;
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (parameters.begin() + static_cast<ptrdiff_t>(k) == longest) continue;
    absl::StrAppend(&fixed, fixed.empty() ? "" : ",", parameters[k].name, "=",
                    plan.bound_at[k]);
  }
  return WriteSvgOf(
      args.pictures.svg,
      [&](const views::SvgOptions& options) -> absl::StatusOr<std::string> {
        const absl::StatusOr<views::SizeCurve> curve = views::SizeCurveOver(
            problem, plan, parameters.empty() ? "" : longest->name, fixed);
        if (!curve.ok()) return curve.status();
        return views::SizeCurveSvg(*curve, title, options);
      });
}

absl::Status WriteCertificateFile(const PlanArgs& args,
                                  const DynamicProblem& problem,
                                  const DynamicPlan& plan) {
  if (args.certificate.empty()) return absl::OkStatus();
  const absl::StatusOr<std::string> certificate =
      FormatDynamicCertificate(problem, plan);
  if (!certificate.ok()) return certificate.status();
  return WriteFile(args.certificate, *certificate);
}

// Writes the plan file and the pictures.
Outcome DeliverFiles(const PlanArgs& args, const DynamicProblem& problem,
                     const DynamicPlan& plan, const std::string& summary) {
  const auto [code, why] = CheckCapacity(problem, plan);
  if (code != ExitCode::kDone) {
    const std::string message =
        absl::StrCat(InputName(args.input), ": ", why, "\n");
    if (args.output == "-") return {code, "", absl::StrCat(summary, message)};
    return {code, summary, message};
  }
  Outcome outcome = {code, summary, ""};
  if (!args.output.empty()) {
    const std::string file = FormatDynamicJson(FileOfPlan(problem, plan));
    if (args.output == "-") {
      outcome = {code, file, summary};
    } else if (absl::Status s = WriteFile(args.output, file); !s.ok()) {
      return BadInput(s);
    }
  }
  if (absl::Status s = WriteDynamicPictures(args, problem, plan); !s.ok()) {
    outcome.code = ExitCode::kBadInput;
    absl::StrAppend(&outcome.err, OneLine(s.message()), "\n");
  }
  return outcome;
}

// Writes the certificate, and delivers the plan even if the certificate cannot
// be written. If no plan is within the capacity, the bound in the certificate
// proves this.
Outcome DeliverOrder(const PlanArgs& args, const DynamicProblem& problem,
                     const DynamicPlan& plan) {
  const absl::Status certified = WriteCertificateFile(args, problem, plan);
  Outcome outcome =
      DeliverFiles(args, problem, plan,
                   PlanAnswerOf(args, problem, plan).Render(args.format));
  if (certified.ok()) return outcome;
  outcome.code = ExitCode::kBadInput;
  absl::StrAppend(&outcome.err, OneLine(certified.message()), "\n");
  return outcome;
}

}  // namespace

void AddDynamicPlanOptions(CLI::App* verb, PlanArgs* args) {
  LimitTo({InputKind::kDynamic, InputKind::kModel},
          AddWord(verb, "--aim", {"reserve", "ratio"},
                  "Minimize the memory that is "
                  "enough for all values (reserve, the default), or the waste "
                  "at the worst value (ratio)",
                  [args](size_t k) {
                    args->aim =
                        k == 0 ? DynamicAim::kReserve : DynamicAim::kRatio;
                  }),
          &args->trace, WhyNoParameters(&args->trace));
  LimitTo({InputKind::kDynamic, InputKind::kModel},
          AddParsed(verb, "--buckets", "K",
                    "With one parameter: split its values into at "
                    "most K ranges, each with a plan of fixed offsets",
                    ParseNumber, &args->buckets),
          &args->trace, WhyNoParameters(&args->trace));
}

absl::Status CheckFitsAllValues(const CLI::App& verb,
                                absl::Span<const char* const> options) {
  for (const CLI::Option* const option : verb.get_options()) {
    if (option->count() == 0 || option->get_name().rfind('-', 0) != 0) continue;
    const bool fits = std::any_of(
        options.begin(), options.end(),
        [&](const char* each) { return option->get_name() == each; });
    if (fits) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        option->get_name(),
        ": has no effect on a problem with parameters; expected --at VALUE "
        "with it"));
  }
  return absl::OkStatus();
}

Outcome DeliverStack(const CLI::App& verb, PlanArgs args,
                     const ProblemFile& file) {
  const absl::Status fits = CheckNotGiven(
      verb,
      {"--kind", "--alignment", "--time-limit", "--nodes", "--seed",
       "--threads", "--relax", "--decide", "--certificate"},
      "on the order in the file; expected --strategy with it");
  if (!fits.ok()) return Misuse("plan", fits.message());
  args.strategy = "stack";
  args.strategy_note = ", the order in the file";
  ProblemSpec spec = SpecFor(file.problem, args.kind);
  if (args.capacity) spec.capacity = args.capacity;
  const absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return Failure(problem.status());
  const absl::StatusOr<OffsetsAssignment> plan =
      OffsetsOf(file.problem, file.plan);
  if (!plan.ok()) return Failure(plan.status());
  if (const auto violation = FindViolation(*problem, *plan)) {
    return Failure(ExitCode::kRefuted,
                   absl::StrCat(InputName(args.input),
                                ": unsafe: ", Describe(*violation, *problem)));
  }
  const LowerBound& bound = LowerBoundOf(*problem);
  Solution solution(*plan);
  solution.total_size = plan->total_size;
  solution.lower_bound = bound.bytes;
  solution.bound_proof = bound.proof;
  solution.found_by = "the order";
  if (plan->total_size == bound.bytes) {
    solution.status = SolutionStatus::kOptimal;
    solution.reason = ReasonOfOptimum(bound.proof);
  }
  if (problem->capacity() && plan->total_size > *problem->capacity()) {
    const bool is_infeasible = bound.bytes > *problem->capacity();
    solution.DropPlan(is_infeasible ? SolutionStatus::kInfeasible
                                    : SolutionStatus::kOverCapacity);
    solution.reason =
        is_infeasible ? Describe(bound.proof) : "the order needs more";
  }
  return DeliverPlan(args, file, *problem, solution);
}

absl::StatusOr<DynamicProblem> ProblemAsAsked(
    const std::string& path, const DynamicInput& input,
    const absl::optional<size_t>& alignment,
    const absl::optional<size_t>& capacity) {
  // An unchanged problem is not created again, since checking all its values
  // may take a long time.
  if (!alignment && !capacity) return *input.problem;
  DynamicSpec spec = input.file.problem;
  spec.problem =
      SpecFor(std::move(spec.problem), PlanKind::kOffsets, alignment);
  if (capacity) spec.problem.capacity = capacity;
  absl::StatusOr<DynamicProblem> problem =
      DynamicProblem::Create(std::move(spec));
  if (problem.ok()) return problem;
  return AtPlace(InputName(path), problem.status());
}

Outcome PlanAllValues(const CLI::App& verb, const PlanArgs& args,
                      const DynamicInput& input) {
  if (absl::Status s = CheckPlanOptions(verb, args); !s.ok()) {
    return Misuse("plan", s.message());
  }
  const absl::StatusOr<DynamicProblem> problem =
      ProblemAsAsked(args.input, input, args.alignment, args.capacity);
  if (!problem.ok()) return Failure(problem.status());
  if (args.buckets) return DeliverBuckets(args, *problem);
  DynamicOptions options;
  options.aim = args.aim;
  if (args.search.nodes) options.max_orders = *args.search.nodes;
  if (args.search.time_limit) {
    options.time_limit_ns = absl::ToInt64Nanoseconds(*args.search.time_limit);
  }
  options.go_on = [] { return !InterruptionRequested().load(); };
  BeginDelivery();
  const absl::StatusOr<DynamicPlan> plan = PlanForAllValues(*problem, options);
  if (!plan.ok()) return Failure(AtPlace(InputName(args.input), plan.status()));
  return DeliverOrder(args, *problem, *plan);
}

}  // namespace stowage::cli
