// SPDX-License-Identifier: Apache-2.0
// Describes a plan of shared objects as a choice of classes. This description
// is the input of ClassProgram and ClassSearch.
//
// An object of *class* k is as large as the k-th of the distinct sizes. The
// depth of a class is the largest number of its items that are live at the same
// step, which is the number of objects that the class needs. A plan thus
// chooses, for each item, a class that is at least as large as the item, and
// the cost of each class is its size times its depth.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CLASS_MODEL_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CLASS_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/objects/objects_kernel.h"
#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::optimal {

// The classes that an item may have: first <= class < end.
struct ClassRange {
  uint32_t first = 0;
  uint32_t end = 0;
};

struct ClassModel {
  // The bytes of each class, above 0 and in ascending order.
  std::vector<size_t> sizes;
  // The range [begin, end) of the cliques that contain each item. A *clique* is
  // a maximal set of items that are live at the same step. Cliques are sorted
  // by step.
  std::vector<StepInterval> lives;
  // The items of each clique, in ascending order.
  std::vector<std::vector<uint32_t>> cliques;
  // The classes that are large enough for each item.
  std::vector<ClassRange> ranges;
  // The items, sorted by the begin of their range of cliques (by_begin) and by
  // its end (by_end).
  std::vector<uint32_t> by_begin;
  std::vector<uint32_t> by_end;
};

// Returns the model of the items with these indices. The model numbers the
// items in the order of `indices`. Returns nullopt if the signal is set before
// the model is complete. Requires sizes above 0. O(n log n + sum of the sizes
// of the cliques).
optional<ClassModel> BuildClassModelUntil(const StopSignal& stop,
                                          Span<const ObjectItem> items,
                                          Span<const uint32_t> indices);

// Like BuildClassModelUntil, but without a signal.
ClassModel BuildClassModel(Span<const ObjectItem> items,
                           Span<const uint32_t> indices);

// Returns the number of (item, class) pairs that the model would have. This
// number determines the size of the linear program. Returns nullopt if the
// signal is set before the number is known. O(n log n).
optional<size_t> SharesUntil(const StopSignal& stop,
                             Span<const ObjectItem> items,
                             Span<const uint32_t> indices);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CLASS_MODEL_H_
