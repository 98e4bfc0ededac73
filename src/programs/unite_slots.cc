// SPDX-License-Identifier: Apache-2.0
#include "src/programs/unite_slots.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/programs/saturating.h"
#include "src/programs/slot_conflicts.h"
#include "stowage/base/span.h"
#include "stowage/programs/live_runs.h"
#include "stowage/programs/points.h"

namespace stowage {
namespace {

using SlotPair = std::pair<SlotId, SlotId>;

SlotPair Ordered(SlotId a, SlotId b) {
  return {std::min(a, b), std::max(a, b)};
}

// A set of slots that share one place, and the runs during which each slot
// needs the place.
class SlotClass {
 public:
  const std::vector<SlotId>& members() const { return members_; }

  void Add(SlotId slot, const std::vector<LiveRun>& runs) {
    members_.push_back(slot);
    for (const LiveRun& run : runs) {
      lasts_[{run.first, slot}] = run.last;
      longest_ = std::max(longest_, run.last - run.first);
    }
  }

  // Returns whether the slot can join the class. Every member either must be
  // allowed to share memory with the slot, or must never need memory at the
  // same point as the slot.
  bool Admits(SlotId slot, const std::vector<LiveRun>& runs,
              const btree_set<SlotPair>& allowed) const {
    for (const LiveRun& run : runs) {
      // A stored run that begins before `low` ends before `run` begins.
      const uint32_t low = run.first - std::min(run.first, longest_);
      for (auto it = lasts_.lower_bound({low, 0});
           it != lasts_.end() && it->first.first <= run.last; ++it) {
        if (it->second < run.first) continue;
        if (allowed.count(Ordered(it->first.second, slot)) == 0) return false;
      }
    }
    return true;
  }

 private:
  std::vector<SlotId> members_;
  // Maps the first point and the slot of each run to the last point of the run.
  btree_map<std::pair<uint32_t, SlotId>, uint32_t> lasts_;
  uint32_t longest_ = 0;  // the largest last - first
};

}  // namespace

std::vector<Candidate> FindCandidates(
    const ProgramPoints& points, const std::vector<std::vector<LiveRun>>& runs,
    uint64_t expected_turns) {
  btree_map<SlotPair, Candidate> found;
  for (const Point& point : points.points) {
    uint64_t turns = 1;
    for (uint32_t i = 0; i < points.calls[point.call].loops; ++i) {
      turns = SaturatingTimes(turns, expected_turns);
    }
    // A kTurn point belongs to the frame around a loop, but runs at the end of
    // every iteration of that loop. It is therefore nested in one more loop
    // than its frame.
    if (point.kind == PointKind::kTurn) {
      turns = SaturatingTimes(turns, expected_turns);
    }
    const auto add = [&](SlotId a, SlotId b, uint64_t copied) {
      if (a == b || points.slot_sizes[a] != points.slot_sizes[b]) return;
      Candidate& candidate = found[Ordered(a, b)];
      candidate.copied = SaturatingPlus(candidate.copied, copied);
      candidate.weight =
          SaturatingPlus(candidate.weight, SaturatingTimes(copied, turns));
    };
    for (const SlotCopy& copy : point.copies) {
      add(copy.destination, copy.source, points.slot_sizes[copy.source]);
    }
    for (const SlotInPlace& in_place : point.in_place) {
      add(in_place.output, in_place.input,
          in_place.is_view ? points.slot_sizes[in_place.input] : 0);
    }
  }
  const SlotConflictFinder finder(points, runs);
  std::vector<Candidate> candidates;
  for (auto& [slots, candidate] : found) {
    if (finder.Conflict(slots.first, slots.second)) continue;
    candidate.first = slots.first;
    candidate.second = slots.second;
    candidates.push_back(candidate);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     return a.weight > b.weight;
                   });
  return candidates;
}

std::vector<SlotId> UniteSlots(const std::vector<std::vector<LiveRun>>& runs,
                               Span<const Candidate> candidates) {
  btree_set<SlotPair> allowed;
  for (const Candidate& candidate : candidates) {
    allowed.insert(Ordered(candidate.first, candidate.second));
  }
  std::vector<SlotId> classes(runs.size());
  std::iota(classes.begin(), classes.end(), 0);
  std::vector<SlotClass> all(runs.size());
  for (SlotId slot = 0; slot < runs.size(); ++slot) {
    all[slot].Add(slot, runs[slot]);
  }
  for (const Candidate& candidate : candidates) {
    SlotId large = classes[candidate.first];
    SlotId small = classes[candidate.second];
    if (large == small) continue;
    if (all[large].members().size() < all[small].members().size()) {
      std::swap(large, small);
    }
    const std::vector<SlotId>& members = all[small].members();
    const bool can_unite =
        std::all_of(members.begin(), members.end(), [&](SlotId slot) {
          return all[large].Admits(slot, runs[slot], allowed);
        });
    if (!can_unite) continue;
    for (const SlotId slot : members) {
      classes[slot] = large;
      all[large].Add(slot, runs[slot]);
    }
    all[small] = SlotClass();
  }
  return classes;
}

}  // namespace stowage
