// SPDX-License-Identifier: Apache-2.0
// Keeps the lowest feasible offset of each record while rigid groups are placed
// from the bottom up: the highest end of all placed records that it conflicts
// with. To place groups in another order, list the conflicts (conflicts.h).
//
// No pair of records is ever formed. Intervals need one tree over the steps, a
// partial order needs two trees over the tasks of all chains, and an apart set
// is a single number, which its records share like a step at which all of them
// are live.
//
// Two records of a partial order conflict if and only if a user of one lies in
// the window of the other: on each chain, the tasks that neither precede all
// its users nor follow all of them. (If no user of a is in the window of b,
// each user of a precedes all users of b or follows all of them; if some
// precede and some follow, the users of b are in the window of a.) So one tree
// is raised over the windows of the placed records and queried at the users of
// a record; the other is raised at the users and queried over the windows.
#ifndef STOWAGE_SRC_CONSTRUCT_FLOORS_H_
#define STOWAGE_SRC_CONSTRUCT_FLOORS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/bounds/bodies.h"
#include "src/bounds/conflicts.h"
#include "stowage/problem.h"

namespace stowage::bodies {

// Keeps the highest ends of placed records, by task or by step.
class LifeFloors {
 public:
  virtual ~LifeFloors() = default;
  virtual Level Highest(uint32_t record) = 0;
  virtual void Raise(uint32_t record, Level end) = 0;
};

class Floors {
 public:
  // Both arguments must outlive the object. O(n), and O(tasks) with a partial
  // order.
  Floors(const Bodies& bodies, const Relation& relation);

  // Returns the lowest start at which the group is above all placed pieces that
  // conflict with its own. Successive results for a group never fall. O(log
  // steps) per piece, or O(users * chains * log tasks) with a partial order;
  // O(placed) for a record with a `never` pair.
  Level Floor(size_t body);
  // Returns the cost of these calls since the last call of TakeLooks, in
  // records visited.
  uint64_t TakeLooks();
  // Places the group.
  void Raise(size_t body, Level start);

  // Returns the highest end of the placed pieces that conflict with a piece,
  // including those of its own group.
  Level FloorOf(const Piece& piece) { return FloorOf(piece.record); }
  // Places one piece of a group.
  void RaisePiece(const Piece& piece, Level end);

 private:
  Level FloorOf(uint32_t record);

  const Bodies& bodies_;
  const Relation& relation_;
  std::unique_ptr<LifeFloors> lives_;
  std::vector<Level> apart_;  // by set
  struct Placed {
    uint32_t record;
    Level end;
    Level highest;  // highest end of this piece and of those before
  };
  std::vector<Placed> placed_;  // only if there are `never` pairs
  uint64_t looks_ = 0;
};

}  // namespace stowage::bodies

#endif  // STOWAGE_SRC_CONSTRUCT_FLOORS_H_
