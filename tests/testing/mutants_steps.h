// SPDX-License-Identifier: Apache-2.0
// Implements simple, sound planners that consist of steps. A mutant can replace
// each of the steps.
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
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/usage_record.h"
#include "tests/testing/mutants.h"

namespace stowage::testing {

using Record = TensorUsageRecord<size_t>;
using Records = absl::Span<const Record>;
using Order = std::vector<size_t>;  // indices of records

// These functions return the indices of the records, sorted from the largest to
// the smallest record, by first task, or in the given order. Ties are broken by
// index.
Order BySize(Records records);
Order ByFirstTask(Records records);
Order AsGiven(Records records);

// Describes how a record of `size` bytes could be placed in the gap from
// `begin` to `end`. `place` is the first aligned byte of the gap, and `below`
// is the first byte of the block below the gap.
struct Fit {
  size_t below = 0;
  size_t begin = 0;
  size_t place = 0;
  size_t size = 0;
  size_t end = 0;
};

// The steps of best fit, which places records one by one. Each record is placed
// in the smallest sufficient gap between the records that conflict with it. If
// no gap is sufficient, the record is placed on top of these records.
struct BestFitSteps {
  // True if the planner refuses records whose sizes add up to more than 2^64 -
  // 1.
  bool checks_sums = true;
  std::function<Order(Records)> order = BySize;
  std::function<bool(const Record&, const Record&)> conflicts =
      [](const Record& a, const Record& b) { return Conflict(a, b); };
  // Returns the first aligned byte at or above `begin`, or nothing if its
  // offset exceeds 64 bits.
  std::function<absl::optional<size_t>(size_t begin, size_t alignment)> align =
      CheckedAlignUp;
  // Returns one past the last byte of a record, or nothing if that offset
  // exceeds 64 bits.
  std::function<absl::optional<size_t>(size_t place, size_t size)> end_of =
      CheckedAdd;
  std::function<bool(const Fit&)> fits = [](const Fit& fit) {
    return fit.place <= fit.end && fit.size <= fit.end - fit.place;
  };
  // Returns where the next gap begins. The planner calls this step for one
  // block after another, in the order of their first bytes. `below` is one past
  // the highest byte of the earlier blocks, and `end` is one past the last byte
  // of the current block.
  std::function<size_t(size_t below, size_t end)> next_gap =
      [](size_t below, size_t end) { return below > end ? below : end; };
  // Returns the total size of a plan. `ends` holds the ends of the records in
  // the order in which they were placed.
  std::function<size_t(const OffsetsAssignment& plan,
                       const std::vector<size_t>& ends)>
      total = [](const OffsetsAssignment&, const std::vector<size_t>& ends) {
        size_t max = 0;
        for (const size_t end : ends) max = max > end ? max : end;
        return max;
      };
};

// Returns the plan of best fit with the given steps. Errors: the error of
// CheckUsageRecords, if `checks_sums` is set; OutOfRange if an offset would
// exceed 2^64 - 1.
absl::StatusOr<OffsetsAssignment> PlanBestFit(const BestFitSteps& steps,
                                              Records records,
                                              const Alignments& alignments);

struct Block {  // bytes [begin, end)
  size_t begin = 0;
  size_t end = 0;
};

// The steps of a planner that replays the run against an allocator. When a
// tensor is first needed, the planner frees the memory of tensors that are no
// longer needed, and then allocates memory for the new tensor in the lowest
// sufficient gap.
struct AllocatorSteps {
  std::function<Order(Records)> order = ByFirstTask;
  // Returns whether the memory of `held` has been freed when `next` begins.
  std::function<bool(const Record& held, const Record& next)> is_over =
      [](const Record& held, const Record& next) {
        return held.last_task < next.first_task;
      };
  // True if the planner forgets a tensor when it frees the memory of the
  // tensor. If false, the planner frees the same memory repeatedly.
  bool forgets = true;
  // Inserts a block into the free blocks, which are in ascending order and do
  // not touch each other.
  std::function<void(std::vector<Block>*, Block)> give_back;
  // Returns the parts of a free block that remain after `taken` is removed.
  std::function<std::vector<Block>(Block free, Block taken)> rest;

  AllocatorSteps();
};

// Returns the plan of an allocator with the given steps. Errors: those of
// PlanBestFit.
absl::StatusOr<OffsetsAssignment> PlanByAllocator(const AllocatorSteps& steps,
                                                  Records records,
                                                  const Alignments& alignments);

struct SharedObject {
  size_t size = 0;
  Order tenants;  // in the order in which they got the object
};

// The steps of a planner of shared objects. The planner assigns each record,
// one by one, to the free object that fits best. If this object is too small,
// it grows. If no object is free, a new object is created.
struct ObjectsSteps {
  std::function<Order(Records)> order = ByFirstTask;
  std::function<bool(Records, const SharedObject&, const Record&)> is_free;
  std::function<size_t(size_t object, size_t record)> grown =
      [](size_t object, size_t record) {
        return object > record ? object : record;
      };
  // Returns the size of a new object for a record.
  std::function<size_t(size_t record)> new_size = [](size_t record) {
    return record;
  };
  // True if a record may be assigned to an object that is too small, which then
  // grows.
  bool grows = true;

  ObjectsSteps();
};

// Returns the plan of shared objects with the given steps. Error: the error of
// CheckUsageRecords.
absl::StatusOr<ObjectsAssignment<size_t>> PlanObjects(const ObjectsSteps& steps,
                                                      Records records);

// Returns the number of records, for use as the key of StaleBy.
inline std::vector<size_t> CountOf(Records records) { return {records.size()}; }

// Returns a planner that returns its previous plan again if the key of the
// records equals the key of the previous call.
template <typename Plan>
PlannerFn<Plan> StaleBy(std::vector<size_t> (*key)(Records),
                        const PlannerFn<Plan>& sound) {
  return
      [key, sound, is_set = false, kept = std::vector<size_t>(),
       plan = Plan()](const ProblemSpec& spec) mutable -> absl::StatusOr<Plan> {
        std::vector<size_t> asked = key(spec.records);
        if (is_set && kept == asked) return plan;
        absl::StatusOr<Plan> made = sound(spec);
        if (!made.ok()) return made;
        is_set = true;
        kept = std::move(asked);
        plan = *made;
        return made;
      };
}

// Return a planner that consists of the given steps.
PlanFn PlannerOf(BestFitSteps steps);
PlanFn PlannerOf(AllocatorSteps steps);
ObjectsPlanFn PlannerOf(ObjectsSteps steps);

// Returns a mutant of the planner with the steps `sound`, some of which `alter`
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

// Returns a mutant of the planner with the steps `sound`. `wrap` takes this
// planner and returns a planner that calls it with changed arguments or changes
// its results.
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
