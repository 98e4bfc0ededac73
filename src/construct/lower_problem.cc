// SPDX-License-Identifier: Apache-2.0
#include "src/construct/lower_problem.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "src/model/keep_records.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"

namespace stowage {
namespace {

// Returns a spec with the capacity of the problem and with everything that
// concerns only single records of `records`. Leaves out constraints between
// records, the partial order, holes and pools.
ProblemSpec SpecOf(const Problem& problem, Span<const uint32_t> records) {
  const Constraints& constraints = *problem.constraints();
  ProblemSpec spec;
  spec.capacity = problem.capacity();
  for (const uint32_t i : records) {
    spec.records.push_back(problem.records()[i]);
    spec.alignments.push_back(problem.alignments().Of(i));
    if (problem.has_fixed_offsets()) {
      spec.fixed_offsets.push_back(problem.fixed_offset(i));
    }
    if (!problem.names().empty()) spec.names.push_back(problem.names()[i]);
    if (!constraints.places.empty()) {
      spec.constraints.places.push_back(constraints.places[i]);
    }
    if (!constraints.choices.empty()) {
      spec.constraints.choices.push_back(constraints.choices[i]);
    }
    if (constraints.order) spec.constraints.users.Add(constraints.users[i]);
  }
  return spec;
}

// Returns the spec of SpecOf with the partial order and the constraints between
// these records, but without the capacity and the choices of pools.
ProblemSpec SpecWithin(const Problem& problem, Span<const uint32_t> records) {
  std::vector<uint32_t> record_of(problem.size(), RecordMap::kNone);
  for (uint32_t k = 0; k < records.size(); ++k) record_of[records[k]] = k;
  ProblemSpec spec = SpecOf(problem, records);
  spec.capacity.reset();
  spec.constraints.choices.clear();
  spec.constraints.order = problem.constraints()->order;
  spec.constraints.group_word = problem.constraints()->group_word;
  CopyRelations(*problem.constraints(), record_of, &spec.constraints);
  return spec;
}

// Removes the list of places if it imposes no constraint.
void Tidy(Constraints* constraints) {
  if (std::all_of(constraints->places.begin(), constraints->places.end(),
                  [](const RecordPlace& place) {
                    return place.min == 0 && !place.max &&
                           place.group == kNoGroup;
                  })) {
    constraints->places.clear();
  }
}

// If the windows of the records are nested, finds intervals that replace them.
// Every set of tasks in this class consists of the first few tasks of each
// chain, and is stored as the number of its tasks on each chain.
class NestedWindows {
 public:
  explicit NestedWindows(const Constraints& constraints)
      : order_(*constraints.order), users_(constraints.users) {}

  // Returns the intervals of all records, or nullopt if the windows are not
  // nested.
  optional<std::vector<ByteRecord>> Find(Span<const ByteRecord> records) {
    std::map<std::vector<uint32_t>, TaskId> ranks;
    std::vector<std::vector<uint32_t>> begins(records.size());
    for (size_t i = 0; i < records.size(); ++i) {
      begins[i] = BeginOf(users_[i]);
      ranks[begins[i]] = 0;
    }
    TaskId rank = 0;
    const std::vector<uint32_t>* last = nullptr;
    std::vector<const std::vector<uint32_t>*> nested;
    for (auto& [begin, number] : ranks) {
      if (last != nullptr && !Contains(begin, *last)) return nullopt;
      number = rank++;
      last = &begin;
      nested.push_back(last);
    }
    std::vector<ByteRecord> intervals;
    for (size_t i = 0; i < records.size(); ++i) {
      const std::vector<uint32_t> needed = NeededBy(users_[i]);
      const auto follower =
          std::partition_point(nested.begin(), nested.end(),
                               [&](const std::vector<uint32_t>* begin) {
                                 return !Contains(*begin, needed);
                               });
      intervals.emplace_back(
          records[i].tensor_size, ranks[begins[i]],
          static_cast<TaskId>(follower - nested.begin()) - 1);
    }
    return intervals;
  }

 private:
  static bool Contains(const std::vector<uint32_t>& set,
                       const std::vector<uint32_t>& subset) {
    for (size_t c = 0; c < set.size(); ++c) {
      if (subset[c] > set[c]) return false;
    }
    return true;
  }

  // Returns the set of tasks that precede all users.
  std::vector<uint32_t> BeginOf(Span<const TaskId> users) const {
    std::vector<uint32_t> begin(order_.chains(), ~uint32_t{0});
    for (const TaskId user : users) {
      for (size_t c = 0; c < begin.size(); ++c) {
        begin[c] = std::min(begin[c], order_.CountBefore(user, c));
      }
    }
    return begin;
  }

