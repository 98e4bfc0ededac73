// SPDX-License-Identifier: Apache-2.0
// Defines mutants, which are planners with one wrong step each. Their bugs are
// bugs that real planners had, and the kit must catch all of them.
//
//   for (const OffsetsMutant& mutant : OffsetsMutants()) {
//     const PlanFn broken = mutant.make();
//     ...
//   }
//
// Each mutant comes with the sound planner that it was made from, so that a
// test can show that it is the changed step that is caught. Models with broken
// lifetimes are in mutants_lifetimes.h.
#ifndef STOWAGE_TESTS_TESTING_MUTANTS_H_
#define STOWAGE_TESTS_TESTING_MUTANTS_H_

#include <functional>
#include <string>
#include <vector>

#include "stowage/testing/plan_fn.h"

namespace stowage::testing {

// `Fn` is PlanFn or ObjectsPlanFn. Both functions return a new planner, which
// remembers nothing of earlier calls.
template <typename Fn>
struct Mutant {
  std::string name;
  std::string bug;  // what is wrong with it
  std::function<Fn()> make;
  std::function<Fn()> make_sound;  // without the bug
};

using OffsetsMutant = Mutant<PlanFn>;
using ObjectsMutant = Mutant<ObjectsPlanFn>;

// The mutants come in the order of their files.
std::vector<OffsetsMutant> OffsetsMutants();
std::vector<ObjectsMutant> ObjectsMutants();

// These are the parts of OffsetsMutants: bugs of intervals and orders, of bytes
// and alignments, of allocators that replay the run, and of the results.
std::vector<OffsetsMutant> IntervalMutants();
std::vector<OffsetsMutant> ByteMutants();
std::vector<OffsetsMutant> AllocatorMutants();
std::vector<OffsetsMutant> AnswerMutants();

}  // namespace stowage::testing

#endif  // STOWAGE_TESTS_TESTING_MUTANTS_H_
