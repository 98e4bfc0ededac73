// SPDX-License-Identifier: Apache-2.0
// Keeps a write past the limit on the size of files from ending the program.
#ifndef STOWAGE_SRC_TRACE_FILE_SIZE_SIGNAL_H_
#define STOWAGE_SRC_TRACE_FILE_SIZE_SIGNAL_H_

#include <pthread.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): of POSIX
#include <time.h>    // NOLINT(modernize-deprecated-headers): of POSIX

#include <cerrno>

namespace stowage {

// A write past the limit (`ulimit -f`) raises SIGXFSZ, which by default ends
// the program. While the object exists the signal is blocked in this thread, so
// that the write fails with EFBIG; the destructor discards it. What the program
// does with the signal elsewhere stays.
class FileSizeSignalBlocked {
 public:
  FileSizeSignalBlocked() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~FileSizeSignalBlocked() {
    const timespec no_time = {};
    while (sigtimedwait(&signal_, nullptr, &no_time) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileSizeSignalBlocked(const FileSizeSignalBlocked&) = delete;
  FileSizeSignalBlocked& operator=(const FileSizeSignalBlocked&) = delete;

 private:
  sigset_t signal_;
  sigset_t before_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_TRACE_FILE_SIZE_SIGNAL_H_
