// SPDX-License-Identifier: Apache-2.0
// EventLog collects memory events and converts them to a problem according to
// EventRules. The importers of profiles, snapshots and allocation logs use an
// EventLog, and so can any program that knows when its buffers are allocated
// and freed. For tasks that read and write tensors, use ProblemSpec (problem.h)
// directly.
//
//   EventLog log;
//   log.Alloc(/*time=*/0, /*address=*/0x1000, {/*size=*/4096});
//   log.Alloc(1, 0x8000, {512});
//   log.Free(2, 0x1000);
//   const ProblemFile file = log.ToProblem(EventRules());
//   // lower,upper,size: 0,2,4096 and 1,3,512
//
// Times become tasks: a block is live from the time of its allocation
// (inclusive) to the time at which it is freed (exclusive). Times must not
// decrease from call to call. A log has only one address space, so use a
// separate log for each device. Not thread-safe.
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

// The event that ends a lifetime if a log contains both the request for a free
// and its completion. Other streams may use the memory only after the free has
// completed.
enum class FreeRule { kCompleted, kRequested };

// The treatment of blocks that were allocated before the log began, or are
// never freed in the log.
enum class AliveRule {
  kKeep,   // such a block is live from the first task, or up to the last one
  kLeave,  // such a block is left out
};

// The events that begin and end the lifetime of a block if the log contains
// uses.
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

// The properties of a block that are known from its allocation.
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

  // Counts of irregular events, which a correct log does not contain.
  struct Irregular {
    size_t unknown_frees = 0;  // frees of addresses without a size or a block
    size_t live_allocs = 0;    // allocations at addresses of live blocks
  };

  // Adds the allocation of a block. If a block at this address is still live,
  // its free is missing from the log, so the lifetime of that block ends at
  // `time`.
  void Alloc(Time time, Address address, const BlockFacts& facts);

  // Adds a use (a read or a write) of a live block. Does nothing if there is no
  // live block at the address.
  void Use(Time time, Address address);

  // RequestFree adds the request to free a block, and Free adds the completed
  // free. If the source has only one event for both, call only Free. If the log
  // has no allocation of the block but `facts` has its size, the block counts
  // as live before the log began.
  void RequestFree(Time time, Address address, const BlockFacts& facts = {});
  void Free(Time time, Address address, const BlockFacts& facts = {});

  // Adds a block that was live before the log began, so the log has no
  // allocation of the block.
  void AddLiveBefore(Address address, const BlockFacts& facts);

  // Adds a block that is live from `since` on, without an allocation in the
  // log. `since` may be earlier than the time of the last call. Requires that
  // no block at this address is live.
  void AddLiveSince(Time since, Address address, const BlockFacts& facts);

  // Sets the number of tasks. Blocks that are never freed are live up to the
  // last task. If SetEnd is not called, the number of tasks is the last time
  // plus 1.
  void SetEnd(Time end) { end_ = end; }

  // Returns whether a block at this address is live after the events so far.
  bool IsLive(Address address) const { return live_.count(address) > 0; }
  size_t size() const { return blocks_.size(); }
  const Irregular& irregular() const { return irregular_; }
  // Returns the number of bytes in blocks that were live before the log began.
  uint64_t bytes_before() const { return bytes_before_; }

  // Returns a problem with the records in the order in which their blocks
  // appear in the log. The id of a record is the index of its block among all
  // blocks, counted from 0. Blocks of 0 bytes and blocks that are live at no
  // task are left out. Sizes are rounded up to multiples of `tensor_alignment`,
  // a power of two.
  //
  // The note of the file has the number of blocks that were live before and
  // after the log, and the counts of irregular events. If the log has uses, the
  // note also has the peaks under both values of UseRule. O(blocks), or
  // O(blocks * log(blocks)) if the log has uses.
  ProblemFile ToProblem(const EventRules& rules,
                        size_t tensor_alignment = 1) const;

 private:
  // A block of the log. The struct is small and has only numbers, since a log
  // can have many millions of blocks.
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

  // Moves to `time`, which must not be before the time of the previous call.
  void At(Time time);
  Block BlockOf(const BlockFacts& facts);
  // Returns the index of the live block at the address. If there is no such
  // block, adds a block that was live before the log began, or returns nullopt
  // if `facts` has no size.
  optional<size_t> FindLive(Address address, const BlockFacts& facts);
  // Returns the additional times of a block for modification.
  BlockTimes& TimesToSet(size_t block);
  BlockTimes TimesOf(size_t block) const;
  // Returns the number of blocks that no event ends.
  size_t LiveAtEnd(const EventRules& rules) const;
  // Returns the first task of a block, and one past its last task. Returns
  // nullopt if the rules leave the block out, or if the block is live at no
  // task.
  optional<std::pair<Time, Time>> LifeOf(size_t block, const EventRules& rules,
                                         Time end) const;
  // Returns the number of tasks.
  Time End() const;
  // Returns the maximum number of bytes, not rounded up, that are live at any
  // task.
  uint64_t PeakOf(const EventRules& rules) const;
  std::string Note(const EventRules& rules) const;
  // Returns the part of the note about uses, or an empty string if the log has
  // no uses.
  std::string UseNote(EventRules rules) const;

  // A deque, because an array would need twice the memory whenever it grows.
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
