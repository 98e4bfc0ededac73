// SPDX-License-Identifier: Apache-2.0
#include "tests/support/painter.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "stowage/constraints.h"
#include "stowage/task_order.h"

namespace stowage::support {
namespace {

using Kind = Violation::Kind;
using Relation = std::vector<std::vector<bool>>;

// Returns, for each pair of tasks, whether the first precedes the second.
// Computes this from the edges and streams of the order, independently of the
// results of TaskOrder.
Relation TransitiveClosure(const TaskOrder& order) {
  Relation precedes(order.tasks(), std::vector<bool>(order.tasks()));
  for (const TaskEdge& edge : order.edges()) {
    precedes[edge.before][edge.after] = true;
  }
  for (size_t c = 0; order.is_of_streams() && c < order.chains(); ++c) {
    for (size_t p = 1; p < order.chain(c).size(); ++p) {
      precedes[order.chain(c)[p - 1]][order.chain(c)[p]] = true;
    }
  }
  for (size_t via = 0; via < order.tasks(); ++via) {
    for (size_t a = 0; a < order.tasks(); ++a) {
      for (size_t b = 0; b < order.tasks(); ++b) {
        if (precedes[a][via] && precedes[via][b]) precedes[a][b] = true;
      }
    }
  }
  return precedes;
}

}  // namespace

Painter::Painter(const ProblemSpec& spec, const OffsetsAssignment& plan)
    : spec_(spec), constraints_(spec.constraints), plan_(plan) {
  if (constraints_.order) precedes_ = TransitiveClosure(*constraints_.order);
}

bool Painter::IsSafe() const {
  const size_t n = spec_.records.size();
  if (!HasPlaces()) return false;
  for (size_t i = 0; i < n; ++i) {
    if (!MayUsePool(i) || !IsInPlace(i)) return false;
    for (const Hole& hole : constraints_.holes) {
      if (IsInHole(i, hole)) return false;
    }
    for (size_t j = 0; j < i; ++j) {
      if (!IsGroupWhole(i, j) || !IsPairSafe(i, j)) return false;
    }
  }
  return IsInArena();
}

bool Painter::HasPlaces() const {
  const size_t n = spec_.records.size();
  return plan_.offsets.size() == n &&
         plan_.pools.size() == (constraints_.pools.empty() ? 0 : n);
}

size_t Painter::PoolOf(size_t i) const {
  return plan_.pools.empty() ? 0 : plan_.pools[i];
}

size_t Painter::EndOf(size_t i) const {
  return plan_.offsets[i] + spec_.records[i].tensor_size;
}

bool Painter::HasBytes(size_t i, size_t begin, size_t end) const {
  for (size_t byte = begin; byte < end; ++byte) {
    if (byte < plan_.offsets[i] || byte >= EndOf(i)) return false;
  }
  return begin < end;
}

bool Painter::MayUsePool(size_t i) const {
  if (constraints_.pools.empty()) return true;
  if (PoolOf(i) >= constraints_.pools.size()) return false;
  if (constraints_.choices.empty() || constraints_.choices[i].empty()) {
    return true;
  }
  for (const PoolChoice& choice : constraints_.choices[i]) {
    if (choice.pool == PoolOf(i)) return true;
  }
  return false;
}

bool Painter::IsInPlace(size_t i) const {
  const size_t offset = plan_.offsets[i];
  if (EndOf(i) < offset) return false;
  if (offset %
          (spec_.alignments.empty() ? spec_.alignment : spec_.alignments[i]) !=
      0) {
    return false;
  }
  if (!spec_.fixed_offsets.empty() &&
      spec_.fixed_offsets[i].value_or(offset) != offset) {
    return false;
  }
  if (!constraints_.pools.empty() &&
      EndOf(i) > constraints_.pools[PoolOf(i)].capacity.value_or(EndOf(i))) {
    return false;
  }
  if (constraints_.places.empty()) return true;
  const RecordPlace& place = constraints_.places[i];
  return offset >= place.min && EndOf(i) <= place.max.value_or(EndOf(i)) &&
         (place.group == kNoGroup || offset >= place.at);
}

size_t Painter::Highest(size_t pool) const {
  size_t highest = 0;
  for (size_t i = 0; i < plan_.offsets.size(); ++i) {
    if (PoolOf(i) == pool) highest = std::max(highest, EndOf(i));
  }
  return highest;
}

bool Painter::IsInArena() const {
  size_t sum = Highest(0);
  for (size_t pool = 1; pool < constraints_.pools.size(); ++pool) {
    sum += Highest(pool);
  }
  return sum <= plan_.total_size;
}

bool Painter::AreInOneGroup(size_t a, size_t b) const {
  return !constraints_.places.empty() &&
         constraints_.places[a].group != kNoGroup &&
         constraints_.places[a].group == constraints_.places[b].group;
}

bool Painter::IsGroupWhole(size_t a, size_t b) const {
  if (!AreInOneGroup(a, b)) return true;
  return PoolOf(a) == PoolOf(b) &&
         plan_.offsets[a] + constraints_.places[b].at ==
             plan_.offsets[b] + constraints_.places[a].at;
}

bool Painter::IsInHole(size_t i, const Hole& hole) const {
  if (!constraints_.pools.empty() && hole.pool != PoolOf(i)) return false;
  if (!constraints_.order && (hole.first_task > spec_.records[i].last_task ||
                              hole.last_task < spec_.records[i].first_task)) {
    return false;
  }
  for (size_t byte = hole.begin; byte < hole.end; ++byte) {
    if (HasBytes(i, byte, byte + 1)) return true;
  }
  return false;
}

bool Painter::Share(size_t a, size_t b) const {
  if (PoolOf(a) != PoolOf(b)) return false;
  for (size_t byte = plan_.offsets[a]; byte < EndOf(a); ++byte) {
    if (HasBytes(b, byte, byte + 1)) return true;
  }
  return false;
}

bool Painter::AreApart(size_t a, size_t b) const {
  for (const std::vector<size_t>& set : constraints_.apart) {
    if (std::count(set.begin(), set.end(), a) > 0 &&
        std::count(set.begin(), set.end(), b) > 0) {
      return true;
    }
  }
  return false;
}

bool Painter::AreNeverLiveTogether(size_t a, size_t b) const {
  const auto& never = constraints_.never;
  return std::count(never.begin(), never.end(), std::pair(a, b)) > 0 ||
         std::count(never.begin(), never.end(), std::pair(b, a)) > 0;
}

bool Painter::MayLieInOnePlace(size_t a, size_t b) const {
  const auto& pairs = constraints_.same_or_apart;
  return std::any_of(pairs.begin(), pairs.end(), [&](const SharedPlace& pair) {
    return std::minmax(pair.first, pair.second) == std::minmax(a, b);
  });
}

bool Painter::PrecedesAll(size_t a, size_t b) const {
  for (const TaskId u : constraints_.users[a]) {
    for (const TaskId v : constraints_.users[b]) {
      if (!precedes_[u][v]) return false;
    }
  }
  return true;
}

bool Painter::Conflict(size_t a, size_t b) const {
  if (constraints_.order) return !PrecedesAll(a, b) && !PrecedesAll(b, a);
  return spec_.records[a].first_task <= spec_.records[b].last_task &&
         spec_.records[b].first_task <= spec_.records[a].last_task;
}

bool Painter::IsPairSafe(size_t a, size_t b) const {
  if (!Share(a, b)) return true;
  if (AreApart(a, b)) return false;
  return AreInOneGroup(a, b) || AreNeverLiveTogether(a, b) || !Conflict(a, b) ||
         (MayLieInOnePlace(a, b) && plan_.offsets[a] == plan_.offsets[b]);
}

bool Painter::IsTrue(const Violation& v) const {
  switch (v.kind) {
    case Kind::kCountMismatch:
      return v.expected == spec_.records.size() &&
             (v.found == plan_.offsets.size() ||
              v.found == plan_.pools.size()) &&
             v.found != v.expected;
    case Kind::kWrongPool:
      if (!HasPlaces()) return !plan_.pools.empty() || spec_.records.size() > 0;
      if (v.pool != PoolOf(v.first_tensor)) return false;
      if (v.first_tensor == v.second_tensor) return !MayUsePool(v.first_tensor);
      return v.expected == PoolOf(v.second_tensor) && v.expected != v.pool &&
             AreInOneGroup(v.first_tensor, v.second_tensor);
    case Kind::kNotApart:
    case Kind::kOverlappingBytes:
    case Kind::kUnorderedSharing:
    case Kind::kSharedInPart:
      return IsTrueOfPair(v);
    default:
      return v.pool == PoolOf(v.first_tensor) && IsTrueOfPlace(v);
  }
}

bool Painter::IsTrueOfPlace(const Violation& v) const {
  const size_t i = v.first_tensor;
  const size_t offset = plan_.offsets[i];
  switch (v.kind) {
    case Kind::kMisaligned:
      return v.begin == offset && offset % v.expected != 0;
    case Kind::kBeyondArena: {
      size_t others = 0;
      for (size_t pool = 0; pool < v.pool; ++pool) others += Highest(pool);
      return v.begin == offset && v.end == EndOf(i) && v.end > v.expected &&
             v.expected + others == plan_.total_size;
    }
    case Kind::kBeyondPool:
      return v.end == EndOf(i) && v.end > v.expected &&
             v.expected == constraints_.pools[v.pool].capacity;
    case Kind::kNotAtFixedOffset:
      return v.begin == offset && v.expected != offset &&
             v.expected == spec_.fixed_offsets[i];
    case Kind::kOutsideRange:
      return IsTrueOfRange(v);
    case Kind::kGroupBroken:
      if (v.first_tensor == v.second_tensor) {
        return v.begin == offset && offset < v.expected &&
               v.expected == constraints_.places[i].at;
      }
      return AreInOneGroup(i, v.second_tensor) && v.begin == offset &&
             v.found == plan_.offsets[v.second_tensor] &&
             v.found != v.begin + v.expected &&
             v.expected == constraints_.places[v.second_tensor].at -
                               constraints_.places[i].at;
    case Kind::kInHole: {
      const Hole& hole = constraints_.holes[v.hole];
      const ByteRecord& record = spec_.records[i];
      return IsInHole(i, hole) && HasBytes(i, v.begin, v.end) &&
             v.begin >= hole.begin && v.end <= hole.end &&
             v.task >= record.first_task && v.task <= record.last_task &&
             (constraints_.order ||
              (v.task >= hole.first_task && v.task <= hole.last_task));
    }
    default:
      return false;
  }
}

bool Painter::IsTrueOfRange(const Violation& v) const {
  const RecordPlace& place = constraints_.places[v.first_tensor];
  const size_t offset = plan_.offsets[v.first_tensor];
  if (v.begin < v.expected) {
    return v.expected == place.min && v.begin == offset &&
           v.end == std::min(place.min, EndOf(v.first_tensor));
  }
  return v.expected == place.max && v.end == EndOf(v.first_tensor) &&
         v.begin == std::max(offset, v.expected) && v.end > v.expected;
}

bool Painter::IsTrueOfPair(const Violation& v) const {
  const size_t a = v.first_tensor;
  const size_t b = v.second_tensor;
  if (PoolOf(a) != PoolOf(b) || v.pool != PoolOf(a)) return false;
  if (!HasBytes(a, v.begin, v.end) || !HasBytes(b, v.begin, v.end)) {
    return false;
  }
  if (v.kind == Kind::kNotApart) return AreApart(a, b);
  if (AreInOneGroup(a, b) || AreNeverLiveTogether(a, b) || !Conflict(a, b)) {
    return false;
  }
  if ((v.kind == Kind::kSharedInPart) != MayLieInOnePlace(a, b)) return false;
  if (v.kind == Kind::kSharedInPart) return true;
  if (constraints_.order) return IsTrueOfOrder(v);
  return v.kind == Kind::kOverlappingBytes &&
         v.task ==
             std::max(spec_.records[a].first_task, spec_.records[b].first_task);
}

bool Painter::Uses(size_t record, TaskId task) const {
  const auto users = constraints_.users[record];
  return std::count(users.begin(), users.end(), task) > 0;
}

bool Painter::IsTrueOfOrder(const Violation& v) const {
  if (v.kind != Kind::kUnorderedSharing || !Uses(v.first_tensor, v.task) ||
      !Uses(v.second_tensor, v.second_task) ||
      !Uses(v.second_tensor, v.third_task)) {
    return false;
  }
  if (v.second_task != v.third_task) {
    return precedes_[v.second_task][v.task] && precedes_[v.task][v.third_task];
  }
  return !precedes_[v.task][v.second_task] && !precedes_[v.second_task][v.task];
}

}  // namespace stowage::support
