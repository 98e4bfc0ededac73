// SPDX-License-Identifier: Apache-2.0
#include "src/kit/failure_search.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "src/kit/failure_kind.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/problem.h"
#include "stowage/testing/shrink.h"
#include "stowage/testing/specs.h"

namespace stowage::testing {
namespace {

// The verdicts of the properties that were checked on one trace, in order.
struct TraceResult {
  std::vector<std::pair<size_t, PropertyVerdict>> verdicts;
  // False if the search had to stop during this trace.
  bool is_complete = false;
};

// Checks the properties on a trace. Stops at the first failure unless
// `keep_going` is set.
TraceResult CheckTrace(PlannerUnderTest* planner, const ProblemSpec& spec,
                       bool keep_going) {
  TraceResult result;
  for (size_t p = planner->implicit_count(); p < planner->property_count();
       ++p) {
    if (planner->must_stop()) return result;
    PropertyVerdict verdict = planner->CheckProperty(p, spec);
    if (planner->must_stop()) return result;
    const bool is_last =
        !verdict.status.ok() && (!keep_going || verdict.property != p);
    result.verdicts.emplace_back(p, std::move(verdict));
    if (is_last) break;
  }
  result.is_complete = true;
  return result;
}

// Checks traces in parallel, and returns the results in the order of the
// traces.
class TraceQueue {
 public:
  TraceQueue(Span<PlannerUnderTest* const> planners,
             const FailureSearchOptions& options)
      : planners_(planners), options_(options) {
    if (planners.size() < 2) return;
    for (PlannerUnderTest* const planner : planners) {
      planner->set_interrupt(&is_over_);
      // If not all threads can be created, the existing threads do all the
      // work. If there is no thread at all, TakeResult() does the work.
      if (!StartThread(planner)) break;
    }
  }
  ~TraceQueue() {
    is_over_ = true;
    for (std::thread& thread : threads_) thread.join();
    for (PlannerUnderTest* const planner : planners_) {
      planner->set_interrupt(nullptr);
    }
  }
  TraceQueue(const TraceQueue&) = delete;
  TraceQueue& operator=(const TraceQueue&) = delete;

  // Returns the result of a trace. The first call must request trace 0, the
  // second call trace 1, and so on.
  TraceResult TakeResult(size_t trace) {
    if (threads_.empty()) {
      return CheckTrace(planners_[0], options_.make_trace(trace),
                        options_.keep_going);
    }
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return results_.count(trace) > 0; });
    TraceResult result = std::move(results_[trace]);
    results_.erase(trace);
    return result;
  }

 private:
  // Starts a thread for the planner. Returns false if the system cannot create
  // a thread. A build without exceptions terminates in that case.
  bool StartThread(PlannerUnderTest* planner) {
#ifdef __cpp_exceptions
    try {
      threads_.emplace_back([this, planner] { CheckTraces(planner); });
    } catch (const std::system_error&) {
      return false;
    }
#else
    threads_.emplace_back([this, planner] { CheckTraces(planner); });
#endif
    return true;
  }

  void CheckTraces(PlannerUnderTest* planner) {
    while (!is_over_) {
      const size_t trace = next_++;
      if (trace >= options_.traces) return;
      TraceResult result =
          CheckTrace(planner, options_.make_trace(trace), options_.keep_going);
      const std::lock_guard<std::mutex> lock(mutex_);
      results_[trace] = std::move(result);
      changed_.notify_all();
    }
  }

  Span<PlannerUnderTest* const> planners_;
  const FailureSearchOptions& options_;
  std::atomic<size_t> next_{0};
  std::atomic<bool> is_over_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<size_t, TraceResult> results_;  // is guarded by mutex_
  std::vector<std::thread> threads_;
};

class Deadline {
 public:
  explicit Deadline(std::chrono::nanoseconds time) : time_(time) {}

  bool IsPast() const {
    return std::chrono::steady_clock::now() - start_ >= time_;
  }

 private:
  const std::chrono::nanoseconds time_;
  const std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

class FailureSearch {
 public:
  FailureSearch(Span<PlannerUnderTest* const> planners,
                const FailureSearchOptions& options)
      : planners_(planners), planner_(*planners[0]), options_(options) {
    outcome_.properties.resize(planner_.property_count());
  }

