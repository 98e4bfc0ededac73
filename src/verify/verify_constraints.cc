// SPDX-License-Identifier: Apache-2.0
#include "src/verify/verify_constraints.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

#include "src/verify/verify_sharing.h"
#include "stowage/base/optional.h"
#include "stowage/constraints.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

using Kind = Violation::Kind;

constexpr size_t kBeyondAll = std::numeric_limits<size_t>::max();

Violation CountMismatch(const Problem& problem, size_t places) {
  Violation violation;
  violation.kind = Kind::kCountMismatch;
  violation.found = places;
  violation.expected = problem.size();
  return violation;
}

// Checks the rules that concern a single record or a single group. These are
// all rules except those about sharing bytes.
class PlaceCheck {
 public:
  PlaceCheck(const Problem& problem, const OffsetsAssignment& assignment)
      : problem_(problem),
        constraints_(*problem.constraints()),
        assignment_(assignment) {}

  optional<Violation> Run() const {
    if (auto violation = CheckPoolCount()) return violation;
    for (size_t i = 0; i < problem_.size(); ++i) {
      if (auto violation = CheckPool(i)) return violation;
      if (auto violation = CheckBytes(i)) return violation;
      if (auto violation = CheckOffset(i)) return violation;
    }
    if (auto violation = CheckTotal()) return violation;
    return CheckGroups();
  }

 private:
  uint32_t PoolOf(size_t i) const {
    return assignment_.pools.empty() ? 0 : assignment_.pools[i];
  }

  Violation Of(Kind kind, size_t i) const {
    Violation violation;
    violation.kind = kind;
    violation.first_tensor = i;
    violation.pool = PoolOf(i);
    violation.begin = assignment_.offsets[i];
    violation.end =
        CheckedAdd(violation.begin, problem_.records()[i].tensor_size)
            .value_or(kBeyondAll);
    return violation;
  }

  optional<Violation> CheckPoolCount() const {
    const size_t count = assignment_.pools.size();
    if (constraints_.pools.empty() || count == problem_.size()) {
      return nullopt;
    }
    if (count > problem_.size()) return CountMismatch(problem_, count);
    Violation violation;
    violation.kind = Kind::kWrongPool;
    violation.first_tensor = count;
    violation.second_tensor = count;
    violation.pool = kBeyondAll;
    return violation;
  }

  optional<Violation> CheckPool(size_t i) const {
    if (constraints_.pools.empty()) return nullopt;
    const uint32_t pool = assignment_.pools[i];
    const auto allows = [&](const PoolChoice& choice) {
      return choice.pool == pool;
    };
    if (pool < constraints_.pools.size()) {
      if (constraints_.choices.empty()) return nullopt;
      const std::vector<PoolChoice>& choices = constraints_.choices[i];
      if (choices.empty() ||
          std::any_of(choices.begin(), choices.end(), allows)) {
        return nullopt;
      }
    }
    Violation violation = Of(Kind::kWrongPool, i);
    violation.second_tensor = i;
    return violation;
  }

  // Checks that the bytes of record i are within the arena or, with pools,
  // within the capacity of its pool. Once this check has passed, the end of the
  // record does not wrap around.
  optional<Violation> CheckBytes(size_t i) const {
    const size_t size = problem_.records()[i].tensor_size;
    const optional<size_t> end = CheckedAdd(assignment_.offsets[i], size);
    const bool has_pools = !constraints_.pools.empty();
    const size_t limit =
        has_pools ? constraints_.pools[PoolOf(i)].capacity.value_or(kBeyondAll)
                  : assignment_.total_size;
    if (end && *end <= limit) return nullopt;
    Violation violation =
        Of(has_pools ? Kind::kBeyondPool : Kind::kBeyondArena, i);
    violation.expected = limit;
    return violation;
  }

  optional<Violation> CheckOffset(size_t i) const {
    const size_t offset = assignment_.offsets[i];
    if (const size_t alignment = problem_.alignments().Of(i);
        offset % alignment != 0) {
      Violation violation = Of(Kind::kMisaligned, i);
      violation.expected = alignment;
      return violation;
    }
    if (const optional<size_t> fixed = problem_.fixed_offset(i);
        fixed && offset != *fixed) {
      Violation violation = Of(Kind::kNotAtFixedOffset, i);
      violation.expected = *fixed;
      return violation;
    }
    return CheckRange(i);
  }

