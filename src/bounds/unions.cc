// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/unions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

// The maximum number of comparisons of two records.
constexpr uint64_t kMaxComparisons = uint64_t{1} << 26;
// The maximum displacement in a union. It is small enough that sums of
// displacements do not overflow.
constexpr size_t kMaxDisplacement = size_t{1} << 60;

uint64_t KeyOfPair(size_t a, size_t b) {
  return uint64_t{std::min(a, b)} << 32 | std::max(a, b);
}

// Calls visit(a, b) for every `a` in `first` and `b` in `second` that are both
// live at some task, until a call returns false. Requires that both lists are
// sorted by first task. Returns false if `work` ends first, or if a call has
// returned false; one unit is a comparison of two members.
template <typename Visit>
bool VisitLiveTogether(Span<const ByteRecord> records,
                       Span<const uint32_t> first, Span<const uint32_t> second,
                       WorkLimit* work, const Visit& visit) {
  std::vector<uint32_t> live_of_first;
  std::vector<uint32_t> live_of_second;
  const auto meet = [&](uint32_t next, std::vector<uint32_t>* others,
                        bool is_of_first) {
    const TaskId task = records[next].first_task;
    others->erase(std::remove_if(others->begin(), others->end(),
                                 [&](uint32_t other) {
                                   return records[other].last_task < task;
                                 }),
                  others->end());
    if (!work->Spend(others->size() + 1)) return false;
    return std::all_of(others->begin(), others->end(), [&](uint32_t other) {
      return is_of_first ? visit(next, other) : visit(other, next);
    });
  };
  size_t a = 0;
  size_t b = 0;
  while (a < first.size() || b < second.size()) {
    const bool takes_first =
        b == second.size() ||
        (a < first.size() &&
         records[first[a]].first_task <= records[second[b]].first_task);
    const uint32_t next = takes_first ? first[a++] : second[b++];
    if (!meet(next, takes_first ? &live_of_second : &live_of_first,
              takes_first)) {
      return false;
    }
    (takes_first ? live_of_first : live_of_second).push_back(next);
  }
  return true;
}

// Like VisitLiveTogether, but for all pairs, including those whose members are
// never live together.
template <typename Visit>
bool VisitAllPairs(Span<const uint32_t> first, Span<const uint32_t> second,
                   WorkLimit* work, const Visit& visit) {
  for (const uint32_t a : first) {
    for (const uint32_t b : second) {
      if (!work->Spend(1) || !visit(a, b)) return false;
    }
  }
  return true;
}

// Removes all pools that the record may not use from `pools`. A nullopt in
// `*pools` represents all pools.
void KeepPoolsOf(Span<const PoolChoice> choices,
                 optional<std::vector<uint32_t>>* pools) {
  if (choices.empty()) return;
  std::vector<uint32_t> kept;
  for (const PoolChoice& choice : choices) {
    const bool is_left =
        !*pools || std::find((*pools)->begin(), (*pools)->end(), choice.pool) !=
                       (*pools)->end();
    if (is_left) kept.push_back(choice.pool);
  }
  *pools = std::move(kept);
}

}  // namespace

Unions::Unions(const Problem& problem, const rigid::Relation& relation,
               Span<const RecordPlace> places)
    : problem_(problem),
      relation_(relation),
      pairs_(problem.constraints()->same_or_apart),
      places_(places.begin(), places.end()),
      unit_of_(problem.size()),
      work_(kMaxComparisons) {
  places_.resize(problem.size());
  std::map<uint32_t, uint32_t> unit_of_group;
  for (uint32_t i = 0; i < problem.size(); ++i) {
    const auto next = static_cast<uint32_t>(members_.size());
    const uint32_t group = places_[i].group;
    const uint32_t unit =
        group == kNoGroup
            ? next
            : unit_of_group.try_emplace(group, next).first->second;
    if (unit == next) members_.emplace_back();
    if (group == kNoGroup) places_[i].at = 0;
    unit_of_[i] = unit;
    members_[unit].push_back(i);
  }
  for (std::vector<uint32_t>& members : members_) {
    std::stable_sort(members.begin(), members.end(),
                     [&](uint32_t a, uint32_t b) {
                       return problem.records()[a].first_task <
                              problem.records()[b].first_task;
                     });
  }
  has_room_anywhere_ =
      !problem.has_fixed_offsets() && problem.constraints()->choices.empty() &&
      std::all_of(places_.begin(), places_.end(), [](const RecordPlace& place) {
        return place.at == 0 && place.min == 0 && !place.max;
      });
  for (const SharedPlace& pair : pairs_) {
    is_pair_.insert(KeyOfPair(pair.first, pair.second));
  }
}

