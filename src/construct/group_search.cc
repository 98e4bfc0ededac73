// SPDX-License-Identifier: Apache-2.0
#include "src/construct/group_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::rigid {
namespace {

constexpr uint32_t kNoPair = ~uint32_t{0};
// The maximum number of rounds of propagation in a node. After that, the node
// is left undecided. Starts may raise each other in small steps for a long time
// because of their alignments.
constexpr uint64_t kMaxRounds = 512;
// The number of rounds between two checks for pairs whose starts raise each
// other forever.
constexpr uint64_t kRoundsPerCheck = 32;
// The maximum number of decided pairs on the path to a node. A copy of the
// starts is stored for each of them.
constexpr size_t kMaxDepth = 2048;
// The number of pairs to propagate between two checks of the signal.
constexpr uint64_t kPushesPerPoll = uint64_t{1} << 18;

// Returns the interval of displacements, exclusive at both ends, at which piece
// `b` of the second group would share a byte with piece `a` of the first group.
std::pair<Level, Level> BlockedBy(const Piece& a, const Piece& b) {
  return {a.at - b.at - b.size, a.at + a.size - b.at};
}

}  // namespace

GroupSearch::GroupSearch(const RigidGroups& groups,
                         Span<const std::vector<uint32_t>> conflicts,
                         Span<const Clique> cliques,
                         Span<const CostlyPair> costly)
    : groups_(groups), cliques_(cliques), pairs_of_(groups.size()) {
  MakePairs(conflicts);
  AddCostlyPairs(costly);
}

void GroupSearch::MakePairs(Span<const std::vector<uint32_t>> conflicts) {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<std::pair<Level, Level>>>
      blocked;
  const Span<const Piece> pieces = groups_.pieces();
  for (uint32_t p = 0; p < pieces.size(); ++p) {
    for (const uint32_t q : conflicts[p]) {
      if (pieces[p].group >= pieces[q].group) continue;
      blocked[{pieces[p].group, pieces[q].group}].push_back(
          BlockedBy(pieces[p], pieces[q]));
    }
  }
  for (auto& [groups, intervals] : blocked) {
    AddPair(groups.first, groups.second, std::move(intervals));
  }
}

// Adds a pair of groups. The intervals of the pair are the gaps between the
// intervals in `blocked`.
void GroupSearch::AddPair(uint32_t first, uint32_t second,
                          std::vector<std::pair<Level, Level>> blocked) {
  std::sort(blocked.begin(), blocked.end());
  Pair pair;
  pair.first = first;
  pair.second = second;
  pair.begin = static_cast<uint32_t>(intervals_.size());
  Level from = -kNoLevel;
  for (const auto& [low, high] : blocked) {
    if (low >= from) intervals_.push_back({from, low});
    from = std::max(from, high);
  }
  intervals_.push_back({from, kNoLevel});
  pair.end = static_cast<uint32_t>(intervals_.size());
  pairs_of_[first].push_back(static_cast<uint32_t>(pairs_.size()));
  pairs_of_[second].push_back(static_cast<uint32_t>(pairs_.size()));
  pairs_.push_back(pair);
}

void GroupSearch::AddCostlyPairs(Span<const CostlyPair> costly) {
  for (const CostlyPair& wish : costly) {
    const Piece* a = &groups_.pieces()[wish.first];
    const Piece* b = &groups_.pieces()[wish.second];
    if (a->group > b->group) std::swap(a, b);
    AddPair(a->group, b->group, {BlockedBy(*a, *b)});
    pairs_.back().is_costly = true;
    pairs_.back().cost = wish.cost;
    pairs_.back().is_active = false;
  }
}

bool GroupSearch::Run(Level limit, optional<GroupPlan> known, uint64_t nodes,
                      const StopSignal& stop) {
  limit_ = limit;
  max_nodes_ = nodes_ + nodes;
  stop_ = &stop;
  is_complete_ = true;
  is_done_ = false;
  best_ = std::move(known);
  std::vector<Bounds> starts(groups_.size());
  for (uint32_t b = 0; b < groups_.size(); ++b) {
    starts[b] = {groups_.LowestStart(b, 0), groups_.HighestStart(b, kNoLevel)};
  }
  Search(std::move(starts), 0);
  return is_complete_;
}

// Returns the highest top at which a plan that costs `paid` or more could be
// better than the best plan so far, or -1 if no such plan could be better.
Level GroupSearch::LimitAt(uint64_t paid) const {
  if (!best_ || paid < best_->cost) return limit_;
  return paid == best_->cost ? std::min(limit_, best_->top - 1) : -1;
}

bool GroupSearch::IsOver() {
  if (is_done_) return true;
  if (nodes_ >= max_nodes_ || (nodes_ % 16 == 0 && stop_->IsSet())) {
    is_complete_ = false;
    is_done_ = true;
  }
  return is_done_;
}

