// SPDX-License-Identifier: Apache-2.0
// Searches for the plan of classes with the least total: relaxes, rounds, dives
// and branches. ObjectsSearch gives it the kernel of a problem.
//
// A plan mostly follows from the first relaxation: its shares are whole, or
// become so by giving each item the largest class with half of its share in it
// or above. Otherwise a dive fixes what is whole and the largest fraction,
// again and again; and then the search branches, first on the number of objects
// from some class on, then on whether an item has one of these classes. That is
// complete, and no branch is given up for less than a bound in whole numbers.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CLASS_SEARCH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CLASS_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "optimal/chain_weights.h"
#include "optimal/class_model.h"
#include "optimal/class_observer.h"
#include "optimal/class_program.h"
#include "optimal/kernel_limits.h"
#include "src/core/linear_program.h"

namespace stowage::optimal {

class ClassSearch {
 public:
  // Called with bounds of the relaxation, and what proves them.
  using OnBound = std::function<void(const ChainBound&)>;

  // The model must outlive the object. `program` is empty.
  ClassSearch(const ClassModel& model, std::unique_ptr<LinearProgram> program,
              KernelLimits limits, OnBound on_bound);

  // Reports to the observer what is proved by branching, which takes longer.
  // It must outlive the object.
  void Observe(ClassObserver* observer) { observer_ = observer; }

  // Returns whether it is proved that no total below the limit is left: then
  // the last plan, if there was one, is the smallest. If no bound has reached
  // the limit, that was by branching.
  bool Run();

 private:
  // Both return whether the search is to end: there is all that was asked for.
  bool Offer(const std::vector<uint32_t>& classes, absl::string_view found_by);
  bool OfferRounded(const ClassNode& node, absl::string_view found_by);
  // Fixes items to the classes that the relaxation gives them: those that are
  // whole, and the largest fraction. Returns whether there was one to fix.
  bool FixShares(ClassNode* node) const;
  void Dive(ClassNode node);
  // These return whether everything below the node is decided.
  bool Search(const ClassNode& node);
  bool SearchBothCounts(const ClassNode& node, uint32_t first, double count);
  bool SearchClasses(const ClassNode& node, uint32_t item, uint32_t k);
  bool Branch(const ClassNode& node);
  // The bound of the node has reached the limit. Returns true.
  bool GiveUp(const ClassNode& node);
  bool GiveUp(const ClassNode& node, const ChainBound& bound);

  const ClassModel& model_;
  ClassProgram program_;
  KernelLimits limits_;
  OnBound on_bound_;
  bool is_enough_ = false;             // on_plan has said so
  ClassObserver* observer_ = nullptr;  // not owned
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CLASS_SEARCH_H_
