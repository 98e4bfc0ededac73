// SPDX-License-Identifier: Apache-2.0
// Makes the system calls of this library in a program that has its own system
// calls dispatched to this library (dispatch.h). Works only for x86-64 on
// Linux.
#ifndef STOWAGE_SRC_RECORDER_PRELOAD_OWN_CALLS_H_
#define STOWAGE_SRC_RECORDER_PRELOAD_OWN_CALLS_H_

#include <signal.h>  // NOLINT(modernize-deprecated-headers): of POSIX

#include <cstdint>

namespace stowage::preload {

template <typename T>
uint64_t Bits(T pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

// The action of a signal, in the format of the kernel.
struct KernelAction {
  uint64_t handler;
  uint64_t flags;
  uint64_t restorer;
  uint64_t mask;
};

constexpr uint64_t kSignalSetBytes = 8;
constexpr uint64_t BitOf(int signal) { return uint64_t{1} << (signal - 1); }

// The signals that this library handles. They must not be blocked, because a
// fault or a dispatched system call would then terminate the process.
constexpr uint64_t kOurSignals = BitOf(SIGSEGV) | BitOf(SIGSYS);

// Makes a system call that is always allowed, with 0 as the sixth argument.
// Returns the result of the system: on failure, the negated error number.
int64_t OwnCall(int64_t number, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0,
                uint64_t d = 0, uint64_t e = 0);

// CallAndReturnCode returns the address of code that makes a system call with
// the number and the arguments that are in the registers. That code then
// returns to the address on top of the stack, and removes this address and the
// 128 bytes above it, which are the red zone of the program. EndHandlerCode
// returns the address of code that ends a signal handler.
uint64_t CallAndReturnCode();
uint64_t EndHandlerCode();

// Stops dispatching the system calls of this thread until the thread runs code
// of this library again.
void AllowCalls();

// Undoes all nested calls of EnterOwnCalls. Must be called before running code
// of the program that may jump out of the code of this library.
void AbandonOwnCalls();

bool IsDispatched();

// Returns the stack that this library has set for the signal handlers of this
// thread because the program had set none. The size is 0 if there is no such
// stack.
const stack_t& HandlerStack();

}  // namespace stowage::preload

#endif  // STOWAGE_SRC_RECORDER_PRELOAD_OWN_CALLS_H_
