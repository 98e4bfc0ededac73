// SPDX-License-Identifier: Apache-2.0
// Solves a problem with one choice of groups after the other, and keeps the
// best plan. The caller (group_choice.h) decides which choices are tried.
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

// The bound of a problem that has no plan.
inline constexpr size_t kNoChoiceHasPlan = std::numeric_limits<size_t>::max();

// Removes groups of one record, and numbers the other groups from 0.
Places Tidied(Places places);

// Removes groups of one record. A group must not start below byte 0, so its
// record cannot lie below its distance from the start. When the group is
// removed, this distance becomes a lowest offset of the record.
void RaiseLeastOffsets(Places* places);

class GroupAttempts final : private Observer {
 public:
  // The arguments must outlive the object.
  GroupAttempts(const Problem& problem, const Strategy& strategy,
                const SolveOptions& options);

  // Solves the problem with the groups of `places`, within half of the
  // remaining limits. `copied` is the number of bytes that these groups save
  // from being copied. Keeps the plan if it is better than the best one, or if
  // it is equally good and `copied` is larger. Returns whether the plan was
  // kept. If the problem has pairs of same_or_apart, plans that cannot be kept
  // are excluded by a bound or by a capacity. If the strategy cannot solve the
  // problem, or if a sum of displacements overflows, returns false and no
  // error. Errors: those of Problem::Create and Solve.
  StatusOr<bool> Try(const Places& places, uint64_t copied);

  // Returns whether no further attempt is needed or possible: the best plan is
  // proved to be the smallest or sufficient, or the limits are used up.
  bool IsDone();
  // Returns whether the time limit has not been reached, and the observer wants
  // the work to go on.
  bool MayGoOn() { return KeepGoing() && TimeLeftNs() != 0; }

  // Returns the problem without choices and without labels.
  const ProblemSpec& spec() const { return spec_; }
  // Returns the best solution, or nothing if every attempt was refused.
  const optional<Solution>& best() const { return best_; }
  // Returns AlignedLowerBound of the problem, which holds for every choice.
  size_t least() const { return least_; }
  // Returns the sum of SharedPlace::copied over the pairs that are in one place
  // in the best solution.
  uint64_t copied() const { return copied_; }
  // Returns a lower bound of the plans of the last attempt, in bytes. The bound
  // is kNoChoiceHasPlan if the attempt has no plan, and 0 if the attempt was
  // refused.
  size_t last_bound() const { return last_bound_; }
  // Returns the first error of an attempt that was refused.
  const Status& refusal() const { return refusal_; }
  size_t problems() const { return problems_; }

  // Returns the best solution, with a status and a bound that hold for all
  // choices. Requires a best solution, and a proof that no choice has a plan
  // below `bound_of_all` bytes. Pass 0 if nothing is proved.
  Solution Finished(size_t bound_of_all);

 private:
  int64_t TimeLeftNs() const {
    return TimeLeft(options_.time_limit_ns, NanosecondsSince(begin_));
  }
  // Returns the largest total with which a plan would be kept. Returns nothing
  // if the attempt needs no such limit.
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
  // The result of AlignedLowerBound, which holds for every choice, too.
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
