// SPDX-License-Identifier: Apache-2.0
// Records when large blocks are touched, for `stowage record --touches`.
//
// A block of at least a page has its own pages, which are protected. The first
// touch causes a fault, and the fault handler logs the use and opens the whole
// block. At the next boundary, all open blocks are closed: they are protected
// again, which is also logged as a use. Boundaries are the allocation, the free
// and the first touch of a large block. The log therefore shows the two
// boundaries between which a touch happened, and every run of a program has the
// same boundaries. A block that is touched repeatedly is closed less and less
// often. This limits the cost, and its only effect is that the recorded
// lifetime of the block is longer.
//
// System calls on protected memory do not cause a fault, but fail. Therefore
// all system calls of the program are first dispatched to this library (Syscall
// User Dispatch of Linux). The library opens the blocks that are passed to the
// call.
#ifndef STOWAGE_SRC_RECORDER_PRELOAD_TOUCHES_H_
#define STOWAGE_SRC_RECORDER_PRELOAD_TOUCHES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace stowage::preload {

constexpr size_t kTouchPage = 4096;

// True if large blocks are watched.
// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): a constant starts it.
extern std::atomic<bool> watches_touches;

// Starts watching the blocks that are allocated later, if the environment
// requests it and the system supports it. Must be called once, by the first
// thread.
void BeginTouches();

// Returns a new block that is zeroed and watched, or null on failure. The
// caller must log the allocation.
void* MapWatched(size_t size, size_t alignment);

inline bool IsWatchedSize(size_t size) {
  return size >= kTouchPage && watches_touches.load(std::memory_order_relaxed);
}

// Returns the number of bytes in the pages of a watched block, or 0 for any
// other block.
size_t WatchedBytes(const void* block);

inline bool IsWatched(const void* block) {
  return watches_touches.load(std::memory_order_relaxed) &&
         reinterpret_cast<uintptr_t>(block) % kTouchPage == 0 &&
         WatchedBytes(block) != 0;
}

// Opens a watched block, as a touch would do.
void TouchWatched(const void* block);

// Closes the open blocks other than `block`, because freeing `block` is a
// boundary. The caller must then log the free and unmap the block.
void CloseOtherBlocks(const void* block);
void UnmapWatched(void* block);

// Changes the size of a block to `size`, which must be at least a page.
// Requires that the block is open and that its free has been logged. The block
// may move. Returns null on failure.
void* RemapWatched(void* block, size_t size);

// Logs a use of an open block that was moved with its contents.
void LogTouched(const void* block);

// Touches a null-terminated list and the strings in the list. This is needed
// because the system cannot pass protected memory to another process.
void TouchStrings(const char* const* list);

}  // namespace stowage::preload

#endif  // STOWAGE_SRC_RECORDER_PRELOAD_TOUCHES_H_
