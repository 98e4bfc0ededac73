// SPDX-License-Identifier: Apache-2.0
// Renames interchangeable pools, so that selections of pools which differ only
// in the names of such pools become equal. InterchangeablePools (pool_items.h)
// finds these pools.
#ifndef STOWAGE_SRC_BOUNDS_POOL_RENAMING_H_
#define STOWAGE_SRC_BOUNDS_POOL_RENAMING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/base/containers.h"
#include "stowage/base/span.h"

namespace stowage::rigid {

// Pools that can be exchanged form a class. A renaming maps each pool to a pool
// of the same class. To make one, call Begin, then Name for each pool in the
// order in which a state mentions it, and then Finish.
class PoolRenaming {
 public:
  // `first_alike` has, for each pool, the first pool of its class; if it is
  // empty, each pool is a class of its own. Classes of more than kMaxClass
  // pools are split.
  PoolRenaming(Span<const uint32_t> first_alike, size_t pools);

  static constexpr size_t kMaxClass = 250;

  // Returns whether some class has several pools.
  bool has_classes() const { return has_classes_; }
  // Returns the first pool of the class of a pool.
  uint32_t FirstOf(uint32_t pool) const { return first_of_[pool]; }
  // Returns the position of a pool in its class, and the inverse.
  uint32_t RankOf(uint32_t pool) const { return rank_of_[pool]; }
  uint32_t PoolAt(uint32_t first, uint32_t rank) const {
    return members_[first][rank];
  }

  void Begin();
  // Gives the pool the first free name of its class, unless it has a name.
  void Name(uint32_t pool);
  // Names the remaining pools, and returns the number of the renaming. The
  // number of the renaming that changes nothing is 0. This is also the result
  // once all renamings together take a few tens of megabytes: states that could
  // be equal then remain different.
  uint32_t Finish();
  // Returns the pool to which a renaming maps each pool.
  Span<const uint32_t> operator[](uint32_t number) const {
    return renamings_[number];
  }

 private:
  std::vector<uint32_t> first_of_;
  std::vector<uint32_t> rank_of_;
  std::vector<std::vector<uint32_t>> members_;  // by first pool
  bool has_classes_ = false;
  std::vector<uint32_t> names_;  // of the renaming that is being made
  std::vector<uint32_t> named_;  // the number of names that are used, by class
  std::vector<std::vector<uint32_t>> renamings_;
  flat_hash_map<std::string, uint32_t> numbers_;  // of the renamings
};

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_BOUNDS_POOL_RENAMING_H_
