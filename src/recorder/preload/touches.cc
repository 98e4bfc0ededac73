// SPDX-License-Identifier: Apache-2.0
#include "src/recorder/preload/touches.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/recorder/preload/dispatch.h"
#include "src/recorder/preload/process_log.h"
#include "stowage/recordings/log_format.h"

namespace stowage::preload {

std::atomic<bool> watches_touches{false};

namespace {

// The maximum number of watched blocks. Linux by default allows a process only
// 65,530 mappings. Each block can be a separate mapping, and so can the memory
// between two blocks.
constexpr size_t kMostBlocks = 16'384;

struct Block {
  uintptr_t begin;
  size_t bytes;  // a multiple of the page size
  uint32_t faults;
  uint32_t boundaries_left;  // the boundaries at which it stays open
  uint16_t loans;            // the number of loans to system calls
  bool is_open;
  bool was_touched;
  bool is_given_up;  // if so, it stays open
};

// Only the thread that holds the lock may access the following variables.
std::atomic<uint32_t> lock_is_held{0};
Block blocks[kMostBlocks];
uint16_t order[kMostBlocks];  // the blocks in use, by address
uint16_t unused[kMostBlocks];
uint16_t open_blocks[kMostBlocks];  // without blocks given up
size_t block_count = 0;
size_t unused_count = 0;
size_t open_count = 0;

// A block that is on loan to the current system call of this thread.
struct Loan {
  uint16_t block;
  uintptr_t begin;  // differs if the place in the table was reused
};
constexpr size_t kMostLoans = 16;
__thread Loan loans[kMostLoans] __attribute__((tls_model("initial-exec")));
__thread size_t loan_count __attribute__((tls_model("initial-exec")));

void Lock() {
  while (lock_is_held.exchange(1, std::memory_order_acquire) != 0) {
    sched_yield();
  }
}

void Unlock() { lock_is_held.store(0, std::memory_order_release); }

// Holds the lock and blocks signals. If signals were not blocked, a signal
// handler could interrupt the thread that holds the lock, and then wait for the
// lock forever.
class BlocksLocked {
 public:
  BlocksLocked() : error_(errno) {
    EnterOwnCalls();
    signals_ = HoldSignals();
    Lock();
  }
  ~BlocksLocked() {
    Unlock();
    ReleaseSignals(signals_);
    LeaveOwnCalls();
    errno = error_;
  }
  BlocksLocked(const BlocksLocked&) = delete;
  BlocksLocked& operator=(const BlocksLocked&) = delete;

