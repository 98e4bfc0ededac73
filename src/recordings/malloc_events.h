// SPDX-License-Identifier: Apache-2.0
// Collects the calls of malloc and its relatives in a log, and turns them into
// the tasks of a problem. Each allocation and each free is a task, and a
// realloc is a free and an allocation. Calls that fail, and frees of the null
// pointer, are not tasks.
#ifndef STOWAGE_SRC_RECORDINGS_MALLOC_EVENTS_H_
#define STOWAGE_SRC_RECORDINGS_MALLOC_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/recordings/line_source.h"
#include "stowage/base/status.h"
#include "stowage/recordings/event_log.h"
#include "stowage/recordings/recording.h"

namespace stowage::recordings {

class MallocEvents {
 public:
  using Address = EventLog::Address;

  // Adds the allocation of a block. `alignment` must be a power of two.
  void Alloc(Address address, size_t size, size_t alignment = 1);

  // Adds a call of free or of one of its relatives. These functions write their
  // line before the memory can be used again.
  void Free(Address address);

  // Adds the free of a block that a call of realloc has freed. realloc writes
  // its lines only after it has freed the block. By then, another thread may
  // have allocated the memory and written its own line. In that case the block
  // has ended at the other allocation, and this line only counts as a task.
  void FreeByRealloc(Address address);

  // Adds a free if the log does not say whether a realloc made it. If a block
  // at the address has ended early, the free may belong to either of two
  // blocks: to that block (then a realloc made the free), or to the block that
  // was allocated later. The next event at the address decides. If it is a
  // free, a realloc made the current one. If it is an allocation, the current
  // free is that of the later block. If there is no further event, the later
  // block lives up to the last task.
  void FreeMaybeByRealloc(Address address);

  // Returns the number of allocations and frees.
  uint64_t count() const { return count_; }

  // Returns the part with this name. If `remark` is not empty, the note of the
  // part begins with it. Blocks that are never freed live up to the last task.
  RecordingPart ToPart(const std::string& name, const RecordingOptions& options,
                       const std::string& remark);

 private:
  // Returns whether a block at the address has ended early and its free has not
  // been read yet. If so, the current free counts as the free of this block.
  bool TakeEarlyEnd(Address address);

  EventLog log_;
  uint64_t count_ = 0;
  // For each address, the number of blocks that ended early: another block was
  // allocated at the address before the free of the block was read.
  std::unordered_map<Address, size_t> early_ends_;
  // Has an entry for each address whose last free may or may not have been made
  // by a realloc: the task of this free.
  std::unordered_map<Address, uint64_t> open_frees_;
};

// The maximum number of runs of programs in one file.
constexpr size_t kMaxMallocRuns = size_t{1} << 16;

// Ends a run of a program: appends the part of `events` to `parts` under this
// name, and clears `events` for the next run of the file. Does nothing if the
// run has no events. Error: InvalidArgument for too many runs.
Status EndMallocRun(const LineSource& lines, const std::string& name,
                    const RecordingOptions& options, const std::string& remark,
                    MallocEvents* events, std::vector<RecordingPart>* parts);

// Returns a remark for the note of a part. The remark says that the last line
// of the log has no line end and is left out.
std::string CutLineRemark(size_t line);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_MALLOC_EVENTS_H_
