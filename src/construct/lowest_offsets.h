// SPDX-License-Identifier: Apache-2.0
// Finds the lowest feasible offset of a record while rigid groups are placed
// from the bottom up. This offset is the highest end of all placed records that
// conflict with the record. To place groups in another order, list the
// conflicts (conflicts.h).
//
// The conflicts are never listed. If lifetimes are intervals, one tree over the
// steps is needed; with a partial order, two trees over the tasks of all chains
// are needed. An apart set needs a single number, which is like a step at which
// all of its records are live.
//
// Two records of a partial order conflict if and only if a user of one record
// is in the window of the other record. On each chain, the window of a record
// consists of the tasks that neither precede all users of the record nor follow
// all of them. (src/verify/footprint.h has the proof.) The first tree is
// therefore raised over the windows of the placed records and queried at the
// users of a new record.
//
// This query misses a placed record that conflicts if no user of the new record
// is in the window of the placed record. In this case, each user of the new
// record either precedes or follows all users of the placed record. Since the
// two records conflict, some users of the new record precede all users of the
// placed record, and other users follow all of them. In the sequence of the
// order, the users of the placed record are therefore between the first and the
// last user of the new record. Conversely, every record that has a user between
// these two conflicts with the new record. The second tree is therefore raised
// at one user of each placed record, and queried over this part of the
// sequence.
#ifndef STOWAGE_SRC_CONSTRUCT_LOWEST_OFFSETS_H_
#define STOWAGE_SRC_CONSTRUCT_LOWEST_OFFSETS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/bounds/conflicts.h"
#include "src/bounds/rigid_groups.h"
#include "stowage/problem.h"

namespace stowage::rigid {

// Stores the highest ends of placed records for each task or step. Highest
// returns the highest end of the placed records whose lifetimes conflict with
// that of `record`; Prefetch begins to load the data that Highest needs of the
// record.
class LifetimeTops {
 public:
  virtual ~LifetimeTops() = default;
  virtual Level Highest(uint32_t record) = 0;
  virtual void Raise(uint32_t record, Level end) = 0;
  virtual void Prefetch(uint32_t record) const = 0;
};

class LowestOffsets {
 public:
  // Both arguments must outlive the object. O(n), and O(tasks) with a partial
  // order.
  LowestOffsets(const RigidGroups& groups, const Relation& relation);

  // Returns the lowest start at which the group is above all placed pieces that
  // conflict with a piece of the group. Successive results for a group never
  // decrease. O(log steps) per piece, or O(users * log tasks) with a partial
  // order; O(placed) for a record with a `never` pair.
  Level LowestStart(size_t group);
  // Begins to load the data that LowestStart needs of the group.
  void Prefetch(size_t group) const {
    if (only_record_[group] != kSeveral) lives_->Prefetch(only_record_[group]);
  }
  // Returns the number of placed records that LowestStart and LowestOf have
  // compared since the last call of TakeChecks, plus 1, as the cost of these
  // calls.
  uint64_t TakeChecks();
  // Marks the group as placed at `start`.
  void Raise(size_t group, Level start);

  // Returns the highest end of all placed pieces that conflict with `piece`,
  // including pieces of the same group.
  Level LowestOf(const Piece& piece) { return LowestOf(piece.record); }
  // Marks one piece of a group as placed, with its end at `end`.
  void RaisePiece(const Piece& piece, Level end);

 private:
  static constexpr uint32_t kSeveral = ~uint32_t{0};

  Level LowestOf(uint32_t record);

  const RigidGroups& groups_;
  const Relation& relation_;
  std::unique_ptr<LifetimeTops> lives_;
  // For each group that consists of one record at its start, if the record has
  // no `never` pairs and is in no apart set: this record. kSeveral otherwise.
  // Saves reading the group, its piece and the constraints of the record, which
  // would take a quarter of the time of a large problem.
  std::vector<uint32_t> only_record_;
  // For each apart set, the highest end of its placed records.
  std::vector<Level> apart_;
  struct Placed {
    uint32_t record;
    Level end;
    Level highest;  // the highest end of this piece and all earlier ones
  };
  std::vector<Placed> placed_;  // is used only if there are `never` pairs
  uint64_t checks_ = 0;
};

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_CONSTRUCT_LOWEST_OFFSETS_H_
