// SPDX-License-Identifier: Apache-2.0
// Reads the tables of an XLA buffer assignment (BufferAssignmentProto):
// allocations, the places of buffers in the allocations, and heap traces.
// xla_trace.h converts the events of heap traces to lifetimes.
#ifndef STOWAGE_SRC_RECORDINGS_XLA_ASSIGNMENT_H_
#define STOWAGE_SRC_RECORDINGS_XLA_ASSIGNMENT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {

// The purpose of an allocation.
enum class XlaUse {
  kParameter,
  kConstant,
  kThreadLocal,
  kOutput,
  kTemporary,
};
constexpr size_t kXlaUses = 5;

struct XlaAllocation {
  uint64_t index = 0;
  uint64_t size = 0;
  uint64_t color = 0;  // the memory space
  XlaUse use = XlaUse::kTemporary;
};

// A logical buffer that has a place.
struct XlaBuffer {
  uint64_t id = 0;
  size_t allocation = 0;  // the position in XlaAssignment::allocations
  uint64_t offset = 0;    // bytes from the start of the allocation
  uint64_t size = 0;
  // The number of the heap trace that contains the buffer, counted from 1, and
  // the lifetime of the buffer in this trace. Both are set by ReadXlaTrace.
  size_t trace = 0;
  size_t life = 0;
};

struct XlaAssignment {
  std::vector<XlaAllocation> allocations;
  std::vector<XlaBuffer> buffers;   // by rising id
  std::vector<string_view> traces;  // those that have events
};

// The maximum number of buffers or events of a module. Real modules have fewer,
// and the limit bounds the memory that a hostile file can occupy.
constexpr size_t kMaxXlaItems = size_t{1} << 20;

// Returns ResourceExhausted if `count` is above kMaxXlaItems.
Status CheckXlaCount(size_t count, string_view items);

// Reads the whole message. Errors: InvalidArgument if the message is corrupt,
// if a byte count is negative, or if a buffer has two places; ResourceExhausted
// for more than kMaxXlaItems items of one kind.
StatusOr<XlaAssignment> ReadXlaAssignment(string_view message);

// Returns the buffer, or null if it is not in any allocation. O(log buffers).
XlaBuffer* FindXlaBuffer(uint64_t id, XlaAssignment* assignment);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_XLA_ASSIGNMENT_H_
