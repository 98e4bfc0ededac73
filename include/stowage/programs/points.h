// SPDX-License-Identifier: Apache-2.0
// Computes the points of a program. A point is a step of a run, and lists the
// points that can follow it. The points are the only definition of what a
// program does with memory: all plans and checks are derived from them.
//
// Each call has its own points. A tensor of a function is one slot, which all
// calls of the function share. Inputs are an exception: unless
// PointOptions::copies_arguments is set, an input has no memory of its own, and
// in each call it refers to a slot of the caller.
//
//   operator  one point: reads, writes
//   call      the points of the callee; a point that copies its outputs
//   if        a point that reads the condition; two paths, each like a call
//   while     a point that copies the arguments to the loop variables, which
//             are the results; the points of the condition; a point that reads
//             its output; the points of the body; a point that copies its
//             outputs to the loop variables; back to the condition
#ifndef STOWAGE_PROGRAMS_POINTS_H_
#define STOWAGE_PROGRAMS_POINTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/programs/program.h"

namespace stowage {

// The number of a tensor of a function, or of a variable of the program. The
// tensors of function 0 come first, then those of function 1 and so on, and the
// variables come last.
using SlotId = uint32_t;

// A copy of one slot to another. All copies of a point happen at once: each
// destination gets the value that its source had before the point.
struct SlotCopy {
  SlotId destination = 0;
  SlotId source = 0;
};

// An output of an operator that may be computed in the place of an input.
struct SlotInPlace {
  SlotId output = 0;
  SlotId input = 0;
  bool is_view = false;
};

enum class PointKind {
  kStart,      // writes the inputs of an entry, and reads carried inputs
  kEnd,        // reads the outputs of an entry
  kOperator,   // runs an operator
  kCondition,  // reads the condition that selects the next point
  kArguments,  // copies arguments to the inputs of a function
  kResults,    // copies the outputs of a function to the results of its call
  kEnterLoop,  // copies the arguments of a loop to its variables
  kTurn,       // copies the outputs of the body to the variables of the loop
  kInitial,    // writes the variables of the program, before anything runs
  kCarry,      // copies the carried outputs to inputs, between invocations
};

// A step of a run. Slots of 0 bytes are not listed.
struct Point {
  PointKind kind = PointKind::kOperator;
  uint32_t call = 0;  // an index in ProgramPoints::calls
  uint32_t node = 0;  // a node of the function of `call`
  std::vector<SlotId> reads = {};
  // All written slots: outputs, temporaries and the destinations of copies.
  std::vector<SlotId> writes = {};
  std::vector<SlotCopy> copies = {};
  std::vector<SlotInPlace> in_place = {};
  std::vector<uint32_t> next = {};  // the points that can follow
};

// A call of a function. The calls of a program form a tree.
struct CallFrame {
  size_t function = 0;
  // The frame of the calling function, and the node in that function that makes
  // the call. If this frame is an entry, `caller` is the number of the frame
  // itself.
  uint32_t caller = 0;
  uint32_t node = 0;
  uint32_t loops = 0;  // the number of loops around this call
  // The slot of each tensor of the function in this frame. An input refers to a
  // slot of the calling function; any other tensor has its own slot.
  std::vector<SlotId> slots = {};
};

struct ProgramPoints {
  std::vector<Point> points;  // points[0] precedes everything
  std::vector<CallFrame> calls;
  std::vector<size_t> slot_sizes;  // in bytes, by slot
  // The first slot of each function, followed by the first slot of the
  // variables.
  std::vector<SlotId> first_slot;
};

struct PointOptions {
  // If true, arguments are copied to the inputs of the called function, so the
  // inputs have memory of their own. The arguments of an entry with carried
  // outputs are not copied, because the inputs of this entry must keep the
  // values that the next invocation reads.
  bool copies_arguments = false;
  // If true, carried inputs keep their values up to the end of the invocation,
  // so an invocation that fails leaves these values unchanged.
  bool keeps_carried_inputs = false;
};

// The maximum number of points. A program can have far more points than nodes,
// because each call has its own points.
constexpr size_t kMaxProgramPoints = 1000000;

// Returns the points of a checked program. Error: ResourceExhausted if there
// are more than kMaxProgramPoints points, or if the points use too many
// tensors. The message names the chain of calls at which the limit was
// exceeded. O(points + slots of all points).
StatusOr<ProgramPoints> PointsOf(const Program& program,
                                 const PointOptions& options = {});

// Returns a description of a frame for messages: the chain of calls and the
// function.
std::string CallPlace(const Program& program, const ProgramPoints& points,
                      size_t call);

// Returns a description of a point for messages: "function 0, node 2 (IF) >
// function 1 "then", node 0 (ADD)".
std::string PointPlace(const Program& program, const ProgramPoints& points,
                       size_t point);

// Returns a suffix for the description of a node or a function: the part of it
// that the point represents, such as ", its condition". The suffix is empty if
// the point runs an operator.
string_view PointPhase(PointKind kind);

// Returns the name of a slot: the index of its function and the id of its
// tensor, such as "0.x".
std::string SlotName(const Program& program, SlotId slot);

}  // namespace stowage

#endif  // STOWAGE_PROGRAMS_POINTS_H_
