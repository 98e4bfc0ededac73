// SPDX-License-Identifier: Apache-2.0
// Implements a second verifier, with which tests compare the verifier in
// verify.h. The second verifier examines every byte of every pair of records,
// so it is simple enough that mistakes are unlikely. All other tests use
// verify.h.
//
// Requires small offsets and sizes; a check takes O(n^2 * bytes).
#ifndef STOWAGE_TESTS_SUPPORT_PAINTER_H_
#define STOWAGE_TESTS_SUPPORT_PAINTER_H_

#include <cstddef>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/problem.h"
#include "stowage/verify.h"

namespace stowage::support {

class Painter {
 public:
  // Creates a painter for a plan. Requires that both arguments outlive the
  // painter and that Problem::Create accepts the spec.
  Painter(const ProblemSpec& spec, const OffsetsAssignment& plan);

  // Returns whether the plan satisfies all constraints.
  bool IsSafe() const;
  // Returns whether the plan really has this violation.
  bool IsTrue(const Violation& violation) const;

 private:
  size_t PoolOf(size_t i) const;
  bool HasBytes(size_t i, size_t begin, size_t end) const;
  bool HasPlaces() const;
  bool IsInArena() const;
  bool IsInPlace(size_t i) const;
  bool MayUsePool(size_t i) const;
  bool AreInOneGroup(size_t a, size_t b) const;
  bool IsGroupWhole(size_t a, size_t b) const;
  bool IsInHole(size_t i, const Hole& hole) const;
  bool Share(size_t a, size_t b) const;
  bool AreApart(size_t a, size_t b) const;
  bool AreNeverLiveTogether(size_t a, size_t b) const;
  bool MayLieInOnePlace(size_t a, size_t b) const;
  bool Conflict(size_t a, size_t b) const;
  bool PrecedesAll(size_t a, size_t b) const;
  bool IsPairSafe(size_t a, size_t b) const;
  bool IsTrueOfPlace(const Violation& v) const;
  bool IsTrueOfRange(const Violation& v) const;
  bool IsTrueOfPair(const Violation& v) const;
  bool IsTrueOfOrder(const Violation& v) const;
  bool Uses(size_t record, TaskId task) const;
  size_t EndOf(size_t i) const;
  size_t Highest(size_t pool) const;

  const ProblemSpec& spec_;
  const Constraints& constraints_;
  const OffsetsAssignment& plan_;
  std::vector<std::vector<bool>> precedes_;  // empty without a partial order
};

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_PAINTER_H_
