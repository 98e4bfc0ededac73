// SPDX-License-Identifier: Apache-2.0
// A plan of many bodies in little time, for searches that may be stopped before
// the first dive (place_bodies.h) ends.
#ifndef STOWAGE_BODIES_RELAXED_SWEEP_H_
#define STOWAGE_BODIES_RELAXED_SWEEP_H_

#include <vector>

#include "absl/types/optional.h"
#include "src/bodies/bodies.h"
#include "src/core/work_limit.h"

namespace stowage::bodies {

// Sweeps from the peak (peak_sweep.h) over the hulls of the bodies and of a
// partial order (RelaxToHulls, lower_problem.h): a tenth of the time of a dive
// and up to twice the bytes. Returns the starts; nothing where constraints say
// more than groups, permissions and an order, for the bodies of a pool, or if
// the signal is set. O(n log n + users * chains).
absl::optional<std::vector<Level>> SweepRelaxed(const Bodies& bodies,
                                                const StopSignal& stop);

}  // namespace stowage::bodies

#endif  // STOWAGE_BODIES_RELAXED_SWEEP_H_