std::vector<UnionCandidate> Unions::Candidates() {
  // The keys consist of the two units and the distances by which they are
  // raised (Shift).
  std::map<std::tuple<uint32_t, uint32_t, size_t, size_t>, UnionCandidate>
      by_units;
  for (size_t p = 0; p < pairs_.size(); ++p) {
    SharedPlace pair = pairs_[p];
    if (unit_of_[pair.first] == unit_of_[pair.second]) continue;
    if (unit_of_[pair.first] > unit_of_[pair.second]) {
      std::swap(pair.first, pair.second);
    }
    const Shift shift = ShiftOf(pair);
    UnionCandidate& candidate =
        by_units[{unit_of_[pair.first], unit_of_[pair.second], shift.first,
                  shift.second}];
    candidate.pairs.push_back(p);
    candidate.copied += pair.copied;
  }
  std::vector<UnionCandidate> candidates;
  for (auto& [key, candidate] : by_units) {
    const auto& [first, second, of_first, of_second] = key;
    const Shift shift = {of_first, of_second};
    const Comparison found = Compare(first, second, shift);
    const bool helps = found.conflicts || candidate.copied > 0;
    if (!found.is_permitted || !helps || !HasRoom(first, second, shift)) {
      continue;
    }
    candidates.push_back(std::move(candidate));
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const UnionCandidate& a, const UnionCandidate& b) {
              return a.copied != b.copied ? a.copied > b.copied
                                          : a.pairs.front() < b.pairs.front();
            });
  return candidates;
}

bool Unions::Unite(const SharedPlace& pair) {
  const uint32_t first = unit_of_[pair.first];
  const uint32_t second = unit_of_[pair.second];
  if (first == second) return AreInOnePlace(pair);
  const Shift shift = ShiftOf(pair);
  if (!Compare(first, second, shift).is_permitted ||
      !HasRoom(first, second, shift)) {
    return false;
  }
  for (const uint32_t i : members_[first]) places_[i].at += shift.first;
  for (const uint32_t i : members_[second]) {
    places_[i].at += shift.second;
    unit_of_[i] = first;
  }
  std::vector<uint32_t> all(members_[first].size() + members_[second].size());
  std::merge(members_[first].begin(), members_[first].end(),
             members_[second].begin(), members_[second].end(), all.begin(),
             [&](uint32_t a, uint32_t b) {
               return problem_.records()[a].first_task <
                      problem_.records()[b].first_task;
             });
  members_[first] = std::move(all);
  members_[second].clear();
  return true;
}

bool Unions::AreInOnePlace(const SharedPlace& pair) const {
  return AreInOneUnit(pair) &&
         places_[pair.first].at == places_[pair.second].at;
}

uint64_t Unions::Copied() const {
  uint64_t copied = 0;
  for (const SharedPlace& pair : pairs_) {
    if (AreInOnePlace(pair)) copied += pair.copied;
  }
  return copied;
}

std::vector<RecordPlace> Unions::Places() const {
  std::vector<RecordPlace> places = places_;
  for (size_t i = 0; i < places.size(); ++i) places[i].group = unit_of_[i];
  return places;
}

Unions::Shift Unions::ShiftOf(const SharedPlace& pair) const {
  const size_t a = places_[pair.first].at;
  const size_t b = places_[pair.second].at;
  return {b > a ? b - a : 0, a > b ? a - b : 0};
}

