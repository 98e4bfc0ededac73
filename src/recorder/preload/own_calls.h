// SPDX-License-Identifier: Apache-2.0
// System calls of this library in a program whose own system calls are seen by
// it (dispatch.h). For x86-64 on Linux.
#ifndef STOWAGE_SRC_RECORDER_PRELOAD_OWN_CALLS_H_
#define STOWAGE_SRC_RECORDER_PRELOAD_OWN_CALLS_H_

#include <signal.h>  // NOLINT(modernize-deprecated-headers): of POSIX

#include <cstdint>

namespace stowage::preload {

template <typename T>
uint64_t Bits(T pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

// The action of a signal as the system has it.
struct KernelAction {
  uint64_t handler;
  uint64_t flags;
  uint64_t restorer;
  uint64_t mask;
};

constexpr uint64_t kSignalSetBytes = 8;
constexpr uint64_t BitOf(int signal) { return uint64_t{1} << (signal - 1); }

// These signals must reach us, or the process ends.
constexpr uint64_t kOurSignals = BitOf(SIGSEGV) | BitOf(SIGSYS);

// Makes a system call that is always allowed, and whose sixth argument is 0.
// Returns what the system does: the negative number of an error.
int64_t OwnCall(int64_t number, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0,
                uint64_t d = 0, uint64_t e = 0);

// The addresses of code that makes the system call for which the registers are
// set, and then continues at the address on the stack, whose 128 bytes above
// that belong to the program; and of code that ends a handler.
uint64_t CallAndReturnCode();
uint64_t EndHandlerCode();

// Lets the next system calls of this thread happen unseen, until it has been in
// code of ours again.
void AllowCalls();

// Forgets that own calls are being made: this code is left by a jump.
void AbandonOwnCalls();

bool IsDispatched();

// Returns the stack on which handlers of this thread run if the program has set
// none for them. Has no size if there is none.
const stack_t& HandlerStack();

}  // namespace stowage::preload

#endif  // STOWAGE_SRC_RECORDER_PRELOAD_OWN_CALLS_H_
