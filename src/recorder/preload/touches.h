// SPDX-License-Identifier: Apache-2.0
// Records when large blocks are touched, for `stowage record --touches`.
//
// A block of at least a page has pages of its own, which are protected. The
// first touch is a fault, upon which the use is logged and the whole block is
// opened. At the next boundary all open blocks are closed, which is logged as a
// use, too, and protected again. Boundaries are the allocation, the free and
// the first touch of a large block. So it is known for each touch between which
// two of them it was, and a run of a program has the same boundaries every
// time. A block that is touched again and again is closed ever more rarely,
// which bounds the cost, and only makes its lifetime longer.
//
// System calls do not fault on protected memory; they fail. All system calls of
// the program therefore come to us first (Syscall User Dispatch of Linux), and
// the blocks that they are given are opened.
#ifndef STOWAGE_SRC_RECORDER_PRELOAD_TOUCHES_H_
#define STOWAGE_SRC_RECORDER_PRELOAD_TOUCHES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace stowage::preload {

constexpr size_t kTouchPage = 4096;

// Says whether large blocks are watched.
// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): a constant starts it.
extern std::atomic<bool> watches_touches;

// Begins to watch the blocks that will be allocated, if the environment asks
// for this and the system can. To be called once, by the first thread.
void BeginTouches();

// Returns a new block that is zeroed and watched, or null if it cannot be. The
// caller logs the allocation.
void* MapWatched(size_t size, size_t alignment);

inline bool IsWatchedSize(size_t size) {
  return size >= kTouchPage && watches_touches.load(std::memory_order_relaxed);
}

// Returns the bytes of the pages of a block that MapWatched has returned, or 0
// for every other block.
size_t WatchedBytes(const void* block);

inline bool IsWatched(const void* block) {
  return watches_touches.load(std::memory_order_relaxed) &&
         reinterpret_cast<uintptr_t>(block) % kTouchPage == 0 &&
         WatchedBytes(block) != 0;
}

// Opens a watched block, as a touch does.
void TouchWatched(const void* block);

// Marks the boundary that the free of a block is. The caller then logs the free
// and unmaps the block.
void CloseOtherBlocks(const void* block);
void UnmapWatched(void* block);

// Gives an open block, whose free is logged, another size of at least a page,
// and perhaps another place. Returns null if that fails.
void* RemapWatched(void* block, size_t size);

// Logs that an open block is in use: one that has been moved with its contents.
void LogTouched(const void* block);

// Touches the strings of a list that ends with null, and the list: to another
// process, the system would not give protected memory.
void TouchStrings(const char* const* list);

}  // namespace stowage::preload

#endif  // STOWAGE_SRC_RECORDER_PRELOAD_TOUCHES_H_
