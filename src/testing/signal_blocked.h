// SPDX-License-Identifier: Apache-2.0
// Blocks a signal during a write, so that a failing write does not terminate
// the program.
#ifndef STOWAGE_SRC_TESTING_SIGNAL_BLOCKED_H_
#define STOWAGE_SRC_TESTING_SIGNAL_BLOCKED_H_

#include <pthread.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): of POSIX
#include <time.h>    // NOLINT(modernize-deprecated-headers): of POSIX

#include <cerrno>

namespace stowage {

// A write beyond the file size limit (`ulimit -f`) raises SIGXFSZ, and a write
// to a pipe without a reader raises SIGPIPE. By default, either signal
// terminates the program. While the object exists, the signal is blocked in
// this thread, so the write fails with EFBIG or EPIPE instead. The destructor
// discards the signal. The object does not change how the program handles the
// signal elsewhere.
class SignalBlocked {
 public:
  explicit SignalBlocked(int signal) {
    sigemptyset(&signal_);
    sigaddset(&signal_, signal);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~SignalBlocked() {
    const timespec no_time = {};
    while (sigtimedwait(&signal_, nullptr, &no_time) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SignalBlocked(const SignalBlocked&) = delete;
  SignalBlocked& operator=(const SignalBlocked&) = delete;

 private:
  sigset_t signal_;
  sigset_t before_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_TESTING_SIGNAL_BLOCKED_H_
