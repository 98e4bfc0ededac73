// SPDX-License-Identifier: Apache-2.0
// Describes shared objects as a choice of classes. ClassProgram and ClassSearch
// take this description as input.
//
// An object of *class* k is as large as the k-th of the distinct sizes. The
// depth of a class is the largest number of its items that are live at one
// step; the class needs this number of objects. A plan thus chooses a class for
// each item, at least as large as the item, and each class costs its size times
// its depth.
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
  // The bytes of each class, above 0 and in rising order.
  std::vector<size_t> sizes;
  // For each item, the cliques that contain it: [begin, end). A *clique* is a
  // maximal set of items that are live at one step; cliques are sorted by step.
  std::vector<StepInterval> lives;
  // The items of each clique, in rising order.
  std::vector<std::vector<uint32_t>> cliques;
  // For each item, all classes that are large enough.
  std::vector<ClassRange> ranges;
  // The items in the order of their first clique (by_begin), and in the order
  // of the end of their cliques (by_end).
  std::vector<uint32_t> by_begin;
  std::vector<uint32_t> by_end;
};

// Returns the model of the items with these indices. The model numbers the
// items in the order of `indices`. Returns nothing if the signal is set before
// the model is complete. Requires sizes above 0. O(n log n + the sum of the
// cliques).
optional<ClassModel> BuildClassModelUntil(const StopSignal& stop,
                                          Span<const ObjectItem> items,
                                          Span<const uint32_t> indices);

// Returns the same model as BuildClassModelUntil without a signal.
ClassModel BuildClassModel(Span<const ObjectItem> items,
                           Span<const uint32_t> indices);

// Returns the number of (item, class) pairs that the model would have. This
// number determines the size of the linear program. Returns nothing if the
// signal is set before the result is known. O(n log n).
optional<size_t> SharesUntil(const StopSignal& stop,
                             Span<const ObjectItem> items,
                             Span<const uint32_t> indices);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CLASS_MODEL_H_
