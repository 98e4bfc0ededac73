// SPDX-License-Identifier: Apache-2.0
// Handles the signals and system calls of a program while a part of its memory
// is protected.
#ifndef STOWAGE_SRC_RECORDER_PRELOAD_DISPATCH_H_
#define STOWAGE_SRC_RECORDER_PRELOAD_DISPATCH_H_

#include <cstdint>

namespace stowage::preload {

// The functions with which signal handlers open blocks and keep them open. A
// block is memory that this library protects; opening a block removes its
// protection. Each function may be called from a signal handler, with all
// signals blocked.
struct BlockWatch {
  // Opens the block at `address` after the program has touched protected memory
  // there. Returns false if the fault was not caused by this library.
  bool (*open)(uintptr_t address);
  // Opens the block at an address that this thread is about to pass to a system
  // call. The block stays open until the thread is known to have returned from
  // the call.
  void (*lend)(uintptr_t address);
  // Ends the loans to the last system call of this thread. Must be called only
  // after the thread has returned from that call.
  void (*take_back)();
  // Permanently removes the protection of the block at `address`, because the
  // program uses the block as a stack or changes its protection.
  void (*give_up)(uintptr_t address);
};

// Installs the handlers, and starts dispatching the system calls of this thread
// to them. Returns false if the system does not support this.
bool BeginDispatch(const BlockWatch& blocks);

// Starts dispatching the system calls of this thread. Must be called in every
// thread that is new or forked.
bool DispatchThisThread();

// Mark the beginning and the end of code in which this library makes system
// calls. The system calls of this thread are not dispatched in between. Pairs
// of these calls can be nested.
void EnterOwnCalls();
void LeaveOwnCalls();

// Blocks all signals of this thread except those that this library handles.
// Returns the signals that were previously blocked, as a mask in the format of
// the system.
uint64_t HoldSignals();
void ReleaseSignals(uint64_t blocked);

}  // namespace stowage::preload

#endif  // STOWAGE_SRC_RECORDER_PRELOAD_DISPATCH_H_
