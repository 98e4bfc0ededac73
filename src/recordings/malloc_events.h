// SPDX-License-Identifier: Apache-2.0
// Collects the calls of malloc and related functions in a log, and converts
// them to the tasks of a problem. Each allocation and each free is a task, and
// a realloc is a free followed by an allocation. Calls that fail, and frees of
// the null pointer, are not tasks.
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

  // Adds a call of free or of a related function. These functions write their
  // line before the memory can be reused.
  void Free(Address address);

  // Adds the free of a block by realloc. realloc writes its lines only after it
  // has freed the block. By then, another thread may have allocated the memory
  // and written its own line. In that case, the block already ended at that
  // allocation, so this free only counts as a task.
  void FreeByRealloc(Address address);

  // Adds a free that may or may not be the free of a realloc, because the log
  // does not state which. If a block at the address has ended early, there are
  // two possibilities: the free belongs to that block, as part of a realloc, or
  // it belongs to the block that was allocated later. The next event at the
  // address decides. If it is a free, the current free was that of a realloc.
  // If it is an allocation, the current free is that of the later block. If
  // there is no further event, the later block is live up to the last task.
  void FreeMaybeByRealloc(Address address);

  // Returns the number of allocations and frees.
  uint64_t count() const { return count_; }

  // Returns the part with the given name. If `remark` is not empty, the note of
  // the part begins with `remark`. Blocks that are never freed are live up to
  // the last task.
  RecordingPart ToPart(const std::string& name, const RecordingOptions& options,
                       const std::string& remark);

 private:
  // Returns whether a block at the address has ended early and its free has not
  // been read yet. If so, the current free is counted as the free of that
  // block.
  bool TakeEarlyEnd(Address address);

  EventLog log_;
  uint64_t count_ = 0;
  // For each address, the number of blocks that ended early because another
  // block was allocated at the address before their free was read.
  std::unordered_map<Address, size_t> early_ends_;
  // If the last free at an address may or may not be that of a realloc, maps
  // the address to the task of that free.
  std::unordered_map<Address, uint64_t> open_frees_;
};

// The maximum number of program runs in one file.
constexpr size_t kMaxMallocRuns = size_t{1} << 16;

// Ends a run of a program: appends the part of `events` to `parts` under the
// given name, and clears `events` for the next run in the file. Does nothing if
// the run has no events. Errors: InvalidArgument for too many runs.
Status EndMallocRun(const LineSource& lines, const std::string& name,
                    const RecordingOptions& options, const std::string& remark,
                    MallocEvents* events, std::vector<RecordingPart>* parts);

// Returns the remark that the last line of the log is incomplete and ignored,
// for the note of a part.
std::string CutLineRemark(size_t line);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_MALLOC_EVENTS_H_
