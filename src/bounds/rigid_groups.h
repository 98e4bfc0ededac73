// SPDX-License-Identifier: Apache-2.0
// Represents the records of one pool under constraints as rigid groups, each of
// which has a single start. For problems without constraints, use the records
// themselves.
//
// A rigid group is a group of the problem, or a record that is in no group.
// Each of its records is `at` bytes above the start of the group. Every limit
// on the offset of a record therefore becomes a limit on the start:
//
//   at 0    ┌──────┐                        a start of 32 places the pieces at
//           │ a    │   at 24                32 and 56; an alignment of 16 for b
//           └──────┘  ┌───────┐             requires starts 8 above a multiple
//                     │ b     │             of 16
//   start ──┘         └───────┘
#ifndef STOWAGE_SRC_BOUNDS_RIGID_GROUPS_H_
#define STOWAGE_SRC_BOUNDS_RIGID_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/bounds/hole_index.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/problem.h"

namespace stowage::rigid {

// An offset in bytes. RigidGroups::Make ensures that the difference of two
// levels never overflows.
using Level = int64_t;

// Represents the absence of a level; higher than any level.
constexpr Level kNoLevel = Level{1} << 61;

// The bytes of one record. A record without bytes has no piece, but its
// alignment, range and fixed offset still limit its group.
struct Piece {
  uint32_t record = 0;
  uint32_t group = 0;
  Level at = 0;    // above the start of the group
  Level size = 0;  // greater than 0
};

// Returns the lowest level at or above `level` that is `residue` modulo
// `alignment`, a power of two.
inline Level RoundUp(Level level, Level alignment, Level residue) {
  return level + ((residue - level) & (alignment - 1));
}

struct RigidGroup {
  uint32_t first_piece = 0;  // first_piece <= piece < end_piece
  uint32_t end_piece = 0;
  Level alignment = 1;   // a power of two
  Level residue = 0;     // start modulo alignment
  Level min = 0;         // lowest start
  Level max = kNoLevel;  // highest start, inclusive
  Level extent = 0;  // one past the highest byte, above the start of the group

  bool is_fixed() const { return min == max; }
};

// Returns the indices of all records of a problem. These are the records of the
// only pool if the problem has only one pool.
std::vector<uint32_t> AllRecordsOf(const Problem& problem);

// Returns the error to report when RigidGroups::Make returns nullopt.
Status LevelsOverflow();

// Represents the absence of a pool; no problem has a pool of this number.
constexpr uint32_t kNoPool = ~uint32_t{0};

class RigidGroups {
 public:
  // Makes the rigid groups of `records` in one pool. Requires that `records`
  // include either all or none of the records of each group. `pool` may be
  // kNoPool, which represents a pool with neither holes nor a capacity. Returns
  // nullopt if a Level would overflow. The problem must outlive the object. O(n
  // + holes).
  static optional<RigidGroups> Make(const Problem& problem,
                                    Span<const uint32_t> records,
                                    uint32_t pool);

  const Problem& problem() const { return *problem_; }
  // Returns the records that were given to Make, in the same order. They
  // include records without bytes.
  const std::vector<uint32_t>& records() const { return records_; }
  // Returns the number of the group of each entry of records().
  const std::vector<uint32_t>& groups_of_records() const { return group_of_; }
  size_t size() const { return groups_.size(); }
  const RigidGroup& operator[](size_t group) const { return groups_[group]; }
  Span<const Piece> pieces() const { return pieces_; }
  Span<const Piece> PiecesOf(size_t group) const {
    return MakeConstSpan(pieces_).subspan(
        groups_[group].first_piece,
        groups_[group].end_piece - groups_[group].first_piece);
  }
  Span<const Hole> holes() const { return holes_; }
  optional<Level> capacity() const { return capacity_; }
  // Returns an upper limit of useful heights: in any higher plan, some group
  // can be moved further down.
  Level max() const { return max_; }
  // Returns the largest extent of a group.
  Level max_extent() const { return max_extent_; }

  // Returns the lowest start at or above `level` at which the group is in its
  // domain and in no hole, or kNoLevel if there is no such start. The result is
  // monotonic: it never decreases when `level` rises. Calls
  // HoleIndex::LowestFree for every piece, and repeats this until no hole moves
  // the start up.
  Level LowestStart(size_t number, Level level) const {
    return common_alignment_ == 0 ? LowestInDomain(number, level)
                                  : RoundUp(std::max<Level>(level, 0),
                                            common_alignment_, /*residue=*/0);
  }
  // Returns the highest start at or below `level` that the alignment and the
  // residue of the group allow. The result may be below the `min` of the group.
  Level HighestStart(size_t group, Level level) const;

  // Returns the lowest level below which `bytes` bytes are in no hole that
  // applies at `task`. If no task is given, considers only holes that apply at
  // all tasks of a partial order.
  Level TopAroundHoles(optional<TaskId> task, Level bytes) const;
  // Returns the index of the holes, for the tasks at which a record is live.
  // With a partial order, all holes apply at all tasks.
  const HoleIndex& hole_index() const { return hole_index_; }

  // Returns whether the piece must avoid the bytes of the hole, because the
  // record of the piece may be live at one of the tasks of the hole.
  bool IsKeptOut(const Piece& piece, const Hole& hole) const;

  // Writes the offsets of all records, given the starts of all groups. Returns
  // the highest end of any record.
  Level WriteOffsets(Span<const Level> starts,
                     std::vector<size_t>* offsets) const;
  Level TopOf(Span<const Level> starts) const;

 private:
  explicit RigidGroups(const Problem& problem) : problem_(&problem) {}
  void AddRecord(uint32_t record, uint32_t number);
  bool SumUp();
  void IndexHoles();
  Level LowestInDomain(size_t number, Level level) const;

  const Problem* problem_;
  std::vector<RigidGroup> groups_;
  std::vector<Piece> pieces_;  // sorted by group
  std::vector<uint32_t> records_;
  std::vector<uint32_t> group_of_;  // the group of each entry of records_
  std::vector<Hole> holes_;         // of the pool, sorted by end
  HoleIndex hole_index_;
  bool holes_are_forever_ = false;  // holes apply at all tasks
  optional<Level> capacity_;
  Level max_ = 0;
  Level max_extent_ = 0;
  // The alignment of all groups, if they have the same alignment, no residue
  // and no limits, and if there are no holes; otherwise 0. Saves reading a
  // group in LowestStart.
  Level common_alignment_ = 0;
};

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_BOUNDS_RIGID_GROUPS_H_
