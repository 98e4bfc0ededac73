// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/check_planner.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "src/kit/failure_search.h"
#include "src/kit/sides.h"
#include "src/testing/command_words.h"
#include "src/testing/growing_traces.h"
#include "src/testing/program_under_test.h"
#include "stowage/feature.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/specs.h"

namespace stowage::testing {

absl::Duration ShrinkTimeOf(const PlannerCheckOptions& options) {
  constexpr int kTimeouts = 10;
  return kTimeouts * options.run_time_limit;
}

class PlannerCheck::Impl {
 public:
  explicit Impl(PlannerCheckOptions options)
      : options_(std::move(options)), stop_(options_) {}

  absl::Status CreatePlanners(const std::vector<std::string>& words) {
    for (size_t job = 0; job < std::max<size_t>(1, options_.jobs); ++job) {
      auto planner = ProgramUnderTest::Create(words, options_, &stop_);
      if (!planner.ok()) return planner.status();
      planners_.push_back(*std::move(planner));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<PlannerCheckReport> CheckGeneratedTraces() {
    const GrowingTraces sequence(options_);
    FailureSearchOptions search;
    search.traces = options_.traces;
    search.make_trace = [&](size_t trace) { return sequence.MakeTrace(trace); };
    search.max_shrinks = options_.max_shrinks;
    absl::StatusOr<PlannerCheckReport> report = Run(std::move(search));
    if (report.ok() && report->failure) {
      report->failure->family = sequence.FamilyOf(report->failure->trace);
    }
    return report;
  }

  absl::StatusOr<PlannerCheckReport> CheckTrace(ProblemSpec trace) {
    if (options_.kind == PlanKind::kObjects) trace.alignments.clear();
    absl::Status status = CheckSpec(trace);
    if (status.ok()) status = CheckClaims(trace);
    if (!status.ok()) return status;
    FailureSearchOptions search;
    search.traces = 1;
    search.make_trace = [&](size_t) { return trace; };
    search.max_shrinks = 0;
    absl::StatusOr<PlannerCheckReport> report = Run(std::move(search));
    if (!report.ok() || report->runs > 0 || report->failure ||
        report->end != PlannerCheckReport::End::kComplete) {
      return report;
    }
    return absl::InvalidArgumentError(
        "nothing that the program claims to support can be checked on it; "
        "expected claims that include its constraints");
  }

  void Abort() {
    for (const auto& planner : planners_) planner->Abort();
  }

 private:
  absl::Status CheckClaims(const ProblemSpec& trace) const {
    if (!HasConstraints(trace)) return absl::OkStatus();
    const absl::StatusOr<Problem> problem = Problem::Create(trace);
    if (!problem.ok()) return problem.status();
    const FeatureSet rest = problem->Requires().Without(options_.claims);
    const std::vector<std::string> missing =
        rest.Without({Feature::kOffsets}).Names();
    if (missing.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "it requires ", absl::StrJoin(missing, ", "),
        "; expected a trace of what the program claims to support"));
  }

  absl::StatusOr<PlannerCheckReport> Run(FailureSearchOptions search) {
    search.keep_going = options_.keep_going;
    search.shrink_time = absl::ToChronoNanoseconds(ShrinkTimeOf(options_));
    search.on_trace = options_.on_trace;
    stop_.StartClock();
    std::vector<PlannerUnderTest*> planners;
    for (const auto& planner : planners_) planners.push_back(planner.get());
    SearchOutcome outcome = RunFailureSearch(planners, search);
    for (const auto& planner : planners_) {
      if (!planner->error().ok()) return planner->error();
    }
    if (outcome.failure && IsOfNoCommand(*outcome.failure) &&
        !outcome.has_plan) {
      return outcome.failure->status;
    }
    return ReportOf(std::move(outcome));
  }

  // Returns whether the reason of the failure is that the command does not
  // exist.
  static bool IsOfNoCommand(const SearchFailure& failure) {
    return failure.property == kEndsIndex && absl::IsNotFound(failure.status);
  }

  PlannerCheckReport ReportOf(SearchOutcome outcome) const {
    PlannerCheckReport report;
    report.traces = outcome.traces;
    report.runs = outcome.runs;
    for (size_t p = 0; p < outcome.properties.size(); ++p) {
      const CheckedProperty& property = planners_[0]->properties()[p];
      PropertyTally& tally = outcome.properties[p];
      report.properties.push_back({std::string(property.name),
                                   std::string(property.sentence), tally.traces,
                                   std::move(tally.status)});
    }
    if (outcome.failure) {
      report.failure = FailureOf(*std::move(outcome.failure));
      absl::Status* const status =
          &report.properties[report.failure->property].status;
      status->Update(report.failure->status);
    }
    if (outcome.is_stopped) {
      report.end = stop_.is_cancelled() ? PlannerCheckReport::End::kCancelled
                                        : PlannerCheckReport::End::kTimeLimit;
    } else if (report.failure && !options_.keep_going) {
      report.end = PlannerCheckReport::End::kFailure;
    }
    return report;
  }

  PlannerFailure FailureOf(SearchFailure found) const {
    const size_t property = found.property;
    const size_t trace = found.trace;
    PlannerFailure failure{std::move(found), property};
    failure.trace = trace;
    if (failure.property == planners_[0]->property_count()) {
      failure.property = kCompletenessIndex;
      failure.status = absl::InternalError(
          absl::StrCat("the program has planned none of the traces: ",
                       failure.status.message()));
    }
    return failure;
  }

  const PlannerCheckOptions options_;
  StopCondition stop_;
  std::vector<std::unique_ptr<ProgramUnderTest>> planners_;
};

absl::StatusOr<std::unique_ptr<PlannerCheck>> PlannerCheck::Create(
    absl::string_view command, PlannerCheckOptions options) {
  absl::StatusOr<std::vector<std::string>> words =
      program::SplitCommand(command);
  if (!words.ok()) return words.status();
  auto impl = std::make_unique<Impl>(std::move(options));
  absl::Status status = impl->CreatePlanners(*words);
  if (!status.ok()) return status;
  return absl::WrapUnique(new PlannerCheck(std::move(impl)));
}

PlannerCheck::PlannerCheck(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}

PlannerCheck::~PlannerCheck() = default;

absl::StatusOr<PlannerCheckReport> PlannerCheck::CheckGeneratedTraces() {
  return impl_->CheckGeneratedTraces();
}

absl::StatusOr<PlannerCheckReport> PlannerCheck::CheckTrace(
    ProblemSpec problem) {
  return impl_->CheckTrace(std::move(problem));
}

void PlannerCheck::Abort() { impl_->Abort(); }

}  // namespace stowage::testing