  // Returns the smallest set that contains all users and consists of the first
  // few tasks of each chain.
  std::vector<uint32_t> NeededBy(Span<const TaskId> users) const {
    std::vector<uint32_t> needed(order_.chains(), 0);
    for (const TaskId user : users) {
      uint32_t& there = needed[order_.chain_of(user)];
      there = std::max(there, order_.position_of(user) + 1);
    }
    return needed;
  }

  const TaskOrder& order_;
  const UserLists& users_;
};

// Finds the groups whose records can be merged into one record. The member with
// the smallest index is kept and replaces its group.
class EvenGroups {
 public:
  explicit EvenGroups(const Problem& problem)
      : problem_(problem), places_(problem.constraints()->places) {
    record_of_.resize(problem.size());
    std::iota(record_of_.begin(), record_of_.end(), 0);
    std::map<uint32_t, std::vector<uint32_t>> members;
    for (uint32_t i = 0; i < places_.size(); ++i) {
      if (places_[i].group != kNoGroup) members[places_[i].group].push_back(i);
    }
    for (auto& [group, list] : members) {
      if (!AreOne(&list)) continue;
      const uint32_t first = *std::min_element(list.begin(), list.end());
      for (const uint32_t i : list) record_of_[i] = first;
      has_any_ = true;
    }
  }

  bool has_any() const { return has_any_; }
  // Returns, for each record, the record that replaces it, which is the record
  // itself if it is not merged.
  const std::vector<uint32_t>& record_of() const { return record_of_; }
  bool StandsForGroup(uint32_t record) const {
    return places_[record].group != kNoGroup && is_one_.count(record) > 0;
  }

 private:
  // Returns whether the records of a group all occupy the same bytes, and at
  // least one of them is live at each task from the first to the last.
  bool AreOne(std::vector<uint32_t>* list) {
    const Span<const ByteRecord> records = problem_.records();
    std::sort(list->begin(), list->end(), [&](uint32_t a, uint32_t b) {
      return records[a].first_task != records[b].first_task
                 ? records[a].first_task < records[b].first_task
                 : a < b;
    });
    TaskId last = records[list->front()].last_task;
    for (const uint32_t i : *list) {
      if (records[i].tensor_size != records[list->front()].tensor_size ||
          places_[i].at != places_[list->front()].at ||
          (records[i].first_task > last && records[i].first_task - last > 1)) {
        return false;
      }
      last = std::max(last, records[i].last_task);
    }
    is_one_[*std::min_element(list->begin(), list->end())] = true;
    return true;
  }

