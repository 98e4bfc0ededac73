// SPDX-License-Identifier: Apache-2.0
// Searches for the plan of classes with the smallest total. The search solves
// the relaxation, rounds the solution, tries a greedy pass, and branches.
// ObjectsSearch calls this search with the kernel of a problem.
//
// In most cases, the first relaxation already yields a plan, because its shares
// are integral or can be rounded. Rounding gives each item the largest class
// such that at least half of the item's share is in this class or in larger
// classes. If rounding fails, a greedy pass alternates between fixing shares,
// namely all integral ones and the largest fraction, and solving the relaxation
// again. After the greedy pass, the search branches: first on the number of
// objects of some class and all larger classes, and then on the class of an
// item. The branching is complete, and a branch is given up only if its bound
// is proved in integers.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CLASS_SEARCH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CLASS_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "optimal/objects/chain_weights.h"
#include "optimal/objects/class_model.h"
#include "optimal/objects/class_observer.h"
#include "optimal/objects/class_program.h"
#include "optimal/objects/kernel_limits.h"
#include "src/construct/linear_program.h"
#include "stowage/base/string_view.h"

namespace stowage::optimal {

class ClassSearch {
 public:
  // A function that is called with each bound of the root relaxation and the
  // weights that prove this bound.
  using OnBound = std::function<void(const ChainBound&)>;

  // The model must outlive this object. Requires that `program` is empty.
  ClassSearch(const ClassModel& model, std::unique_ptr<LinearProgram> program,
              KernelLimits limits, OnBound on_bound);

  // Makes the search report to the observer what branching proves, which slows
  // the search down. The observer must outlive this object.
  void Observe(ClassObserver* observer) { observer_ = observer; }

  // Returns whether it is proved that no further plan has a total below the
  // limit. If so, the last plan found, if any, is the smallest. If no bound
  // passed to OnBound has reached the limit, the proof is by branching.
  bool Run();

 private:
  // Call on_plan with a plan if its total is below the limit. Return true if
  // on_plan has returned that the plan is good enough, and the search must
  // stop.
  bool Offer(const std::vector<uint32_t>& classes, string_view found_by);
  bool OfferRounded(const ClassNode& node, string_view found_by);
  // Fixes items to the classes that the relaxation gives them: all items with
  // an integral share, and the item with the largest fraction. Returns whether
  // any item was fixed.
  bool FixShares(ClassNode* node) const;
  void RoundRepeatedly(ClassNode node);
  // Search, SearchBothCounts, SearchClasses and Branch return true if it is
  // proved that no further plan of the node has a total below the limit, and
  // false if the search stops before this is proved.
  bool Search(const ClassNode& node);
  bool SearchBothCounts(const ClassNode& node, uint32_t first, double count);
  bool SearchClasses(const ClassNode& node, uint32_t item, uint32_t k);
  bool Branch(const ClassNode& node);
  // Reports that the bound of the node has reached the limit. Returns true.
  bool GiveUp(const ClassNode& node);
  bool GiveUp(const ClassNode& node, const ChainBound& bound);

  const ClassModel& model_;
  ClassProgram program_;
  KernelLimits limits_;
  OnBound on_bound_;
  bool is_enough_ = false;             // says whether on_plan has returned true
  ClassObserver* observer_ = nullptr;  // is not owned
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CLASS_SEARCH_H_
