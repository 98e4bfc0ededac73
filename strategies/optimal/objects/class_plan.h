// SPDX-License-Identifier: Apache-2.0
// Improves plans that assign exactly one class to each item, and converts such
// plans to objects. To find such a plan, use ClassSearch.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CLASS_PLAN_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CLASS_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/objects/class_model.h"
#include "stowage/assignment.h"
#include "stowage/base/span.h"

namespace stowage::optimal {

// Moves items to larger classes, the largest items first. An item is moved if
// an object of the larger class is free during the whole lifetime of the item.
// Some smaller objects may then have no items left, which makes the plan
// smaller. O(n * classes * cliques of an item). Does nothing if the model is
// too large for a table with a count for each class and clique.
void RaiseToFreeObjects(const ClassModel& model,
                        std::vector<uint32_t>* classes);

// Converts a plan, given by the class of each item, to objects. The object ids
// are indexed by item. Each object is as large as its largest item. O(n log n).
ObjectsAssignment<size_t> ObjectsOf(const ClassModel& model,
                                    Span<const uint32_t> classes);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CLASS_PLAN_H_
