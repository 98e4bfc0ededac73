// SPDX-License-Identifier: Apache-2.0
#include "src/recorder/preload/system_calls.h"

#if defined(__x86_64__) && defined(__linux__)

#include <signal.h>  // NOLINT(modernize-deprecated-headers): of POSIX
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace stowage::preload {
namespace {

constexpr int64_t kClone3 = 435;  // headers of older systems lack it

const BlockWatch* seen_blocks = nullptr;
KernelAction actions_of_program[2];  // SIGSEGV, SIGSYS

// Copies memory of the program from `from` to `to`. Returns false if `from` is
// not a valid address of the program.
bool CopyIn(uint64_t from, void* to, size_t bytes) {
  seen_blocks->open(from);
  seen_blocks->open(from + bytes - 1);
  const iovec local = {to, bytes};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives numbers.
  const iovec remote = {reinterpret_cast<void*>(from), bytes};
  // The sixth argument is the flags, which must be 0. OwnCall passes 0.
  return OwnCall(SYS_process_vm_readv, static_cast<uint64_t>(getpid()),
                 Bits(&local), 1, Bits(&remote),
                 1) == static_cast<int64_t>(bytes);
}

bool CopyOut(const void* from, uint64_t to, size_t bytes) {
  seen_blocks->open(to);
  seen_blocks->open(to + bytes - 1);
  const iovec local = {const_cast<void*>(from), bytes};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives numbers.
  const iovec remote = {reinterpret_cast<void*>(to), bytes};
  return OwnCall(SYS_process_vm_writev, static_cast<uint64_t>(getpid()),
                 Bits(&local), 1, Bits(&remote),
                 1) == static_cast<int64_t>(bytes);
}

// A system call of the program that has not been made yet.
class Call {
 public:
  explicit Call(ucontext_t* context) : context_(context) {}

  int64_t number() const { return context_->uc_mcontext.gregs[REG_RAX]; }
  uint64_t argument(int i) const {
    constexpr int kRegisters[] = {REG_RDI, REG_RSI, REG_RDX,
                                  REG_R10, REG_R8,  REG_R9};
    return static_cast<uint64_t>(context_->uc_mcontext.gregs[kRegisters[i]]);
  }
  uint64_t stack() const {
    return static_cast<uint64_t>(context_->uc_mcontext.gregs[REG_RSP]);
  }
  stack_t* handler_stack() { return &context_->uc_stack; }
  uint64_t* mask() {
    return reinterpret_cast<uint64_t*>(&context_->uc_sigmask);
  }

  // Returns `result` to the program without making the call.
  void Answer(int64_t result) { context_->uc_mcontext.gregs[REG_RAX] = result; }

  // Makes the program repeat the call in its own code. The system calls of this
  // thread are not dispatched to this library until the library runs again.
  void MakeInPlace() {
    constexpr int kCallBytes = 2;
    context_->uc_mcontext.gregs[REG_RIP] -= kCallBytes;
    is_in_place_ = true;
  }
  bool is_in_place() const { return is_in_place_; }

  void Make() {
    greg_t* const registers = context_->uc_mcontext.gregs;
    constexpr uint64_t kBelowStack = 128 + sizeof(uint64_t);
    const uint64_t top = stack() - kBelowStack;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives numbers.
    *reinterpret_cast<uint64_t*>(top) =
        static_cast<uint64_t>(registers[REG_RIP]);
    registers[REG_RSP] = static_cast<greg_t>(top);
    registers[REG_RIP] = static_cast<greg_t>(CallAndReturnCode());
  }

  void EndHandlerOfProgram() {
    context_->uc_mcontext.gregs[REG_RIP] =
        static_cast<greg_t>(EndHandlerCode());
  }

 private:
  ucontext_t* context_;
  bool is_in_place_ = false;
};

// Handles rt_sigprocmask by changing the signal mask that takes effect when the
// signal handler returns.
int64_t SetMask(Call* call) {
  uint64_t* const mask = call->mask();
  const uint64_t before = *mask;
  uint64_t set = 0;
  if (call->argument(3) != kSignalSetBytes) return -EINVAL;
  if (call->argument(1) != 0) {
    if (!CopyIn(call->argument(1), &set, sizeof(set))) return -EFAULT;
    const auto how = static_cast<int>(call->argument(0));
    if (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK) {
      return -EINVAL;
    }
    *mask = how == SIG_BLOCK     ? before | set
            : how == SIG_UNBLOCK ? before & ~set
                                 : set;
    *mask &= ~(kOurSignals | BitOf(SIGKILL) | BitOf(SIGSTOP));
  }
  const bool is_copied = call->argument(2) == 0 ||
                         CopyOut(&before, call->argument(2), sizeof(before));
  return is_copied ? 0 : -EFAULT;
}

// Handles a call of sigaltstack that disables the signal stack of the program.
// When the signal handler returns, the thread uses the signal stack of this
// library instead. Returns whether the call was handled.
bool DropsHandlerStack(Call* call) {
  stack_t stack = {};
  const stack_t& ours = HandlerStack();
  if (call->argument(0) == 0 || ours.ss_size == 0 ||
      !CopyIn(call->argument(0), &stack, sizeof(stack)) ||
      (stack.ss_flags & SS_DISABLE) == 0) {
    return false;
  }
  stack_t before = *call->handler_stack();
  const uint64_t at = call->stack();
  if (at - Bits(before.ss_sp) < before.ss_size) return false;  // is an error
  if (before.ss_sp == ours.ss_sp) before.ss_flags = SS_DISABLE;
  *call->handler_stack() = ours;
  const bool is_copied = call->argument(1) == 0 ||
                         CopyOut(&before, call->argument(1), sizeof(before));
  call->Answer(is_copied ? 0 : -EFAULT);
  return true;
}

// Answers rt_sigaction.
int64_t SetAction(const Call& call) {
  const auto signal = static_cast<int>(call.argument(0));
  KernelAction action = {};
  KernelAction before = {};
  const bool sets = call.argument(1) != 0;
  if (sets && !CopyIn(call.argument(1), &action, sizeof(action))) {
    return -EFAULT;
  }
  int64_t result = 0;
  if (signal == SIGSEGV || signal == SIGSYS) {
    before = *ActionOfProgram(signal);
    if (sets) *ActionOfProgram(signal) = action;
  } else {
    action.mask &= ~kOurSignals;
    result = OwnCall(SYS_rt_sigaction, static_cast<uint64_t>(signal),
                     sets ? Bits(&action) : 0, Bits(&before), call.argument(3));
  }
  if (result == 0 && call.argument(2) != 0 &&
      !CopyOut(&before, call.argument(2), sizeof(before))) {
    return -EFAULT;
  }
  return result;
}

void LendVectors(uint64_t vectors, uint64_t count) {
  for (uint64_t i = 0; i < count && i < 1024; ++i) {
    iovec vector = {};
    if (!CopyIn(vectors + i * sizeof(vector), &vector, sizeof(vector))) return;
    seen_blocks->lend(Bits(vector.iov_base));
  }
}

void LendMessage(uint64_t address) {
  msghdr message = {};
  if (!CopyIn(address, &message, sizeof(message))) return;
  seen_blocks->lend(Bits(message.msg_name));
  seen_blocks->lend(Bits(message.msg_control));
  seen_blocks->lend(Bits(message.msg_iov));
  LendVectors(Bits(message.msg_iov), message.msg_iovlen);
}

void LendMessages(uint64_t messages, uint64_t count) {
  constexpr size_t kMessageBytes = 64;  // a msghdr and a length
  for (uint64_t i = 0; i < count && i < 1024; ++i) {
    LendMessage(messages + i * kMessageBytes);
  }
}

// Lends the memory to which the call refers indirectly, through pointers in the
// structures among its arguments.
void LendBehind(const Call& call) {
  switch (call.number()) {
    case SYS_readv:
    case SYS_writev:
    case SYS_preadv:
    case SYS_pwritev:
    case SYS_preadv2:
    case SYS_pwritev2:
    case SYS_vmsplice:
      LendVectors(call.argument(1), call.argument(2));
      return;
    case SYS_process_vm_readv:
    case SYS_process_vm_writev:
      LendVectors(call.argument(1), call.argument(2));
      LendVectors(call.argument(3), call.argument(4));
      return;
    case SYS_sendmsg:
    case SYS_recvmsg:
      LendMessage(call.argument(1));
      return;
    case SYS_sendmmsg:
    case SYS_recvmmsg:
      LendMessages(call.argument(1), call.argument(2));
      return;
    default:
      return;
  }
}

// If the call turns watched memory into a stack or changes its mapping,
// permanently opens that memory.
void GiveUpFor(const Call& call) {
  stack_t stack = {};
  uint64_t of_thread = 0;
  switch (call.number()) {
    case SYS_sigaltstack:
      if (call.argument(0) != 0 &&
          CopyIn(call.argument(0), &stack, sizeof(stack))) {
        seen_blocks->give_up(Bits(stack.ss_sp));
      }
      return;
    case SYS_clone:
      if (call.argument(1) != 0) seen_blocks->give_up(call.argument(1) - 1);
      return;
    case kClone3: {
      constexpr size_t kStackField = 40;
      if (CopyIn(call.argument(0) + kStackField, &of_thread,
                 sizeof(of_thread))) {
        seen_blocks->give_up(of_thread);
      }
      return;
    }
    case SYS_mprotect:
    case SYS_madvise:
    case SYS_mremap:
    case SYS_munmap:
    case SYS_mlock:
      seen_blocks->give_up(call.argument(0));
      return;
    default:
      return;
  }
}

// Returns whether the program must make the call in its own code. This is
// necessary if the thread or its child needs the stack unchanged, or if the
// call may remove the part of the stack that the code of this library would
// use.
bool NeedsPlace(const Call& call) {
  constexpr uint64_t kHandlerBytes = 1 << 16;
  switch (call.number()) {
    case SYS_clone:
    case kClone3:
    case SYS_fork:
    case SYS_vfork:
    case SYS_exit:
    case SYS_exit_group:
      return true;
    case SYS_munmap:
    case SYS_madvise:
    case SYS_mremap:
    case SYS_mprotect:
      return call.stack() - call.argument(0) < call.argument(1) + kHandlerBytes;
    default:
      return false;
  }
}

void SystemCall(Call* call) {
  seen_blocks->take_back();
  switch (call->number()) {
    case SYS_rt_sigreturn:
      call->EndHandlerOfProgram();
      return;
    case SYS_rt_sigprocmask:
      call->Answer(SetMask(call));
      return;
    case SYS_rt_sigaction:
      call->Answer(SetAction(*call));
      return;
    case SYS_sigaltstack:
      if (DropsHandlerStack(call)) return;
      break;
    default:
      break;
  }
  for (int i = 0; i < 6; ++i) seen_blocks->lend(call->argument(i));
  LendBehind(*call);
  GiveUpFor(*call);
  if (NeedsPlace(*call)) {
    call->MakeInPlace();
  } else {
    call->Make();
  }
}

}  // namespace

KernelAction* ActionOfProgram(int signal) {
  return &actions_of_program[signal == SIGSEGV ? 0 : 1];
}

bool HandleSystemCall(const BlockWatch& blocks, ucontext_t* context) {
  seen_blocks = &blocks;
  Call call(context);
  SystemCall(&call);
  return !call.is_in_place();
}

}  // namespace stowage::preload

#endif
