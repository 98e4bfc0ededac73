// SPDX-License-Identifier: Apache-2.0
// Gives access to the log of this process image, which begins with the first
// allocation.
#ifndef STOWAGE_SRC_RECORDER_PRELOAD_PROCESS_LOG_H_
#define STOWAGE_SRC_RECORDER_PRELOAD_PROCESS_LOG_H_

#include <atomic>
#include <cstdint>

#include "src/recorder/log_writer.h"

namespace stowage::preload {

// The writer of this process. Null before the first allocation. In a forked
// child process, it may still be the writer of the parent, for which is_live()
// returns false.
// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): a constant starts it.
extern std::atomic<recorder::LogWriter*> process_writer;

// The number of this thread, counted from 1, or 0 before the thread has a
// number. The TLS model is initial-exec, because accessing a thread-local
// variable of another model may allocate.
// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): a constant starts it.
extern __thread uint32_t thread_number
    __attribute__((tls_model("initial-exec")));

// Begins the log of this process, unless recording is off. Returns the writer
// of the log, or null if there is no log. Preserves errno.
recorder::LogWriter* BeginLog();

inline recorder::LogWriter* ProcessLog() {
  recorder::LogWriter* const writer =
      process_writer.load(std::memory_order_acquire);
  return writer != nullptr && writer->is_live() ? writer : BeginLog();
}

// Writes an event to the log and returns its number, or 0 without a log.
inline uint64_t Log(const log_format::Event& event) {
  recorder::LogWriter* const writer = ProcessLog();
  if (writer == nullptr) return 0;
  if (thread_number == 0) {
    static std::atomic<uint32_t> threads{0};
    thread_number = threads.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  return writer->Write(event, thread_number);
}

// Pauses logging in this process while the object exists. Used around
// allocations that the program itself would not have made. Requires that only
// one thread is running.
class LogPause {
 public:
  LogPause();
  ~LogPause();
  LogPause(const LogPause&) = delete;
  LogPause& operator=(const LogPause&) = delete;

 private:
  recorder::LogWriter* writer_;
};

// LogFolder returns the folder of the logs. PreloadPath returns the path of
// this library as stated in LD_PRELOAD. Both return an empty string if
// recording is off.
const char* LogFolder();
// Returns whether the environment requests that touches are recorded.
bool AsksForTouches();
const char* PreloadPath();

}  // namespace stowage::preload

#endif  // STOWAGE_SRC_RECORDER_PRELOAD_PROCESS_LOG_H_
