// SPDX-License-Identifier: Apache-2.0
#include "src/construct/construct.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>  // NOLINT(build/c++11): held for an assignment
#include <numeric>
#include <thread>  // NOLINT(build/c++11): abseil has no ids
#include <utility>
#include <vector>

#include "src/base/run_on_threads.h"
#include "src/base/str_cat.h"
#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/best_fit.h"
#include "src/construct/bottom_left_pass.h"
#include "src/construct/local_peaks.h"
#include "src/construct/place_fixed.h"
#include "src/construct/placing_order.h"
#include "src/construct/stack_orders.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/string_view.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

constexpr PlacingKey kCongestion = PlacingKey::kCongestion;
constexpr PlacingKey kLifetime = PlacingKey::kLifetime;
constexpr PlacingKey kArea = PlacingKey::kArea;
constexpr PlacingKey kSize = PlacingKey::kSize;
constexpr PlacingKey kEarliness = PlacingKey::kEarliness;
constexpr PlacingKey kLateness = PlacingKey::kLateness;

constexpr PlacingKey kBroadestStep = PlacingKey::kBroadestStep;

// One way to construct a plan, with the order of the records.
struct Attempt {
  enum class Way { kPeaks, kFit, kBottomLeft };
  Way way;
  FewKeys order;
  // True for the best-fit attempts that take longest. Additional threads make
  // these attempts first.
  bool is_begun_beside = false;
};

// Returns the name for Solution::found_by.
string_view NameOf(Attempt::Way way) {
  switch (way) {
    case Attempt::Way::kPeaks:
      return "local peaks";
    case Attempt::Way::kBottomLeft:
      return "skyline dive";
    case Attempt::Way::kFit:
      return "best fit";
  }
  return "";
}

constexpr auto kDive = Attempt::Way::kBottomLeft;
constexpr auto kFit = Attempt::Way::kFit;
constexpr auto kPeaks = Attempt::Way::kPeaks;

// All attempts in their order, which was chosen by measurements on the recorded
// traces. Each bottom-left pass (kDive) makes the best plan of some traces, and
// the first pass makes the best plan of most large traces. On random records,
// the best fit that places the most congested records first comes closest to
// the lower bound: its excess over the bound is between a sixth and a half of
// the excess of the other attempts. The other best fits use the orders of
// ARENA_BEST_FIT, GREEDY_BY_BREADTH and GREEDY_BY_SIZE.
constexpr Attempt kAttempts[] = {
    {kDive, {3, {kCongestion, kArea, kLifetime}}},
    {kDive, {2, {kArea, kLifetime}}},
    {kFit, {2, {kCongestion, kLifetime}}},
    {kFit, {2, {kSize, kEarliness}}, /*is_begun_beside=*/true},
    {kDive, {2, {kLifetime, kCongestion}}},
    {kDive, {2, {kSize, kLifetime}}},
    {kDive, {2, {kEarliness, kLateness}}},
    {kDive, {2, {kLifetime, kSize}}},
    {kDive, {2, {kCongestion, kLifetime}}},
    {kFit, {3, {kCongestion, kBroadestStep, kSize}}},
    {kFit, {1, {kSize}}, /*is_begun_beside=*/true},
    {kPeaks, {1, {kArea}}},
    {kPeaks, {1, {kSize}}},
};

// Returns the maximum number of checks of records in one bottom-left pass.
uint64_t ChecksOfPass(const ConstructTuning& tuning, size_t records) {
  return std::min(
      tuning.checks_per_record * records,
      std::max(tuning.checks_per_pass, tuning.few_checks * records));
}

constexpr size_t kNoAttempt = std::numeric_limits<size_t>::max();

// A construction in progress.
class Construction {
 public:
  Construction(const Problem& problem, size_t enough,
               const ConstructEffort& effort, OffsetsAssignment* best)
      : problem_(problem),
        enough_(enough),
        effort_(effort),
        stop_(effort.stop == nullptr ? StopSignal() : *effort.stop),
        orders_(problem.records(), RanksOf(problem), stop_),
        best_(*best) {}

  void SweepInAllOrders();
  void MakeAttempts();

 private:
  bool IsDone() const { return best_.total_size <= enough_ || stop_.IsSet(); }
  void Report(string_view part, Span<const PlacingKey> order) const {
    if (!effort_.improved) return;
    effort_.improved(StrCat(part, " (order ", NameOf(order), ")"));
  }

  std::vector<const Attempt*> ChooseAttempts() const;
  void MakeAttemptsOf(bool is_caller);
  size_t NextAttempt(bool is_caller);
  optional<OffsetsAssignment> Make(size_t attempt, size_t limit) const;
  bool IsDear() const;
  void AbandonOthers();
  bool IsBetter(size_t attempt, size_t total) const;
  void ReportBest();

