// SPDX-License-Identifier: Apache-2.0
// Generates any number of usage records that resemble those of large networks.
#ifndef STOWAGE_BENCH_NETWORKS_H_
#define STOWAGE_BENCH_NETWORKS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/profile.h"

namespace stowage::bench {

// Returns `count` records in execution order. Most tensors are read by the next
// task, some are kept for a branch, fewer for a skip connection, and very few
// for a large part of the network. Sizes are products of a few heights, widths
// and channels, so many of them are equal.
std::vector<ByteRecord> NetworkRecords(size_t count, uint64_t seed);

}  // namespace stowage::bench

#endif  // STOWAGE_BENCH_NETWORKS_H_
