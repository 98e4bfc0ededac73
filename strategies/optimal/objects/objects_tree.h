// SPDX-License-Identifier: Apache-2.0
// Searches for shared objects with the smallest sum of sizes, object by object.
// The search proves plans of small inputs optimal without a linear program. If
// a solver of linear programs is linked, use ClassSearch (class_search.h),
// which proves far more.
//
// Items are assigned by decreasing size, so an object is as large as the first
// item that is assigned to it, and the total grows only when an object is
// opened. The k-th object to be opened is at least as large as the k-th
// positional maximum, so the positional maximums bound the sizes of the objects
// that are still to be opened.
//
// Source: own; the bound is that of Pisarchyk and Lee 2020, section 4.1.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_OBJECTS_TREE_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_OBJECTS_TREE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "optimal/objects/kernel_limits.h"
#include "optimal/objects/objects_kernel.h"
#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "stowage/assignment.h"
#include "stowage/base/span.h"

namespace stowage::optimal {

class ObjectsTree {
 public:
  // Requires that all items live within `steps` steps, and that they are the
  // kernel of a problem with the positional maximums `maximums` (profile.h).
  ObjectsTree(std::vector<ObjectItem> items, uint32_t steps,
              Span<const size_t> maximums, KernelLimits limits);

  // Returns whether it is proved that no further plan has a total below the
  // limit. If so, the last plan found, if any, is the smallest.
  bool Run() { return Search(0); }

 private:
  struct Object {
    size_t size;
    std::map<uint32_t, uint32_t> uses;  // maps the begin of each use to its end
  };

  struct Choice {
    uint32_t idle;  // the steps between the previous and the next use
    uint32_t object;
  };

  // Assigns the items from position `depth` on, in all ways that may lead to a
  // total below the limit. Returns false if the search was stopped by the
  // limits.
  bool Search(size_t depth);
  bool Assign(size_t depth, size_t object);
  bool Offer();
  std::vector<Choice> FreeObjects(StepInterval life) const;
  bool MayBeBetter() const;

  const std::vector<ObjectItem> items_;
  const uint32_t steps_;
  KernelLimits limits_;
  std::vector<uint32_t> order_;
  // to_come_[k] is a lower bound of the total size of the objects that are
  // still to be opened when k objects are open.
  std::vector<size_t> to_come_;
  std::vector<Object> objects_;
  std::vector<size_t> ids_;
  size_t paid_ = 0;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_OBJECTS_TREE_H_