  const Problem& problem_;
  const size_t enough_;
  const ConstructEffort& effort_;
  const StopSignal stop_;
  const PlacingOrders orders_;
  OffsetsAssignment& best_;
  size_t swept_ = 0;  // the total before all attempts
  std::vector<const Attempt*> attempts_;

  std::mutex mutex_;                  // guards best_ and the members below
  std::vector<size_t> left_;          // indices of attempts_ that are not begun
  size_t best_attempt_ = kNoAttempt;  // the attempt that made best_, if one did
  size_t reported_ = kNoAttempt;      // the attempt reported last
  // One element for each attempt. The elements are atomic and need no mutex.
  std::vector<std::atomic<bool>> abandoned_;
};

void Construction::SweepInAllOrders() {
  if (problem_.has_fixed_offsets() || IsDone()) return;
  SweepInOrders(
      problem_.records(), RanksOf(problem_), problem_.alignments(), orders_,
      effort_.tuning.sweeps, enough_, stop_,
      [this](Span<const PlacingKey> order) { Report("peak sweep", order); },
      &best_);
}

// Returns the attempts that the effort allows. They are in the order of
// kAttempts, with two exceptions. With more than a few records, local peaks
// come first, since they improve the plan most. With many records, bottom-left
// passes come last, since they are then more expensive than best fit and often
// do not finish.
std::vector<const Attempt*> Construction::ChooseAttempts() const {
  const ConstructTuning& tuning = effort_.tuning;
  std::vector<const Attempt*> chosen;
  if (effort_.checks == 0) return chosen;
  uint64_t checks = effort_.checks;
  size_t passes = 0;
  size_t fits = 0;
  const uint64_t cost_of_pass = ChecksOfPass(tuning, problem_.size());
  for (const Attempt& attempt : kAttempts) {
    switch (attempt.way) {
      case Attempt::Way::kPeaks:
        if (tuning.peak_shares > 0) chosen.push_back(&attempt);
        break;
      case Attempt::Way::kFit:
        if (fits++ < tuning.fits) chosen.push_back(&attempt);
        break;
      case Attempt::Way::kBottomLeft:
        if (passes++ >= tuning.passes || checks < cost_of_pass) break;
        checks -= cost_of_pass;
        chosen.push_back(&attempt);
        break;
    }
  }
  const auto turn_of = [&](const Attempt* attempt) {
    switch (attempt->way) {
      case Attempt::Way::kPeaks:
        return problem_.size() > tuning.few_records ? 0 : 1;
      case Attempt::Way::kFit:
        return 1;
      case Attempt::Way::kBottomLeft:
        return problem_.size() >= tuning.many_records ? 2 : 1;
    }
    return 1;
  };
  std::vector<const Attempt*> in_turn;
  for (const int turn : {0, 1, 2}) {
    for (const Attempt* attempt : chosen) {
      if (turn_of(attempt) == turn) in_turn.push_back(attempt);
    }
  }
  return in_turn;
}

// Makes several attempts at the same time, one on each thread. The work limit
// of an attempt does not depend on the other attempts; their results only lower
// the total at which the attempt gives up. So an attempt gives up only if its
// plan cannot become the result. If IsDear returns true, however, an attempt
// may also be abandoned for lack of time.
void Construction::MakeAttempts() {
  attempts_ = ChooseAttempts();
  abandoned_ = std::vector<std::atomic<bool>>(attempts_.size());
  left_.resize(attempts_.size());
  std::iota(left_.begin(), left_.end(), size_t{0});
  swept_ = best_.total_size;
  const std::thread::id caller = std::this_thread::get_id();
  const size_t threads = std::max<size_t>(effort_.threads, 1);
  RunOnThreads(std::min(threads, std::max<size_t>(left_.size(), 1)), &stop_,
               [&] { MakeAttemptsOf(std::this_thread::get_id() == caller); });
  ReportBest();
}

void Construction::MakeAttemptsOf(bool is_caller) {
  while (true) {
    size_t attempt = 0;
    size_t limit = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      attempt = NextAttempt(is_caller);
      if (attempt == kNoAttempt || stop_.IsSet()) return;
      // If two plans have the same total, the plan of the earlier attempt is
      // better. An attempt that is earlier than the best one may therefore make
      // a plan of the same size as the best plan.
      limit = best_.total_size +
              (best_attempt_ != kNoAttempt && attempt < best_attempt_ ? 1 : 0);
    }
    optional<OffsetsAssignment> plan = Make(attempt, limit);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (plan && IsBetter(attempt, plan->total_size)) {
      best_ = *std::move(plan);
      best_attempt_ = attempt;
      AbandonOthers();
    }
    if (is_caller) ReportBest();
  }
}

