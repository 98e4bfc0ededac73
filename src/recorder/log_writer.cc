// SPDX-License-Identifier: Apache-2.0
#include "src/recorder/log_writer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): of POSIX
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "src/recorder/signal_block.h"
#include "stowage/recordings/log_format.h"

namespace stowage::recorder {
namespace {

using log_format::ChunkHeader;
using log_format::FileHeader;

static_assert(std::atomic<uint64_t>::is_always_lock_free &&
              sizeof(std::atomic<uint8_t>) == 1);
#if defined(__BYTE_ORDER__)
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "headers are written as they are in memory");
#endif

// Restores errno when it goes out of scope.
class ErrnoGuard {
 public:
  ErrnoGuard() : error_(errno) {}
  ~ErrnoGuard() { errno = error_; }
  ErrnoGuard(const ErrnoGuard&) = delete;
  ErrnoGuard& operator=(const ErrnoGuard&) = delete;

 private:
  int error_;
};

uint32_t PageBytes() {
  const auto bytes = static_cast<uint32_t>(sysconf(_SC_PAGESIZE));
  return bytes > log_format::kChunkAlignment ? bytes
                                             : log_format::kChunkAlignment;
}

size_t WriterBytes() {
  const size_t page = PageBytes();
  return (sizeof(LogWriter) + page - 1) / page * page;
}

uint64_t NanosecondsSince1970() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(now.tv_nsec);
}

// Appends the contents of a file to the text of the header. Returns false if
// the contents do not fit.
bool AppendFile(const char* path, char* text, size_t capacity, size_t* used) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  ssize_t got = 1;
  while (got > 0 && *used < capacity) {
    got = read(fd, text + *used, capacity - *used);
    if (got > 0) *used += static_cast<size_t>(got);
  }
  char more = 0;
  const bool fits = *used < capacity || read(fd, &more, 1) <= 0;
  close(fd);
  return fits;
}

// Ensures that the disk has space for `bytes` bytes of the file at `offset`. A
// full disk must be detected here, because a write to the mapping would then
// terminate the program.
bool Reserve(int fd, uint64_t offset, uint32_t bytes) {
  const auto end = static_cast<off_t>(offset + bytes);
  rlimit limit = {};
  // A write beyond the file size limit would raise a signal in the program.
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      static_cast<uint64_t>(end) > limit.rlim_cur) {
    errno = EFBIG;
    return false;
  }
#if defined(__linux__)
  int result = 0;
  do {
    result = fallocate(fd, 0, static_cast<off_t>(offset), bytes);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return true;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return false;
#endif
  // Without fallocate, write a byte to every page. Only this call uses the
  // range, so the bytes do not overwrite anything.
  for (auto at = static_cast<off_t>(offset); at < end;
       at += log_format::kChunkAlignment) {
    if (pwrite(fd, "", 1, at) != 1) return false;
  }
  return pwrite(fd, "", 1, end - 1) == 1;
}

}  // namespace

LogWriter* LogWriter::Create(const char* path, const LogFacts& facts) {
  const size_t length = strlen(path);
  if (length >= sizeof(path_)) {
    errno = ENAMETOOLONG;
    return nullptr;
  }
  const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return nullptr;
  void* const memory = mmap(nullptr, WriterBytes(), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    const int error = errno;
    close(fd);
    unlink(path);
    errno = error;
    return nullptr;
  }
  // The memory is zeroed, and zeros are the initial state of all lanes.
  auto* const writer = new (memory) LogWriter();
  memcpy(writer->path_, path, length + 1);
  if (!writer->WriteHeader(fd, facts)) {
    const int error = errno;
    munmap(memory, WriterBytes());
    close(fd);
    unlink(path);
    errno = error;
    return nullptr;
  }
  close(fd);
  State state = kChecked;
#if defined(MADV_WIPEONFORK)
  const ErrnoGuard guard;
  if (madvise(memory, WriterBytes(), MADV_WIPEONFORK) == 0) state = kWiped;
#endif
  writer->state_.store(state, std::memory_order_release);
  return writer;
}

bool LogWriter::WriteHeader(int fd, const LogFacts& facts) {
  struct stat status = {};
  const uint32_t bytes = PageBytes();
  if (fstat(fd, &status) != 0 || !Reserve(fd, 0, bytes)) return false;
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) return false;
  device_ = status.st_dev;
  inode_ = status.st_ino;
  id_rotation_ = facts.id_rotation;
  least_chunk_bytes_ = bytes;
  end_.store(bytes, std::memory_order_relaxed);
  header_ = static_cast<FileHeader*>(mapped);
  header_->version = log_format::kVersion;
  header_->header_bytes = bytes;
  header_->flags = facts.flags;
  header_->id_rotation = facts.id_rotation;
  header_->alignment_log2 = facts.alignment_log2;
  process_ = static_cast<uint64_t>(getpid());
  header_->process = process_;
  header_->parent = static_cast<uint64_t>(getppid());
  header_->start_time = NanosecondsSince1970();
  char* const text = static_cast<char*>(mapped) + sizeof(FileHeader);
  const size_t capacity = bytes - sizeof(FileHeader);
  const ssize_t program = readlink("/proc/self/exe", text, capacity - 1);
  size_t used = program > 0 ? static_cast<size_t>(program) : 0;
  text[used++] = '\0';
  if (!AppendFile("/proc/self/cmdline", text, capacity, &used)) {
    header_->flags |= log_format::kTextIsCut;
  }
  header_->text_bytes = static_cast<uint32_t>(used);
  std::atomic_thread_fence(std::memory_order_release);
  memcpy(header_->magic, log_format::kMagic, sizeof(log_format::kMagic));
  return true;
}

