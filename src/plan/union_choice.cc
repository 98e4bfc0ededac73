// SPDX-License-Identifier: Apache-2.0
#include "src/plan/union_choice.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stowage/constraints.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {
namespace {

// The maximum number of candidates that are left out or put back one by one.
constexpr size_t kMaxOneByOne = 64;
// The maximum number of branches that TryAll visits, and the maximum total
// number of records in these branches.
constexpr size_t kMaxBranches = 1024;
constexpr size_t kMaxRecordsInBranches = size_t{1} << 22;

std::vector<uint64_t> KeyOf(const Places& places) {
  std::vector<uint64_t> key;
  for (const RecordPlace& place : places) {
    key.push_back(place.group);
    key.push_back(place.at);
  }
  return key;
}

}  // namespace

UnionChooser::UnionChooser(const Problem& problem, GroupAttempts* attempts)
    : problem_(problem), attempts_(attempts) {
  const Constraints* const constraints = problem.constraints();
  if (constraints != nullptr && !constraints->same_or_apart.empty()) {
    relation_.emplace(problem);
  }
}

StatusOr<bool> UnionChooser::Try(const Places& places) {
  if (!relation_) return attempts_->Try(places, 0);
  const std::vector<SharedPlace>& pairs = problem_.constraints()->same_or_apart;
  Unions unions(problem_, *relation_, places);
  for (const UnionCandidate& candidate : CandidatesOf(places)) {
    const size_t first = candidate.pairs.front();
    if (left_out_.count(first) == 0) unions.Unite(pairs[first]);
  }
  return TryUnited(unions);
}

bool UnionChooser::CanUnite(const Places& places) {
  return relation_ && !CandidatesOf(places).empty();
}

Status UnionChooser::Improve(const Places& places) {
  const std::vector<UnionCandidate>& candidates = CandidatesOf(places);
  if (Status s = LeaveOut(places, candidates); !s.ok()) return s;
  return PutBack(places, candidates);
}

const std::vector<UnionCandidate>& UnionChooser::CandidatesOf(
    const Places& places) {
  auto [known, is_new] = candidates_of_.try_emplace(KeyOf(places));
  if (is_new) {
    Unions unions(problem_, *relation_, places);
    known->second = unions.Candidates();
    has_compared_all_ = has_compared_all_ && unions.has_compared_all();
  }
  return known->second;
}

StatusOr<bool> UnionChooser::TryUnited(const Unions& unions) {
  const Places places = Tidied(unions.Places());
  const auto [tried, is_new] = tried_.try_emplace(KeyOf(places), 0);
  if (!is_new) return false;
  StatusOr<bool> is_kept = attempts_->Try(places, unions.Copied());
  tried->second = attempts_->last_bound();
  return is_kept;
}

Status UnionChooser::LeaveOut(const Places& places,
                              const std::vector<UnionCandidate>& candidates) {
  const size_t count = std::min(candidates.size(), kMaxOneByOne);
  // Candidates that save the fewest bytes come first. If every attempt was
  // rejected, for example because the strategy does not support groups, there
  // is no best solution to improve, and the loop does nothing.
  for (size_t k = 1; k <= count && attempts_->best(); ++k) {
    if (attempts_->IsDone()) break;
    const size_t first = candidates[candidates.size() - k].pairs.front();
    left_out_.insert(first);
    const StatusOr<bool> is_kept = Try(places);
    if (!is_kept.ok()) return is_kept.status();
    if (!*is_kept) left_out_.erase(first);
  }
  if (attempts_->IsDone()) return OkStatus();
  std::set<size_t> all;
  for (const UnionCandidate& candidate : candidates) {
    all.insert(candidate.pairs.front());
  }
  std::swap(left_out_, all);
  const StatusOr<bool> is_kept = Try(places);
  if (!is_kept.ok()) return is_kept.status();
  if (!*is_kept) std::swap(left_out_, all);
  return OkStatus();
}

Status UnionChooser::PutBack(const Places& places,
                             const std::vector<UnionCandidate>& candidates) {
  size_t count = 0;
  for (const UnionCandidate& candidate : candidates) {
    const size_t first = candidate.pairs.front();
    if (left_out_.count(first) == 0) continue;
    if (++count > kMaxOneByOne || !attempts_->MayGoOn()) break;
    left_out_.erase(first);
    const StatusOr<bool> is_kept = Try(places);
    if (!is_kept.ok()) return is_kept.status();
    if (!*is_kept) left_out_.insert(first);
  }
  return OkStatus();
}

