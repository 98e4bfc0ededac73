// SPDX-License-Identifier: Apache-2.0
// Shared objects as a choice of classes: the input of ClassProgram and
// ClassSearch.
//
// An object of *class* k is as large as the k-th of the distinct sizes. The
// items of one class need as many objects as are live at one step at most, so a
// plan is a class for each item, large enough, and costs for each class its
// size times its depth.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CLASS_MODEL_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CLASS_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "optimal/objects_kernel.h"
#include "src/core/interval_ranks.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {

// The classes that an item may have: first <= class < end.
struct ClassRange {
  uint32_t first = 0;
  uint32_t end = 0;
};

struct ClassModel {
  std::vector<size_t> sizes;  // bytes: of each class, rising, none 0
  // Of each item: the cliques that it is in, [begin, end). A *clique* is a
  // largest set of items that are live at one step; they come by step.
  std::vector<StepInterval> lives;
  std::vector<std::vector<uint32_t>> cliques;  // their items, rising
  // Of each item: all classes that are large enough.
  std::vector<ClassRange> ranges;
  // Items by their first clique, and by the end of their cliques.
  std::vector<uint32_t> by_begin;
  std::vector<uint32_t> by_end;
};

// The model of some items, numbered in the order of `indices`, or nothing if
// the signal is set before it is made. Requires sizes above 0. O(n log n + the
// sum of the cliques).
absl::optional<ClassModel> BuildClassModelUntil(
    const StopSignal& stop, absl::Span<const ObjectItem> items,
    absl::Span<const uint32_t> indices);

// The same, whatever it takes.
ClassModel BuildClassModel(absl::Span<const ObjectItem> items,
                           absl::Span<const uint32_t> indices);

// The pairs of items and classes that the model would have: what a linear
// program is large by. Nothing if the signal is set before. O(n log n).
absl::optional<size_t> SharesUntil(const StopSignal& stop,
                                   absl::Span<const ObjectItem> items,
                                   absl::Span<const uint32_t> indices);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CLASS_MODEL_H_
