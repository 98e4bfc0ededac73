// SPDX-License-Identifier: Apache-2.0
// Checks whether plans are safe. Each check returns a Violation, which is a
// witness that the plan is unsafe, or nullopt if the plan is safe.
//
// Every plan that the library returns has passed FindViolation; call it
// yourself for plans of any other origin. The check is independent: it shares
// no code with any strategy.
//
//   if (auto violation = FindViolation(records, assignment)) {
//     std::cerr << Describe(*violation) << "\n";
//     // tensor 3 and tensor 7 both hold bytes [64, 128) at task 5
//   }
//
// A tensor of 0 bytes occupies no byte and therefore conflicts with no other
// tensor, but its offset must still be within the arena.
#ifndef STOWAGE_VERIFY_H_
#define STOWAGE_VERIFY_H_

#include <cstddef>
#include <string>

#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/usage_record.h"

namespace stowage {

class Problem;

// The defect of a plan, and the tensors, bytes and tasks that prove it.
struct Violation {
  enum class Kind {
    kInvalidRecord,  // `first_tensor` ends before it starts
    // An alignment is not a power of two, or the number of alignments differs
    // from the number of records.
    kInvalidAlignment,
    kCountMismatch,   // the plan has `found` places for `expected` records
    kUnknownObject,   // the id of `first_tensor` is not below `expected`
    kObjectTooSmall,  // the object is smaller than `first_tensor`
    kMisaligned,      // `begin` is not a multiple of `expected`
    // `first_tensor` ends beyond byte `expected`, the size of the arena, or
    // beyond 2^64 - 1. With pools, `expected` is the part of the total that is
    // left for the pool of `first_tensor`: the total minus the highest ends of
    // all pools with lower numbers.
    kBeyondArena,
    kOverlappingBytes,  // both tensors hold bytes [begin, end) at `task`
    kSharedObject,      // both tensors hold one object at `task`
    kNotAtFixedOffset,  // `first_tensor` is not at its fixed offset `expected`
    // These kinds concern constraints (constraints.h):

    // Bytes [begin, end) of `first_tensor` are outside the range of this
    // tensor. `expected` is the limit that they violate: either the `min` of
    // the range, if `end` <= `expected`, or the `max`, if `begin` >=
    // `expected`.
    kOutsideRange,
    // `first_tensor` starts at `begin`. `second_tensor`, of the same group,
    // starts at `found`, which is not `expected` bytes above `begin`. If both
    // are the same tensor, the tensor must be `expected` bytes above the start
    // of its group, so the group would start below byte 0.
    kGroupBroken,
    // `first_tensor` holds bytes [begin, end) of `hole` at `task`.
    kInHole,
    kNotApart,  // both tensors hold bytes [begin, end), but must be apart
    // `first_tensor` is in `pool`, which does not exist or which `first_tensor`
    // may not use. `pool` is 2^64 - 1 if the plan has no pool for
    // `first_tensor`. If `second_tensor` is a different record, both are in one
    // group, and `second_tensor` is in the pool `expected`.
    kWrongPool,
    // `first_tensor` ends beyond the capacity `expected` of `pool`.
    kBeyondPool,
    // `first_tensor` ends beyond the capacity `expected`. Only
    // FindBeyondCapacity returns this kind.
    kBeyondCapacity,
    // Both tensors hold bytes [begin, end), but the partial order of the tasks
    // does not guarantee that all users of one tensor end before all users of
    // the other tensor begin. `task` uses the first tensor, and `second_task`
    // uses the second tensor. If there is no third task, the order does not
    // state which of these two tasks comes first. If there is a third task,
    // `third_task` also uses the second tensor, and `task` comes between
    // `second_task` and `third_task`.
    kUnorderedSharing,
    // The two tensors must either share one place or be apart
    // (Constraints::same_or_apart), but they share only some of their bytes,
    // [begin, end).
    kSharedInPart,
  };

