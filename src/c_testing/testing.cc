// SPDX-License-Identifier: Apache-2.0
// Implements tests of planners in C: stowage_test_planner() and its reports.
#include "stowage/c/testing.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/c/border.h"
#include "src/c/caller_strategy.h"
#include "src/c/handles.h"
#include "src/c_testing/searches.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/testing/find_failure.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"

struct stowage_test_report {
  static constexpr uint32_t kKind = 0x53745265;
  stowage::c_api::HandleTag tag{kKind};
  stowage::optional<stowage::testing::Failure> failure;
  bool is_cancelled = false;
  uint64_t runs = 0;
  std::string property;
  std::string sentence;
  std::string message;
  std::string description;
  std::string replay;
};

namespace stowage::c_api {
namespace {

// Calls a planner that was provided by the caller, and counts the calls.
class CallerPlanner {
 public:
  CallerPlanner(stowage_strategy_fn function, void* context,
                stowage_test_reason_fn reason)
      : function_(function), context_(context), reason_(reason) {}

  uint64_t runs() const { return runs_; }

  // Returns the plan that the caller's function makes. Errors: the code and the
  // reason that the function provides; DataLoss if the function throws or
  // writes beyond the last place. The report of a failure contains the message
  // of a DataLoss error unchanged.
  StatusOr<Solution> Plan(const Problem& problem) {
    ++runs_;
    const bool has_pools = problem.constraints() != nullptr &&
                           !problem.constraints()->pools.empty();
    std::vector<uint64_t> places(problem.size());
    places.insert(places.end(), std::begin(kGuard), std::end(kGuard));
    std::vector<uint32_t> pools(has_pools ? problem.size() : 0);
    const stowage_problem handle(problem);
    stowage_code code = STOWAGE_OK;
    std::string thrown;
    CallBack(
        [&] {
          code = function_(context_, &handle, places.data(),
                           has_pools ? pools.data() : nullptr);
        },
        &thrown);
    if (!thrown.empty()) return DataLossError(thrown);
    if (!std::equal(std::begin(kGuard), std::end(kGuard),
                    places.data() + problem.size())) {
      return DataLossError(StrCat("the planner wrote more than ",
                                  problem.size(),
                                  " places for as many records"));
    }
    if (code != STOWAGE_OK) return ErrorOf(code);
    places.resize(problem.size());
    return SolutionOfPlaces(problem, std::move(places), std::move(pools));
  }

 private:
  // Guards that follow the last place. They show whether the function has
  // written too far. Their values differ, because the function might by chance
  // write the value of one guard: for example, -1 often marks a missing offset,
  // and 0 is an ordinary offset.
  static constexpr uint64_t kGuard[] = {0x5ca1ab1edeadbea7,
                                        std::numeric_limits<uint64_t>::max(), 0,
                                        0xbe11f00d0ddba115};

  Status ErrorOf(stowage_code code) const {
    const Status status = ErrorOfStrategy(code);
    const char* reason = nullptr;
    std::string thrown;
    if (reason_ != nullptr) {
      CallBack([&] { reason = reason_(context_); }, &thrown);
    }
    return reason == nullptr ? status : Status(status.code(), reason);
  }

