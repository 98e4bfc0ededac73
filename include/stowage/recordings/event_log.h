// SPDX-License-Identifier: Apache-2.0
// EventLog collects memory events and converts them to a problem by EventRules.
// The importers of profiles, snapshots and allocation logs fill an EventLog.
// Any program that knows when its buffers begin and end can do the same. For
// tasks that read and write tensors, use ProblemSpec (problem.h) directly.
//
//   EventLog log;
//   log.Alloc(/*time=*/0, /*address=*/0x1000, {/*size=*/4096});
//   log.Alloc(1, 0x8000, {512});
//   log.Free(2, 0x1000);
//   const ProblemFile file = log.ToProblem(EventRules());
//   // lower,upper,size: 0,2,4096 and 1,3,512
//
// Times are tasks: a block is live from the time of its allocation up to, and
// not including, the time at which it is freed. Times must not fall from call
// to call. A log holds one address space, so each device has a log of its own.
// Not thread-safe.
#ifndef STOWAGE_RECORDINGS_EVENT_LOG_H_
#define STOWAGE_RECORDINGS_EVENT_LOG_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"
#include "stowage/io/problem_file.h"

namespace stowage {

// Says which event ends a lifetime if a log contains both the request for a
// free and its completion. Other streams may use the memory only after the free
// is complete.
enum class FreeRule { kCompleted, kRequested };

// Says what to do with a block if its allocation, or its end, is not in the
// log.
enum class AliveRule {
  kKeep,   // such a block is live from the first task, or up to the last one
  kLeave,  // such a block is left out
};

// Says what begins and ends the lifetime of a block if its uses are in the log.
enum class UseRule {
  kAllocation,  // the lifetime is that of the allocation
  kTouches,     // from the first use to the last one, inclusive
};

struct EventRules {
  FreeRule frees = FreeRule::kCompleted;
  AliveRule alive_before = AliveRule::kKeep;
  AliveRule alive_after = AliveRule::kKeep;
  UseRule uses = UseRule::kAllocation;
};

// The facts about a block that its allocation gives.
struct BlockFacts {
  size_t size = 0;       // bytes
  size_t alignment = 1;  // a power of two
  // The text that reports show beside the record.
  std::string name = {};
};

class EventLog {
 public:
  using Time = uint64_t;
  using Address = uint64_t;

  // Counts irregular events, which a correct log does not contain.
  struct Irregular {
    size_t unknown_frees = 0;  // frees of addresses without a size or a block
    size_t live_allocs = 0;    // allocations at addresses of live blocks
  };

  // Adds the allocation of a block. If a block at this address is still live,
  // the log lacks the free of that block, which therefore ends at `time`.
  void Alloc(Time time, Address address, const BlockFacts& facts);

  // Adds a use of a live block, which is a read or a write. Does nothing for an
  // unknown address.
  void Use(Time time, Address address);

  // RequestFree adds the request to free a block, and Free adds the free
  // itself. If a log has one event for both, call only Free. If the log has no
  // allocation of the block, and `facts` has its size, the block counts as live
  // before the log began.
  void RequestFree(Time time, Address address, const BlockFacts& facts = {});
  void Free(Time time, Address address, const BlockFacts& facts = {});

  // Adds a block that was live before the log began. The log has no allocation
  // of this block.
  void AddLiveBefore(Address address, const BlockFacts& facts);

  // Adds a block whose allocation the log does not contain. The block is live
  // from `since` on, which may be earlier than the time of the last call. No
  // block at this address may be live.
  void AddLiveSince(Time since, Address address, const BlockFacts& facts);

  // Sets the number of tasks. Blocks that are never freed are live up to the
  // last task. Without this call, the number of tasks is the last time plus 1.
  void SetEnd(Time end) { end_ = end; }

  // Returns whether a block at this address is live after the events so far.
  bool IsLive(Address address) const { return live_.count(address) > 0; }
  size_t size() const { return blocks_.size(); }
  const Irregular& irregular() const { return irregular_; }
  // Returns the bytes of the blocks that were live before the log.
  uint64_t bytes_before() const { return bytes_before_; }

  // Returns the records in the order in which blocks appear in the log. The id
  // of a record is the number of its block among all blocks, from 0. Blocks of
  // no bytes and blocks that are live at no task are left out. The note says
  // how many blocks were live before and after the log, and counts irregular
  // events. If there are uses, the note also has the peaks under both values of
  // UseRule. Sizes are rounded up to multiples of the power of two
  // `tensor_alignment`. O(blocks), or with uses O(blocks * log(blocks)).
  ProblemFile ToProblem(const EventRules& rules,
                        size_t tensor_alignment = 1) const;

 private:
  // A block of the log. The struct is small and consists of plain numbers,
  // since a log can have many millions of blocks.
  struct Block {
    size_t size = 0;
    Time alloc = 0;
    Time freed = 0;
    uint32_t name = 0;  // is an index of names_
    uint8_t alignment_log2 = 0;
    bool has_alloc = false;
    bool is_freed = false;
  };

  // Additional times of a block, which most logs do not contain.
  struct BlockTimes {
    Time requested = 0;
    Time first_use = 0;
    Time last_use = 0;
    bool is_requested = false;
    bool is_used = false;
  };

  // Moves to a time, which must not be before the time of the previous call.
  void At(Time time);
  Block BlockOf(const BlockFacts& facts);
  // Returns the number of the live block at the address. If there is none, adds
  // a block that was live before the log, or returns nothing if `facts` has no
  // size.
  optional<size_t> FindLive(Address address, const BlockFacts& facts);
  // Returns the further times of a block, so that the caller can change them.
  BlockTimes& TimesToSet(size_t block);
  BlockTimes TimesOf(size_t block) const;
  // Returns the first task of a block, and the task after its last task.
  // Returns nothing if the rules leave the block out, or if the block is live
  // at no task.
  optional<std::pair<Time, Time>> LifeOf(size_t block, const EventRules& rules,
                                         Time end) const;
  // Returns the number of tasks.
  Time End() const;
  // Returns the most bytes, not rounded up, that are live at one task.
  uint64_t PeakOf(const EventRules& rules) const;
  std::string Note(const EventRules& rules) const;
  // Returns the text about uses for the note, or an empty text if the log has
  // no uses.
  std::string UseNote(EventRules rules) const;

  // The blocks are in a deque. If they were in an array, moving them to a
  // larger array would take twice the memory.
  std::deque<Block> blocks_;
  std::vector<BlockTimes> times_;  // of the first blocks, by number
  std::vector<std::string> names_ = {""};
  std::unordered_map<std::string, uint32_t> name_numbers_;
  std::unordered_map<Address, size_t> live_;  // the block at each address
  optional<Time> end_;
  Time now_ = 0;
  bool is_empty_ = true;
  Irregular irregular_;
  size_t blocks_before_ = 0;
  uint64_t bytes_before_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_RECORDINGS_EVENT_LOG_H_