Unions::Comparison Unions::Compare(uint32_t first, uint32_t second,
                                   const Shift& shift) {
  Comparison found;
  const auto visit = [&](uint32_t a, uint32_t b) {
    const size_t size_of_a = problem_.records()[a].tensor_size;
    const size_t size_of_b = problem_.records()[b].tensor_size;
    const size_t at_of_a = places_[a].at + shift.first;
    const size_t at_of_b = places_[b].at + shift.second;
    const bool are_disjoint = at_of_a < at_of_b
                                  ? at_of_b - at_of_a >= size_of_a
                                  : at_of_a - at_of_b >= size_of_b;
    if (size_of_a == 0 || size_of_b == 0 || are_disjoint ||
        !relation_.ConflictUngrouped(a, b)) {
      return true;
    }
    found.conflicts = true;
    return at_of_a == at_of_b && is_pair_.count(KeyOfPair(a, b)) > 0;
  };
  const Constraints& constraints = *problem_.constraints();
  found.is_permitted =
      constraints.apart.empty() && !constraints.order
          ? VisitLiveTogether(problem_.records(), members_[first],
                              members_[second], &work_, visit)
          : VisitAllPairs(members_[first], members_[second], &work_, visit);
  return found;
}

// Returns whether there is a place for both units together. To check alignments
// and fixed offsets, creates a problem that consists of the members of both
// units.
bool Unions::HasRoom(uint32_t first, uint32_t second,
                     const Shift& shift) const {
  // Every record is at the start of its unit, may be at any offset, and may use
  // any pool.
  if (has_room_anywhere_) return true;
  const Constraints& constraints = *problem_.constraints();
  ProblemSpec spec;
  size_t least = 0;  // the lowest and the highest start of the group
  size_t most = std::numeric_limits<size_t>::max();
  optional<std::vector<uint32_t>> pools;
  const auto add = [&](uint32_t i, size_t raised) {
    const ByteRecord& record = problem_.records()[i];
    RecordPlace place = places_[i];
    if (place.at > kMaxDisplacement || raised > kMaxDisplacement) return false;
    place.group = 0;
    place.at += raised;
    const optional<size_t> fixed = problem_.fixed_offset(i);
    least = std::max(least, place.min - std::min(place.min, place.at));
    if (place.max) {
      if (*place.max - record.tensor_size < place.at) return false;
      most = std::min(most, *place.max - record.tensor_size - place.at);
    }
    spec.records.push_back(record);
    spec.alignments.push_back(problem_.alignments().Of(i));
    spec.fixed_offsets.push_back(fixed);
    spec.constraints.places.push_back(place);
    if (!constraints.choices.empty()) {
      KeepPoolsOf(constraints.choices[i], &pools);
    }
    return true;
  };
  for (const uint32_t i : members_[first]) {
    if (!add(i, shift.first)) return false;
  }
  for (const uint32_t i : members_[second]) {
    if (!add(i, shift.second)) return false;
  }
  return least <= most && (!pools || !pools->empty()) &&
         Problem::Create(std::move(spec)).ok();
}

StatusOr<Problem> RelaxUnions(const Problem& problem) {
  ProblemSpec spec = problem.ToSpec();
  Constraints& constraints = spec.constraints;
  const rigid::Relation relation(problem);
  std::vector<size_t> permitted;
  Unions unions(problem, relation, constraints.places);
  std::vector<UnionCandidate> candidates;
  if (!spec.groups_are_optional) candidates = unions.Candidates();
  if (spec.groups_are_optional || !unions.has_compared_all()) {
    // If groups are optional, two records may be united without the other
    // members of their groups. Every pair is therefore permitted, as is every
    // pair that may not have been compared.
    permitted.resize(constraints.same_or_apart.size());
    std::iota(permitted.begin(), permitted.end(), 0);
  } else {
    for (const UnionCandidate& candidate : candidates) {
      permitted.insert(permitted.end(), candidate.pairs.begin(),
                       candidate.pairs.end());
    }
    std::sort(permitted.begin(), permitted.end());
  }
  for (const size_t p : permitted) {
    const SharedPlace& pair = constraints.same_or_apart[p];
    const auto a = static_cast<uint32_t>(pair.first);
    const auto b = static_cast<uint32_t>(pair.second);
    if (relation.ConflictUngrouped(a, b)) constraints.never.emplace_back(a, b);
  }
  constraints.same_or_apart.clear();
  return Problem::Create(std::move(spec));
}

}  // namespace stowage
