// SPDX-License-Identifier: Apache-2.0
// What proves a lower bound: an enumerator with a number, for programs.
//
// LowerBoundOf (lower_bound.h) gives the proof of a problem's bound, and a
// Solution (solution.h) that of the bound that a strategy has reached. For
// people, Describe makes a phrase out of it.
#ifndef STOWAGE_BOUND_PROOF_H_
#define STOWAGE_BOUND_PROOF_H_

#include <cstddef>
#include <limits>
#include <string>

#include "absl/types/optional.h"
#include "stowage/usage_record.h"

namespace stowage {

struct BoundProof {
  enum class Kind {
    kNone,                  // no bound: sizes are not in bytes, or no search
    kNoBytes,               // no record needs any bytes
    kBytesLive,             // at the task `index`
    kBytesHeld,             // at the task `index`, under a partial order
    kBytesLiveAroundHoles,  // at the task `index`
    kBytesHeldAroundHoles,  // at the task `index`, under a partial order
    kPositionalMaximums,    // their sum, for shared objects
    kLargestRecord,         // its size
    kFixedEnd,         // the end of the record `index`, or of kNoRecord, at
                       // its fixed offset
    kOnlyPlace,        // the end of a group that has one place; `index` is
                       // one of its records, or kNoRecord
    kLowestPlace,      // the end of a group in its lowest place; `index` is
                       // one of its records, or kNoRecord
    kRoomAroundFixed,  // the room that fixed records leave to the others
    kApartSet,         // the bytes of the apart set `index`
    kAntichain,        // the bytes of `index` records that no order separates
    kPools,            // the sum of what each pool has to hold
    kPoolsOfCost,      // the same, for the pools of a plan of least cost
    kChainWeights,     // Solution::chain_weights
    kSearch,           // a complete search below the bound
    kAnyOrder,         // the bytes live in whichever order of the tasks
    kAllOrders,        // a complete search over the orders of the tasks
  };

  static constexpr size_t kNoRecord = std::numeric_limits<size_t>::max();

  Kind kind = Kind::kNone;
  // A task, record, set or count, as the kind says; otherwise 0.
  size_t index = 0;
};

// Returns the task at which the bytes of the bound are live, if the proof is
// one of the first four of bytes at a task.
absl::optional<TaskId> TaskOf(const BoundProof& proof);

// Returns a short name without an article, for example "bytes live at task 5",
// "positional maximums" or "fixed records"; empty for kNone.
std::string NameOf(const BoundProof& proof);

// Returns a phrase for a sentence, for example "the bytes live at task 5" or
// "the end of record 3 at its fixed offset".
std::string Describe(const BoundProof& proof);

}  // namespace stowage

#endif  // STOWAGE_BOUND_PROOF_H_
