// SPDX-License-Identifier: Apache-2.0
// Constructs plans under constraints in many ways and keeps the best: for
// `skyline`, and as the incumbent of `optimal`. A single way is in
// place_bodies.h; without constraints use Construct (construct.h).
#ifndef STOWAGE_BODIES_CONSTRUCT_BODIES_H_
#define STOWAGE_BODIES_CONSTRUCT_BODIES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "src/bodies/bodies.h"
#include "src/bodies/conflicts.h"
#include "src/core/work_limit.h"

namespace stowage::bodies {

// A plan of bodies.
struct Placing {
  std::vector<Level> starts;
  Level top = kNoLevel;
  std::string found_by;  // as Solution::found_by
};

struct BodyEffort {
  // Looks at bodies of all dives together, and as many pairs of pieces in
  // conflict; what would cost more is left out.
  uint64_t looks = uint64_t{12} << 20;
  // Orders drawn at random, after those that are fixed.
  size_t drawn_orders = 0;
  uint64_t seed = 1;
  const StopSignal* stop = nullptr;  // not owned; null for none
};

// The lowest of several plans, the first with `enough` or less; nothing if no
// way finds any, which proves nothing.
absl::optional<Placing> ConstructBodies(const Bodies& bodies,
                                        const Relation& relation, Level enough,
                                        const BodyEffort& effort);

// The bodies by decreasing size, ties by index: the order of GREEDY_BY_SIZE.
std::vector<uint32_t> LargestFirst(const Bodies& bodies);

}  // namespace stowage::bodies

#endif  // STOWAGE_BODIES_CONSTRUCT_BODIES_H_