// Returns the next attempt for a thread, or kNoAttempt if no attempt remains.
// The calling thread makes the attempts in order. Additional threads first make
// the attempts that take longest (Attempt::is_begun_beside), so that these
// finish early, and then continue in order as well.
size_t Construction::NextAttempt(bool is_caller) {
  const bool is_good = best_.total_size <= enough_;
  if (is_good && (best_attempt_ == kNoAttempt || IsDear())) return kNoAttempt;
  auto next = left_.begin();
  if (!is_caller && !is_good) {
    next = std::find_if(left_.begin(), left_.end(), [&](size_t k) {
      return attempts_[k]->is_begun_beside;
    });
    if (next == left_.end()) next = left_.begin();
  }
  if (next == left_.end() || (is_good && *next > best_attempt_)) {
    return kNoAttempt;
  }
  const size_t attempt = *next;
  left_.erase(next);
  return attempt;
}

// Returns whether further attempts are too expensive once some attempt was good
// enough. If so, the result of Construct depends on which attempt was good
// enough first: an earlier attempt would be preferred, but waiting for it would
// take too long.
bool Construction::IsDear() const {
  return stop_.deadline && problem_.size() > effort_.tuning.few_records;
}

// If the best plan is good enough, abandons all attempts that come after the
// attempt that made this plan. If further attempts are too expensive (IsDear),
// abandons all attempts.
void Construction::AbandonOthers() {
  if (best_.total_size > enough_) return;
  for (size_t k = 0; k < abandoned_.size(); ++k) {
    if (IsDear() || k > best_attempt_) abandoned_[k] = true;
  }
}

optional<OffsetsAssignment> Construction::Make(size_t attempt,
                                               size_t limit) const {
  const Attempt& self = *attempts_[attempt];
  const ConstructTuning& tuning = effort_.tuning;
  const bool is_bottom_left = self.way == Attempt::Way::kBottomLeft;
  StopSignal stop = stop_;
  stop.abandoned = &abandoned_[attempt];
  WorkLimit work(is_bottom_left ? ChecksOfPass(tuning, problem_.size())
                                : effort_.checks * tuning.stretches_per_check,
                 &stop);
  if (self.way == Attempt::Way::kPeaks) {
    // The limit is `swept_`, the total before all attempts, rather than the
    // best total so far. The limit determines which shares of `enough_` are
    // tried, so it must not depend on other threads, as the best total does.
    return PlanAroundLocalPeaks(
        problem_, orders_, self.order.span(),
        {enough_, swept_, tuning.peak_shares, tuning.sweeps}, stop, &work);
  }
  const auto order = orders_.By(self.order.span());
  if (!order) return nullopt;
  return is_bottom_left ? PlaceBottomLeft(problem_, *order, limit, &work)
                        : PlaceBestFit(problem_, *order, limit, &work);
}

// Returns whether a plan of `total` bytes from `attempt` is better than best_.
// A plan that is good enough is better than a plan that is not. If both plans
// are good enough, the plan of the earlier attempt is better. If neither is,
// the smaller plan is better, and the plan of the earlier attempt in case of a
// tie. The result does not depend on which attempt finished first.
bool Construction::IsBetter(size_t attempt, size_t total) const {
  const bool is_good = total <= enough_;
  if (is_good != (best_.total_size <= enough_)) return is_good;
  if (best_attempt_ == kNoAttempt) return total < best_.total_size;
  if (is_good || total == best_.total_size) return attempt < best_attempt_;
  return total < best_.total_size;
}

void Construction::ReportBest() {
  if (best_attempt_ == reported_) return;
  reported_ = best_attempt_;
  const Attempt& attempt = *attempts_[best_attempt_];
  Report(NameOf(attempt.way), attempt.order.span());
}

}  // namespace

OffsetsAssignment StackAll(const Problem& problem) {
  OffsetsAssignment plan = PlaceFixed(problem);
  for (size_t i = 0; i < problem.size(); ++i) {
    const size_t size = problem.records()[i].tensor_size;
    if (size == 0 || problem.fixed_offset(i)) continue;
    plan.offsets[i] = AlignUp(plan.total_size, problem.alignments().Of(i));
    plan.total_size = plan.offsets[i] + size;
  }
  return plan;
}

void Construct(const Problem& problem, size_t enough,
               const ConstructEffort& effort, OffsetsAssignment* best) {
  if (problem.size() == 0) return;
  Construction construction(problem, enough, effort, best);
  construction.SweepInAllOrders();
  construction.MakeAttempts();
}

}  // namespace stowage
