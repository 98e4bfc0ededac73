// SPDX-License-Identifier: Apache-2.0
// Decides what happens to a system call of the program.
#ifndef STOWAGE_SRC_RECORDER_PRELOAD_SYSTEM_CALLS_H_
#define STOWAGE_SRC_RECORDER_PRELOAD_SYSTEM_CALLS_H_

#include <ucontext.h>

#include "src/recorder/preload/dispatch.h"
#include "src/recorder/preload/own_calls.h"

namespace stowage::preload {

// Handles a system call that has not been made yet. Either handles the call
// itself, or opens the blocks that the call needs and arranges for the call to
// be made after the signal handler returns. `context` is the state to which the
// signal handler returns. Returns false if the program will repeat the call;
// the caller must then allow the call (AllowCalls).
bool HandleSystemCall(const BlockWatch& blocks, ucontext_t* context);

// Returns the action that the program has set for SIGSEGV or SIGSYS.
KernelAction* ActionOfProgram(int signal);

}  // namespace stowage::preload

#endif  // STOWAGE_SRC_RECORDER_PRELOAD_SYSTEM_CALLS_H_
