// SPDX-License-Identifier: Apache-2.0
// The calls of malloc and its relatives in a log, which become the tasks of a
// problem: each allocation and each free is a task, and a realloc is a free and
// an allocation. Calls that fail, and frees of the null pointer, are none.
#ifndef STOWAGE_SRC_RECORDINGS_MALLOC_EVENTS_H_
#define STOWAGE_SRC_RECORDINGS_MALLOC_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "stowage/recordings/event_log.h"
#include "stowage/recordings/recording.h"

namespace stowage::recordings {

class MallocEvents {
 public:
  using Address = EventLog::Address;

  // A block is allocated. `alignment` must be a power of two.
  void Alloc(Address address, size_t size, size_t alignment = 1);

  // A block is freed by free or its relatives, which write their line before
  // the memory can be used again.
  void Free(Address address);

  // A block is freed by realloc, which writes its lines after the fact. If
  // other threads run, one of them may have the memory by then and may have
  // written so. The block then ended at that allocation, and this line is of no
  // effect beyond being a task.
  void FreeByRealloc(Address address);

  // Returns the number of allocations and frees.
  uint64_t count() const { return count_; }

  // Returns the part of this name. If `remark` is not empty, the note of the
  // part begins with it. Blocks that are never freed live up to the last task.
  RecordingPart ToPart(const std::string& name, const RecordingOptions& options,
                       const std::string& remark);

 private:
  EventLog log_;
  uint64_t count_ = 0;
  // By address, the number of blocks whose end was seen before it was written.
  std::unordered_map<Address, size_t> early_ends_;
};

// Says that the last line of a log has no end and is left out, which begins the
// note of a part.
std::string CutLineRemark(size_t line);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_MALLOC_EVENTS_H_
