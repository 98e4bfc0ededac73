// SPDX-License-Identifier: Apache-2.0
// Defines mutants, which are planners with one wrong step each. Real planners
// have had the same bugs, and the kit must catch every mutant.
//
//   for (const OffsetsMutant& mutant : OffsetsMutants()) {
//     const PlanFn broken = mutant.make();
//     ...
//   }
//
// Each mutant comes with the sound planner from which it was made. If the sound
// planner passes, the kit has caught the changed step and nothing else. Models
// with broken lifetimes are in mutants_lifetimes.h.
#ifndef STOWAGE_TESTS_TESTING_MUTANTS_H_
#define STOWAGE_TESTS_TESTING_MUTANTS_H_

#include <functional>
#include <string>
#include <vector>

#include "stowage/testing/plan_fn.h"

namespace stowage::testing {

// Describes and creates a mutant. `Fn` is PlanFn or ObjectsPlanFn. Each call of
// `make` or `make_sound` returns a new planner, which shares no state with
// other planners.
template <typename Fn>
struct Mutant {
  std::string name;
  std::string bug;  // what is wrong with it
  std::function<Fn()> make;
  std::function<Fn()> make_sound;  // without the bug
};

using OffsetsMutant = Mutant<PlanFn>;
using ObjectsMutant = Mutant<ObjectsPlanFn>;

// Return all mutants of a kind, file by file.
std::vector<OffsetsMutant> OffsetsMutants();
std::vector<ObjectsMutant> ObjectsMutants();

// These functions return the parts of OffsetsMutants: mutants with bugs in
// intervals and orders, in bytes and alignments, in allocators that replay the
// run, and in the results.
std::vector<OffsetsMutant> IntervalMutants();
std::vector<OffsetsMutant> ByteMutants();
std::vector<OffsetsMutant> AllocatorMutants();
std::vector<OffsetsMutant> AnswerMutants();

}  // namespace stowage::testing

#endif  // STOWAGE_TESTS_TESTING_MUTANTS_H_
