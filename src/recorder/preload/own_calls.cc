// SPDX-License-Identifier: Apache-2.0
#include "src/recorder/preload/own_calls.h"

#if defined(__x86_64__) && defined(__linux__)

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "src/recorder/preload/dispatch.h"

// Code that may make system calls that the system does not dispatch:
// - stowage_call_and_return makes a system call of the program. Its `ret`
//   returns to the address on the stack, and also removes the 128 bytes above
//   that address. These bytes are the red zone, which a function of the program
//   may be using.
// - stowage_end_handler ends a signal handler.
// - stowage_own_call makes a system call of this library.
asm(R"(
  .pushsection .text.stowage_calls, "ax", @progbits
  .balign 64
stowage_calls_begin:
  .cfi_startproc
  .cfi_def_cfa %rsp, 136
  .cfi_offset %rip, -136
stowage_call_and_return:
  syscall
  ret $128
  .cfi_endproc
stowage_end_handler:
  mov $15, %eax
  syscall
stowage_own_call:
  mov %rdi, %rax
  mov %rsi, %rdi
  mov %rdx, %rsi
  mov %rcx, %rdx
  mov %r8, %r10
  mov %r9, %r8
  xor %r9d, %r9d
  syscall
  ret
stowage_calls_end:
  .popsection
)");

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): names in the code above.
__attribute__((visibility("hidden"))) extern const char stowage_calls_begin[];
__attribute__((visibility("hidden"))) extern const char stowage_calls_end[];
__attribute__((
    visibility("hidden"))) extern const char stowage_call_and_return[];
__attribute__((visibility("hidden"))) extern const char stowage_end_handler[];
__attribute__((visibility("hidden"))) int64_t stowage_own_call(
    int64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e);
// NOLINTEND(readability-identifier-naming)
}

namespace stowage::preload {
namespace {

// Constants of Linux that are missing from older system headers.
constexpr int64_t kSetDispatch = 59;
constexpr int64_t kDispatchOn = 1;
constexpr uint8_t kAllow = 0;
constexpr uint8_t kBlock = 1;

constexpr size_t kHandlerStackBytes = 1 << 16;

__thread volatile uint8_t selector __attribute__((tls_model("initial-exec"))) =
    kAllow;
__thread uint32_t own_depth __attribute__((tls_model("initial-exec"))) = 0;
__thread bool is_dispatched __attribute__((tls_model("initial-exec"))) = false;

__thread stack_t handler_stack __attribute__((tls_model("initial-exec")));

// Sets a stack for signal handlers unless the thread has one. A separate stack
// is necessary, because the stack on which a fault occurs may be protected, and
// a handler cannot run on a protected stack.
void UseHandlerStack() {
  stack_t stack = {};
  OwnCall(SYS_sigaltstack, 0, Bits(&stack));
  if ((stack.ss_flags & SS_DISABLE) == 0) return;
  void* const memory = mmap(nullptr, kHandlerStackBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return;
  handler_stack.ss_sp = memory;
  handler_stack.ss_size = kHandlerStackBytes;
  OwnCall(SYS_sigaltstack, Bits(&handler_stack));
}

}  // namespace

int64_t OwnCall(int64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                uint64_t e) {
  return stowage_own_call(number, a, b, c, d, e);
}

uint64_t CallAndReturnCode() { return Bits(stowage_call_and_return); }
uint64_t EndHandlerCode() { return Bits(stowage_end_handler); }
bool IsDispatched() { return is_dispatched; }
const stack_t& HandlerStack() { return handler_stack; }
void AllowCalls() { selector = kAllow; }

void AbandonOwnCalls() {
  own_depth = 0;
  selector = is_dispatched ? kBlock : kAllow;
}

void EnterOwnCalls() {
  selector = kAllow;
  ++own_depth;
}

void LeaveOwnCalls() {
  if (own_depth > 0) --own_depth;
  if (own_depth == 0 && is_dispatched) selector = kBlock;
}

uint64_t HoldSignals() {
  const uint64_t all = ~kOurSignals;
  uint64_t before = 0;
  OwnCall(SYS_rt_sigprocmask, SIG_SETMASK, Bits(&all), Bits(&before),
          kSignalSetBytes);
  return before;
}

void ReleaseSignals(uint64_t blocked) {
  OwnCall(SYS_rt_sigprocmask, SIG_SETMASK, Bits(&blocked), 0, kSignalSetBytes);
}

bool DispatchThisThread() {
  const uint64_t ours = kOurSignals;
  EnterOwnCalls();
  UseHandlerStack();
  OwnCall(SYS_rt_sigprocmask, SIG_UNBLOCK, Bits(&ours), 0, kSignalSetBytes);
  const auto bytes =
      static_cast<uint64_t>(stowage_calls_end - stowage_calls_begin);
  is_dispatched =
      OwnCall(SYS_prctl, kSetDispatch, kDispatchOn, Bits(stowage_calls_begin),
              bytes, Bits(&selector)) == 0;
  LeaveOwnCalls();
  return is_dispatched;
}

}  // namespace stowage::preload

#endif
