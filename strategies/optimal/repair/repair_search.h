// SPDX-License-Identifier: Apache-2.0
// Defines the interface of the searches that RepairPortfolio
// (repair_portfolio.h) runs: EjectionSearch (ejection_search.h) and
// OverlapSearch (overlap_search.h). Such a search makes a packing fit a
// capacity, but proves nothing.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_REPAIR_REPAIR_SEARCH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_REPAIR_REPAIR_SEARCH_H_

#include <cstdint>
#include <vector>

#include "optimal/exact/packing.h"
#include "src/base/work_limit.h"

namespace stowage::optimal {

class RepairSearch {
 public:
  virtual ~RepairSearch() = default;

  // Runs at most `iterations` further iterations, or until `work` is used up.
  // Each visited item counts as one unit of work. Returns whether the packing
  // now fits the capacity.
  virtual bool Run(uint64_t iterations, WorkLimit* work) = 0;

  virtual bool fits() const = 0;
  virtual uint64_t iterations() const = 0;
  virtual Level capacity() const = 0;
  // Returns the packing. Requires fits().
  virtual const std::vector<Level>& levels() const = 0;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_REPAIR_REPAIR_SEARCH_H_