  const Problem& problem_;
  const std::vector<RecordPlace>& places_;
  std::vector<uint32_t> record_of_;
  std::map<uint32_t, bool> is_one_;
  bool has_any_ = false;
};

// Returns whether there are relations between records. If there are, groups are
// not merged, since a relation of one member would become a relation of the
// whole group.
bool HasRelations(const Constraints& constraints) {
  return !constraints.apart.empty() || !constraints.never.empty() ||
         !constraints.prefer_apart.empty();
}

// Extends the record `target`, which represents a group, by member `i`.
void JoinRecord(const Problem& problem, uint32_t i, size_t target,
                ProblemSpec* spec) {
  ByteRecord& record = spec->records[target];
  record.first_task =
      std::min(record.first_task, problem.records()[i].first_task);
  record.last_task = std::max(record.last_task, problem.records()[i].last_task);
  spec->alignments[target] =
      std::max(spec->alignments[target], problem.alignments().Of(i));
  if (problem.fixed_offset(i)) {
    spec->fixed_offsets[target] = problem.fixed_offset(i);
  }
  const RecordPlace& from = problem.constraints()->places[i];
  RecordPlace& place = spec->constraints.places[target];
  place.min = std::max({place.min, from.min, from.at});
  if (from.max) {
    place.max = std::min(place.max.value_or(*from.max), *from.max);
  }
  place.group = kNoGroup;
  place.at = 0;
}

StatusOr<LoweredProblem> MergeGroups(const Problem& problem,
                                     const EvenGroups& groups) {
  std::vector<uint32_t> kept;
  std::vector<uint32_t> record_of(problem.size());
  for (uint32_t i = 0; i < problem.size(); ++i) {
    if (groups.record_of()[i] == i) kept.push_back(i);
    record_of[i] = static_cast<uint32_t>(kept.size() - 1);
  }
  ProblemSpec spec = SpecOf(problem, kept);
  for (uint32_t i = 0; i < problem.size(); ++i) {
    record_of[i] = record_of[groups.record_of()[i]];
    if (groups.StandsForGroup(groups.record_of()[i])) {
      JoinRecord(problem, i, record_of[i], &spec);
    }
  }
  const Constraints& constraints = *problem.constraints();
  spec.constraints.holes = constraints.holes;
  spec.constraints.pools = constraints.pools;
  CopyRelations(constraints, record_of, &spec.constraints);
  Tidy(&spec.constraints);
  auto lowered = Problem::Create(std::move(spec));
  if (!lowered.ok()) return lowered.status();
  return LoweredProblem{*std::move(lowered), {std::move(record_of)}};
}

// Returns each record with the interval from its first user to its last user.
// The intervals consist of positions in the only chain of the order.
std::vector<ByteRecord> IntervalsOnChain(const Problem& problem) {
  const Constraints& constraints = *problem.constraints();
  std::vector<ByteRecord> intervals;
  for (size_t i = 0; i < problem.size(); ++i) {
    TaskId first = constraints.order->tasks();
    TaskId last = 0;
    for (const TaskId user : constraints.users[i]) {
      const TaskId position = constraints.order->position_of(user);
      first = std::min(first, position);
      last = std::max(last, position);
    }
    intervals.emplace_back(problem.records()[i].tensor_size, first, last);
  }
  return intervals;
}

StatusOr<optional<LoweredProblem>> LowerOrder(const Problem& problem) {
  const Constraints& constraints = *problem.constraints();
  auto intervals =
      constraints.order->chains() == 1
          ? optional<std::vector<ByteRecord>>(IntervalsOnChain(problem))
          : NestedWindows(constraints).Find(problem.records());
  if (!intervals) return optional<LoweredProblem>();
  std::vector<uint32_t> all(problem.size());
  std::iota(all.begin(), all.end(), 0);
  ProblemSpec spec = SpecOf(problem, all);
  spec.records = *std::move(intervals);
  spec.constraints.users = {};
  CopyRelations(constraints, all, &spec.constraints);
  spec.constraints.pools = constraints.pools;
  spec.constraints.holes = HolesAtAllTasks(constraints.holes);
  auto lowered = Problem::Create(std::move(spec));
  if (!lowered.ok()) return lowered.status();
  return optional<LoweredProblem>(
      LoweredProblem{*std::move(lowered), {std::move(all)}});
}

}  // namespace

std::vector<Hole> HolesAtAllTasks(Span<const Hole> holes) {
  std::vector<Hole> distinct;
  std::set<std::tuple<uint32_t, size_t, size_t>> found;
  for (Hole hole : holes) {
    if (!found.emplace(hole.pool, hole.begin, hole.end).second) continue;
    hole.first_task = 0;
    hole.last_task = ~TaskId{0};
    distinct.push_back(hole);
  }
  return distinct;
}

StatusOr<optional<LoweredProblem>> LowerProblem(const Problem& problem) {
  const Constraints& constraints = *problem.constraints();
  if (constraints.order) return LowerOrder(problem);
  if (constraints.places.empty() || HasRelations(constraints) ||
      !constraints.choices.empty()) {
    return optional<LoweredProblem>();
  }
  const EvenGroups groups(problem);
  if (!groups.has_any()) return optional<LoweredProblem>();
  auto merged = MergeGroups(problem, groups);
  if (!merged.ok()) return merged.status();
  return optional<LoweredProblem>(*std::move(merged));
}

StatusOr<Problem> ProblemOfRecords(const Problem& problem,
                                   Span<const uint32_t> records) {
  ProblemSpec spec = SpecWithin(problem, records);
  Tidy(&spec.constraints);
  return Problem::Create(std::move(spec));
}

StatusOr<std::vector<LoweredProblem>> SplitByPool(const Problem& problem) {
  const Constraints& constraints = *problem.constraints();
  const size_t pools = constraints.pools.size();
  std::vector<LoweredProblem> parts;
  if (pools == 0 || (constraints.choices.empty() && pools > 1)) return parts;
  std::vector<std::vector<uint32_t>> records(pools);
  for (uint32_t i = 0; i < problem.size(); ++i) {
    const bool is_free =
        constraints.choices.empty() || constraints.choices[i].empty();
    if (pools > 1 && (is_free || constraints.choices[i].size() > 1)) {
      return parts;
    }
    records[is_free ? 0 : constraints.choices[i].front().pool].push_back(i);
  }
  for (uint32_t p = 0; p < pools; ++p) {
    ProblemSpec spec = SpecWithin(problem, records[p]);
    spec.capacity = constraints.pools[p].capacity;
    for (Hole hole : constraints.holes) {
      if (hole.pool != p) continue;
      hole.pool = 0;
      spec.constraints.holes.push_back(hole);
    }
    auto part = Problem::Create(std::move(spec));
    if (!part.ok()) return part.status();
    RecordMap map = {std::vector<uint32_t>(problem.size(), RecordMap::kNone)};
    for (uint32_t k = 0; k < records[p].size(); ++k) {
      map.record_of[records[p][k]] = k;
    }
    parts.push_back({*std::move(part), std::move(map)});
  }
  return parts;
}

}  // namespace stowage
