// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/conflicts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::rigid {
namespace {

uint64_t KeyOf(uint64_t a, uint64_t b) {
  return std::min(a, b) << 32 | std::max(a, b);
}

}  // namespace

void FindWindows(const TaskOrder& order, Span<const TaskId> users,
                 Span<Window> windows) {
  for (size_t c = 0; c < windows.size(); ++c) {
    Window window = {order.CountBefore(users[0], c),
                     order.FirstAfter(users[0], c)};
    for (const TaskId user : users.subspan(1)) {
      window.begin = std::min(window.begin, order.CountBefore(user, c));
      window.end = std::max(window.end, order.FirstAfter(user, c));
    }
    windows[c] = window;
  }
}

StepInterval HeldOnChain(const TaskOrder& order, Span<const TaskId> users,
                         size_t chain) {
  StepInterval held = {std::numeric_limits<uint32_t>::max(), 0};
  for (const TaskId user : users) {
    const bool is_there = order.chain_of(user) == chain;
    const uint32_t position = order.position_of(user);
    held.begin = std::min(held.begin,
                          is_there ? position : order.FirstAfter(user, chain));
    held.end = std::max(
        held.end, is_there ? position + 1 : order.CountBefore(user, chain));
  }
  if (held.begin >= held.end) return {};
  return held;
}

Relation::Relation(const Problem& problem)
    : problem_(problem), constraints_(*problem.constraints()) {
  ListNever();
  if (constraints_.apart.empty()) return;
  apart_ends_.assign(problem.size() + 1, 0);
  for (const std::vector<size_t>& set : constraints_.apart) {
    for (const size_t i : set) ++apart_ends_[i + 1];
  }
  std::partial_sum(apart_ends_.begin(), apart_ends_.end(), apart_ends_.begin());
  apart_sets_.resize(apart_ends_.back());
  std::vector<uint32_t> next(apart_ends_.begin(), apart_ends_.end() - 1);
  for (uint32_t s = 0; s < constraints_.apart.size(); ++s) {
    for (const size_t i : constraints_.apart[s]) apart_sets_[next[i]++] = s;
  }
}

void Relation::ListNever() {
  if (constraints_.never.empty()) return;
  never_ends_.assign(problem_.size() + 1, 0);
  for (const auto& [a, b] : constraints_.never) {
    never_.insert(KeyOf(a, b));
    ++never_ends_[a + 1];
    ++never_ends_[b + 1];
  }
  std::partial_sum(never_ends_.begin(), never_ends_.end(), never_ends_.begin());
  never_partners_.resize(never_ends_.back());
  std::vector<uint32_t> next(never_ends_.begin(), never_ends_.end() - 1);
  for (const auto& [a, b] : constraints_.never) {
    never_partners_[next[a]++] = static_cast<uint32_t>(b);
    never_partners_[next[b]++] = static_cast<uint32_t>(a);
  }
}

Span<const uint32_t> Relation::NeverPartnersOf(uint32_t record) const {
  if (never_ends_.empty()) return {};
  return MakeConstSpan(never_partners_)
      .subspan(never_ends_[record],
               never_ends_[record + 1] - never_ends_[record]);
}

Span<const uint32_t> Relation::ApartSetsOf(uint32_t record) const {
  if (apart_ends_.empty()) return {};
  return MakeConstSpan(apart_sets_)
      .subspan(apart_ends_[record],
               apart_ends_[record + 1] - apart_ends_[record]);
}

bool Relation::AreApart(uint32_t a, uint32_t b) const {
  const Span<const uint32_t> of_a = ApartSetsOf(a);
  const Span<const uint32_t> of_b = ApartSetsOf(b);
  const auto* x = of_a.begin();
  const auto* y = of_b.begin();
  while (x != of_a.end() && y != of_b.end()) {
    if (*x == *y) return true;
    ++(*x < *y ? x : y);
  }
  return false;
}

bool Relation::AreLiveTogether(uint32_t a, uint32_t b) const {
  if (!constraints_.order) {
    return stowage::Conflict(problem_.records()[a], problem_.records()[b]);
  }
  const TaskOrder& order = *constraints_.order;
  const auto precedes = [&](uint32_t first, uint32_t second) {
    for (const TaskId u : constraints_.users[first]) {
      for (const TaskId v : constraints_.users[second]) {
        if (!order.Precedes(u, v)) return false;
      }
    }
    return true;
  };
  return !precedes(a, b) && !precedes(b, a);
}

bool Relation::Conflict(uint32_t a, uint32_t b) const {
  if (AreApart(a, b)) return true;
  if (!constraints_.places.empty()) {
    const uint32_t group = constraints_.places[a].group;
    if (group != kNoGroup && group == constraints_.places[b].group) {
      return false;
    }
  }
  return !IsNever(a, b) && AreLiveTogether(a, b);
}