  SearchOutcome Run() && {
    CheckTraces();
    if (outcome_.failure && !options_.keep_going) LookForPlainerFailure();
    if (!outcome_.failure && !must_stop_) CheckThatSomethingIsPlanned();
    if (outcome_.failure && !must_stop_ && options_.max_shrinks > 0 &&
        (outcome_.has_plan ||
         planner_.is_shrunk_without_plan(outcome_.failure->property,
                                         outcome_.failure->status))) {
      ShrinkFailure();
    }
    outcome_.is_stopped = must_stop_;
    return std::move(outcome_);
  }

 private:
  bool HasPlanned() const {
    return std::any_of(
        planners_.begin(), planners_.end(),
        [](const auto* planner) { return planner->has_planned(); });
  }

  void CheckTraces() {
    TraceQueue queue(planners_, options_);
    for (size_t trace = 0; trace < options_.traces && !is_done_; ++trace) {
      if (options_.on_trace) options_.on_trace(trace);
      TraceResult result = queue.TakeResult(trace);
      ++outcome_.traces;
      must_stop_ = !result.is_complete;
      is_done_ = must_stop_;
      AddResult(trace, &result);
    }
  }

  // Adds a result to the outcome, and moves the failures out of `result`.
  void AddResult(size_t trace, TraceResult* result) {
    bool has_implicit_failure = false;
    for (auto& [property, verdict] : result->verdicts) {
      outcome_.runs += verdict.runs;
      outcome_.has_plan = outcome_.has_plan || verdict.has_plan;
      if (verdict.status.ok()) {
        if (verdict.has_plan) ++outcome_.properties[property].traces;
        continue;
      }
      const bool is_implicit = verdict.property < planner_.implicit_count();
      has_implicit_failure = has_implicit_failure || is_implicit;
      is_done_ = is_done_ || is_implicit || !options_.keep_going;
      SetFailure(trace, std::move(verdict));
    }
    if (!result->is_complete || has_implicit_failure) return;
    for (size_t p = 0; p < planner_.implicit_count(); ++p) {
      ++outcome_.properties[p].traces;
    }
  }

  void SetFailure(size_t trace, PropertyVerdict verdict) {
    Status& first = outcome_.properties[verdict.property].status;
    if (first.ok()) first = verdict.status;
    if (outcome_.failure && outcome_.failure->property <= verdict.property) {
      return;
    }
    SearchFailure& failure = outcome_.failure.emplace();
    failure.property = verdict.property;
    failure.trace = trace;
    failure.found = std::move(verdict.found);
    failure.smallest = failure.found;
    failure.asked = std::move(verdict.asked);
    failure.status = std::move(verdict.status);
  }

  void LookForPlainerFailure() {
    if (options_.round == 0 || must_stop_) return;
    const size_t begin = outcome_.failure->trace + 1;
    const size_t end =
        std::min(options_.traces, (begin + options_.round - 1) /
                                      options_.round * options_.round);
    const size_t property_count = outcome_.failure->property;
    for (size_t p = planner_.implicit_count(); p < property_count; ++p) {
      for (size_t trace = begin; trace < end; ++trace) {
        PropertyVerdict verdict =
            planner_.CheckProperty(p, options_.make_trace(trace));
        must_stop_ = planner_.must_stop();
        if (must_stop_) return;
        outcome_.runs += verdict.runs;
        if (!verdict.status.ok()) return SetFailure(trace, std::move(verdict));
      }
    }
  }

  // Reports a failure if the planner has not planned any trace, because nothing
  // is known about the planner in that case.
  void CheckThatSomethingIsPlanned() {
    for (size_t i = 0; i < options_.traces && !HasPlanned(); ++i) {
      const ProblemSpec spec = options_.make_trace(i);
      if (spec.records.empty() || !IsPlannable(spec)) continue;
      Status status = planner_.PlanSpec(spec);
      ++outcome_.runs;
      must_stop_ = planner_.must_stop();
      if (must_stop_ || status.ok()) return;
      SearchFailure& failure = outcome_.failure.emplace();
      failure.property = planner_.property_count();
      failure.trace = i;
      failure.found = spec;
      failure.smallest = spec;
      failure.asked = spec;
      failure.status = std::move(status);
      return;
    }
  }

