// SPDX-License-Identifier: Apache-2.0
// Names the argument that proves a lower bound: its kind and a number.
//
// With a BoundProof, a program can determine why no plan is smaller than a
// bound. LowerBoundOf (lower_bound.h) returns it together with the bound of a
// problem, and a Solution (solution.h) contains the proof of the best bound
// that Solve found. To show a proof to people, use Describe or NameOf. A
// BoundProof is only a summary. All other data of the proof, such as the
// records that a search could not place, is in the Solution
// (Solution::search_proof).
//
//   const LowerBound& bound = LowerBoundOf(problem);
//   std::cout << bound.bytes << " bytes: " << Describe(bound.proof);
#ifndef STOWAGE_BOUND_PROOF_H_
#define STOWAGE_BOUND_PROOF_H_

#include <cstddef>
#include <limits>
#include <string>

#include "stowage/base/optional.h"
#include "stowage/usage_record.h"

namespace stowage {

// The reason why no plan can be smaller than a bound: the kind of the argument,
// and the number to which it refers.
struct BoundProof {
  enum class Kind {
    kNone,       // no bound
    kNoBytes,    // no record needs any bytes
    kBytesLive,  // the bytes live at the task `index`
    // The bytes that records hold at the task `index`. Used for problems with a
    // partial order of the tasks (task_order.h).
    kBytesHeld,
    // The lowest possible end of the bytes of kBytesLive if they are placed
    // around the holes that exist at the task `index`.
    kBytesLiveAroundHoles,
    kBytesHeldAroundHoles,  // the same for the bytes of kBytesHeld
    // The sum of the positional maximums (profile.h). Used for shared objects.
    kPositionalMaximums,
    kLargestRecord,  // the size of the largest record
    // The end of a record at its fixed offset. `index` is the record, or
    // kNoRecord.
    kFixedEnd,
    // The end of a group that has only one possible place. `index` is one of
    // its records, or kNoRecord.
    kOnlyPlace,
    // The end of a group in its lowest possible place. `index` is one of its
    // records, or kNoRecord.
    kLowestPlace,
    // Fixed records leave too little room below the bound for the other
    // records.
    kRoomAroundFixed,
    kApartSet,  // the bytes of the apart set `index`
    // The bytes of records that may all be live at the same time, because the
    // partial order does not order any two of them. `index` is the number of
    // these records.
    kAntichain,
    kPools,         // the sum of the bytes that each pool has to hold
    kPoolsOfCost,   // the same sum, for the plans of least cost alone
    kChainWeights,  // the weights in Solution::chain_weights
    kSearch,        // a complete search that found no plan below the bound
    kAnyOrder,      // the bytes live in every order of the tasks
    kAllOrders,     // a complete search over the orders of the tasks
    // Every plan below the bound costs more than the limit that was passed to
    // SolveWithCostLimit (cost_curve.h).
    kCostOfSmaller,
    // For every choice of the pairs that share one place
    // (Constraints::same_or_apart), the plan needs at least as many bytes as
    // the bound.
    kAllChoices,
  };

  // The value of `index` if a proof of kind kFixedEnd, kOnlyPlace or
  // kLowestPlace cannot name a record. This happens if no record of the group
  // has bytes, or if the record exists only in a simpler problem to which the
  // planner has reduced the given problem.
  static constexpr size_t kNoRecord = std::numeric_limits<size_t>::max();

  Kind kind = Kind::kNone;
  // A task, the index of a record or a set, or a number of records, as
  // described at each kind. The value is 0 for kinds that are described without
  // `index`.
  size_t index = 0;
};

// If the proof counts the bytes that are live or held at one task, with or
// without holes, returns this task. Returns nullopt for all other kinds of
// proof.
optional<TaskId> TaskOf(const BoundProof& proof);

// Returns a short name without an article, for example "bytes live at task 5",
// "positional maximums" or "fixed records". Returns an empty string for kNone.
std::string NameOf(const BoundProof& proof);

// Returns a phrase that can be part of a sentence, for example "the bytes live
// at task 5" or "the end of record 3 at its fixed offset".
std::string Describe(const BoundProof& proof);

// Returns a phrase that explains why a plan with a total equal to the proved
// bound is optimal, for example "the total equals the bytes live at task 5".
std::string ReasonOfOptimum(const BoundProof& proof);

}  // namespace stowage

#endif  // STOWAGE_BOUND_PROOF_H_
