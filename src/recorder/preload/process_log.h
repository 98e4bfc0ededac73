// SPDX-License-Identifier: Apache-2.0
// Gives access to the log of this process image. The log begins with the first
// allocation.
#ifndef STOWAGE_SRC_RECORDER_PRELOAD_PROCESS_LOG_H_
#define STOWAGE_SRC_RECORDER_PRELOAD_PROCESS_LOG_H_

#include <atomic>
#include <cstdint>

#include "src/recorder/log_writer.h"

namespace stowage::preload {

// The writer of this process. It is null before the first allocation. In a
// forked child, it may still be the writer that the parent made; is_live() is
// then false.
// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): a constant starts it.
extern std::atomic<recorder::LogWriter*> process_writer;

// The number of this thread, from 1, or 0 before it is known. The TLS model is
// initial-exec, since access to a thread-local variable of a different model
// may allocate.
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

// Pauses logging by this process while the object exists. Use it around
// allocations that the program itself would not have made. Requires that only
// one thread runs.
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
// this library as it is in LD_PRELOAD. Both are empty if recording is off.
const char* LogFolder();
// Says whether the environment asks for touches.
bool AsksForTouches();
const char* PreloadPath();

}  // namespace stowage::preload

#endif  // STOWAGE_SRC_RECORDER_PRELOAD_PROCESS_LOG_H_