  Kind kind = Kind::kInvalidRecord;
  size_t first_tensor = 0;   // the index of a record
  size_t second_tensor = 0;  // is set for kinds that name two records
  TaskId task = 0;           // the first task at which both are live
  // The bytes [begin, end) of `first_tensor` that the violation concerns. `end`
  // is at most 2^64 - 1.
  size_t begin = 0;
  size_t end = 0;
  size_t object = 0;       // is set for the kinds of shared objects
  size_t hole = 0;         // is set for kInHole: the index of the hole
  size_t pool = 0;         // the index of the pool of the bytes
  TaskId second_task = 0;  // is set for kUnorderedSharing
  // The third task of kUnorderedSharing. Equals `second_task` if there is no
  // third task.
  TaskId third_task = 0;
  // `expected` is the number that the plan should have, such as the size of the
  // arena, an alignment or a count. `found` is the number that the plan has
  // instead; it is set only if the comment of the kind mentions it.
  size_t expected = 0;
  size_t found = 0;
};

// Returns a description of the violation in one line, with numbers. Tensor i is
// called `names[i]`, or by its index if there is no such name.
std::string Describe(const Violation& violation,
                     Span<const std::string> names = {});

// Returns the same description with the names of the problem's tensors and
// pools.
std::string Describe(const Violation& violation, const Problem& problem);

// Returns `status` with `violation` as a payload.
Status WithViolation(Status status, const Violation& violation);
// Returns the violation that WithViolation added to `status`, or nullopt if
// there is none.
optional<Violation> ViolationOf(const Status& status);

// Checks that every record has an aligned offset inside the arena, and that
// records that are live at the same task share no byte. Returns a violation if
// there is one. The result is the same on every machine. O(n log n) time, O(n)
// memory.
optional<Violation> FindViolation(Span<const TensorUsageRecord<size_t>> records,
                                  const OffsetsAssignment& assignment,
                                  const Alignments& alignments = Alignments());

// Checks a plan after the size, interval, alignment or offset of only some
// records has changed. `changed` lists the indices of these records, in any
// order. Requires that the plan without the changed records is safe, except
// that records may end beyond the arena. Returns a violation if and only if the
// FindViolation above does, but not necessarily the same one. O(records *
// (changed + 1)) time, no memory. If one record of 10,000 has changed, this
// function is many times faster than FindViolation.
optional<Violation> FindViolationOfChanged(
    Span<const TensorUsageRecord<size_t>> records,
    const OffsetsAssignment& assignment, const Alignments& alignments,
    Span<const size_t> changed);

// Checks all requirements of a problem (problem.h) of offsets, including fixed
// offsets and constraints. Requires a problem with neither a free order nor
// optional groups; DecidedProblem (planner.h) makes such a problem. Pairs of
// Constraints::same_or_apart need no decision: they may share one place or be
// apart. The capacity of a problem without pools is not checked; use
// FindBeyondCapacity.
//
// With pools, the total must be at least the sum of the highest ends of all
// pools. If the total is smaller, the violation is kBeyondArena: the pools take
// their bytes from the total in the order of their numbers, and the violation
// names the highest record of the first pool for which too few bytes are left.
//
// O(n log n) time for n records, holes, members of apart sets and pairs of
// `never` and `same_or_apart`, and O(n) memory. With a partial order of k
// chains, O(n * (k + u) log tasks) time for u users of a record, and O(n +
// tasks) memory. The check counts conflicts but never lists them.
optional<Violation> FindViolation(const Problem& problem,
                                  const OffsetsAssignment& assignment);

// Returns a violation for the first record that ends beyond the capacity of the
// problem. Returns nullopt if there is no such record, or if the problem has
// pools. FindViolation does not check this capacity, since a strategy that
// ignores the capacity may return a plan that is safe but too large. Requires
// an offset for every record. O(n).
optional<Violation> FindBeyondCapacity(const Problem& problem,
                                       const OffsetsAssignment& assignment);

// Like the function above, for shared objects, which are treated as if they
// were laid out one after the other in memory. The violation names the first
// record of the first object that ends beyond the capacity, and has the bytes
// of this object. Requires a safe plan in which every object has a record.
// O(n).
optional<Violation> FindBeyondCapacity(
    const Problem& problem, const ObjectsAssignment<size_t>& assignment);

// Checks that every record has an object that is at least as large as the
// record in every component, and that records that are live at the same task
// have different objects. O(n log n) time, O(n) memory.
optional<Violation> FindViolation(Span<const TensorUsageRecord<size_t>> records,
                                  const ObjectsAssignment<size_t>& assignment);
optional<Violation> FindViolation(Span<const TensorUsageRecord<uint2>> records,
                                  const ObjectsAssignment<uint2>& assignment);
optional<Violation> FindViolation(Span<const TensorUsageRecord<uint3>> records,
                                  const ObjectsAssignment<uint3>& assignment);
optional<Violation> FindViolation(Span<const TensorUsageRecord<BHWC>> records,
                                  const ObjectsAssignment<BHWC>& assignment);

}  // namespace stowage

#endif  // STOWAGE_VERIFY_H_
