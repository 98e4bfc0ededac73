// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/rigid_groups.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "src/base/containers.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/tensor_size.h"

namespace stowage::rigid {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 60;

Level RoundDown(Level level, Level alignment, Level residue) {
  return level - ((level - residue) & (alignment - 1));
}

RecordPlace PlaceOf(const Problem& problem, size_t record) {
  const std::vector<RecordPlace>& places = problem.constraints()->places;
  return places.empty() ? RecordPlace() : places[record];
}

// Returns whether all numbers of a record are so small that sums of such
// numbers cannot overflow a Level.
bool AreSmall(const Problem& problem, size_t record, const RecordPlace& place) {
  return problem.records()[record].tensor_size < kMaxBytes &&
         problem.alignments().Of(record) < kMaxBytes && place.at < kMaxBytes &&
         place.min < kMaxBytes &&
         problem.fixed_offset(record).value_or(0) < kMaxBytes;
}

}  // namespace

std::vector<uint32_t> AllRecordsOf(const Problem& problem) {
  std::vector<uint32_t> all(problem.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Status LevelsOverflow() {
  return ResourceExhaustedError(
      "constraints: sizes and places sum to more than 2^60 bytes; expected "
      "less");
}

optional<RigidGroups> RigidGroups::Make(const Problem& problem,
                                        Span<const uint32_t> records,
                                        uint32_t pool) {
  const Constraints& constraints = *problem.constraints();
  RigidGroups made(problem);
  made.records_.assign(records.begin(), records.end());
  made.holes_are_forever_ = constraints.order.has_value();
  for (const Hole& hole : constraints.holes) {
    if (hole.pool != pool) continue;
    if (hole.end >= kMaxBytes) return nullopt;
    made.holes_.push_back(hole);
  }
  optional<size_t> capacity;
  if (constraints.pools.empty()) capacity = problem.capacity();
  if (pool < constraints.pools.size()) {
    capacity = constraints.pools[pool].capacity;
  }
  if (capacity && *capacity < kMaxBytes) {
    made.capacity_ = static_cast<Level>(*capacity);
  }
  flat_hash_map<uint32_t, uint32_t> number_of_group;
  for (const uint32_t i : records) {
    const RecordPlace place = PlaceOf(problem, i);
    if (!AreSmall(problem, i, place)) return nullopt;
    auto group = static_cast<uint32_t>(made.groups_.size());
    if (place.group != kNoGroup) {
      group = number_of_group.try_emplace(place.group, group).first->second;
    }
    if (group == made.groups_.size()) made.groups_.emplace_back();
    made.group_of_.push_back(group);
    made.AddRecord(i, group);
  }
  if (!made.SumUp()) return nullopt;
  return made;
}

// Adds a record to its group, and restricts the domain of the group to starts
// that are in the domain of the record.
void RigidGroups::AddRecord(uint32_t record, uint32_t number) {
  const RecordPlace place = PlaceOf(*problem_, record);
  const auto at = static_cast<Level>(place.at);
  const auto size = static_cast<Level>(problem_->records()[record].tensor_size);
  const auto alignment = static_cast<Level>(problem_->alignments().Of(record));
  RigidGroup& group = groups_[number];
  group.min = std::max(group.min, static_cast<Level>(place.min) - at);
  if (place.max && *place.max < kMaxBytes) {
    group.max = std::min(group.max, static_cast<Level>(*place.max) - size - at);
  }
  if (const auto fixed = problem_->fixed_offset(record)) {
    group.min = std::max(group.min, static_cast<Level>(*fixed) - at);
    group.max = std::min(group.max, static_cast<Level>(*fixed) - at);
  }
  if (alignment > group.alignment) {
    group.alignment = alignment;
    group.residue = (-at) & (alignment - 1);
  }
  group.extent = std::max(group.extent, at + size);
  if (size > 0) pieces_.push_back({record, number, at, size});
}

// Sorts the pieces by group and sets `max_`. Returns false if a Level would
// overflow.
bool RigidGroups::SumUp() {
  std::stable_sort(
      pieces_.begin(), pieces_.end(),
      [](const Piece& a, const Piece& b) { return a.group < b.group; });
  size_t next = 0;
  IndexHoles();
  Level highest = holes_.empty() ? 0 : static_cast<Level>(holes_.back().end);
  Level sum = 0;
  bool is_uniform = holes_.empty();
  for (size_t b = 0; b < groups_.size(); ++b) {
    RigidGroup& group = groups_[b];
    is_uniform = is_uniform && group.alignment == groups_[0].alignment &&
                 group.residue == 0 && group.min <= 0 && group.max == kNoLevel;
    max_extent_ = std::max(max_extent_, group.extent);
    group.first_piece = static_cast<uint32_t>(next);
    while (next < pieces_.size() && pieces_[next].group == b) ++next;
    group.end_piece = static_cast<uint32_t>(next);
    // In any plan, a group with a highest start ends at or below the sum of
    // this start and its extent. All other groups can be stacked above the
    // highest of these sums.
    const Level last = group.max == kNoLevel ? group.min : group.max;
    highest = std::max(highest, last + group.extent);
    sum += group.extent + group.alignment - 1;
    if (sum >= kNoLevel / 2) return false;
  }
  if (is_uniform && !groups_.empty()) common_alignment_ = groups_[0].alignment;
  max_ = highest + sum;
  return max_ < kNoLevel;
}

void RigidGroups::IndexHoles() {
  std::stable_sort(holes_.begin(), holes_.end(),
                   [](const Hole& a, const Hole& b) { return a.end < b.end; });
  if (holes_.empty() || pieces_.empty()) return;
  const auto record_of = [&](const Piece& piece) -> const ByteRecord& {
    return problem_->records()[piece.record];
  };
  TaskId first = record_of(pieces_.front()).first_task;
  TaskId last = record_of(pieces_.front()).last_task;
  for (const Piece& piece : pieces_) {
    first = std::min(first, record_of(piece).first_task);
    last = std::max(last, record_of(piece).last_task);
  }
  hole_index_ = HoleIndex(holes_, first, last, holes_are_forever_);
}

Level RigidGroups::LowestInDomain(size_t number, Level level) const {
  const RigidGroup& group = groups_[number];
  const auto round = [&](Level start) {
    return RoundUp(start, group.alignment, group.residue);
  };
  Level start = round(std::max(level, group.min));
  for (bool is_free = hole_index_.empty(); !is_free && start <= group.max;) {
    is_free = true;
    for (const Piece& piece : PiecesOf(number)) {
      const ByteRecord& record = problem_->records()[piece.record];
      const Level free = hole_index_.LowestFree(
          start + piece.at, piece.size, record.first_task, record.last_task);
      if (free == start + piece.at) continue;
      start = round(free - piece.at);
      is_free = false;
    }
  }
  return start > group.max ? kNoLevel : start;
}

Level RigidGroups::TopAroundHoles(optional<TaskId> task, Level bytes) const {
  if (!task && !holes_are_forever_) return bytes;
  return hole_index_.TopAround(task.value_or(0), bytes);
}

bool RigidGroups::IsKeptOut(const Piece& piece, const Hole& hole) const {
  const ByteRecord& record = problem_->records()[piece.record];
  return holes_are_forever_ || (hole.first_task <= record.last_task &&
                                record.first_task <= hole.last_task);
}

Level RigidGroups::HighestStart(size_t group, Level level) const {
  return RoundDown(std::min(level, groups_[group].max),
                   groups_[group].alignment, groups_[group].residue);
}

Level RigidGroups::WriteOffsets(Span<const Level> starts,
                                std::vector<size_t>* offsets) const {
  for (size_t k = 0; k < records_.size(); ++k) {
    const uint32_t record = records_[k];
    (*offsets)[record] = static_cast<size_t>(starts[group_of_[k]]) +
                         PlaceOf(*problem_, record).at;
  }
  return TopOf(starts);
}

Level RigidGroups::TopOf(Span<const Level> starts) const {
  Level top = 0;
  for (size_t b = 0; b < groups_.size(); ++b) {
    top = std::max(top, starts[b] + groups_[b].extent);
  }
  return top;
}

}  // namespace stowage::rigid
