// SPDX-License-Identifier: Apache-2.0
// Converts the events of an XLA heap trace (HeapSimulatorTrace) to lifetimes.
// The times of lifetimes are the numbers of the events. A buffer that shares
// the memory of another buffer has a separate lifetime. There may be a gap
// between the two lifetimes, during which XLA may put a third buffer into this
// memory.
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
  // The position of the lifetime that owns the memory. A lifetime that does not
  // share memory with an earlier lifetime owns its memory itself.
  size_t owner = 0;
  bool is_freed = false;
  string_view instruction;  // defines the buffer
};

struct XlaTrace {
  std::vector<XlaLife> lives;             // by rising begin
  std::vector<string_view> instructions;  // an entry for every event
};

// Reads trace `number`, counted from 1. If a trace plans several allocations,
// XLA writes a copy of the trace for each of them. Returns no lifetimes if the
// trace is a copy of an earlier trace. Does not use the allocation number in
// the trace, because XLA renumbers allocations after it has written the trace.
//
// Errors: InvalidArgument if the message is corrupt, or if its events
// contradict each other or the allocations; ResourceExhausted for more than
// kMaxXlaItems events. O(events * log buffers).
StatusOr<XlaTrace> ReadXlaTrace(size_t number, XlaAssignment* assignment);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_XLA_TRACE_H_
