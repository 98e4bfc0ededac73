// SPDX-License-Identifier: Apache-2.0
// Searches for shared objects with the smallest sum of sizes. For offsets,
// which allow smaller plans, use OffsetsSearch (offsets_search.h).
//
// The search starts with the plans of the greedy strategies and reduces the
// problem to its kernel (objects_kernel.h). If a solver is linked, the kernel
// is searched with a linear program (class_search.h). If this program is large,
// programs for parts of the sizes first prove bounds (objects_bands.h); if it
// is too large, only these bounds are proved. Without a solver, the kernel is
// searched object by object (objects_tree.h).
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_OBJECTS_SEARCH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_OBJECTS_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "optimal/objects/chain_weights.h"
#include "optimal/objects/kernel_limits.h"
#include "optimal/objects/objects_kernel.h"
#include "optimal/search_tuning.h"
#include "src/base/work_limit.h"
#include "src/construct/linear_program.h"
#include "src/model/watch.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/string_view.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::optimal {

class ObjectsSearch {
 public:
  // The problem and the options must outlive this object.
  ObjectsSearch(const Problem& problem, const SolveOptions& options,
                const ObjectsTuning& tuning = ObjectsTuning());

  Solution Run();

 private:
  void Search();
  void OfferNaivePlan();
  void OfferGreedyPlans();
  void Offer(optional<ObjectsAssignment<size_t>> plan, string_view found_by);
  void Report();
  bool IsDecided() const;
  void FindItems();
  // SearchKernel, SearchClasses and SearchTree return whether it is proved that
  // no further plan has a total below the current limit.
  bool SearchKernel();
  bool SearchClasses(std::unique_ptr<LinearProgram> program);
  bool SearchTree();
  KernelLimits LimitsOfKernel();
  void BoundKernelByBands();
  std::vector<ObjectItem> KeptItems() const;
  bool OfferKernelPlan(const ObjectsAssignment<size_t>& plan, size_t total,
                       string_view found_by);
  // Adopts a bound if it is higher than the current one. Requires that `items`
  // is in ascending order, and that bound.weights[k] is the weight of items[k].
  void RaiseBound(const ChainBound& bound, Span<const uint32_t> items);

  const Problem& problem_;
  Span<const ByteRecord> records_;
  const SolveOptions& options_;
  Watch watch_;
  const StopSignal stop_;
  const ObjectsTuning tuning_;
  ObjectsAssignment<size_t> best_;
  size_t best_total_ = 0;
  size_t limit_ = 0;  // only totals below the limit count

  std::vector<ObjectItem> items_;  // the records that have bytes
  std::vector<size_t> records_of_items_;
  uint32_t steps_ = 0;
  ObjectsKernel kernel_;
  uint64_t nodes_given_ = 0;
  uint64_t nodes_left_ = 0;
  // The result so far, except for the plan, which is in best_.
  Solution report_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_OBJECTS_SEARCH_H_
