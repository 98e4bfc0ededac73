// SPDX-License-Identifier: Apache-2.0
#include "optimal/constrained/reuse/ruin.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stowage/base/span.h"

namespace stowage::optimal {
namespace {

// The maximum number of groups of a move: kFew in two moves of three.
constexpr uint64_t kFew = 4;
constexpr uint64_t kMany = 14;

}  // namespace

Ruin::Ruin(const RigidGroups& groups, const EnergyGraph& graph)
    : graph_(graph), sizes_(groups.size()) {
  for (const rigid::Piece& piece : groups.pieces()) {
    sizes_[piece.group] += piece.size;
  }
}

void Ruin::Add(uint32_t group, const ReuseState& state) {
  if (group == graph_.size() || !state.CanMove(group) ||
      std::find(removed_.begin(), removed_.end(), group) != removed_.end()) {
    return;
  }
  removed_.push_back(group);
}

// Chooses a random group, and others that have an edge with it or are random.
void Ruin::Choose(uint64_t most, const ReuseState& state, Random* random) {
  removed_.clear();
  const std::vector<uint32_t>& movable = graph_.movable();
  const uint32_t first = movable[random->Below(movable.size())];
  Add(first, state);
  const uint64_t others = random->Below(random->Below(3) > 0 ? kFew : kMany);
  const auto soft = graph_.SoftSidesOf(first);
  const auto hard = graph_.HardSidesOf(first);
  for (uint64_t k = 0; k < std::min(others, most - 1); ++k) {
    if (!soft.empty() && random->Below(2) == 0) {
      Add(soft[random->Below(soft.size())].other, state);
    } else if (!hard.empty() && random->Below(3) > 0) {
      Add(hard[random->Below(hard.size())].other, state);
    } else {
      Add(movable[random->Below(movable.size())], state);
    }
  }
}

void Ruin::Step(const Temperature& temperature, uint64_t most,
                ReuseState* state, Random* random) {
  Choose(most, *state, random);
  const int64_t before = state->packed();
  starts_.clear();
  for (size_t k = removed_.size(); k > 1; --k) {
    std::swap(removed_[k - 1], removed_[random->Below(k)]);
  }
  if (random->Below(2) == 0) {
    std::stable_sort(
        removed_.begin(), removed_.end(),
        [&](uint32_t a, uint32_t b) { return sizes_[a] > sizes_[b]; });
  }
  for (const uint32_t group : removed_) {
    starts_.push_back(state->starts()[group]);
    state->Remove(group);
  }
  bool is_kept = true;
  for (size_t k = 0; k < removed_.size() && is_kept; ++k) {
    is_kept = state->PutBack(removed_[k], random->Below(3) == 0, random);
  }
  const int64_t change = state->packed() - before;
  if (is_kept && change > 0) {
    is_kept = static_cast<int64_t>(random->Below(ExponentialTable::kOne)) <
              temperature.Weight(change);
  }
  if (is_kept) return;
  for (size_t k = 0; k < removed_.size(); ++k) {
    state->Restore(removed_[k], starts_[k]);
  }
  state->SetPacked(before);
}

}  // namespace stowage::optimal
