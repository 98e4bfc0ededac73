// SPDX-License-Identifier: Apache-2.0
// Usage records that look like those of large generated networks, at any size.
#ifndef STOWAGE_BENCH_NETWORKS_H_
#define STOWAGE_BENCH_NETWORKS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/profile.h"

namespace stowage::bench {

// `count` records in execution order: mostly tensors used by the next task,
// some kept for a branch, fewer for a skip connection, very few for a large
// part of the network; sizes are products of a few heights, widths and
// channels, so that many are equal.
std::vector<ByteRecord> NetworkRecords(size_t count, uint64_t seed);

}  // namespace stowage::bench

#endif  // STOWAGE_BENCH_NETWORKS_H_
