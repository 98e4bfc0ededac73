// SPDX-License-Identifier: Apache-2.0
// Defines mutants of planners of shared objects.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "stowage/assignment.h"
#include "stowage/usage_record.h"
#include "tests/support/wrapped_planner.h"
#include "tests/testing/mutants.h"
#include "tests/testing/mutants_steps.h"

namespace stowage::testing {
namespace {

// Returns a mutant that plans in execution order, so its objects grow.
ObjectsMutant InOrder(std::string name, std::string bug,
                      void (*alter)(ObjectsSteps*)) {
  return Altered(std::move(name), std::move(bug), ObjectsSteps(), alter);
}

// Returns a mutant that plans the largest records first, so no object has to
// grow.
ObjectsMutant LargestFirst(std::string name, std::string bug,
                           void (*alter)(ObjectsSteps*)) {
  ObjectsSteps sound;
  sound.order = BySize;
  return Altered(std::move(name), std::move(bug), sound, alter);
}

ObjectsMutant Spoilt(std::string name, std::string bug,
                     void (*spoil)(Records, ObjectsAssignment<size_t>*)) {
  return Wrapped(std::move(name), std::move(bug), ObjectsSteps(),
                 [spoil](const ObjectsPlanFn& sound) {
                   return support::Spoilt(sound, spoil);
                 });
}

bool IsFreeAfterTheLast(Records records, const SharedObject& object,
                        const Record& record) {
  return !Conflict(records[object.tenants.back()], record);
}

bool IsFreeFromItsLastTask(Records records, const SharedObject& object,
                           const Record& record) {
  return absl::c_all_of(object.tenants, [&](size_t tenant) {
    return records[tenant].last_task <= record.first_task;
  });
}

// Returns the largest power of two that does not exceed `size`, or 0 if `size`
// is 0.
size_t SizeClassBelow(size_t size) {
  size_t size_class = 1;
  while (size_class <= size / 2) size_class *= 2;
  return std::min(size_class, size);
}

std::vector<ObjectsMutant> MutantsOfTenants() {
  return {
      LargestFirst(
          "last_tenant_only",
          "looks at the last tenant of an object, where those before "
          "it may live longer",
          [](ObjectsSteps* steps) { steps->is_free = IsFreeAfterTheLast; }),
      LargestFirst(
          "first_tenant_only",
          "looks at the tensor for which an object was made",
          [](ObjectsSteps* steps) {
            steps->is_free = [](Records records, const SharedObject& object,
                                const Record& record) {
              return !Conflict(records[object.tenants.front()], record);
            };
          }),
      InOrder(
          "free_from_its_last_task",
          "hands an object on at the task that still reads it",
          [](ObjectsSteps* steps) { steps->is_free = IsFreeFromItsLastTask; }),
      InOrder("equal_sizes_share",
              "gives tensors of one size one object, whenever they live",
              [](ObjectsSteps* steps) {
                const auto is_free = steps->is_free;
                steps->is_free = [is_free](Records records,
                                           const SharedObject& object,
                                           const Record& record) {
                  return is_free(records, object, record) ||
                         object.size == record.tensor_size;
                };
              }),
  };
}

std::vector<ObjectsMutant> MutantsOfSizes() {
  return {
      InOrder("object_not_grown",
              "hands on an object that is too small, and does not grow it",
              [](ObjectsSteps* steps) {
                steps->grown = [](size_t object, size_t) { return object; };
              }),
      InOrder("object_shrunk", "gives an object the size of its newest tenant",
              [](ObjectsSteps* steps) {
                steps->grown = [](size_t, size_t record) { return record; };
              }),
      InOrder("size_class_below",
              "makes objects in powers of two, and rounds down",
              [](ObjectsSteps* steps) { steps->new_size = SizeClassBelow; }),
      InOrder("object_of_no_bytes",
              "takes an object of size 0 for one whose size is not known yet",
              [](ObjectsSteps* steps) {
                steps->grown = [](size_t object, size_t record) {
                  return object == 0 ? 0 : std::max(object, record);
                };
              }),
  };
}

std::vector<ObjectsMutant> MutantsOfAnswers() {
  return {
      Spoilt("ids_of_before_the_sort",
             "sorts its objects by size in the end, and leaves the ids",
             [](Records, ObjectsAssignment<size_t>* plan) {
               absl::c_sort(plan->object_sizes);
             }),
      Spoilt("ids_swapped", "mixes up the ids of two objects",
             [](Records, ObjectsAssignment<size_t>* plan) {
               for (size_t& id : plan->object_ids) {
                 if (plan->object_sizes.size() > 1 && id < 2) id = 1 - id;
               }
             }),
      Spoilt("ids_from_1", "counts objects from 1",
             [](Records, ObjectsAssignment<size_t>* plan) {
               for (size_t& id : plan->object_ids) ++id;
             }),
      Spoilt("order_of_execution",
             "answers in the order in which it has run through the records",
             [](Records records, ObjectsAssignment<size_t>* plan) {
               std::vector<size_t> moved;
               for (const size_t i : ByFirstTask(records)) {
                 moved.push_back(plan->object_ids[i]);
               }
               plan->object_ids = std::move(moved);
             }),
      Spoilt("last_object_forgotten",
             "has one object too few, which a tensor was given",
             [](Records, ObjectsAssignment<size_t>* plan) {
               if (!plan->object_sizes.empty()) plan->object_sizes.pop_back();
             }),
      Spoilt("no_object_for_no_bytes",
             "gives tensors of no bytes an id that means \"none\"",
             [](Records records, ObjectsAssignment<size_t>* plan) {
               for (size_t i = 0; i < records.size(); ++i) {
                 if (records[i].tensor_size == 0) {
                   plan->object_ids[i] = static_cast<size_t>(-1);
                 }
               }
             }),
      Wrapped(
          "stale_objects", "keeps its plan while the count is the same",
          ObjectsSteps(),
          [](const ObjectsPlanFn& sound) { return StaleBy(CountOf, sound); }),
  };
}

}  // namespace

std::vector<ObjectsMutant> ObjectsMutants() {
  std::vector<ObjectsMutant> mutants;
  for (auto* part : {MutantsOfTenants, MutantsOfSizes, MutantsOfAnswers}) {
    for (ObjectsMutant& mutant : part()) mutants.push_back(std::move(mutant));
  }
  return mutants;
}

}  // namespace stowage::testing
