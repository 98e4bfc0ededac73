// SPDX-License-Identifier: Apache-2.0
// What becomes of a system call of the program.
#ifndef STOWAGE_SRC_RECORDER_PRELOAD_SYSTEM_CALLS_H_
#define STOWAGE_SRC_RECORDER_PRELOAD_SYSTEM_CALLS_H_

#include <ucontext.h>

#include "src/recorder/preload/dispatch.h"
#include "src/recorder/preload/own_calls.h"

namespace stowage::preload {

// Answers a call that has not happened, or has it happen after the handler,
// with what it needs. `context` is where the handler returns. Returns false if
// the call must be allowed (AllowCalls).
bool HandleSystemCall(const BlockWatch& blocks, ucontext_t* context);

// Returns what the program has set for one of our signals.
KernelAction* ActionOfProgram(int signal);

}  // namespace stowage::preload

#endif  // STOWAGE_SRC_RECORDER_PRELOAD_SYSTEM_CALLS_H_
