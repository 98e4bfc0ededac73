// SPDX-License-Identifier: Apache-2.0
// Implements LowerFixedGroups (lower_problem.h). If a member of a group has a
// fixed offset, the place of the whole group is known, so records at fixed
// offsets can replace the group.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "src/construct/lower_problem.h"
#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"

namespace stowage {
namespace {

// Bytes [begin, end) that a group occupies from `first_task` to `last_task`. At
// each of these tasks, at least one member that has these bytes is live.
struct Slice {
  size_t begin = 0;
  size_t end = 0;
  TaskId first_task = 0;
  TaskId last_task = 0;
};

// Returns the start of each group. Returns nullopt if there are no groups, or
// if a group has no member at a fixed offset.
optional<std::map<uint32_t, size_t>> StartsOf(const Problem& problem) {
  const std::vector<RecordPlace>& places = problem.constraints()->places;
  std::set<uint32_t> groups;
  std::map<uint32_t, size_t> starts;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].group == kNoGroup) continue;
    groups.insert(places[i].group);
    if (const optional<size_t> fixed = problem.fixed_offset(i)) {
      starts[places[i].group] = *fixed - places[i].at;
    }
  }
  if (groups.empty() || groups.size() != starts.size()) return nullopt;
  return starts;
}

// Cuts the members of a group that starts at `start` into slices at every byte
// at which a member begins or ends. Slices that have the same bytes and overlap
// in time are joined, so that no two slices of a group overlap.
std::vector<Slice> SlicesOf(const Problem& problem, size_t start,
                            const std::vector<size_t>& members) {
  const std::vector<RecordPlace>& places = problem.constraints()->places;
  std::set<size_t> cuts;
  for (const size_t i : members) {
    const size_t begin = start + places[i].at;
    cuts.insert({begin, begin + problem.records()[i].tensor_size});
  }
  std::vector<Slice> pieces;
  for (const size_t i : members) {
    const ByteRecord& record = problem.records()[i];
    const size_t begin = start + places[i].at;
    for (auto cut = cuts.find(begin); *cut < begin + record.tensor_size;) {
      const size_t from = *cut++;
      pieces.push_back({from, *cut, record.first_task, record.last_task});
    }
  }
  std::sort(pieces.begin(), pieces.end(), [](const Slice& a, const Slice& b) {
    return std::pair(a.begin, a.first_task) < std::pair(b.begin, b.first_task);
  });
  std::vector<Slice> slices;
  for (const Slice& piece : pieces) {
    if (!slices.empty() && slices.back().begin == piece.begin &&
        piece.first_task <= slices.back().last_task) {
      slices.back().last_task =
          std::max(slices.back().last_task, piece.last_task);
    } else {
      slices.push_back(piece);
    }
  }
  return slices;
}

}  // namespace

StatusOr<optional<LoweredProblem>> LowerFixedGroups(const Problem& problem) {
  const Constraints& constraints = *problem.constraints();
  // Constraints other than places refer to records by index, and these records
  // would be replaced. If there are such constraints, nothing is replaced.
  Constraints others = constraints;
  others.places.clear();
  const auto starts = StartsOf(problem);
  if (!others.empty() || !starts) return optional<LoweredProblem>();
  ProblemSpec spec;
  spec.capacity = problem.capacity();
  std::map<uint32_t, std::vector<size_t>> members;
  LoweredProblem lowered{problem, {std::vector<uint32_t>(problem.size())}};
  for (size_t i = 0; i < problem.size(); ++i) {
    const RecordPlace& place = constraints.places[i];
    if (place.group != kNoGroup) {
      members[place.group].push_back(i);
      continue;
    }
    lowered.map.record_of[i] = static_cast<uint32_t>(spec.records.size());
    spec.records.push_back(problem.records()[i]);
    spec.alignments.push_back(problem.alignments().Of(i));
    spec.fixed_offsets.push_back(problem.fixed_offset(i));
    spec.constraints.places.push_back(place);
  }
  for (const auto& [group, list] : members) {
    // Maps each byte at which a slice begins to the record that replaces the
    // first slice beginning there.
    std::map<size_t, uint32_t> slice_at;
    const size_t start = starts->at(group);
    for (const Slice& slice : SlicesOf(problem, start, list)) {
      slice_at.try_emplace(slice.begin,
                           static_cast<uint32_t>(spec.records.size()));
      spec.records.emplace_back(slice.end - slice.begin, slice.first_task,
                                slice.last_task);
      spec.alignments.push_back(1);
      spec.fixed_offsets.emplace_back(slice.begin);
      spec.constraints.places.emplace_back();
    }
    for (const size_t i : list) {
      const auto found = slice_at.find(start + constraints.places[i].at);
      // A member without bytes has no slice that could replace it.
      if (found == slice_at.end()) return optional<LoweredProblem>();
      lowered.map.record_of[i] = found->second;
    }
  }
  const bool has_ranges = std::any_of(
      spec.constraints.places.begin(), spec.constraints.places.end(),
      [](const RecordPlace& place) { return place.min > 0 || place.max; });
  if (!has_ranges) spec.constraints.places.clear();
  auto created = Problem::Create(std::move(spec));
  if (!created.ok()) return created.status();
  lowered.problem = *std::move(created);
  return optional<LoweredProblem>(std::move(lowered));
}

}  // namespace stowage