  stowage_strategy_fn function_;
  void* context_;
  stowage_test_reason_fn reason_;
  uint64_t runs_ = 0;
};

// Returns the properties that every correct planner has, followed by the
// properties that the options claim. Error: NotFound for an unknown claim.
template <typename PropertyT, typename FindFn>
StatusOr<std::vector<PropertyT>> PropertiesWith(
    Span<const PropertyT> all, const stowage_test_options& options,
    FindFn find) {
  std::vector<PropertyT> properties(all.begin(), all.end());
  for (uint64_t i = 0; i < options.claim_count; ++i) {
    const StatusOr<PropertyT> claim = find(options.claims[i]);
    if (!claim.ok()) return claim.status();
    properties.push_back(*claim);
  }
  return properties;
}

using Found = StatusOr<optional<testing::Failure>>;

Found FindInObjects(CallerPlanner* planner, const stowage_test_options& options,
                    const testing::SearchForFailure& search) {
  const auto properties = PropertiesWith(
      testing::AllObjectsProperties(), options, &testing::FindObjectsProperty);
  if (!properties.ok()) return properties.status();
  const testing::ObjectsPlanFn plan =
      [planner](const Problem& problem) -> StatusOr<ObjectsAssignment<size_t>> {
    const StatusOr<Solution> solution = planner->Plan(problem);
    if (!solution.ok()) return solution.status();
    return *solution->objects();
  };
  return testing::FindFailure(plan, search, *properties);
}

Found FindInOffsets(CallerPlanner* planner, const stowage_test_options& options,
                    const testing::SearchForFailure& search,
                    const std::atomic<bool>* cancelled) {
  const testing::PlanFn plan =
      [planner](const Problem& problem) -> StatusOr<OffsetsAssignment> {
    const StatusOr<Solution> solution = planner->Plan(problem);
    if (!solution.ok()) return solution.status();
    return *solution->offsets();
  };
  if (options.features != 0) {
    testing::SearchForProblem problems = SearchOfProblems(options);
    problems.cancelled = cancelled;
    return testing::FindFailure(plan, problems);
  }
  const auto properties =
      PropertiesWith(testing::AllProperties(), options, &testing::FindProperty);
  if (!properties.ok()) return properties.status();
  return testing::FindFailure(plan, search, *properties);
}

// Fills in the texts of the report on a failed test.
void Describe(const stowage_test_options& options,
              stowage_test_report* report) {
  const testing::Failure& failure = *report->failure;
  report->property = std::string(failure.property);
  report->sentence = std::string(failure.sentence);
  report->message = std::string(failure.status.message());
  report->description = testing::Describe(failure);
  report->replay = StrCat("options.seed = ", options.seed,
                          "; options.first = ", failure.traces - 1,
                          "; options.samples = 1;");
}

Status TestPlanner(stowage_strategy_fn function, void* context,
                   const stowage_test_options* given,
                   stowage_test_report** report) {
  Status s = CheckPointer(report, "report");
  if (!s.ok()) return s;
  if (function == nullptr) {
    return InvalidArgumentError("planner: null; expected a function");
  }
  const StatusOr<stowage_test_options> options = ReadTestOptions(given);
  if (!options.ok()) return options.status();
  StatusOr<testing::SearchForFailure> search = SearchOfRecords(*options);
  if (!search.ok()) return search.status();
  // Copies the pointer, so that a callback may free the token.
  std::shared_ptr<std::atomic<bool>> cancelled;
  if (options->cancel != nullptr) cancelled = options->cancel->is_cancelled;
  search->cancelled = cancelled.get();
  CallerPlanner planner(function, context, options->reason);
  Found found =
      options->kind == STOWAGE_OBJECTS
          ? FindInObjects(&planner, *options, *search)
          : FindInOffsets(&planner, *options, *search, cancelled.get());
  if (!found.ok()) return found.status();
  auto made = std::make_unique<stowage_test_report>();
  made->failure = *std::move(found);
  made->is_cancelled = cancelled != nullptr && *cancelled;
  made->runs = planner.runs();
  if (made->failure) Describe(*options, made.get());
  *report = made.release();
  return OkStatus();
}

stowage_test_summary SummaryOf(const stowage_test_report& report) {
  stowage_test_summary summary = {};
  summary.is_cancelled = report.is_cancelled ? 1 : 0;
  summary.runs = report.runs;
  if (!report.failure) return summary;
  summary.has_failed = 1;
  summary.sample = report.failure->traces - 1;
  summary.property = report.property.c_str();
  summary.sentence = report.sentence.c_str();
  summary.message = report.message.c_str();
  summary.description = report.description.c_str();
  summary.replay = report.replay.c_str();
  return summary;
}

Status ProblemOf(const stowage_test_report* report, uint32_t which,
                 stowage_problem** problem) {
  Status s = CheckPointer(problem, "problem");
  if (s.ok()) s = CheckHandle(report, "report");
  if (!s.ok()) return s;
  if (which > STOWAGE_TEST_FOUND) {
    return InvalidArgumentError(
        StrCat("which: ", which, "; expected at most ", STOWAGE_TEST_FOUND));
  }
  if (!report->failure) {
    return FailedPreconditionError("report: no property has failed");
  }
  const testing::Failure& failure = *report->failure;
  auto checked =
      Problem::Create(which == STOWAGE_TEST_SMALLEST ? failure.smallest
                      : which == STOWAGE_TEST_ASKED  ? failure.asked
                                                     : failure.found);
  if (!checked.ok()) return checked.status();
  *problem = new stowage_problem(*std::move(checked));
  return s;
}

}  // namespace
}  // namespace stowage::c_api

namespace c_api = stowage::c_api;

extern "C" {

stowage_code stowage_test_planner(stowage_strategy_fn planner, void* context,
                                  const stowage_test_options* options,
                                  stowage_test_report** report,
                                  stowage_error* error) {
  if (report != nullptr) *report = nullptr;
  return c_api::AtBorder(error, [&] {
    return c_api::TestPlanner(planner, context, options, report);
  });
}

void stowage_test_report_free(stowage_test_report* report) { delete report; }

stowage_code stowage_test_report_summary(const stowage_test_report* report,
                                         stowage_test_summary* summary,
                                         stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(report, "report");
    if (s.ok()) s = c_api::CheckSized(summary, "summary");
    if (s.ok()) c_api::WriteSized(c_api::SummaryOf(*report), summary);
    return s;
  });
}

stowage_code stowage_test_report_problem(const stowage_test_report* report,
                                         uint32_t which,
                                         stowage_problem** problem,
                                         stowage_error* error) {
  if (problem != nullptr) *problem = nullptr;
  return c_api::AtBorder(
      error, [&] { return c_api::ProblemOf(report, which, problem); });
}

}  // extern "C"
