// SPDX-License-Identifier: Apache-2.0
// Turns the events of a heap trace of XLA (HeapSimulatorTrace) into lifetimes.
// The times of lifetimes are the numbers of the events. A buffer that shares
// the memory of another buffer has a lifetime of its own. There may be a gap
// between the two lifetimes, in which XLA may put a third buffer there.
#ifndef STOWAGE_SRC_RECORDINGS_XLA_TRACE_H_
#define STOWAGE_SRC_RECORDINGS_XLA_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/recordings/xla_assignment.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {

struct XlaLife {
  size_t buffer = 0;  // the position in XlaAssignment::buffers
  uint64_t begin = 0;
  uint64_t end = 0;  // is one past the last event
  // The position of the life whose memory this one shares; its own if none.
  size_t owner = 0;
  bool is_freed = false;
  string_view instruction;  // defines the buffer
};

struct XlaTrace {
  std::vector<XlaLife> lives;             // by rising begin
  std::vector<string_view> instructions;  // an entry for every event
};

// Reads trace `number`, counted from 1. Returns no lives if the trace is a copy
// of an earlier one: if a trace plans several allocations, each of them has a
// copy. The number of the allocation in the trace is not used, since
// allocations are renumbered after the trace is written. Error: InvalidArgument
// if the message is damaged, or if its events contradict each other or the
// allocations; ResourceExhausted for more than kMaxXlaItems events. O(events *
// log buffers).
StatusOr<XlaTrace> ReadXlaTrace(size_t number, XlaAssignment* assignment);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_XLA_TRACE_H_
