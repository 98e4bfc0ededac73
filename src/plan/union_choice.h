// SPDX-License-Identifier: Apache-2.0
// Chooses the pairs that share one place (Constraints::same_or_apart). This is
// a part of choosing groups (group_choice.h).
#ifndef STOWAGE_SRC_PLAN_UNION_CHOICE_H_
#define STOWAGE_SRC_PLAN_UNION_CHOICE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "src/bounds/conflicts.h"
#include "src/bounds/unions.h"
#include "src/plan/group_attempts.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"

namespace stowage {

class UnionChooser {
 public:
  // The arguments must outlive the object.
  UnionChooser(const Problem& problem, GroupAttempts* attempts);

  // Tries the groups of `places` after uniting all pairs that can be united and
  // are not left out, in the order of Unions::Candidates. Returns whether the
  // plan was kept. If the problem has no pairs, tries the groups unchanged.
  StatusOr<bool> Try(const Places& places);

  // Returns whether there are any pairs that can be united.
  bool CanUnite(const Places& places);

  // Leaves out one pair after another, and then all pairs, keeping each change
  // that makes the plan smaller. Then puts back one pair after another, keeping
  // each change that does not make the plan larger.
  Status Improve(const Places& places);

  // Tries every choice that may have a smaller plan, or a plan of equal size
  // with fewer bytes to copy. Does not finish if there are too many such
  // choices. If groups are optional, proves nothing and stops as soon as there
  // is a plan. If the problem has costs or pools, also stops as soon as there
  // is a plan, but proves that there is none if no choice has one.
  Status TryAll(const Places& places);

  // Returns a lower bound on the totals of the plans of all choices of pairs,
  // in bytes; 0 if nothing is proved.
  size_t bound_of_all() const {
    return relation_ ? std::max(bound_of_all_, attempts_->least()) : 0;
  }
  // Returns whether all units were compared so far (Unions). If not, there may
  // be choices that were not tried, so nothing is proved about all choices.
  bool has_compared_all() const { return has_compared_all_; }

 private:
  // The set of choices that agree on the first candidates.
  struct Branch {
    size_t decided = 0;               // the number of these candidates
    std::vector<size_t> united = {};  // the candidates that are united
  };

  // Returns the result of Unions::Candidates for these groups.
  const std::vector<UnionCandidate>& CandidatesOf(const Places& places);
  StatusOr<bool> TryUnited(const Unions& unions);
  Status LeaveOut(const Places& places,
                  const std::vector<UnionCandidate>& candidates);
  Status PutBack(const Places& places,
                 const std::vector<UnionCandidate>& candidates);
  Status Visit(const Places& places, const Branch& branch,
               std::vector<Branch>* open);
  size_t BoundOf(const Unions& unions, size_t decided) const;
  bool CannotImprove(size_t bound, const Unions& unions, size_t decided) const;

  const Problem& problem_;
  GroupAttempts* const attempts_;
  optional<rigid::Relation> relation_;  // is set if there are pairs
  std::set<size_t> left_out_;           // the first pairs of candidates
  // Maps each choice that was tried to a lower bound on its plans, or to 0 if
  // the attempt was rejected. The key consists of the group and the
  // displacement of every record.
  std::map<std::vector<uint64_t>, size_t> tried_;
  // Maps the groups that were tried to their candidates. The keys have the same
  // form as those of tried_.
  std::map<std::vector<uint64_t>, std::vector<UnionCandidate>> candidates_of_;
  std::vector<UnionCandidate> candidates_;  // of TryAll
  bool has_compared_all_ = true;
  size_t bound_of_all_ = 0;
  size_t least_open_ = 0;  // the least bound of all choices, in TryAll
};

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_UNION_CHOICE_H_
