// SPDX-License-Identifier: Apache-2.0
// Handles signals and system calls of a program whose memory is partly
// protected.
#ifndef STOWAGE_SRC_RECORDER_PRELOAD_DISPATCH_H_
#define STOWAGE_SRC_RECORDER_PRELOAD_DISPATCH_H_

#include <cstdint>

namespace stowage::preload {

// The functions by which signal handlers open blocks and keep them open. Each
// may be called from a handler, with all signals blocked.
struct BlockWatch {
  // Opens the block at the address of protected memory that the program has
  // touched. Returns false if the fault is not due to this library.
  bool (*open)(uintptr_t address);
  // Opens the block at an address that this thread is about to pass to a system
  // call. The block stays open until the thread is known to have left the call.
  void (*lend)(uintptr_t address);
  // Ends the loans to the last system call of this thread, which has left the
  // call.
  void (*take_back)();
  // Stops protecting the block at the address, because the program uses it as a
  // stack or changes its protection.
  void (*give_up)(uintptr_t address);
};

// Installs the handlers, and makes the system dispatch the system calls of this
// thread to them. Returns false if the system cannot do it.
bool BeginDispatch(const BlockWatch& blocks);

// Makes the system dispatch the system calls of this thread, which is new or
// forked.
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