void GroupSearch::Search(std::vector<Bounds> starts, uint64_t paid) {
  if (IsOver()) return;
  if (depth_ >= kMaxDepth) {
    is_complete_ = false;
    return;
  }
  ++nodes_;
  if (!Propagate(paid, &starts) || !CliquesFit(starts, LimitAt(paid))) return;
  uint32_t pair = ChoosePair(starts, false);
  if (pair == kNoPair) pair = ChoosePair(starts, true);
  if (pair == kNoPair) {
    Accept(starts, paid);
    return;
  }
  BranchOver(pair, starts, paid);
}

void GroupSearch::BranchOver(uint32_t number, const std::vector<Bounds>& starts,
                             uint64_t paid) {
  std::vector<std::pair<Level, uint32_t>> branches;
  for (uint32_t k = pairs_[number].begin; k < pairs_[number].end; ++k) {
    branches.emplace_back(PushOf(pairs_[number], starts, k), k);
  }
  std::sort(branches.begin(), branches.end());
  ++depth_;
  for (const auto& [push, interval] : branches) {
    pairs_[number].decided = interval;
    pairs_[number].is_active = true;
    Search(starts, paid);
    pairs_[number].decided = kUndecided;
  }
  if (pairs_[number].is_costly) {
    const uint64_t cost = pairs_[number].cost;
    pairs_[number].is_active = false;
    pairs_[number].is_paid = true;
    // The sum cannot overflow, since Problem::Create has checked that the sum
    // of all costs is below 2^64.
    Search(starts, paid + cost);
    pairs_[number].is_paid = false;
  }
  --depth_;
}

void GroupSearch::Accept(const std::vector<Bounds>& starts, uint64_t paid) {
  GroupPlan plan;
  for (const Bounds& start : starts) plan.starts.push_back(start.low);
  plan.top = groups_.TopOf(plan.starts);
  plan.cost = paid;
  if (paid <= enough_cost_ && plan.top <= enough_) is_done_ = true;
  best_ = std::move(plan);
}

bool GroupSearch::SetLow(uint32_t group, Level low, std::vector<Bounds>* starts,
                         bool* changed) {
  Bounds& start = (*starts)[group];
  if (low <= start.low) return true;
  start.low = groups_.LowestStart(group, low);
  *changed = true;
  return start.low <= start.high;
}

bool GroupSearch::SetHigh(uint32_t group, Level high,
                          std::vector<Bounds>* starts, bool* changed) {
  Bounds& start = (*starts)[group];
  if (high >= start.high) return true;
  start.high = groups_.HighestStart(group, high);
  *changed = true;
  return start.low <= start.high;
}

// Returns the bounding interval of the displacements that are possible for the
// pair. A displacement is possible if it is in one of the pair's intervals (or
// in the chosen interval, if the pair is decided) and agrees with the bounds of
// both starts. Returns nullopt if no interval of the pair agrees with these
// bounds.
optional<GroupSearch::Interval> GroupSearch::BoundingInterval(
    const Pair& pair, const std::vector<Bounds>& starts) const {
  const Bounds& first = starts[pair.first];
  const Bounds& second = starts[pair.second];
  uint32_t begin = pair.begin;
  uint32_t end = pair.end;
  if (pair.decided != kUndecided) {
    begin = pair.decided;
    end = begin + 1;
  }
  const Level least = second.low - first.high;
  const Level max = second.high - first.low;
  while (begin < end && intervals_[begin].high < least) ++begin;
  while (begin < end && intervals_[end - 1].low > max) --end;
  if (begin == end) return nullopt;
  return Interval{intervals_[begin].low, intervals_[end - 1].high};
}

// Returns whether the remaining intervals of some pairs together require a
// start to be above itself, which no plan can satisfy. Each pair requires a
// minimum distance between its two starts. If these distances form a cycle of
// positive length, the longest paths grow forever, which the algorithm of
// Bellman and Ford detects.
bool GroupSearch::PushForever(const std::vector<Bounds>& starts) const {
  std::vector<Level> pushed(groups_.size(), 0);
  bool changed = true;
  for (size_t round = 0; changed && round <= groups_.size(); ++round) {
    changed = false;
    for (const Pair& pair : pairs_) {
      if (!pair.is_active) continue;
      const auto box = BoundingInterval(pair, starts);
      if (!box) return true;
      Level& first = pushed[pair.first];
      Level& second = pushed[pair.second];
      if (box->low > -kNoLevel && second < first + box->low) {
        second = first + box->low;
        changed = true;
      }
      if (box->high < kNoLevel && first < second - box->high) {
        first = second - box->high;
        changed = true;
      }
      // Without a cycle of positive length, no path could push a start this
      // high.
      if (std::max(first, second) > kNoLevel) return true;
    }
  }
  return changed;
}