Status UnionChooser::TryAll(const Places& places) {
  const Constraints& constraints = *problem_.constraints();
  const bool is_provable = !problem_.groups_are_optional() &&
                           constraints.prefer_apart.empty() &&
                           constraints.pools.empty();
  candidates_ = CandidatesOf(places);
  least_open_ = kNoChoiceHasPlan;
  std::vector<Branch> open = {Branch{}};
  const size_t max_branches =
      std::min(kMaxBranches,
               kMaxRecordsInBranches / std::max<size_t>(1, problem_.size()));
  for (size_t branches = 0; !open.empty(); ++branches) {
    const bool has_plan = attempts_->best() && attempts_->best()->has_plan();
    if (branches == max_branches || attempts_->IsDone() ||
        !attempts_->MayGoOn() || (has_plan && !is_provable)) {
      return OkStatus();
    }
    const Branch branch = std::move(open.back());
    open.pop_back();
    if (Status s = Visit(places, branch, &open); !s.ok()) return s;
  }
  // If totals are not minimized, the bounds of choices prove nothing about the
  // plans of all choices, except that there are none.
  const optional<size_t> capacity = problem_.capacity();
  const bool has_none =
      least_open_ == kNoChoiceHasPlan || (capacity && least_open_ > *capacity);
  if (has_compared_all_ &&
      (is_provable || (has_none && !problem_.groups_are_optional()))) {
    bound_of_all_ = least_open_;
  }
  return OkStatus();
}

// Excludes the branch, tries its only choice, or splits the branch in two.
Status UnionChooser::Visit(const Places& places, const Branch& branch,
                           std::vector<Branch>* open) {
  const std::vector<SharedPlace>& pairs = problem_.constraints()->same_or_apart;
  Unions unions(problem_, *relation_, places);
  for (const size_t c : branch.united) {
    // If a candidate cannot be united, this branch contains no choices.
    if (!unions.Unite(pairs[candidates_[c].pairs.front()])) {
      has_compared_all_ = has_compared_all_ && unions.has_compared_all();
      return OkStatus();
    }
  }
  const size_t bound = BoundOf(unions, branch.decided);
  if (CannotImprove(bound, unions, branch.decided)) {
    least_open_ = std::min(least_open_, bound);
    return OkStatus();
  }
  if (branch.decided < candidates_.size()) {
    Branch next = branch;
    ++next.decided;
    open->push_back(next);
    next.united.push_back(branch.decided);
    open->push_back(std::move(next));
    return OkStatus();
  }
  const StatusOr<bool> is_kept = TryUnited(unions);
  if (!is_kept.ok()) return is_kept.status();
  least_open_ = std::min(least_open_, tried_[KeyOf(Tidied(unions.Places()))]);
  return OkStatus();
}

// Returns a lower bound for all choices in which the current units remain
// united, and in which the candidates from number `decided` on may be united.
size_t UnionChooser::BoundOf(const Unions& unions, size_t decided) const {
  ProblemSpec spec = attempts_->spec();
  spec.constraints.places = Tidied(unions.Places());
  for (size_t c = decided; c < candidates_.size(); ++c) {
    for (const size_t p : candidates_[c].pairs) {
      const SharedPlace& pair = problem_.constraints()->same_or_apart[p];
      if (!unions.AreInOneUnit(pair) || unions.AreInOnePlace(pair)) {
        spec.constraints.same_or_apart.push_back(pair);
      }
    }
  }
  const StatusOr<Problem> problem = Problem::Create(std::move(spec));
  return problem.ok() ? AlignedLowerBound(*problem) : 0;
}

// Returns whether no choice in a branch with this bound is better than the best
// solution.
bool UnionChooser::CannotImprove(size_t bound, const Unions& unions,
                                 size_t decided) const {
  const optional<Solution>& best = attempts_->best();
  const optional<size_t> capacity = problem_.capacity();
  if (!best || !best->has_plan()) return capacity && bound > *capacity;
  if (bound != best->total_size) return bound > best->total_size;
  // Count only candidates that are united or undecided. A pair of any other
  // candidate may also happen to share one place, but that choice belongs to
  // another branch.
  uint64_t copied = unions.Copied();
  for (size_t c = decided; c < candidates_.size(); ++c) {
    for (const size_t p : candidates_[c].pairs) {
      const SharedPlace& pair = problem_.constraints()->same_or_apart[p];
      if (!unions.AreInOnePlace(pair)) copied += pair.copied;
    }
  }
  return copied <= attempts_->copied();
}

}  // namespace stowage
