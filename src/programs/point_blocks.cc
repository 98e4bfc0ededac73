// SPDX-License-Identifier: Apache-2.0
#include "src/programs/point_blocks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/programs/points.h"

namespace stowage {

PointBlocks::PointBlocks(const ProgramPoints& points) {
  const std::vector<Point>& all = points.points;
  std::vector<uint32_t> predecessors(all.size(), 0);
  for (const Point& point : all) {
    for (const uint32_t next : point.next) ++predecessors[next];
  }
  blocks_.reserve(all.size());
  for (uint32_t p = 0; p < all.size(); ++p) {
    const bool continues = p > 0 && predecessors[p] == 1 &&
                           all[p - 1].next.size() == 1 &&
                           all[p - 1].next[0] == p;
    if (!continues) firsts_.push_back(p);
    blocks_.push_back(static_cast<uint32_t>(firsts_.size() - 1));
  }
  firsts_.push_back(static_cast<uint32_t>(all.size()));
  before_.resize(size());
  for (uint32_t block = 0; block < size(); ++block) {
    for (const uint32_t next : all[last(block)].next) {
      before_[blocks_[next]].push_back(block);
    }
  }
  for (std::vector<uint32_t>& before : before_) {
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
  }
}

}  // namespace stowage
