// SPDX-License-Identifier: Apache-2.0
// Searches for shared objects with the least sum of sizes, object by object:
// what proves small inputs without a linear program. Where a solver of these is
// linked, ClassSearch (class_search.h) proves far more.
//
// Items come by decreasing size, so an object is as large as the first item
// that takes it, and only opening one costs anything. What is open has been
// paid; the k-th object opened is at least as large as the k-th positional
// maximum, which bounds what is to come.
//
// Source: own; the bound is that of Pisarchyk and Lee 2020, section 4.1.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_TREE_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_TREE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "absl/types/span.h"
#include "optimal/kernel_limits.h"
#include "optimal/objects_kernel.h"
#include "src/core/interval_ranks.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"

namespace stowage::optimal {

class ObjectsTree {
 public:
  // The items live within `steps` steps. `maximums` are the positional maximums
  // of items that these decide (profile.h).
  ObjectsTree(std::vector<ObjectItem> items, uint32_t steps,
              absl::Span<const size_t> maximums, KernelLimits limits);

  // Returns whether it is proved that no total below the limit is left: then
  // the last plan, if there was one, is the smallest.
  bool Run() { return Search(0); }

 private:
  struct Object {
    size_t size;
    std::map<uint32_t, uint32_t> uses;  // steps [begin, end)
  };

  struct Choice {
    uint32_t idle;  // steps between its uses before and after
    uint32_t object;
  };

  // Assigns the items from the depth-th on in all ways that could be better.
  // False if the limits end the search.
  bool Search(size_t depth);
  bool Assign(size_t depth, size_t object);
  bool Offer();
  std::vector<Choice> FreeObjects(StepInterval life) const;
  bool MayBeBetter() const;

  const std::vector<ObjectItem> items_;
  const uint32_t steps_;
  KernelLimits limits_;
  std::vector<uint32_t> order_;
  std::vector<size_t> to_come_;  // least cost after so many are open
  std::vector<Object> objects_;
  std::vector<size_t> ids_;
  size_t paid_ = 0;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_TREE_H_
