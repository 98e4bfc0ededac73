// SPDX-License-Identifier: Apache-2.0
// Signals and system calls of a program whose memory is partly protected.
#ifndef STOWAGE_SRC_RECORDER_PRELOAD_DISPATCH_H_
#define STOWAGE_SRC_RECORDER_PRELOAD_DISPATCH_H_

#include <cstdint>

namespace stowage::preload {

// What the handlers of signals need to know about blocks. Each may be called
// from a handler, with all signals blocked.
struct BlockWatch {
  // The program has touched protected memory. Returns false if it is not ours.
  bool (*open)(uintptr_t address);
  // This thread is about to pass the address to a system call. If it is in a
  // block, the block stays open until the thread is known to have gone on.
  void (*lend)(uintptr_t address);
  // The thread has gone on.
  void (*take_back)();
  // The memory is no longer to be protected: the program makes a stack of it,
  // or protects it itself.
  void (*give_up)(uintptr_t address);
};

// Installs the handlers, and begins to see the system calls of this thread.
// Returns false if the system cannot do it.
bool BeginDispatch(const BlockWatch& blocks);

// Begins to see the system calls of this thread, which is new or forked.
bool DispatchThisThread();

// Between these calls, which can be nested, the system calls of this thread are
// our own.
void EnterOwnCalls();
void LeaveOwnCalls();

// Blocks all signals of this thread but those of faults. Returns those that
// were blocked, as the system has them.
uint64_t HoldSignals();
void ReleaseSignals(uint64_t blocked);

}  // namespace stowage::preload

#endif  // STOWAGE_SRC_RECORDER_PRELOAD_DISPATCH_H_
