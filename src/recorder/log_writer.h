// SPDX-License-Identifier: Apache-2.0
// Writes a log (stowage/recordings/log_format.h) from any number of threads.
// Events are written to a memory mapping of the file, so they are in the file
// even if the process is killed immediately afterwards. Code outside of this
// folder uses stowage/recorder.h.
//
// A writer neither allocates nor throws, needs only the C library, and may be
// used in allocators and in signal handlers. If a signal handler interrupts the
// writing of an event, the events of the handler go to a different lane. A
// writer does not keep a file descriptor open, because the program could close
// it. In a forked child process, a writer writes nothing.
#ifndef STOWAGE_SRC_RECORDER_LOG_WRITER_H_
#define STOWAGE_SRC_RECORDER_LOG_WRITER_H_

#include <sched.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "stowage/recordings/log_format.h"

namespace stowage::recorder {

// The facts that are stored in the header of a log.
struct LogFacts {
  uint32_t flags = 0;  // log_format::FileFlags
  uint16_t id_rotation = 0;
  uint16_t alignment_log2 = 0;  // for allocations that state none
};

// The sequence counter has its own cache line. A LogWriter occupies whole
// pages, so the system can replace them with zeros in a forked child process.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
class LogWriter {
 public:
  // Creates a file and a writer for it. `path` must be absolute. If the file
  // already exists, or if the file or the writer cannot be created, sets errno
  // and returns null.
  static LogWriter* Create(const char* path, const LogFacts& facts);
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // Returns false in a forked child process. The child must create its own
  // writer and must not close this one.
  bool is_live() const {
    const uint32_t state = state_.load(std::memory_order_relaxed);
    return state == kWiped ||
           (state == kChecked && static_cast<uint64_t>(getpid()) == process_);
  }

  // Writes an event with the next sequence number, and returns that number.
  // Returns 0 if the event is lost. `lane` may be any number. Threads that pass
  // different numbers do not wait for each other. Preserves errno.
  uint64_t Write(log_format::Event event, uint32_t lane) {
    Lane* const held = Acquire(lane);
    uint64_t sequence = 0;
    if (held->limit - held->at >=
            static_cast<ptrdiff_t>(log_format::kMaxEventBytes) ||
        BeginChunk(held)) {
      uint8_t* const at = held->at;
      log_format::Position position = held->position;
      const uint32_t id_rotation = id_rotation_;
      // A relaxed counter is sufficient: if one event happens before another
      // (for example, a free before the allocation that reuses the memory), the
      // counter is incremented in the same order.
      sequence = sequence_.fetch_add(1, std::memory_order_relaxed) + 1;
      event.sequence = sequence;
      // A signal handler may fork at any point in this function and then return
      // in the child, where this object is zeroed. In that case, the child
      // either loses the event here or writes the same bytes to the chunk as
      // its parent. The child must not write beyond these bytes, because the
      // next event of the parent may already be there.
      std::atomic_signal_fence(std::memory_order_seq_cst);
      if (at == nullptr || state_.load(std::memory_order_relaxed) == 0) {
        return 0;
      }
      uint8_t bytes[log_format::kMaxEventBytes];
      const log_format::EncodedEvent encoded =
          log_format::EncodeEvent(event, id_rotation, &position, bytes);
      for (uint32_t i = 1; i < encoded.bytes; ++i) at[i] = bytes[i];
      // Write the first byte last, because it makes the event valid.
      reinterpret_cast<std::atomic<uint8_t>*>(at)->store(
          encoded.first, std::memory_order_release);
      held->position = position;
      held->at = at + encoded.bytes;
    }
    held->is_held.store(0, std::memory_order_release);
    return sequence;
  }

  // Sets flags of the header.
  void AddFlags(uint32_t flags);

  // Completes the file and frees the writer. Returns 0 or, if events were lost,
  // the errno of the failure that caused the loss. Requires that no other call
  // is running.
  int Close();

 private:
  // A thread holds a lane only while it writes an event.
  struct alignas(64) Lane {
    std::atomic<uint32_t> is_held;
    uint32_t chunks;       // the number of chunks begun so far
    uint8_t* at;           // the place of the next event
    uint8_t* limit;        // the end of the chunk
    uint8_t* chunk;        // the mapped chunk, or null
    uint64_t offset;       // the offset of the chunk in the file
    uint64_t next_offset;  // the offset of a chunk yet to be mapped, or 0
    log_format::Position position;
  };

  // The way in which a writer detects that it is in a forked child process:
  // either the system clears the writer, or the writer compares process ids,
  // which is slower.
  enum State : uint32_t { kWiped = 1, kChecked = 2 };

  LogWriter() = default;

  // Returns a lane that only this thread may use until it clears `is_held`.
  Lane* Acquire(uint32_t lane) {
    for (;;) {
      for (uint32_t i = 0; i < log_format::kMaxLanes; ++i) {
        Lane* const candidate = &lanes_[(lane + i) % log_format::kMaxLanes];
        if (candidate->is_held.load(std::memory_order_relaxed) == 0 &&
            candidate->is_held.exchange(1, std::memory_order_acquire) == 0) {
          return candidate;
        }
      }
      sched_yield();
    }
  }

  // Assigns a new chunk to the lane. On failure, counts one event as lost and
  // returns false.
  bool BeginChunk(Lane* lane);
  static void UnmapChunk(Lane* lane);
  bool MapChunk(Lane* lane, uint32_t bytes);
  int OpenFile() const;
  bool WriteHeader(int fd, const LogFacts& facts);
  void CountLost(int error);

  std::atomic<uint32_t> state_;
  uint32_t id_rotation_;
  uint32_t least_chunk_bytes_;
  std::atomic<uint32_t> is_full_;
  log_format::FileHeader* header_;  // is mapped
  uint64_t process_;
  dev_t device_;
  ino_t inode_;
  std::atomic<uint64_t> end_;  // the offset of the end of the file
  alignas(64) std::atomic<uint64_t> sequence_;
  Lane lanes_[log_format::kMaxLanes];
  char path_[4096];
};

}  // namespace stowage::recorder

#endif  // STOWAGE_SRC_RECORDER_LOG_WRITER_H_
