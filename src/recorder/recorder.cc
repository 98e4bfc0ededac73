// SPDX-License-Identifier: Apache-2.0
// Defines the C interface of recorders. A stowage_recorder* points to a
// LogWriter; the type stowage_recorder itself is never defined.
#include "stowage/recorder.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/recorder/log_writer.h"
#include "stowage/recordings/log_format.h"

namespace stowage::recorder {
namespace {

using log_format::Event;
using log_format::EventKind;

LogWriter* WriterOf(stowage_recorder* recorder) {
  return reinterpret_cast<LogWriter*>(recorder);
}

// Returns a number that this thread shares with few other threads.
uint32_t LaneOfThread() {
  static std::atomic<uint32_t> threads{0};
  thread_local const uint32_t lane =
      threads.fetch_add(1, std::memory_order_relaxed);
  return lane;
}

void Write(stowage_recorder* recorder, const Event& event) {
  LogWriter* const writer = WriterOf(recorder);
  if (writer == nullptr || !writer->is_live()) return;
  writer->Write(event, LaneOfThread());
}

// Returns the exponent of the largest power of two that divides the alignment.
uint8_t Log2(uint64_t alignment) {
  uint8_t log = 0;
  while (alignment != 0 && (alignment & 1) == 0) {
    alignment >>= 1;
    ++log;
  }
  return log;
}

// Makes a path absolute, because the program may change its working folder. On
// failure, sets errno and returns false.
bool MakeAbsolute(const char* path, char* absolute, size_t capacity) {
  size_t used = 0;
  if (path[0] != '/') {
    if (getcwd(absolute, capacity) == nullptr) return false;
    used = strlen(absolute);
    absolute[used++] = '/';
  }
  const size_t length = strlen(path);
  if (used + length + 1 > capacity) {
    errno = ENAMETOOLONG;
    return false;
  }
  memcpy(absolute + used, path, length + 1);
  return true;
}

}  // namespace
}  // namespace stowage::recorder

stowage_recorder* stowage_recorder_open(const char* path) {
  if (path == nullptr) {
    errno = EINVAL;
    return nullptr;
  }
  char absolute[4096];
  if (!stowage::recorder::MakeAbsolute(path, absolute, sizeof(absolute) - 1)) {
    return nullptr;
  }
  return reinterpret_cast<stowage_recorder*>(
      stowage::recorder::LogWriter::Create(absolute, {}));
}

void stowage_recorder_on_alloc(stowage_recorder* recorder, uint64_t id,
                               uint64_t size, uint64_t alignment,
                               uint32_t pool) {
  stowage::recorder::Event event;
  event.kind = alignment > 1 || pool != 0
                   ? stowage::recorder::EventKind::kAllocWith
                   : stowage::recorder::EventKind::kAlloc;
  event.id = id;
  event.size = size;
  event.alignment_log2 = stowage::recorder::Log2(alignment);
  event.pool = pool;
  stowage::recorder::Write(recorder, event);
}

void stowage_recorder_on_use(stowage_recorder* recorder, uint64_t id,
                             stowage_recorder_use use) {
  stowage::recorder::Event event;
  event.kind = use == STOWAGE_RECORDER_WRITE
                   ? stowage::recorder::EventKind::kWrite
                   : stowage::recorder::EventKind::kRead;
  event.id = id;
  stowage::recorder::Write(recorder, event);
}

void stowage_recorder_on_free(stowage_recorder* recorder, uint64_t id) {
  stowage::recorder::Event event;
  event.kind = stowage::recorder::EventKind::kFree;
  event.id = id;
  stowage::recorder::Write(recorder, event);
}

void stowage_recorder_step(stowage_recorder* recorder) {
  stowage::recorder::Event event;
  event.kind = stowage::recorder::EventKind::kStep;
  stowage::recorder::Write(recorder, event);
}

int stowage_recorder_close(stowage_recorder* recorder) {
  stowage::recorder::LogWriter* const writer =
      stowage::recorder::WriterOf(recorder);
  // A forked child process does not own the recorder, so there is nothing to
  // close.
  if (writer == nullptr || !writer->is_live()) return 0;
  return writer->Close();
}
