// SPDX-License-Identifier: Apache-2.0
// Solves a problem with various choices of groups, one after another, and keeps
// the best plan. The caller (group_choice.h) decides which choices to try.
#ifndef STOWAGE_SRC_PLAN_GROUP_ATTEMPTS_H_
#define STOWAGE_SRC_PLAN_GROUP_ATTEMPTS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "src/model/watch.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/constraints.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

using Places = std::vector<RecordPlace>;

// The value of the bound if the problem has no plan.
inline constexpr size_t kNoChoiceHasPlan = std::numeric_limits<size_t>::max();

// Dissolves groups of one record, and renumbers the other groups from 0.
Places Tidied(Places places);

// Dissolves groups of one record. A group must not start below byte 0, so its
// record cannot be below its displacement within the group. When the group is
// dissolved, the displacement therefore becomes a minimum offset of the record.
void RaiseLeastOffsets(Places* places);

class GroupAttempts final : private Observer {
 public:
  // The arguments must outlive the object.
  GroupAttempts(const Problem& problem, const Strategy& strategy,
                const SolveOptions& options);

  // Solves the problem with the groups of `places`, within half of the
  // remaining limits. `copied` is the number of bytes that need not be copied
  // because of these groups. Keeps the plan if it is better than the best plan
  // so far, or if it is equally good and `copied` is larger. Returns whether
  // the plan was kept.
  //
  // If the problem has same_or_apart pairs, plans that could not be kept are
  // excluded by a bound or by a capacity. If the strategy cannot solve the
  // problem, or if a sum of displacements overflows, returns false rather than
  // an error. Errors: those of Problem::Create and Solve.
  StatusOr<bool> Try(const Places& places, uint64_t copied);

  // Returns whether no further attempt is needed or possible, because the best
  // plan is proved to be the smallest, because it suffices, or because the
  // limits are used up.
  bool IsDone();
  // Returns whether the time limit has not been reached and the observer wants
  // the search to continue.
  bool MayGoOn() { return KeepGoing() && TimeLeftNs() != 0; }

  // Returns the spec of the problem without its choices and labels.
  const ProblemSpec& spec() const { return spec_; }
  // Returns the best solution, or nothing if every attempt was rejected.
  const optional<Solution>& best() const { return best_; }
  // Returns AlignedLowerBound of the problem, which holds for every choice.
  size_t least() const { return least_; }
  // Returns the sum of SharedPlace::copied over the pairs that share one place
  // in the best solution.
  uint64_t copied() const { return copied_; }
  // Returns a lower bound on the totals of the plans of the last attempt, in
  // bytes: kNoChoiceHasPlan if that attempt has no plan, and 0 if that attempt
  // was rejected.
  size_t last_bound() const { return last_bound_; }
  // Returns the error of the first rejected attempt; OK if there is none.
  const Status& refusal() const { return refusal_; }
  size_t problems() const { return problems_; }

  // Returns the best solution, with a status and a bound that hold for all
  // choices. Requires a best solution. Also requires a proof that no choice has
  // a plan below `bound_of_all` bytes; pass 0 if nothing is proved.
  Solution Finished(size_t bound_of_all);

 private:
  int64_t TimeLeftNs() const {
    return TimeLeft(options_.time_limit_ns, NanosecondsSince(begin_));
  }
  // Returns the largest total with which a plan would be kept, or nothing if
  // the attempt needs no such limit.
  optional<size_t> MaxTotal(uint64_t copied) const;
  bool Refuse(const Status& error);
  SolveOptions OptionsLeft();
  bool OnProgress(const SearchProgress& progress) override;
  bool KeepGoing() override;
  void TakeKnownBound();
  void TakeBoundOfChoices(size_t bound_of_all);
  void DropClaims(SolutionStatus status);

  const ProblemSpec spec_;
  const bool has_pairs_;
  const Strategy& strategy_;
  const SolveOptions& options_;
  const std::chrono::steady_clock::time_point begin_ =
      std::chrono::steady_clock::now();
  const LowerBound bound_;  // a bound that holds for every choice
  // The result of AlignedLowerBound, which also holds for every choice.
  const size_t least_;
  optional<Solution> best_;
  Places best_places_;
  uint64_t copied_ = 0;
  size_t last_bound_ = 0;
  Status refusal_;
  int64_t time_ns_ = 0;
  uint64_t nodes_ = 0;
  size_t problems_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_GROUP_ATTEMPTS_H_