int LogWriter::OpenFile() const {
  int fd = -1;
  do {
    fd = open(path_, O_RDWR | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return -1;
  struct stat status = {};
  if (fstat(fd, &status) == 0 && status.st_dev == device_ &&
      status.st_ino == inode_) {
    return fd;
  }
  close(fd);
  errno = ENOENT;  // another file has this name now
  return -1;
}

void LogWriter::UnmapChunk(Lane* lane) {
  if (lane->chunk == nullptr) return;
  munmap(lane->chunk, static_cast<size_t>(lane->limit - lane->chunk));
  lane->chunk = nullptr;
  lane->at = nullptr;
  lane->limit = nullptr;
}

bool LogWriter::MapChunk(Lane* lane, uint32_t bytes) {
  const int fd = OpenFile();
  if (fd < 0) return false;
  // Reserve a range of the file only after the file has been opened, because
  // readers stop at a gap that is too long. If the range cannot be mapped now,
  // keep it for the next attempt.
  if (lane->next_offset == 0) {
    lane->next_offset = end_.fetch_add(bytes, std::memory_order_relaxed);
  }
  void* mapped = MAP_FAILED;
  if (Reserve(fd, lane->next_offset, bytes)) {
    // The previous chunk is no longer needed. If the address space of the
    // program is exhausted, unmapping that chunk makes room for the new one.
    UnmapChunk(lane);
    mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                  static_cast<off_t>(lane->next_offset));
  }
  const int error = errno;
  close(fd);
  errno = error;
  if (mapped == MAP_FAILED) return false;
  lane->chunk = static_cast<uint8_t*>(mapped);
  lane->offset = lane->next_offset;
  lane->next_offset = 0;
  return true;
}

bool LogWriter::BeginChunk(Lane* lane) {
  const ErrnoGuard guard;
  const SignalBlock block;
  if (state_.load(std::memory_order_relaxed) == 0) return false;  // see Write
  if (is_full_.load(std::memory_order_relaxed) != 0) {
    CountLost(0);
    return false;
  }
  uint32_t bytes = least_chunk_bytes_;
  for (uint32_t i = 0; i < lane->chunks && bytes < log_format::kMaxChunkBytes;
       ++i) {
    bytes *= 2;
  }
  if (!MapChunk(lane, bytes)) {
    // These errors may be temporary, because file descriptors and memory can
    // become available again.
    const bool may_pass = errno == EMFILE || errno == ENFILE || errno == ENOMEM;
    if (!may_pass) is_full_.store(1, std::memory_order_relaxed);
    CountLost(errno);
    return false;
  }
  auto* const header = reinterpret_cast<ChunkHeader*>(lane->chunk);
  header->bytes = bytes;
  header->lane = static_cast<uint32_t>(lane - lanes_);
  header->number = lane->chunks++;
  header->sequence = lane->position.sequence;
  header->id = lane->position.id;
  // The chunk counts as unused until its magic number is set.
  std::atomic_thread_fence(std::memory_order_release);
  header->magic = log_format::kChunkMagic;
  lane->at = lane->chunk + sizeof(ChunkHeader);
  lane->limit = lane->chunk + bytes;
  return true;
}

void LogWriter::CountLost(int error) {
  reinterpret_cast<std::atomic<uint64_t>*>(&header_->lost)
      ->fetch_add(1, std::memory_order_relaxed);
  if (error != 0) header_->lost_error = static_cast<uint32_t>(error);
}

void LogWriter::AddFlags(uint32_t flags) {
  reinterpret_cast<std::atomic<uint32_t>*>(&header_->flags)
      ->fetch_or(flags, std::memory_order_relaxed);
}

int LogWriter::Close() {
  Lane* final = nullptr;  // the lane with the chunk at the end of the file
  for (Lane& lane : lanes_) {
    if (lane.chunks == 0) continue;
    if (final == nullptr || lane.offset > final->offset) final = &lane;
  }
  const int fd = OpenFile();
  if (final != nullptr && final->chunk != nullptr &&
      is_full_.load(std::memory_order_relaxed) == 0 && fd >= 0) {
    const auto used = static_cast<uint32_t>(final->at - final->chunk);
    reinterpret_cast<ChunkHeader*>(final->chunk)->bytes = used;
    // If this call fails, the file only has additional zeros at its end.
    [[maybe_unused]] const int cut =
        ftruncate(fd, static_cast<off_t>(final->offset + used));
  }
  if (fd >= 0) close(fd);
  AddFlags(log_format::kWasClosed);
  const uint32_t error = header_->lost_error;
  for (Lane& lane : lanes_) UnmapChunk(&lane);
  munmap(header_, header_->header_bytes);
  munmap(this, WriterBytes());
  return static_cast<int>(error);
}

}  // namespace stowage::recorder
