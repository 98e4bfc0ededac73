// SPDX-License-Identifier: Apache-2.0
// Whole plans of classes: what they cost, and how they become objects. To find
// them use ClassSearch.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CLASS_PLAN_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CLASS_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "optimal/class_model.h"
#include "stowage/assignment.h"

namespace stowage::optimal {

// Raises items to larger classes wherever an object of these is free for them,
// the largest items first, which may empty smaller objects. O(n * classes *
// cliques of an item); does nothing where the model is too large for a count of
// each class and clique.
void RaiseToFreeObjects(const ClassModel& model,
                        std::vector<uint32_t>* classes);

// Objects for a class of each item: ids by item, and of each object the size of
// its largest item. O(n log n).
ObjectsAssignment<size_t> ObjectsOf(const ClassModel& model,
                                    absl::Span<const uint32_t> classes);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CLASS_PLAN_H_