// Restricts both starts to the values that the remaining intervals of the pair
// allow. Returns false if no value remains for a start.
bool GroupSearch::PushPair(const Pair& pair, std::vector<Bounds>* starts,
                           bool* changed) {
  const Bounds first = (*starts)[pair.first];
  const Bounds second = (*starts)[pair.second];
  const optional<Interval> box = BoundingInterval(pair, *starts);
  if (!box) return false;
  const auto [low, high] = *box;
  return SetLow(pair.second, first.low + low, starts, changed) &&
         SetLow(pair.first, second.low - high, starts, changed) &&
         SetHigh(pair.first, second.high - low, starts, changed) &&
         SetHigh(pair.second, first.high + high, starts, changed);
}

bool GroupSearch::Propagate(uint64_t paid, std::vector<Bounds>* starts) {
  const Level limit = LimitAt(paid);
  bool changed = false;
  for (uint32_t b = 0; b < starts->size(); ++b) {
    if ((*starts)[b].low > (*starts)[b].high ||
        !SetHigh(b, limit - groups_[b].extent, starts, &changed)) {
      return false;
    }
  }
  for (uint64_t round = 1; round < kMaxRounds; ++round) {
    changed = false;
    if (round % kRoundsPerCheck == 0 && PushForever(*starts)) return false;
    pushes_ += pairs_.size();
    if (pushes_ >= kPushesPerPoll) {
      pushes_ = 0;
      if (stop_->IsSet()) break;
    }
    for (const Pair& pair : pairs_) {
      if (pair.is_active && !PushPair(pair, starts, &changed)) return false;
    }
    if (!changed) return true;
  }
  is_complete_ = false;
  return false;
}

bool GroupSearch::CliquesFit(const std::vector<Bounds>& starts, Level limit) {
  for (const Clique& clique : cliques_) {
    sections_.clear();
    for (const CliqueMember& member : clique.members) {
      sections_.emplace_back(starts[member.group].low + member.at,
                             member.bytes);
    }
    std::sort(sections_.begin(), sections_.end());
    Level bytes = 0;
    for (auto section = sections_.rbegin(); section != sections_.rend();
         ++section) {
      bytes += section->second;
      if (section->first + bytes > limit) return false;
    }
  }
  return true;
}

// Returns the number of levels by which a start must rise to bring the
// displacement of the pair into the interval, or kNoLevel if this is not
// possible.
Level GroupSearch::PushOf(const Pair& pair, const std::vector<Bounds>& starts,
                          uint32_t interval) const {
  const Bounds& first = starts[pair.first];
  const Bounds& second = starts[pair.second];
  const auto [low, high] = intervals_[interval];
  if (high < second.low - first.high || low > second.high - first.low) {
    return kNoLevel;
  }
  const Level displacement = second.low - first.low;
  if (displacement < low) return low - displacement;
  return displacement > high ? displacement - high : 0;
}

bool GroupSearch::Overlaps(const Pair& pair,
                           const std::vector<Bounds>& starts) const {
  const Level displacement = starts[pair.second].low - starts[pair.first].low;
  for (uint32_t k = pair.begin; k < pair.end; ++k) {
    if (intervals_[k].low <= displacement &&
        displacement <= intervals_[k].high) {
      return false;
    }
  }
  return true;
}

// Returns an undecided pair that overlaps, or kNoPair if there is none. If
// `costly` is true, considers only pairs with a cost, and returns the one with
// the highest cost. Otherwise, considers only pairs without a cost. Each
// remaining interval of such a pair would push a start up by some number of
// levels (PushOf); the minimum of these numbers is the least push of the pair.
// Returns the pair whose least push is the largest.
uint32_t GroupSearch::ChoosePair(const std::vector<Bounds>& starts,
                                 bool costly) const {
  uint32_t chosen = kNoPair;
  uint64_t best = 0;
  for (uint32_t p = 0; p < pairs_.size(); ++p) {
    const Pair& pair = pairs_[p];
    if (pair.is_costly != costly || pair.decided != kUndecided ||
        pair.is_paid || !Overlaps(pair, starts)) {
      continue;
    }
    uint64_t score = pair.cost;
    if (!costly) {
      Level push = kNoLevel;
      for (uint32_t k = pair.begin; k < pair.end; ++k) {
        push = std::min(push, PushOf(pair, starts, k));
      }
      score = static_cast<uint64_t>(push);
    }
    if (chosen != kNoPair && score <= best) continue;
    chosen = p;
    best = score;
  }
  return chosen;
}

}  // namespace stowage::rigid
