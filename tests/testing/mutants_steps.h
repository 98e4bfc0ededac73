// SPDX-License-Identifier: Apache-2.0
// Implements plain, sound planners in steps, each of which a mutant can
// replace.
#ifndef STOWAGE_TESTS_TESTING_MUTANTS_STEPS_H_
#define STOWAGE_TESTS_TESTING_MUTANTS_STEPS_H_

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"
#include "tests/testing/mutants.h"

namespace stowage::testing {

using Record = TensorUsageRecord<size_t>;
using Records = absl::Span<const Record>;
using Order = std::vector<size_t>;  // indices of records

// These order records with the largest first, with the first in execution
// first, or as given. The index decides ties.
Order BySize(Records records);
Order ByFirstTask(Records records);
Order AsGiven(Records records);

// A record that could lie at `place`, which is aligned, in the gap between
// `begin` and `end`. The block below the gap begins at `below`.
struct Fit {
  size_t below = 0;
  size_t begin = 0;
  size_t place = 0;
  size_t size = 0;
  size_t end = 0;
};

// Places records one by one in the tightest gap between the records that
// conflict with it, or on top of them.
struct BestFitSteps {
  // True if records whose sizes pass 2^64 - 1 in sum are refused.
  bool checks_sums = true;
  std::function<Order(Records)> order = BySize;
  std::function<bool(const Record&, const Record&)> conflicts =
      [](const Record& a, const Record& b) { return Conflict(a, b); };
  // Returns the first byte at or above `begin` where a record may lie; nothing
  // if it does not fit 64 bits. This is CheckedAlignUp.
  std::function<absl::optional<size_t>(size_t begin, size_t alignment)> align =
      CheckedAlignUp;
  // Returns one past the last byte of a record; nothing if it does not fit 64
  // bits.
  std::function<absl::optional<size_t>(size_t place, size_t size)> end_of =
      CheckedAdd;
  std::function<bool(const Fit&)> fits = [](const Fit& fit) {
    return fit.place <= fit.end && fit.size <= fit.end - fit.place;
  };
  // Returns where the next gap begins. The blocks come in order of their first
  // byte. `below` is one past the last byte of all blocks so far, and the
  // present block ends at `end`.
  std::function<size_t(size_t below, size_t end)> next_gap =
      [](size_t below, size_t end) { return below > end ? below : end; };
  // Returns the total. `ends` are those of the records, in the order in which
  // they were placed.
  std::function<size_t(const OffsetsAssignment& plan,
                       const std::vector<size_t>& ends)>
      total = [](const OffsetsAssignment&, const std::vector<size_t>& ends) {
        size_t most = 0;
        for (const size_t end : ends) most = most > end ? most : end;
        return most;
      };
};

// Errors: that of CheckUsageRecords, if `checks_sums` is set; OutOfRange if an
// offset would exceed 2^64 - 1.
absl::StatusOr<OffsetsAssignment> PlanBestFit(const BestFitSteps& steps,
                                              Records records,
                                              const Alignments& alignments);

struct Block {  // bytes [begin, end)
  size_t begin = 0;
  size_t end = 0;
};

// Replays the run against an allocator. It takes memory when a tensor is first
// needed, from the lowest gap that has room, and gives back the memory of the
// tensors that are over.
struct AllocatorSteps {
  std::function<Order(Records)> order = ByFirstTask;
  // Returns whether the memory of `held` is free again when `next` begins.
  std::function<bool(const Record& held, const Record& next)> is_over =
      [](const Record& held, const Record& next) {
        return held.last_task < next.first_task;
      };
  // True if memory that was given back is forgotten, so that it is not given
  // back again.
  bool forgets = true;
  // Inserts a block into the free ones, which ascend and do not touch.
  std::function<void(std::vector<Block>*, Block)> give_back;
  // Returns the parts of a free block that remain when `taken` is cut out of
  // it.
  std::function<std::vector<Block>(Block free, Block taken)> rest;

  AllocatorSteps();
};

// Errors: those of PlanBestFit.
absl::StatusOr<OffsetsAssignment> PlanByAllocator(const AllocatorSteps& steps,
                                                  Records records,
                                                  const Alignments& alignments);

struct SharedObject {
  size_t size = 0;
  Order tenants;  // in the order in which they came
};

// Gives records one by one the best fitting object among those that are free;
// it grows if it must. If none is free, makes a new object.
struct ObjectsSteps {
  std::function<Order(Records)> order = ByFirstTask;
  std::function<bool(Records, const SharedObject&, const Record&)> is_free;
  std::function<size_t(size_t object, size_t record)> grown =
      [](size_t object, size_t record) {
        return object > record ? object : record;
      };
  // Returns the size of the object that is made for a record.
  std::function<size_t(size_t record)> new_size = [](size_t record) {
    return record;
  };
  // True if an object that is too small may be taken and grown.
  bool grows = true;

  ObjectsSteps();
};

// Errors: that of CheckUsageRecords.
absl::StatusOr<ObjectsAssignment<size_t>> PlanObjects(const ObjectsSteps& steps,
                                                      Records records);

// These return planners of the given steps.
PlanFn PlannerOf(BestFitSteps steps);
PlanFn PlannerOf(AllocatorSteps steps);
ObjectsPlanFn PlannerOf(ObjectsSteps steps);

// Returns a mutant of the planner of `sound` with the steps that `alter`
// replaces.
template <typename Steps, typename Alter>
auto Altered(std::string name, std::string bug, const Steps& sound,
             Alter alter) {
  Mutant<decltype(PlannerOf(sound))> mutant;
  mutant.name = std::move(name);
  mutant.bug = std::move(bug);
  mutant.make_sound = [sound] { return PlannerOf(sound); };
  mutant.make = [sound, alter] {
    Steps steps = sound;
    alter(&steps);
    return PlannerOf(std::move(steps));
  };
  return mutant;
}

// Returns a mutant around a sound planner. `wrap` returns a planner that
// changes the arguments or the results of the sound one.
template <typename Steps, typename Wrap>
auto Wrapped(std::string name, std::string bug, const Steps& sound, Wrap wrap) {
  Mutant<decltype(PlannerOf(sound))> mutant;
  mutant.name = std::move(name);
  mutant.bug = std::move(bug);
  mutant.make_sound = [sound] { return PlannerOf(sound); };
  mutant.make = [sound, wrap] { return wrap(PlannerOf(sound)); };
  return mutant;
}

}  // namespace stowage::testing

#endif  // STOWAGE_TESTS_TESTING_MUTANTS_STEPS_H_