  // Repeats the failed check on the problem `spec`.
  PropertyVerdict CheckAgain(const ProblemSpec& spec) {
    const size_t property = outcome_.failure->property;
    if (property < planner_.property_count()) {
      PropertyVerdict verdict = planner_.CheckProperty(property, spec);
      outcome_.runs += verdict.runs;
      return verdict;
    }
    PropertyVerdict verdict;
    verdict.property = property;
    verdict.found = spec;
    if (spec.records.empty() || !IsPlannable(spec)) return verdict;
    ++outcome_.runs;
    verdict.status = planner_.PlanSpec(spec);
    verdict.asked = spec;
    return verdict;
  }

  // Returns whether the planner fails on `smaller` with the same property and
  // the same kind of message as in `failure`. If so, replaces `*failure` by the
  // new failure.
  bool FailsAlike(const ProblemSpec& smaller, SearchFailure* failure) {
    PropertyVerdict verdict = CheckAgain(smaller);
    must_stop_ = planner_.must_stop();
    if (must_stop_ || verdict.status.ok() ||
        verdict.property != failure->property ||
        FailureKind(verdict.status.message()) !=
            FailureKind(failure->status.message())) {
      return false;
    }
    // The records are taken from the verdict, because the check may have failed
    // on the records of an earlier call of the planner and not on `smaller`.
    failure->smallest = std::move(verdict.found);
    failure->asked = std::move(verdict.asked);
    failure->status = std::move(verdict.status);
    return true;
  }

  void ShrinkFailure() {
    if (options_.on_trace) options_.on_trace(options_.traces);
    // The original failure, followed by failures on smaller and smaller traces.
    std::vector<SearchFailure> failures = {*outcome_.failure};
    const Deadline deadline(options_.shrink_time);
    bool is_late = false;
    const auto still_fails = [&](const ProblemSpec& candidate) {
      is_late = is_late || deadline.IsPast();
      if (is_late || must_stop_) return false;
      SearchFailure failure = failures.back();
      if (!FailsAlike(candidate, &failure)) return false;
      failures.push_back(std::move(failure));
      return true;
    };
    const bool is_complete =
        Shrink(failures.back().found, still_fails, options_.max_shrinks)
            .is_complete;
    outcome_.failure = failures.back();
    if (must_stop_) return;
    outcome_.failure = LastThatStillFails(std::move(failures));
    outcome_.failure->shrink_end = is_late        ? ShrinkEnd::kTime
                                   : !is_complete ? ShrinkEnd::kAttempts
                                                  : ShrinkEnd::kSmallest;
    const bool has_none =
        outcome_.failure->property == planner_.property_count();
    if (!must_stop_ && has_none && HasPlanned()) outcome_.failure.reset();
  }

  // Returns the failure with the smallest trace on which the planner fails
  // again when it is called once more, or the original failure if there is no
  // such trace. A planner that depends on time or on earlier calls may pass on
  // a trace on which it has failed before.
  SearchFailure LastThatStillFails(std::vector<SearchFailure> failures) {
    const Deadline deadline(options_.shrink_time);
    SearchFailure last = failures.back();
    for (size_t i = failures.size(); i-- > 1;) {
      SearchFailure failure = std::move(failures[i]);
      if (FailsAlike(ProblemSpec(failure.smallest), &failure)) return failure;
      if (must_stop_) return last;
      if (deadline.IsPast()) break;
    }
    return std::move(failures.front());
  }

  Span<PlannerUnderTest* const> planners_;
  PlannerUnderTest& planner_;
  const FailureSearchOptions& options_;
  SearchOutcome outcome_;
  bool is_done_ = false;
  bool must_stop_ = false;
};

}  // namespace

SearchOutcome RunFailureSearch(Span<PlannerUnderTest* const> planners,
                               const FailureSearchOptions& options) {
  return FailureSearch(planners, options).Run();
}

}  // namespace stowage::testing
