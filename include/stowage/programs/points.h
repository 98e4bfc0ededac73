// SPDX-License-Identifier: Apache-2.0
// Computes the points of a program: the steps of its runs, and for each step
// the steps that can follow. The points are the only definition of what a
// program does with memory; plans and checks are derived from the points.
//
// Each call has its own points. A tensor of a function is one slot, which all
// calls of the function share. The inputs of a function have no separate
// memory: in a call, they stand for the slots of the caller, unless
// PointOptions::copies_arguments is set.
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
// tensors of function 0 have the first numbers, those of function 1 and so on
// follow, and the variables come last.
using SlotId = uint32_t;

// An assignment of one slot to another at a point. All copies of a point happen
// at once: each destination gets the value that its source had before.
struct SlotCopy {
  SlotId destination = 0;
  SlotId source = 0;
};

// An output of an operator that may lie in the place of an input.
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
  // All written slots: outputs, temporaries and destinations of copies.
  std::vector<SlotId> writes = {};
  std::vector<SlotCopy> copies = {};
  std::vector<SlotInPlace> in_place = {};
  std::vector<uint32_t> next = {};  // the points that can follow
};

// A call of a function: a node of the tree of calls.
struct CallFrame {
  size_t function = 0;
  // The frame of the calling function, and the node in this function that makes
  // the call. For an entry, `caller` is the number of the entry's own frame.
  uint32_t caller = 0;
  uint32_t node = 0;
  uint32_t loops = 0;  // the number of loops around this call
  // The slot of each tensor of the function in this frame. An input has a slot
  // of the calling function; any other tensor has its own slot.
  std::vector<SlotId> slots = {};
};

struct ProgramPoints {
  std::vector<Point> points;  // points[0] precedes everything
  std::vector<CallFrame> calls;
  std::vector<size_t> slot_sizes;  // in bytes, by slot
  // The first slot of each function, and then the first slot of the variables.
  std::vector<SlotId> first_slot;
};

struct PointOptions {
  // If true, arguments are copied to the inputs of the called function, which
  // then have separate memory. An entry with carried outputs is an exception:
  // its arguments are not copied, since its inputs must keep the values that
  // the next invocation reads.
  bool copies_arguments = false;
  // If true, carried inputs keep their values up to the end of the invocation,
  // so that an invocation that fails leaves the values unchanged.
  bool keeps_carried_inputs = false;
};

// The maximum number of points. Each call has its own points, so that a program
// can have far more points than nodes.
constexpr size_t kMaxProgramPoints = 1000000;

// Returns the points of a checked program. Error: ResourceExhausted if there
// are more than kMaxProgramPoints points, or if these points use too many
// tensors. The message names the chain of calls at which the limit was
// exceeded. O(points + slots of all points).
StatusOr<ProgramPoints> PointsOf(const Program& program,
                                 const PointOptions& options = {});

// Returns the place of a frame: the chain of calls and the function.
std::string CallPlace(const Program& program, const ProgramPoints& points,
                      size_t call);

// Returns the place of a point: "function 0, node 2 (IF) > function 1 "then",
// node 0 (ADD)".
std::string PointPlace(const Program& program, const ProgramPoints& points,
                       size_t point);

// Returns a text that says for which part of a node or a function a point
// stands, such as ", its condition". If the point stands for an operator, the
// text is empty.
string_view PointPhase(PointKind kind);

// Returns the name of a slot, which consists of the function and the tensor:
// `0.x`, for example.
std::string SlotName(const Program& program, SlotId slot);

}  // namespace stowage

#endif  // STOWAGE_PROGRAMS_POINTS_H_
