// Improves packings too large for an exact search, window by window.
//
// A packing that is to fit a capacity is repaired where it does not: around an
// item that lies too high a window of steps is opened, all that lives within it
// is taken out, and the exact search puts it back below the capacity around
// what lives on beyond the window and stays where it is.
//
//   level   ########## stays #######
//       |   ##| freed     |#########
//       |   ##|           | stays ##
//           --+-- window -+--------- step
//
// Source: own; large-neighbourhood search after Shaw, "Using constraint
// programming and local search methods to solve vehicle routing problems"
// (1998).
#ifndef STOWAGE_STRATEGIES_OPTIMAL_WINDOW_REPAIR_H_
#define STOWAGE_STRATEGIES_OPTIMAL_WINDOW_REPAIR_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/packing.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {

// What one attempt may cost.
struct RepairEffort {
  size_t window = 64;    // items freed at once, about
  uint64_t nodes = 500;  // of each search
  uint64_t orders = 2;   // searches in a window, each with its own order
  uint64_t seed = 1;
  uint64_t budget = ~uint64_t{0};  // nodes of all searches
};

// Tries to change `levels`, a packing, so that it ends at `capacity`. Returns
// whether that succeeded; if not, `levels` is still a packing, and no item that
// lay below the capacity lies above it. Adds the nodes searched to `nodes`.
// O(items) time for each window, besides the search.
bool RepairByWindows(const Packing& packing, Level capacity,
                     const RepairEffort& effort, WorkLimit* work,
                     std::vector<Level>* levels, uint64_t* nodes);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_WINDOW_REPAIR_H_
