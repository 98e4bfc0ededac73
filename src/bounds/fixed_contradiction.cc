// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/fixed_contradiction.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <tuple>
#include <vector>

#include "src/base/str_cat.h"
#include "stowage/base/span.h"
#include "stowage/lower_bound.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

// Sweeps over the bytes of the memory, from the lowest up, and keeps the
// records that hold the current byte, ordered by time. Up to the first
// violation, these records are disjoint in time. A new record that conflicts
// with any of them therefore conflicts with one of its two neighbors in time.
class FixedSweep {
 public:
  explicit FixedSweep(const Problem& problem)
      : problem_(problem), records_(problem.records()) {}

  optional<Violation> Run() {
    std::vector<size_t> by_begin;
    for (size_t i = 0; i < records_.size(); ++i) {
      if (problem_.fixed_offset(i) && records_[i].tensor_size > 0) {
        by_begin.push_back(i);
      }
    }
    std::vector<size_t> by_end = by_begin;
    Sort(&FixedSweep::BeginOf, &by_begin);
    Sort(&FixedSweep::EndOf, &by_end);
    size_t ended = 0;
    for (const size_t i : by_begin) {
      for (; EndOf(by_end[ended]) <= BeginOf(i); ++ended) {
        holding_.erase(records_[by_end[ended]].first_task);
      }
      const auto next = holding_.lower_bound(records_[i].first_task);
      if ((next != holding_.end() && ConflictsWith(i, next->second)) ||
          (next != holding_.begin() &&
           ConflictsWith(i, std::prev(next)->second))) {
        return OverlapOf(i);
      }
      holding_.emplace_hint(next, records_[i].first_task, i);
    }
    return nullopt;
  }

 private:
  // Sorts records by the result of `end_of` (BeginOf or EndOf), and by index if
  // the results are equal.
  void Sort(size_t (FixedSweep::*end_of)(size_t) const,
            std::vector<size_t>* list) const {
    std::sort(list->begin(), list->end(), [&](size_t a, size_t b) {
      return std::make_tuple((this->*end_of)(a), a) <
             std::make_tuple((this->*end_of)(b), b);
    });
  }

  size_t BeginOf(size_t i) const { return *problem_.fixed_offset(i); }
  size_t EndOf(size_t i) const { return BeginOf(i) + records_[i].tensor_size; }
  bool ConflictsWith(size_t a, size_t b) const {
    return Conflict(records_[a], records_[b]);
  }

  // Returns the overlap of record `i` with another record that holds the byte
  // at which record `i` begins. If several such records conflict with record
  // `i`, the overlap is the one with the lowest index.
  Violation OverlapOf(size_t i) const {
    size_t other = records_.size();
    for (const auto& [first_task, holder] : holding_) {
      if (ConflictsWith(i, holder)) other = std::min(other, holder);
    }
    Violation violation;
    violation.kind = Violation::Kind::kOverlappingBytes;
    violation.first_tensor = std::min(i, other);
    violation.second_tensor = std::max(i, other);
    violation.task =
        std::max(records_[i].first_task, records_[other].first_task);
    violation.begin = std::max(BeginOf(i), BeginOf(other));
    violation.end = std::min(EndOf(i), EndOf(other));
    return violation;
  }

  const Problem& problem_;
  const Span<const ByteRecord> records_;
  std::map<TaskId, size_t> holding_;  // first task -> record
};

}  // namespace

optional<Solution> FindFixedContradiction(const Problem& problem) {
  if (!problem.has_fixed_offsets()) return nullopt;
  const optional<Violation> violation = FixedSweep(problem).Run();
  if (!violation) return nullopt;
  Solution solution;
  solution.status = SolutionStatus::kInfeasible;
  solution.lower_bound = LowerBoundOf(problem).bytes;
  solution.bound_proof = LowerBoundOf(problem).proof;
  solution.conflict = {violation->first_tensor, violation->second_tensor};
  // The conflict is irreducible if each of the two records can be placed at its
  // fixed offset without the other one, that is, if neither record ends beyond
  // the capacity.
  solution.conflict_is_irreducible = std::all_of(
      solution.conflict.begin(), solution.conflict.end(), [&](size_t i) {
        return !problem.capacity() ||
               *problem.fixed_offset(i) + problem.records()[i].tensor_size <=
                   *problem.capacity();
      });
  solution.reason = StrCat("at fixed offsets, ", Describe(*violation, problem));
  return solution;
}

}  // namespace stowage
