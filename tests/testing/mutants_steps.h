// SPDX-License-Identifier: Apache-2.0
// Plain, sound planners in steps, any of which a mutant replaces.
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

// The largest first, or the first in execution first, where the index decides
// ties; or one after the other.
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

// Places records one by one in the tightest gap between those that conflict
// with it, or on top of them.
struct BestFitSteps {
  // True if records whose sizes pass 2^64 - 1 in sum are refused.
  bool checks_sums = true;
  std::function<Order(Records)> order = BySize;
  std::function<bool(const Record&, const Record&)> conflicts =
      [](const Record& a, const Record& b) { return Conflict(a, b); };
  // The first byte at or above `begin` where a record may lie; nothing where
  // that does not fit 64 bits. As CheckedAlignUp.
  std::function<absl::optional<size_t>(size_t begin, size_t alignment)> align =
      CheckedAlignUp;
  // One past the last byte of a record; nothing likewise.
  std::function<absl::optional<size_t>(size_t place, size_t size)> end_of =
      CheckedAdd;
  std::function<bool(const Fit&)> fits = [](const Fit& fit) {
    return fit.place <= fit.end && fit.size <= fit.end - fit.place;
  };
  // Where the next gap begins, of blocks in order of their first byte: one past
  // the last byte of any so far, which is `below`, and of one that ends at
  // `end`.
  std::function<size_t(size_t below, size_t end)> next_gap =
      [](size_t below, size_t end) { return below > end ? below : end; };
  // `ends` are those of the records, in the order in which they were placed.
  std::function<size_t(const OffsetsAssignment& plan,
                       const std::vector<size_t>& ends)>
      total = [](const OffsetsAssignment&, const std::vector<size_t>& ends) {
        size_t most = 0;
        for (const size_t end : ends) most = most > end ? most : end;
        return most;
      };
};

// Error: that of CheckUsageRecords, if that is asked; OutOfRange where an
// offset would pass 2^64 - 1.
absl::StatusOr<OffsetsAssignment> PlanBestFit(const BestFitSteps& steps,
                                              Records records,
                                              const Alignments& alignments);

struct Block {  // bytes [begin, end)
  size_t begin = 0;
  size_t end = 0;
};

// Replays the run against an allocator: takes memory when a tensor is first
// needed, from the lowest gap that has room, and gives back the memory of those
// that are over.
struct AllocatorSteps {
  std::function<Order(Records)> order = ByFirstTask;
  // Returns whether the memory of `held` is free again when `next` begins.
  std::function<bool(const Record& held, const Record& next)> is_over =
      [](const Record& held, const Record& next) {
        return held.last_task < next.first_task;
      };
  // True if what was given back is forgotten, and not given back again.
  bool forgets = true;
  // Puts a block among the free ones, which ascend and do not touch.
  std::function<void(std::vector<Block>*, Block)> give_back;
  // What is left of a free block when `taken` is cut out of it.
  std::function<std::vector<Block>(Block free, Block taken)> rest;

  AllocatorSteps();
};

// Errors: as PlanBestFit.
absl::StatusOr<OffsetsAssignment> PlanByAllocator(const AllocatorSteps& steps,
                                                  Records records,
                                                  const Alignments& alignments);

struct SharedObject {
  size_t size = 0;
  Order tenants;  // in the order in which they came
};

// Gives records one by one the object that fits best among those that nobody
// needs, which grows if it must, or a new one.
struct ObjectsSteps {
  std::function<Order(Records)> order = ByFirstTask;
  std::function<bool(Records, const SharedObject&, const Record&)> is_free;
  std::function<size_t(size_t object, size_t record)> grown =
      [](size_t object, size_t record) {
        return object > record ? object : record;
      };
  // The size of the object that is made for a record.
  std::function<size_t(size_t record)> new_size = [](size_t record) {
    return record;
  };
  // True if an object that is too small may be taken, and grown.
  bool grows = true;

  ObjectsSteps();
};

// Error: that of CheckUsageRecords.
absl::StatusOr<ObjectsAssignment<size_t>> PlanObjects(const ObjectsSteps& steps,
                                                      Records records);

// Planners of these steps.
PlanFn PlannerOf(BestFitSteps steps);
PlanFn PlannerOf(AllocatorSteps steps);
ObjectsPlanFn PlannerOf(ObjectsSteps steps);

// A mutant with other steps than `sound`, which `alter` replaces.
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

// A mutant around a sound planner, which spoils what it is asked or what it
// answers: `wrap` makes a planner of one.
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
