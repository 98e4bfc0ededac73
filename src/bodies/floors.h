// SPDX-License-Identifier: Apache-2.0
// The highest end of all that a record conflicts with, while bodies are placed
// from the bottom up. To place them anywhere else, list conflicts
// (conflicts.h).
//
// Nothing here ever makes a pair of records: intervals take a tree over the
// steps, a partial order takes two trees over the tasks of all chains, and a
// set that is apart is one number, which its records share like a step at which
// all of them are live.
//
// Two records of an order conflict if and only if a user of one lies in the
// window of the other: on each chain, the tasks that neither precede all its
// users nor follow all of them. (If no user of a is in the window of b, each
// precedes all users of b or follows all; if some precede and some follow, the
// users of b are in the window of a.) So one tree is raised over the windows of
// what is placed and asked at the users of a record, the other is raised at the
// users and asked over the windows.
#ifndef STOWAGE_BODIES_FLOORS_H_
#define STOWAGE_BODIES_FLOORS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/bodies/bodies.h"
#include "src/bodies/conflicts.h"
#include "stowage/problem.h"

namespace stowage::bodies {

// Highest ends by task, or by step.
class LifeFloors {
 public:
  virtual ~LifeFloors() = default;
  virtual Level Highest(uint32_t record) = 0;
  virtual void Raise(uint32_t record, Level end) = 0;
};

class Floors {
 public:
  // The bodies and the relation must outlive the object. O(n), and O(tasks)
  // with an order.
  Floors(const Bodies& bodies, const Relation& relation);

  // The lowest start of the body that is above all placed pieces that conflict
  // with its own. Never lower than before. O(log steps) for a piece, or O(users
  // * chains * log tasks) with an order; O(placed) for a record with a `never`
  // pair.
  Level Floor(size_t body);
  // What that has cost since the last call, in looks at records.
  uint64_t TakeLooks();
  // Places the body.
  void Raise(size_t body, Level start);

  // The highest end of the placed pieces that conflict with a piece, those of
  // its own body included.
  Level FloorOf(const Piece& piece) { return FloorOf(piece.record); }
  // Places one piece of a body.
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
    Level highest;  // end of it and of those before
  };
  std::vector<Placed> placed_;  // while `never` pairs ask for it
  uint64_t looks_ = 0;
};

}  // namespace stowage::bodies

#endif  // STOWAGE_BODIES_FLOORS_H_