 private:
  int error_;
  uint64_t signals_ = 0;
};

uintptr_t AddressIn(const void* block) {
  return reinterpret_cast<uintptr_t>(block);
}

void* PointerTo(uintptr_t address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives numbers.
  return reinterpret_cast<void*>(address);
}

size_t InPages(size_t size) {
  return (size + kTouchPage - 1) / kTouchPage * kTouchPage;
}

// Returns the number of blocks that begin at or below this address.
size_t RankAfter(uintptr_t address) {
  size_t low = 0;
  size_t high = block_count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (blocks[order[middle]].begin <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

Block* FindBlock(uintptr_t address) {
  const size_t rank = RankAfter(address);
  if (rank == 0) return nullptr;
  Block* const block = &blocks[order[rank - 1]];
  return address - block->begin < block->bytes ? block : nullptr;
}

bool InsertBlock(uintptr_t begin, size_t bytes) {
  if (block_count == kMostBlocks) return false;
  const size_t rank = RankAfter(begin);
  memmove(order + rank + 1, order + rank,
          (block_count - rank) * sizeof(order[0]));
  // Reuse a free entry of the table if there is one, otherwise the first entry
  // that has never been used.
  order[rank] = unused_count > 0 ? unused[--unused_count]
                                 : static_cast<uint16_t>(block_count);
  ++block_count;
  Block& block = blocks[order[rank]];
  block = Block();
  block.begin = begin;
  block.bytes = bytes;
  return true;
}

uint16_t NumberOf(const Block* block) {
  return static_cast<uint16_t>(block - blocks);
}

void RemoveFromOpen(const Block* block) {
  for (size_t i = 0; i < open_count; ++i) {
    if (open_blocks[i] == NumberOf(block)) {
      open_blocks[i] = open_blocks[--open_count];
      return;
    }
  }
}

void RemoveBlock(const Block* block) {
  RemoveFromOpen(block);
  const size_t rank = RankAfter(block->begin) - 1;
  unused[unused_count++] = NumberOf(block);
  --block_count;
  memmove(order + rank, order + rank + 1,
          (block_count - rank) * sizeof(order[0]));
}

void LogUse(const Block& block, log_format::EventKind kind) {
  log_format::Event event;
  event.kind = kind;
  event.id = block.begin;
  Log(event);
}

void ReturnLoans() {
  for (size_t i = 0; i < loan_count; ++i) {
    Block& block = blocks[loans[i].block];
    if (block.begin == loans[i].begin && block.loans > 0) --block.loans;
  }
  loan_count = 0;
}

// Closes all open blocks except `kept` and the blocks that must stay open.
void Boundary(const Block* kept) {
  // This thread is running code of the library, so its last system call has
  // returned.
  ReturnLoans();
  const auto stack = AddressIn(__builtin_frame_address(0));
  size_t still_open = 0;
  for (size_t i = 0; i < open_count; ++i) {
    Block& block = blocks[open_blocks[i]];
    bool stays = &block == kept || block.loans > 0;
    if (stack - block.begin < block.bytes) {
      block.is_given_up = true;
      continue;
    }
    if (!stays && block.boundaries_left > 0) {
      --block.boundaries_left;
      stays = true;
    }
    if (!stays &&
        mprotect(PointerTo(block.begin), block.bytes, PROT_NONE) == 0) {
      block.is_open = false;
      LogUse(block, log_format::EventKind::kRead);
    } else {
      open_blocks[still_open++] = open_blocks[i];
    }
  }
  open_count = still_open;
}

// A block stays open for the next 2^d boundaries, where d is the number of its
// earlier faults divided by kFaultsPerDoubling, rounded down, and at most
// kMostDoublings. If d is 0, the block is closed at the next boundary.
constexpr uint32_t kFaultsPerDoubling = 64;
constexpr uint32_t kMostDoublings = 24;

// Permanently opens all blocks. If `logs` is true, logs a use of each block
// that was closed. `logs` must be false if the blocks belong to the log of
// another process.
void GiveUpAll(bool logs) {
  for (size_t i = 0; i < block_count; ++i) {
    Block& block = blocks[order[i]];
    if (!block.is_open) {
      if (logs) LogUse(block, log_format::EventKind::kWrite);
      mprotect(PointerTo(block.begin), block.bytes, PROT_READ | PROT_WRITE);
    }
    block.is_open = true;
    block.is_given_up = true;
  }
  open_count = 0;
  loan_count = 0;
}

void Open(Block* block) {
  if (block->is_open) return;
  if (!block->was_touched) Boundary(nullptr);
  // Log first, because other threads may touch the block as soon as it is open.
  LogUse(*block, log_format::EventKind::kWrite);
  if (mprotect(PointerTo(block->begin), block->bytes, PROT_READ | PROT_WRITE) !=
      0) {
    // There are too many mappings. Open all blocks, so that the system merges
    // their mappings.
    GiveUpAll(/*logs=*/true);
    return;
  }
  block->was_touched = true;
  block->is_open = true;
  const uint32_t doublings = block->faults++ / kFaultsPerDoubling;
  block->boundaries_left =
      doublings == 0
          ? 0
          : uint32_t{1} << (doublings < kMostDoublings ? doublings
                                                       : kMostDoublings);
  open_blocks[open_count++] = NumberOf(block);
}

// The address of the last fault of this thread in a block that was given up.
__thread uintptr_t retried __attribute__((tls_model("initial-exec")));

// Opens the block at the address, and returns whether the access that faulted
// can be tried again. If the block has been given up, it is already open,
// perhaps because another thread gave it up after the fault. In that case, the
// access is tried once more. A second fault means that the program itself has
// protected the block.
bool OpenAt(uintptr_t address) {
  Lock();
  Block* const block = FindBlock(address);
  const bool was_given_up = block != nullptr && block->is_given_up;
  if (block != nullptr) Open(block);
  Unlock();
  if (!was_given_up) return block != nullptr;
  const bool is_first = retried != address;
  retried = address;
  return is_first;
}

void LendAt(uintptr_t address) {
  Lock();
  Block* const block = FindBlock(address);
  if (block != nullptr && !block->is_given_up) {
    Open(block);
    if (loan_count < kMostLoans) {
      ++block->loans;
      loans[loan_count++] = {NumberOf(block), block->begin};
    }
  }
  Unlock();
}

void TakeBack() {
  if (loan_count == 0) return;
  Lock();
  ReturnLoans();
  Unlock();
}

void GiveUpAt(uintptr_t address) {
  Lock();
  Block* const block = FindBlock(address);
  if (block != nullptr && !block->is_given_up) {
    Open(block);
    RemoveFromOpen(block);
    block->is_given_up = true;
  }
  Unlock();
}

// One variable is sufficient, because the lock is held while a process forks.
uint64_t signals_before_fork = 0;

void BeforeFork() {
  EnterOwnCalls();
  const uint64_t signals = HoldSignals();
  Lock();
  signals_before_fork = signals;
}

void AfterForkInParent() {
  const uint64_t signals = signals_before_fork;
  Unlock();
  ReleaseSignals(signals);
  LeaveOwnCalls();
}

// Permanently opens all blocks in the child process, because the log of the
// child does not contain them.
void AfterForkInChild() {
  GiveUpAll(/*logs=*/false);
  AfterForkInParent();
  DispatchThisThread();
}

// Maps pages at an address that is a multiple of the alignment.
uintptr_t MapPages(size_t bytes, size_t alignment) {
  const size_t more = alignment > kTouchPage ? alignment : 0;
  if (bytes > SIZE_MAX - more) return 0;
  void* const mapped = mmap(nullptr, bytes + more, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return 0;
  const uintptr_t begin = AddressIn(mapped);
  if (more == 0) return begin;
  const uintptr_t aligned = (begin + alignment - 1) & ~(alignment - 1);
  if (aligned > begin) munmap(mapped, aligned - begin);
  const size_t behind = begin + more - aligned;
  if (behind > 0) munmap(PointerTo(aligned + bytes), behind);
  return aligned;
}

}  // namespace

void BeginTouches() {
  if (!AsksForTouches() || static_cast<size_t>(getpagesize()) != kTouchPage) {
    return;
  }
  if (!BeginDispatch({OpenAt, LendAt, TakeBack, GiveUpAt})) return;
  if (pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild) != 0) {
    return;
  }
  watches_touches.store(true);
}

void* MapWatched(size_t size, size_t alignment) {
  if (size > PTRDIFF_MAX - kTouchPage) return nullptr;
  const BlocksLocked locked;
  Boundary(nullptr);
  const size_t bytes = InPages(size);
  uintptr_t begin = block_count == kMostBlocks ? 0 : MapPages(bytes, alignment);
  if (begin != 0) InsertBlock(begin, bytes);
  return PointerTo(begin);
}

size_t WatchedBytes(const void* block) {
  const BlocksLocked locked;
  const Block* const found = FindBlock(AddressIn(block));
  return found != nullptr && found->begin == AddressIn(block) ? found->bytes
                                                              : 0;
}

void TouchWatched(const void* block) {
  const BlocksLocked locked;
  Block* const found = FindBlock(AddressIn(block));
  if (found != nullptr) Open(found);
}

void CloseOtherBlocks(const void* block) {
  const BlocksLocked locked;
  Boundary(FindBlock(AddressIn(block)));
}

void UnmapWatched(void* block) {
  const BlocksLocked locked;
  const Block* const found = FindBlock(AddressIn(block));
  const size_t bytes = found->bytes;
  RemoveBlock(found);
  munmap(block, bytes);
}

void* RemapWatched(void* block, size_t size) {
  if (size > PTRDIFF_MAX - kTouchPage) return nullptr;
  const BlocksLocked locked;
  Block* const found = FindBlock(AddressIn(block));
  const size_t bytes = InPages(size);
  if (bytes == found->bytes) return block;
  void* const moved = mremap(block, found->bytes, bytes, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) return nullptr;
  const bool is_given_up = found->is_given_up;
  RemoveBlock(found);
  InsertBlock(AddressIn(moved), bytes);
  Block* const inserted = FindBlock(AddressIn(moved));
  inserted->was_touched = true;
  // Bytes that were added to the block are as accessible as its other bytes, so
  // the block is open.
  inserted->is_open = true;
  inserted->is_given_up = is_given_up;
  if (!is_given_up) open_blocks[open_count++] = NumberOf(inserted);
  return moved;
}

void LogTouched(const void* block) {
  log_format::Event event;
  event.kind = log_format::EventKind::kWrite;
  event.id = AddressIn(block);
  Log(event);
}

void TouchStrings(const char* const* list) {
  if (!watches_touches.load(std::memory_order_relaxed) || list == nullptr) {
    return;
  }
  for (; *list != nullptr; ++list) {
    static_cast<void>(*static_cast<const volatile char*>(*list));
  }
}

}  // namespace stowage::preload
