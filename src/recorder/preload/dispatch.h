// SPDX-License-Identifier: Apache-2.0
// Handles signals and system calls of a program whose memory is partly
// protected.
#ifndef STOWAGE_SRC_RECORDER_PRELOAD_DISPATCH_H_
#define STOWAGE_SRC_RECORDER_PRELOAD_DISPATCH_H_

#include <cstdint>

namespace stowage::preload {

// The functions by which signal handlers open blocks and keep them open. A
// block is memory that this library protects; to open a block is to end its
// protection. Each function may be called from a handler, with all signals
// blocked.
struct BlockWatch {
  // The program has touched protected memory at `address`. Opens the block
  // there. Returns false if the fault is not due to this library.
  bool (*open)(uintptr_t address);
  // Opens the block at an address that this thread is about to pass to a system
  // call. The block stays open until the thread is known to have left the call.
  void (*lend)(uintptr_t address);
  // Ends the loans to the last system call of this thread. Must be called only
  // after the thread has left that call.
  void (*take_back)();
  // Ends the protection of the block at the address for good, because the
  // program uses the block as a stack or changes its protection.
  void (*give_up)(uintptr_t address);
};

// Installs the handlers, and makes the system dispatch the system calls of this
// thread to them. Returns false if the system cannot do it.
bool BeginDispatch(const BlockWatch& blocks);

// Makes the system dispatch the system calls of this thread. Must be called in
// each thread that is new or forked.
bool DispatchThisThread();

// Between these two calls, which can be nested, the system does not dispatch
// the system calls of this thread, because this library makes them.
void EnterOwnCalls();
void LeaveOwnCalls();

// Blocks all signals of this thread except those that this library handles.
// Returns the signals that were blocked before, as a mask of the system.
uint64_t HoldSignals();
void ReleaseSignals(uint64_t blocked);

}  // namespace stowage::preload

#endif  // STOWAGE_SRC_RECORDER_PRELOAD_DISPATCH_H_
