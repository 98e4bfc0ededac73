// SPDX-License-Identifier: Apache-2.0
// Installs two signal handlers that are invisible to the program. If the
// program sets handlers or blocks signals, this library handles the call
// itself, and returns the results that the program would get without the two
// handlers.
//
// Each thread has a selector byte that allows or blocks the system calls of the
// thread. Instead of executing a blocked call, the system sends SIGSYS (Syscall
// User Dispatch; source: Documentation/admin-guide/syscall-user-dispatch.rst of
// Linux). The handler first opens the protected blocks that are passed to the
// call. It then returns to code that may always make system calls, and that
// code makes the call. The code runs on the stack and with the signal mask of
// the program, so the call can block, be interrupted, and be cancelled as
// usual.
#include "src/recorder/preload/dispatch.h"

#if defined(__x86_64__) && defined(__linux__)

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): of POSIX
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "src/recorder/preload/glibc_malloc.h"
#include "src/recorder/preload/own_calls.h"
#include "src/recorder/preload/system_calls.h"

namespace stowage::preload {
namespace {

constexpr int kUserDispatchCode = 2;  // headers of older systems lack it
constexpr uint64_t kRestorerFlag = 0x04000000;

BlockWatch watch;

// Takes the action that the program has set for the signal. Called for signals
// that are not caused by this library.
void PassOn(int signal, siginfo_t* info, void* context) {
  KernelAction* const action = ActionOfProgram(signal);
  const KernelAction chosen = *action;
  const bool is_sent = info->si_code <= 0;
  const bool is_ignored = chosen.handler == Bits(SIG_IGN);
  if (is_ignored && is_sent) return;
  if (is_ignored || chosen.handler == Bits(SIG_DFL)) {
    // Set the default action. A fault then occurs again when this handler
    // returns, and the system takes the default action. A sent signal is sent
    // again.
    const KernelAction none = {};
    OwnCall(SYS_rt_sigaction, static_cast<uint64_t>(signal), Bits(&none), 0,
            kSignalSetBytes);
    if (is_sent) {
      OwnCall(SYS_tgkill, static_cast<uint64_t>(getpid()),
              static_cast<uint64_t>(gettid()), static_cast<uint64_t>(signal));
    }
    return;
  }
  if ((chosen.flags & SA_RESETHAND) != 0) *action = KernelAction();
  auto* const before = static_cast<ucontext_t*>(context);
  const uint64_t mask =
      (*reinterpret_cast<uint64_t*>(&before->uc_sigmask) | chosen.mask) &
      ~kOurSignals;
  OwnCall(SYS_rt_sigprocmask, SIG_SETMASK, Bits(&mask), 0, kSignalSetBytes);
  // The handler of the program may jump out instead of returning.
  AbandonOwnCalls();
  using Handler = void (*)(int, siginfo_t*, void*);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives numbers.
  reinterpret_cast<Handler>(chosen.handler)(signal, info, context);
}

void OnFault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  EnterOwnCalls();
  const bool is_ours =
      info->si_code == SEGV_ACCERR && watch.open(Bits(info->si_addr));
  LeaveOwnCalls();
  errno = error;
  if (!is_ours) PassOn(signal, info, context);
}

void OnSystemCall(int signal, siginfo_t* info, void* context) {
  if (info->si_code != kUserDispatchCode) {
    PassOn(signal, info, context);
    return;
  }
  const int error = errno;
  EnterOwnCalls();
  const bool stays_blocked =
      HandleSystemCall(watch, static_cast<ucontext_t*>(context));
  LeaveOwnCalls();
  if (!stays_blocked) AllowCalls();
  errno = error;
}

bool Handle(int signal, void (*handler)(int, siginfo_t*, void*),
            uint64_t flags) {
  KernelAction action = {};
  action.handler = Bits(handler);
  action.flags = SA_SIGINFO | SA_NODEFER | kRestorerFlag | flags;
  action.restorer = EndHandlerCode();
  action.mask = ~kOurSignals;
  return OwnCall(SYS_rt_sigaction, static_cast<uint64_t>(signal), Bits(&action),
                 Bits(ActionOfProgram(signal)), kSignalSetBytes) == 0;
}

// The function that a new thread runs, and its argument.
struct ThreadStart {
  void* (*function)(void*);
  void* argument;
};

void* RunThread(void* memory) {
  const ThreadStart start = *static_cast<ThreadStart*>(memory);
  __libc_free(memory);
  DispatchThisThread();
  return start.function(start.argument);
}

using CreateFunction = int (*)(pthread_t*, const pthread_attr_t*,
                               void* (*)(void*), void*);

CreateFunction NextCreate() {
  static std::atomic<CreateFunction> next{nullptr};
  CreateFunction found = next.load(std::memory_order_relaxed);
  if (found == nullptr) {
    found =
        reinterpret_cast<CreateFunction>(dlsym(RTLD_NEXT, "pthread_create"));
    next.store(found, std::memory_order_relaxed);
  }
  return found;
}

}  // namespace

bool BeginDispatch(const BlockWatch& blocks) {
  watch = blocks;
  NextCreate();
  if (!Handle(SIGSEGV, OnFault, SA_ONSTACK) ||
      !Handle(SIGSYS, OnSystemCall, 0)) {
    return false;
  }
  return DispatchThisThread();
}

}  // namespace stowage::preload

// The parameter names differ from those in the declarations of glibc.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
STOWAGE_INTERPOSED int pthread_create(pthread_t* thread,
                                      const pthread_attr_t* attributes,
                                      void* (*function)(void*),
                                      void* argument) noexcept {
  using stowage::preload::ThreadStart;
  const auto next = stowage::preload::NextCreate();
  if (!stowage::preload::IsDispatched()) {
    return next(thread, attributes, function, argument);
  }
  auto* const start =
      static_cast<ThreadStart*>(__libc_malloc(sizeof(ThreadStart)));
  if (start == nullptr) return EAGAIN;
  *start = {function, argument};
  const int error =
      next(thread, attributes, stowage::preload::RunThread, start);
  if (error != 0) __libc_free(start);
  // The program made the system call that creates a thread in its own code (see
  // MakeInPlace), so the system calls of this thread are currently not
  // dispatched. This pair of calls enables dispatching again.
  stowage::preload::EnterOwnCalls();
  stowage::preload::LeaveOwnCalls();
  return error;
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)

#else

namespace stowage::preload {

bool BeginDispatch(const BlockWatch& /*blocks*/) { return false; }
bool DispatchThisThread() { return false; }
void EnterOwnCalls() {}
void LeaveOwnCalls() {}
uint64_t HoldSignals() { return 0; }
void ReleaseSignals(uint64_t /*blocked*/) {}

}  // namespace stowage::preload

#endif