bool Relation::ConflictUngrouped(uint32_t a, uint32_t b) const {
  return AreApart(a, b) || (!IsNever(a, b) && AreLiveTogether(a, b));
}

bool Relation::IsNever(uint32_t a, uint32_t b) const {
  return !never_.empty() && never_.count(KeyOf(a, b)) > 0;
}

namespace {

// Adds the pairs of pieces whose records are in one apart set although their
// intervals do not meet. The apart set is the only reason why these pairs
// conflict. Returns false if there are too many pairs or if `work` ends.
bool AddApartPairs(const RigidGroups& groups, size_t max, WorkLimit* work,
                   std::vector<std::vector<uint32_t>>* lists) {
  const Problem& problem = groups.problem();
  if (problem.constraints()->apart.empty()) return true;
  const Span<const Piece> pieces = groups.pieces();
  constexpr uint32_t kNone = ~uint32_t{0};
  std::vector<uint32_t> piece_of(problem.size(), kNone);
  for (uint32_t p = 0; p < pieces.size(); ++p) piece_of[pieces[p].record] = p;
  for (const std::vector<size_t>& set : problem.constraints()->apart) {
    for (size_t k = 0; k < set.size(); ++k) {
      const uint32_t a = piece_of[set[k]];
      if (!work->Spend(set.size() - k)) return false;
      for (size_t m = k + 1; m < set.size() && a != kNone; ++m) {
        const uint32_t b = piece_of[set[m]];
        if (b == kNone || pieces[a].group == pieces[b].group ||
            stowage::Conflict(problem.records()[set[k]],
                              problem.records()[set[m]])) {
          continue;
        }
        if (max-- == 0) return false;
        (*lists)[a].push_back(b);
        (*lists)[b].push_back(a);
      }
    }
  }
  return true;
}

// Returns the lists with their entries in rising order and without repetitions.
// Requires that p is in list q iff q is in list p, so that the lists can be
// rebuilt by visiting p in rising order, in less time than sorting takes.
std::vector<std::vector<uint32_t>> Sorted(
    std::vector<std::vector<uint32_t>> lists) {
  std::vector<std::vector<uint32_t>> sorted(lists.size());
  for (size_t p = 0; p < lists.size(); ++p) sorted[p].reserve(lists[p].size());
  for (uint32_t p = 0; p < lists.size(); ++p) {
    for (const uint32_t q : lists[p]) {
      if (sorted[q].empty() || sorted[q].back() != p) sorted[q].push_back(p);
    }
    lists[p] = {};
  }
  return sorted;
}

}  // namespace

optional<std::vector<std::vector<uint32_t>>> ListConflicts(
    const RigidGroups& groups, const Relation& relation, size_t max,
    WorkLimit* work) {
  const Span<const Piece> pieces = groups.pieces();
  const Constraints& constraints = *groups.problem().constraints();
  std::vector<std::vector<uint32_t>> lists(pieces.size());
  // The pieces sorted by their first tasks. Most pairs whose intervals do not
  // meet are then never compared.
  std::vector<uint32_t> by_first(pieces.size());
  std::iota(by_first.begin(), by_first.end(), 0);
  const auto record_of = [&](uint32_t piece) -> const ByteRecord& {
    return groups.problem().records()[pieces[piece].record];
  };
  std::stable_sort(by_first.begin(), by_first.end(),
                   [&](uint32_t a, uint32_t b) {
                     return record_of(a).first_task < record_of(b).first_task;
                   });
  const bool meet_later = constraints.order.has_value();
  // With a partial order, every pair has to be compared. If the remaining work
  // does not suffice for all comparisons, gives up before the first one.
  if (meet_later && pieces.size() > 1 &&
      work->left() / pieces.size() < pieces.size() / 2) {
    return nullopt;
  }
  size_t pairs = 0;
  for (size_t k = 0; k < by_first.size(); ++k) {
    const uint32_t a = by_first[k];
    for (size_t m = k + 1; m < by_first.size(); ++m) {
      const uint32_t b = by_first[m];
      if (!meet_later && record_of(b).first_task > record_of(a).last_task) {
        break;
      }
      if (!work->Spend(1)) return nullopt;
      if (pieces[a].group == pieces[b].group ||
          !relation.Conflict(pieces[a].record, pieces[b].record)) {
        continue;
      }
      if (++pairs > max) return nullopt;
      lists[a].push_back(b);
      lists[b].push_back(a);
    }
  }
  if (!meet_later && !AddApartPairs(groups, max - pairs, work, &lists)) {
    return nullopt;
  }
  return Sorted(std::move(lists));
}

size_t EstimatePairs(Span<const std::vector<uint32_t>> conflicts) {
  size_t pairs = 0;
  for (const std::vector<uint32_t>& of_piece : conflicts) {
    pairs += of_piece.size() / 2;
  }
  return pairs;
}

}  // namespace stowage::rigid
