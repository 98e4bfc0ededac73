// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/pool_renaming.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stowage::rigid {
namespace {

constexpr uint32_t kNoName = ~uint32_t{0};
// The maximum number of names in all renamings that are stored.
constexpr size_t kMaxNames = size_t{1} << 22;

}  // namespace

PoolRenaming::PoolRenaming(Span<const uint32_t> first_alike, size_t pools)
    : members_(pools), names_(pools), named_(pools) {
  std::vector<uint32_t> last_class(pools);  // by first pool
  for (uint32_t pool = 0; pool < pools; ++pool) {
    const uint32_t alike = first_alike.empty() ? pool : first_alike[pool];
    if (alike == pool || members_[last_class[alike]].size() == kMaxClass) {
      last_class[alike] = pool;
    }
    const uint32_t first = last_class[alike];
    first_of_.push_back(first);
    rank_of_.push_back(static_cast<uint32_t>(members_[first].size()));
    members_[first].push_back(pool);
    has_classes_ = has_classes_ || first != pool;
  }
  Begin();
  Finish();
}

void PoolRenaming::Begin() {
  std::fill(names_.begin(), names_.end(), kNoName);
  std::fill(named_.begin(), named_.end(), 0);
}

void PoolRenaming::Name(uint32_t pool) {
  if (names_[pool] != kNoName) return;
  const uint32_t first = first_of_[pool];
  names_[pool] = members_[first][named_[first]++];
}

uint32_t PoolRenaming::Finish() {
  for (uint32_t pool = 0; pool < names_.size(); ++pool) Name(pool);
  const std::string key(reinterpret_cast<const char*>(names_.data()),
                        names_.size() * sizeof(uint32_t));
  const auto known = numbers_.find(key);
  if (known != numbers_.end()) return known->second;
  if (!renamings_.empty() && renamings_.size() >= kMaxNames / names_.size()) {
    return 0;
  }
  const auto number = static_cast<uint32_t>(renamings_.size());
  numbers_.emplace(key, number);
  renamings_.push_back(names_);
  return number;
}

}  // namespace stowage::rigid