  optional<Violation> CheckRange(size_t i) const {
    if (constraints_.places.empty()) return nullopt;
    const RecordPlace& place = constraints_.places[i];
    Violation violation = Of(Kind::kOutsideRange, i);
    if (violation.begin < place.min) {
      violation.expected = place.min;
      violation.end = std::min(violation.end, place.min);
      return violation;
    }
    if (!place.max || violation.end <= *place.max) return nullopt;
    violation.expected = *place.max;
    violation.begin = std::max(violation.begin, *place.max);
    return violation;
  }

  // Checks that the total is at least the sum, over all pools, of the highest
  // end in the pool. To avoid overflow, subtracts the ends from the total one
  // by one, and checks that no end exceeds the remainder.
  optional<Violation> CheckTotal() const {
    std::vector<size_t> highest(constraints_.pools.size(), kBeyondAll);
    for (size_t i = 0; i < assignment_.pools.size() && !highest.empty(); ++i) {
      size_t& top = highest[assignment_.pools[i]];
      if (top == kBeyondAll || EndOf(i) > EndOf(top)) top = i;
    }
    size_t rest = assignment_.total_size;
    for (const size_t i : highest) {
      if (i == kBeyondAll) continue;
      if (EndOf(i) > rest) {
        Violation violation = Of(Kind::kBeyondArena, i);
        violation.expected = rest;
        return violation;
      }
      rest -= EndOf(i);
    }
    return nullopt;
  }

  size_t EndOf(size_t i) const {
    return assignment_.offsets[i] + problem_.records()[i].tensor_size;
  }

  // Checks every group: compares the place of each member with the place of the
  // member that has the smallest `at`.
  optional<Violation> CheckGroups() const {
    const std::vector<RecordPlace>& places = constraints_.places;
    std::vector<size_t> members;
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i].group != kNoGroup) members.push_back(i);
    }
    std::sort(members.begin(), members.end(), [&](size_t a, size_t b) {
      return std::tie(places[a].group, places[a].at, a) <
             std::tie(places[b].group, places[b].at, b);
    });
    size_t lowest = 0;
    for (size_t k = 0; k < members.size(); ++k) {
      const size_t i = members[k];
      if (k == 0 || places[members[k - 1]].group != places[i].group) lowest = i;
      if (auto violation = CheckMember(lowest, i)) return violation;
    }
    return nullopt;
  }

  optional<Violation> CheckMember(size_t lowest, size_t i) const {
    const std::vector<size_t>& offsets = assignment_.offsets;
    const std::vector<RecordPlace>& places = constraints_.places;
    if (PoolOf(i) != PoolOf(lowest)) {
      Violation violation = Of(Kind::kWrongPool, i);
      violation.second_tensor = lowest;
      violation.expected = PoolOf(lowest);
      return violation;
    }
    const bool starts_below_0 = offsets[lowest] < places[lowest].at;
    const size_t distance = places[i].at - places[lowest].at;
    if (!starts_below_0 && offsets[i] >= offsets[lowest] &&
        offsets[i] - offsets[lowest] == distance) {
      return nullopt;
    }
    Violation violation = Of(Kind::kGroupBroken, lowest);
    violation.second_tensor = i;
    violation.found = offsets[i];
    violation.expected = starts_below_0 ? places[lowest].at : distance;
    return violation;
  }

  const Problem& problem_;
  const Constraints& constraints_;
  const OffsetsAssignment& assignment_;
};

}  // namespace

optional<Violation> FindConstraintViolation(
    const Problem& problem, const OffsetsAssignment& assignment) {
  if (assignment.offsets.size() != problem.size()) {
    return CountMismatch(problem, assignment.offsets.size());
  }
  if (auto violation = PlaceCheck(problem, assignment).Run()) {
    return violation;
  }
  std::vector<size_t> all(problem.size());
  std::iota(all.begin(), all.end(), size_t{0});
  const Constraints& constraints = *problem.constraints();
  if (auto violation =
          FindNotApart(problem.records(), constraints, assignment, all)) {
    return violation;
  }
  return FindSharing(problem.records(), constraints, assignment, all);
}

}  // namespace stowage
