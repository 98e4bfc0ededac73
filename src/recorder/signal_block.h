// SPDX-License-Identifier: Apache-2.0
// Prevents signal handlers from running on this thread for a short time. Needed
// for code that a handler must not interrupt, because the handler may allocate,
// or may fork and return in the child process, which then continues the
// interrupted code.
#ifndef STOWAGE_SRC_RECORDER_SIGNAL_BLOCK_H_
#define STOWAGE_SRC_RECORDER_SIGNAL_BLOCK_H_

#include <signal.h>  // NOLINT(modernize-deprecated-headers): of POSIX

namespace stowage::recorder {

// Blocks all signals while the object exists.
class SignalBlock {
 public:
  SignalBlock() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalBlock() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;

 private:
  sigset_t before_;
};

}  // namespace stowage::recorder

#endif  // STOWAGE_SRC_RECORDER_SIGNAL_BLOCK_H_
